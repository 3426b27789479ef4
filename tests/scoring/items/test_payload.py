import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.findings import FindingLog
from scoring.items.payload import Payload, PayloadReader
from scoring.json_values import MAX_DEPTH, Diagnosis
from scoring.payloads import PathWatch
from scoring.rubric import PayloadRule
from scoring.text import is_blank

USUAL = PayloadReader(PayloadRule(), PathWatch())
read_payload, read_plain = USUAL.read, USUAL.plain


def fields(cell: str) -> Payload:
    outcome = read_payload(cell)
    assert isinstance(outcome, Payload), outcome
    return outcome


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"지원자 3명"', "지원자 3명"),
        ('"  "', ""),
        ('"NaN"', ""),
        ("null", ""),
        ("false", ""),
        ("{}", ""),
        ("[]", ""),
        ("NaN", ""),
        ("true", "true"),
        ("0", "0"),
        ('{"text": "선택"}', '{"text": "선택"}'),
        ('"false"', "false"),
        (r'"a\ud800b"', "a\ud800b"),
    ],
)
def test_message_is_text_or_the_json_text_of_another_value(value: str, message: str) -> None:
    assert fields(f'{{"assistantMessage": {value}}}').message == message


@pytest.mark.parametrize(
    ("value", "has_ui", "notes"),
    [
        ('[{"uiValue": {}}]', True, ()),
        ('[ {"a": 1} ]', True, ()),
        ("[null, {}]", False, ()),
        ('[null, {}, {"a": 1}]', True, ()),
        ('["", [], false, NaN]', False, ()),
        ('["x"]', True, ()),
        ("[0]", True, ()),
        ("[]", False, ()),
        ("null", False, ()),
        ("{}", False, ()),
        ('{"uiValue": {"formType": "LINK"}}', True, ("ui-object",)),
        ('"text"', False, ("field-type:dataUIList",)),
        ("7", False, ("field-type:dataUIList",)),
    ],
)
def test_ui_needs_one_element_that_is_not_empty(value: str, has_ui: bool, notes: tuple[str, ...]) -> None:
    outcome = fields(f'{{"dataUIList": {value}}}')
    assert (outcome.has_ui, outcome.notes) == (has_ui, notes)


def test_milliseconds_prefer_the_first_spelling_that_is_usable() -> None:
    assert fields('{"latency_ms": 6000, "latencyMs": 1}').latency == 6
    assert fields('{"latency_ms": "soon", "latencyMs": "9500"}').latency == 9.5
    assert fields('{"latency_ms": "soon"}').latency == "soon"


@pytest.mark.parametrize(
    "cell",
    [
        '{"assistantMessage": "x", "other": NaN}',
        '{"assistantMessage": "x", "other": -Infinity}',
        '{"assistantMessage": "x", "responseTimeSec": 1e400}',
        r'{"assistantMessage": "x", "other": "\ud800"}',
        '{"assistantMessage": "y", "assistantMessage": "x"}',
        '{"assistantMessage": "x", "responseTimeSec": ' + "9" * 5000 + "}",
        '\n\t {"assistantMessage": "x"} \u00a0',
    ],
)
def test_what_python_reads_as_json_is_a_payload(cell: str) -> None:
    assert fields(cell).message == "x"


@pytest.mark.parametrize("around", ["\ufeff", "\u200b", "\u00a0", "\u3000\ufeff ", "\u2060\n"])
def test_what_shows_nothing_around_a_payload_is_no_part_of_it(around: str) -> None:
    for cell in ('{"assistantMessage": "\u200b가"}', '"{\\"assistantMessage\\": \\"\u200b가\\"}"'):
        assert fields(f"{around}{cell}{around}").message == "\u200b가"


@pytest.mark.parametrize("control", ["\n", "\r\n", "\t", "\x0b", "\x00"], ids=repr)
def test_line_break_within_a_text_is_part_of_it(control: str) -> None:
    cell = f'{{"assistantMessage": "first{control}second", "responseTimeSec": 4}}'
    payload = fields(cell)
    assert (payload.message, payload.response_seconds) == (f"first{control}second", 4.0)
    assert read_payload(cell[:-3]) == Diagnosis.TRUNCATED


def test_double_encoding_is_opened_once() -> None:
    inner = json.dumps({"assistantMessage": "x"})
    once = fields(json.dumps(inner))
    assert (once.message, once.notes) == ("x", ("double-encoded",))
    assert read_payload(json.dumps(json.dumps(inner))) == Diagnosis.NOT_AN_OBJECT


