"""Extreme cells: numbers at the ends of what floats hold, odd texts, and payloads and checks made of them."""

import json

_NUMBERS = (
    "0", "-0", "+0", "00", "1", "-1", "5", "5.0", "4.999999999999999999", "5.000000000000001", "0.1", ".5", "5.", "1e0",
    "1e1", "1E2", "1e-1", "1e15", "1e16", "1e21", "1e22", "1e100", "1e308",
    "1.7976931348623157e308", "1.8e308", "1e309",
    "-1e308", "-1e309", "1e400", "1e9999", "1e-300", "5e-324", "2e-324", "1e-400", "1e-9999999", "-1e-9999999",
    "1e99999999999", "1e-99999999999999999999", "9007199254740991", "9007199254740992", "9007199254740993",
    "-9007199254740993", "18446744073709551616", "99999999999999999999999", "9" * 309, "9" * 400, "9" * 401, "9" * 4301,
    "0." + "0" * 350 + "1", "0." + "9" * 350, "1" + "0" * 308 + ".5", "NaN", "nan", "-nan", "sNaN", "inf", "-inf",
    "Infinity", "-Infinity", "1_000", "1,000", "1,000.5", "1.000,5", "1,5", "0x10", "0b1", "1e",
    "e1", "--1", "+-1", "1/0",
    "1/3", "100%", "3/5", "½", "Ⅴ", "５", "٥", "५", "一", "五", "1 000", "1 000", "1\u2009000", "−1", "'5", "=1+1",
    "=1/0", "#DIV/0!", "#N/A", "$5", "5점", "5 점", "true", "false", "TRUE", "null", "None", "<NA>", "NaT", "",
)  # fmt: skip
_TIMES = (
    "-1s", "1e308s", "1e309 s", "9" * 310 + "s", "9" * 310 + "h", "9" * 5000 + "h", "9" * 5000 + "분", "99:99:99",
    "999:59:59.999", "0:00:00", "1:2", "1:02:03,5", "pt1s", "1e400ms", "9" * 310 + " ms", "1h 1e308s", "1970-01-01",
    "2026-13-45", "0000-00-00", "9999-12-31 23:59:59", "1/1", "1/0", "0/1", "-1/1", "999999999999/1", "1/999999999999",
    "9" * 400 + "/1", "9" * 5000 + "/1", "1e3/1", "Jan-00", "50/1", "51/1", "Track 0", "Track -1",
    "Track 999999999999999999999", "Track " + "9" * 5000, "Track 1e309",
)  # fmt: skip
_TEXTS = (
    "\u200b", "\ufeff", "\u202e5\u202c", "\U000e0041\U000e0042", "\ud7ff", "\ufffd", "\u0301", "e\u0301" * 200, "\x07",
    "\x1b[31m", "가" * 5000, "a" * 33_000, "<script>alert(1)</script>", "](http://x)", "|" * 50, "`" * 50, "\\" * 50,
    "{" * 600, "[" * 600, "{}", "[]", "[[]]", "{{}}", "%s%n{0}{x}", "../../../etc/passwd", "C:\\x",
    "@check", "@check =",
    "@check a", "@check a=", "@check =1", "@check a=1e309", "@check a=" + "9" * 5000, "@check " + "[*]" * 200 + "=1",
    "@check a[999999999]=1", "@check a[-1]=1", "a\nb", "a\r\nb\rc", "\t", " ", "\xa0", "?dataKey=" + "9" * 5000,
    "/a?dataKey=1", "://", "%", "%ff?dataKey=%ff", "FAILED", "failed", "PASS", "ADD", "multi",
)  # fmt: skip


def _payloads() -> tuple[str, ...]:
    values = (
        "1e308",
        "1e309",
        "-1e309",
        "NaN",
        "Infinity",
        "-Infinity",
        "5e-324",
        "9" * 400,
        "9" * 4301,
        '"9"',
        "true",
    )
    fields = (
        "responseTimeSec",
        "latency_ms",
        "intent_verdict",
        "rubric_level",
        "dataUIList",
        "assistantMessage",
        "error",
    )
    made = [f'{{"assistantMessage":"답","{field}":{value}}}' for value in values for field in fields]
    checks = [
        [{"path": "a", "op": "eq", "value": 1, "weight": json.loads(weight)}, {"path": "b", "op": "exists"}]
        for weight in ("1e308", "1e309", "5e-324", "9" * 400, "0", "-1", "9007199254740993", "1e-300")
    ]
    listed = [json.dumps(one) for one in checks]
    nested = [json.dumps({"assistantMessage": "답", "a": 1, "accuracyChecks": one}) for one in checks]
    return (*made, *listed, *nested, '{"a":' * 499 + "1" + "}" * 499, "{'a': 1}", '{"a":1', "[1e309]")


EXTREMES = (*_NUMBERS, *_TIMES, *_TEXTS, *_payloads())
