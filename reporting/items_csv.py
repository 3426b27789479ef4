"""`items.csv`: one line per item, for spreadsheets and scripts.

UTF-8 with BOM and CRLF, as Excel likes it; every text cell is quoted and stands on one line. Cell text is
data: what a spreadsheet would run as a formula gets a leading apostrophe, control and bidi characters are
cleaned. Written by hand and in chunks because this is the largest file of a report: `csv.writer` takes twice
the CPU time for the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import astuple

from reporting.display import clean
from scoring.columns import FIELDS
from scoring.memo import Memo
from scoring.part import Item, ItemDetails
from scoring.result import SetResult
from scoring.rubric import Rubric, Status

CHUNK_ITEMS = 256  # about 150 KB a chunk: the buffers stay in the cache

_FORMULA = frozenset("=+-@\t\r＝＋－＠")
# First characters that need a closer look: those above, and blanks that may hide them.
_RISKY = _FORMULA | {" "}
_BLANK_OR_RISKY = _RISKY | {"\n"}
_LINE_BREAK = " ⏎ "  # as `clean` shows it

# Names of the columns; those of an input column are called by its title in the rubric document.
_COLUMNS = (
    "file",
    "row",
    "query_id",
    "round",
    "track",
    "category",
    "run_id",
    "item_id",
    "status",
    "why",
    "intent",
    "intent_source",
    "accuracy",
    "stability",
    "seconds",
    "latency",
    "latency_class",
    "llm_status",
    "llm_score",
    "llm_comment",
    "llm_model",
    "executed_at",
    "failure_word",
    "reasons",
    "question",
    "expected",
    "response",
    "error",
)

# Behind them, for profiles with rules of their own.
_DETAIL_COLUMNS = (
    "verdict",
    "label",
    "label_source",
    "signature",
    "check_source",
    "checks",
    "ignored_checks",
    "ratio",
    "failed_checks",
    "accuracy_reason",
)

_NO_DETAILS = ItemDetails()


def encode_items(result: SetResult) -> Iterator[bytes]:
    """The whole file in chunks; the first one is the byte-order mark and the header."""
    yield _header(result).encode("utf-8-sig", "replace")
    make = _chunk_maker(result)
    for start in range(0, len(result.items), CHUNK_ITEMS):
        chunk = slice(start, start + CHUNK_ITEMS)
        yield make(result.items[chunk], result.sources[chunk]).encode("utf-8", "replace")


def header(result: SetResult) -> list[str]:
    """Names of the columns, those of extra columns of the input last.

    An extra column that is called like one before it gets ` (input)` behind its name.
    """
    titles = {column.name: column.title for column in result.rubric.columns if column.name in FIELDS}
    details = _DETAIL_COLUMNS if result.rubric.has_details else ()
    names = [titles.get(name, name) for name in _COLUMNS] + list(details)
    for extra in result.extra_columns:
        names.append(f"{extra} (input)" if extra in names else extra)
    return names


def cell(text: str) -> str:
    """Text as it may stand between quotes: harmless in a spreadsheet, on one line, quotes doubled."""
    if not text.isprintable() or text[:1] in _RISKY:
        text = _defuse(text)
    return text.replace('"', '""') if '"' in text else text


def cells(texts: Sequence[str]) -> Sequence[str]:
    """`cell` of each."""
    joined = "".join(texts)
    if not _BLANK_OR_RISKY.isdisjoint([text[:1] for text in texts]):
        return list(map(cell, texts))
    if not joined.isprintable():
        if not joined.replace("\n", "").isprintable():
            return list(map(cell, texts))
        texts = [text.replace("\n", _LINE_BREAK) for text in texts]
    return [text.replace('"', '""') for text in texts] if '"' in joined else texts


def number(value: float | None) -> str:
    """Shortest text that stands for the float, whole numbers without `.0`; "" when there is no value."""
    return "" if value is None else repr(value).removesuffix(".0")


def _defuse(text: str) -> str:
    joined = text.replace("\n", _LINE_BREAK)
    if joined.isprintable() and text[:1] not in _BLANK_OR_RISKY:  # most answers have several lines and nothing odd
        return joined
    cleaned = clean(text)
    return f"'{cleaned}" if text.lstrip(" ")[:1] in _FORMULA or cleaned[:1] in _FORMULA else cleaned


def _header(result: SetResult) -> str:
    return ",".join(f'"{cell(name)}"' for name in header(result)) + "\r\n"


def _chunk_maker(result: SetResult) -> Callable[[Sequence[Item], Sequence[int]], str]:
    """A function from some items and their sources to their lines.

    Works in columns: what repeats from item to item is rendered once and looked up afterwards, and a column of texts
    in which there is nothing to change is told as a whole (100,000 items: 0.6 s instead of 1.0 s).
    """
    files = [f'"{cell(summary.name)}"' for summary in result.inputs]
    known = Memo(cell)
    placed = Memo(_place)
    scored = Memo(_scores)
    timed = Memo(_latency_of(result.rubric))
    has_details, by_payload = result.rubric.has_details, result.rubric.classes is not None
    of_class = Memo(_of_class)
    reasoned = Memo(_reasons_of(result.rubric))

    def make(items: Sequence[Item], sources: Sequence[int]) -> str:
        of = dict(zip(Item.__struct_fields__, zip(*map(astuple, items), strict=True), strict=True))
        places = zip(of["round"], of["track"], of["category"], of["run_id"], strict=True)
        scores = zip(
            of["status"], of["why"], of["intent"], of["intent_source"], of["accuracy"], of["stability"], strict=True
        )
        is_timeless = [seconds is None for seconds in of["seconds"]]
        reasons = zip(
            of["failure_word"], of["recorded_issue"], of["has_payload"], is_timeless, of["track"], strict=True
        )
        latencies = (
            map(of_class.__getitem__, zip(of["latency"], map(_class_name, of["details"]), strict=True))
            if by_payload
            else map(timed.__getitem__, zip(of["latency"], of["track"], strict=True))
        )
        extras = _extras(of["extra"])
        if has_details:
            extras = [_details(one) + extra for one, extra in zip(of["details"], extras, strict=True)]
        columns = zip(
            sources,
            of["row"],
            cells(of["query_id"]),
            map(placed.__getitem__, places),
            cells(of["item_id"]),
            map(scored.__getitem__, scores),
            map(number, of["seconds"]),
            latencies,
            map(known.__getitem__, of["llm_status"]),
            map(known.__getitem__, of["recorded"]),
            cells(of["llm_comment"]),
            map(known.__getitem__, of["llm_model"]),
            cells(of["executed_at"]),
            map(reasoned.__getitem__, reasons),
            cells(of["question"]),
            cells(of["expected"]),
            cells(of["response"]),
            cells(of["error"]),
            extras,
            strict=True,
        )
        lines = [
            f'{files[source]},{row},"{query_id}",{place},"{item_id}",{scores},{seconds},{latency},'
            f'"{llm_status}","{recorded}","{llm_comment}","{llm_model}","{executed_at}",{reasons},'
            f'"{question}","{expected}","{response}","{error}"{extra}\r\n'
            for source, row, query_id, place, item_id, scores, seconds, latency, llm_status, recorded, llm_comment,
            llm_model, executed_at, reasons, question, expected, response, error, extra in columns
        ]  # fmt: skip
        return "".join(lines)

    return make


def _extras(rows: Sequence[tuple[str, ...]]) -> Sequence[str]:
    if not rows[0]:
        return [""] * len(rows)
    columns = map(cells, zip(*rows, strict=True))
    return [',"' + '","'.join(texts) + '"' for texts in zip(*columns, strict=True)]


def _place(key: tuple[str, int | None, str, str]) -> str:
    round_label, track, category, run_id = key
    return f'"{cell(round_label)}",{"" if track is None else track},"{cell(category)}","{cell(run_id)}"'


def _scores(key: tuple[Status, str, float | None, str, float, float]) -> str:
    status, why, intent, source, accuracy, stability = key
    return f'{status},"{cell(why)}",{number(intent)},"{cell(source)}",{number(accuracy)},{number(stability)}'


def _latency_of(rubric: Rubric) -> Callable[[tuple[float, int | None]], str]:
    def render(key: tuple[float, int | None]) -> str:
        points, track = key
        return f'{number(points)},"{cell(rubric.latency_class(track).name)}"'

    return render


def _class_name(details: ItemDetails | None) -> str:
    return "" if details is None else details.latency_class


def _of_class(key: tuple[float, str]) -> str:
    points, name = key
    return f'{number(points)},"{cell(name)}"'


def _details(details: ItemDetails | None) -> str:
    """The cells of _DETAIL_COLUMNS, each with a comma before it."""
    details = details or _NO_DETAILS
    failed = "; ".join(
        f"{check.name} {check.operator} {check.value}" + (f" [{check.fault}]" if check.fault else "")
        for check in details.failed_checks
    )
    return (
        f',"{cell(details.verdict)}","{cell(details.label)}","{cell(details.label_source)}","{cell(details.signature)}"'
        f',"{cell(details.check_source)}",{details.checks},{details.ignored_checks},{number(details.ratio)}'
        f',"{cell(failed)}","{cell(details.accuracy_reason)}"'
    )


def _reasons_of(rubric: Rubric) -> Callable[[tuple[str, str, bool, bool, int | None]], str]:
    """failure_word and reasons: codes of what about the item is not as it should be, `;` between them."""

    def render(key: tuple[str, str, bool, bool, int | None]) -> str:
        failure_word, recorded_issue, has_payload, is_timeless, track = key
        reasons = [
            f"recorded-{recorded_issue}" if recorded_issue else "",
            "" if has_payload else "no-payload",
            "seconds-missing" if is_timeless else "",
            _track_reason(rubric, track),
        ]
        return f'"{cell(failure_word)}","{";".join(filter(None, reasons))}"'

    return render


def _track_reason(rubric: Rubric, track: int | None) -> str:
    if not rubric.has_tracks or rubric.names_track(track):
        return ""
    return "track-unassigned" if track is None else "track-unnamed"