@pytest.mark.parametrize(
    ("cell", "diagnosis"),
    [
        ("[1]", Diagnosis.NOT_AN_OBJECT),
        ("3", Diagnosis.NOT_AN_OBJECT),
        ('"text"', Diagnosis.NOT_AN_OBJECT),
        ("Infinity", Diagnosis.NOT_AN_OBJECT),
        ("{'assistantMessage': None}", Diagnosis.PYTHON_DICT),
        ("{'assistantMessage': 'cut he", Diagnosis.PYTHON_DICT),
        ('{"assistantMessage": "x"', Diagnosis.TRUNCATED),
        ('{"assistantMessage": "', Diagnosis.TRUNCATED),
        ('{"assistantMessage": ', Diagnosis.TRUNCATED),
        (r'{"assistantMessage": "\u12', Diagnosis.TRUNCATED),
        ('{"error": fal', Diagnosis.TRUNCATED),
        ('"{\\"assistantMessage\\": \\"x', Diagnosis.TRUNCATED),
        (json.dumps('{"assistantMessage": "x'), Diagnosis.TRUNCATED),
        ('{"a": 1}}', Diagnosis.INVALID),
        ('{"a": 1} {"b": 2}', Diagnosis.INVALID),
        ('{"assistantMessage": "a"}x', Diagnosis.INVALID),
        ('"text" x', Diagnosis.INVALID),
        ("Internal Server Error", Diagnosis.INVALID),
        ("{”a”: ”b”}", Diagnosis.CURLY_QUOTES),
        ('{"a": “b”}', Diagnosis.CURLY_QUOTES),
        ('{"a”: "b", "c": 1}', Diagnosis.CURLY_QUOTES),
        ("{\n ‘a’: 1}", Diagnosis.CURLY_QUOTES),
        ("{«a»: 1}", Diagnosis.CURLY_QUOTES),
        ("{＂a＂: 1}", Diagnosis.CURLY_QUOTES),
        ("{&quot;a&quot;: &quot;b&quot;}", Diagnosis.ENTITIES),
        ("{ &#34;a&#34;: 1}", Diagnosis.ENTITIES),
        ('{"a": &quot;b&quot;}', Diagnosis.ENTITIES),
        ('{""a"": ""b""}', Diagnosis.DOUBLED_QUOTES),
        ('{\\"a\\": \\"b\\"}', Diagnosis.ESCAPED_QUOTES),
        ('{"a": "he said "yes" twice", "b": 1}', Diagnosis.INNER_QUOTE),
        ('{"a": "그는 "네"라고", "b": 1}', Diagnosis.INNER_QUOTE),
        (r'{"a": "C:\Users\x"}', Diagnosis.SINGLE_BACKSLASH),
        ('{"a": 1, }', Diagnosis.TRAILING_COMMA),
        ('{"a": [1, 2,], "b": 1}', Diagnosis.TRAILING_COMMA),
        ('{a: 1, b: "x"}', Diagnosis.UNQUOTED_NAME),
        ('{"a": True}', Diagnosis.PYTHON_DICT),
        ('{"a": None, "b": 1}', Diagnosis.PYTHON_DICT),
        ('{"a": "a “word”, quoted", "b": }', Diagnosis.INVALID),
        ('{"a": "' + "가" * (32_767 - 7), Diagnosis.EXCEL_CUT),
        ('{"a": "' + "가" * (32_767 - 20), Diagnosis.TRUNCATED),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), Diagnosis.TOO_DEEP),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, Diagnosis.TOO_DEEP),
        ('{"dataUIList":' + "[" * 1_000_000, Diagnosis.TOO_DEEP),
        (json.dumps('{"a":' * 5000), Diagnosis.TOO_DEEP),
    ],
)
def test_a_cell_that_is_no_payload_says_why(cell: str, diagnosis: str) -> None:
    assert read_payload(cell) == diagnosis


def test_depth_counts_brackets_outside_text_only() -> None:
    deepest = '{"x": ' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + ', "assistantMessage": "y"}'
    assert fields(deepest).message == "y"
    quoted = json.dumps({"assistantMessage": '[{"\\' * 5000})
    assert fields(quoted).message == '[{"\\' * 5000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["assistantMessage", "dataUIList", "error", "responseTimeSec", "latency_ms", "latencyMs", "other"]
)


@given(st.dictionaries(NAMES, JSON | st.text() | st.floats(0, 100)), st.booleans())
def test_msgspec_and_json_read_the_same(value: dict[str, object], ascii_only: bool) -> None:
    cell = json.dumps(value, ensure_ascii=ascii_only)
    fast = read_payload(cell)

    def refuse(_: bytes) -> object:
        raise msgspec.DecodeError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(msgspec.json, "decode", refuse)
        assert repr(read_payload(cell)) == repr(fast)


@given(st.dictionaries(NAMES, JSON | st.text() | st.floats(0, 100) | st.lists(st.just({}))), st.booleans())
def test_plain_fields_say_what_the_whole_payload_says(value: dict[str, object], ascii_only: bool) -> None:
    cell = json.dumps(value, ensure_ascii=ascii_only)
    plain = read_plain([cell])
    whole = fields(cell)
    of_plain = plain.payloads[0] or fields(cell)
    # UI items do not matter for an answer that has a message.
    has_ui = whole.has_ui if whole.message else of_plain.has_ui
    assert msgspec.structs.replace(of_plain, has_ui=has_ui, value=None) == msgspec.structs.replace(whole, value=None)
    if plain.messages[0]:
        expected = (plain.messages[0], "", plain.seconds[0], None, ())
        assert (whole.message, whole.error, whole.response_seconds, whole.latency, whole.notes) == expected


def test_a_ui_item_without_content_is_none_also_where_the_payload_is_plain() -> None:
    cells = ['{"dataUIList": [{}]}', '{"dataUIList": [{}, {"a": 1}]}']
    assert [payload is not None and payload.has_ui for payload in read_plain(cells).payloads] == [False, True]


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "{",
        "[1]",
        '"text"',
        '{"assistantMessage": 5, "responseTimeSec": 1.5}',
        '{"assistantMessage": "x", "responseTimeSec": "1.5"}',
        '{"assistantMessage": "x", "responseTimeSec": 1.5, "dataUIList": {}}',
        '{"assistantMessage": "x", "responseTimeSec": 1.5, "other": ' + "[" * 501 + "]" * 501 + "}",
        '{"assistantMessage": "x\ud800", "responseTimeSec": 1.5}',
        '{"assistantMessage": "x", "responseTimeSec": NaN}',
        '{"assistantMessage": "x", "responseTimeSec": 1.5, "latencyMs": 3}',
        '{"assistantMessage": "x", "responseTimeSec": 1.5, "error": "y"}',
    ],
)
def test_what_is_not_simply_answered_needs_a_second_look(cell: str) -> None:
    plain = read_plain(["nan", cell, '{"assistantMessage": "y", "responseTimeSec": 2}'])
    assert (plain.messages, plain.seconds) == (["", "", "y"], [None, None, 2])


def test_a_ui_item_of_another_type_is_read_alike_at_once_and_one_by_one() -> None:
    cell = '{"assistantMessage": "x", "responseTimeSec": 1.5, "dataUIList": [1]}'
    plain, whole = read_plain([cell]), read_payload(cell)
    assert isinstance(whole, Payload)
    assert (plain.messages, plain.seconds) == ([whole.message], [1.5])
    assert plain.payloads == [msgspec.structs.replace(whole, value=None)]
    assert (whole.has_ui, whole.shown, whole.notes) == (True, b'{"ui":[1]}', ())


def test_a_blank_cell_is_no_payload() -> None:
    assert [read_payload(cell) for cell in ("", " NaN ", "null")] == [None, None, None]
    assert read_plain(["", " NaN ", "null"]).payloads == [None, None, None]


@given(st.text(max_size=60) | st.text(alphabet='{}[]":,\\ntrue1', max_size=40))
def test_any_text_is_a_payload_or_diagnosed(cell: str) -> None:
    outcome = read_payload(cell)
    assert isinstance(outcome, Payload) or is_blank(cell) or outcome in vars(Diagnosis).values()


OTHER = PayloadRule(
    message=("output.text", "choices[0].message.content", "parts[*].text"),
    ui=("output.widgets", "steps[*].widget"),
    error=("failure.reason",),
    seconds=("timing.total_s",),
    milliseconds=("timing.total_ms",),
)


def reader(rule: PayloadRule, watch: PathWatch | None = None) -> PayloadReader:
    return PayloadReader(rule, watch or PathWatch())


@pytest.mark.parametrize("scores", [{"fit": 0.25}, [1, None], "0.5", None, 12345678901234567890123])
def test_what_is_asked_for_beside_is_read_alike_with_the_rest_and_without(scores: object) -> None:
    both = PayloadReader(PayloadRule(), PathWatch(), names=frozenset({"scores", "absent"}))
    cell = json.dumps({"assistantMessage": "x", "scores": scores, "more": [{"a": 1}]})
    whole, (plain,) = both.read(cell), both.plain([cell]).payloads
    assert isinstance(whole, Payload)
    assert isinstance(plain, Payload)
    assert whole.value is not None
    assert plain.value == {"scores": whole.value["scores"], "absent": None}
    assert msgspec.structs.replace(plain, value=None) == msgspec.structs.replace(whole, value=None)


@pytest.mark.parametrize(
    ("value", "message", "has_ui", "error", "seconds"),
    [
        ({"output": {"text": "a", "widgets": [{"x": 1}]}, "timing": {"total_s": 2}}, "a", True, "", 2.0),
        ({"output": {"text": " "}, "choices": [{"message": {"content": "b"}}]}, "b", False, "", None),
        ({"parts": [{"text": "c"}, {"text": None}, {"text": "d"}]}, "c\nd", False, "", None),
        ({"steps": [{"widget": {}}, {"widget": {"k": 1}}], "timing": {"total_ms": 1500}}, "", True, "", 1.5),
        ({"steps": [{"widget": {}}], "failure": {"reason": "quota"}}, "", False, "quota", None),
        ({"assistantMessage": "x", "dataUIList": [{"a": 1}], "error": "y", "responseTimeSec": 3}, "", False, "", None),
    ],
)
def test_values_are_at_the_first_path_that_has_any(
    value: dict[str, object], message: str, has_ui: bool, error: str, seconds: float | None
) -> None:
    found = reader(OTHER).read(json.dumps(value))
    assert isinstance(found, Payload)
    read = found.latency if found.response_seconds is None else found.response_seconds
    assert (found.message, found.has_ui, found.error, read) == (message, has_ui, error, seconds)


def test_no_path_means_that_there_is_no_such_value() -> None:
    payload = '{"assistantMessage":"x","error":"y","dataUIList":[1]}'
    found = reader(PayloadRule(ui=(), error=())).read(payload)
    assert isinstance(found, Payload)
    assert (found.message, found.has_ui, found.error) == ("x", False, "")
    plain = reader(PayloadRule(ui=(), error=()))
    assert plain.plain([payload]).payloads == [msgspec.structs.replace(found, value=None)]


@pytest.mark.parametrize(
    ("rule", "is_plain"),
    [
        (PayloadRule(), True),
        (PayloadRule(message=("output",), seconds=(), milliseconds=("ms",)), True),
        (PayloadRule(message=("output", "answer")), False),
        (PayloadRule(message=("output.text",)), False),
        (PayloadRule(message=("x",), error=("x",)), False),
        (PayloadRule(milliseconds=("a", "b", "c")), False),
    ],
)
def test_names_at_the_top_are_read_without_the_rest(rule: PayloadRule, is_plain: bool) -> None:
    assert reader(rule).is_plain is is_plain


RENAMED = PayloadRule(message=("output",), ui=("widgets",), error=("failure",), seconds=("took",), milliseconds=("ms",))
FIELDS = st.sampled_from(["output", "widgets", "failure", "took", "ms", "assistantMessage", "error"])


@given(st.dictionaries(FIELDS, JSON | st.text() | st.floats(0, 100) | st.lists(st.just({}))))
def test_renamed_plain_fields_say_what_the_whole_payload_says(value: dict[str, object]) -> None:
    renamed, cell = reader(RENAMED), json.dumps(value)
    whole = renamed.read(cell)
    assert isinstance(whole, Payload)
    of_plain = renamed.plain([cell]).payloads[0] or whole
    has_ui = whole.has_ui if whole.message else of_plain.has_ui
    assert msgspec.structs.replace(of_plain, has_ui=has_ui, value=None) == msgspec.structs.replace(whole, value=None)


def never_found(watch: PathWatch) -> list[tuple[str, str, int]]:
    log = FindingLog()
    watch.note(log, "Raw JSON")
    counts = {place.values["key"]: place.values["paths"] for place in log.places("path-never-found")}
    return [(key, paths, log.count("path-never-found")) for key, paths in counts.items()]


CELLS = ['{"output": "a", "took": 1.5}', '{"output": "b"}', "{", ""]


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (PayloadRule(message=("output",), seconds=("took",)), []),
        (PayloadRule(message=("answer",)), [("payload.message", "answer", 2)]),
        (PayloadRule(message=("output",), milliseconds=("ms", "MS")), [("payload.milliseconds", "ms, MS", 2)]),
        (PayloadRule(message=("output",), error=("failure",)), []),
        (PayloadRule(message=("answer",), error=("failure",)), [("payload.message", "answer", 4)]),
    ],
    ids=["all", "message", "milliseconds", "no error among answers", "no error without an answer"],
)
def test_path_that_never_has_a_value_is_noted(
    rule: PayloadRule, found: list[tuple[str, str, int]], is_fast: bool
) -> None:
    watch = PathWatch()
    one = reader(rule, watch)
    if is_fast:
        assert [payload is None for payload in one.plain(CELLS).payloads] == [False, False, True, True]
    else:
        for cell in CELLS:
            one.read(cell)
    noted = never_found(watch)
    assert noted[:1] == found
    assert [key for key, _, _ in noted[1:]] == (["payload.error"] if rule.message == ("answer",) and rule.error else [])


def test_usual_paths_that_no_document_names_are_not_noted() -> None:
    watch = PathWatch()
    for cell in CELLS:
        reader(PayloadRule(), watch).read(cell)
    assert never_found(watch) == []
