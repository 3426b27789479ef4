"""`items.csv`: one line per item, for spreadsheets and scripts.

UTF-8 with BOM and CRLF, as Excel likes it; every text cell is quoted and stands on one line. Cell text is
data: what a spreadsheet would run as a formula gets a leading apostrophe, control and bidi characters are
cleaned. Written by hand and in chunks because this is the largest file of a report: `csv.writer` takes twice
the CPU time for the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from reporting.display import clean
from scoring.memo import Memo
from scoring.result import SetResult
from scoring.rubric import Rubric

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


def encode_items(result: SetResult) -> Iterator[bytes]:
    """The whole file in chunks; the first one is the byte-order mark and the header."""
    yield _header(result).encode("utf-8-sig", "replace")
    lines = _lines(result)
    while chunk := "".join(islice(lines, CHUNK_ITEMS)):
        yield chunk.encode("utf-8", "replace")


def header(result: SetResult) -> list[str]:
    """Names of the columns, those of extra columns of the input last.

    An extra column that is called like one before it gets ` (input)` behind its name.
    """
    titles = {column.name: column.title for column in result.rubric.columns}
    names = [titles.get(name, name) for name in _COLUMNS]
    for extra in result.extra_columns:
        names.append(f"{extra} (input)" if extra in names else extra)
    return names


def cell(text: str) -> str:
    """Text as it may stand between quotes: harmless in a spreadsheet, on one line, quotes doubled."""
    if not text.isprintable() or text[:1] in _RISKY:
        text = _defuse(text)
    return text.replace('"', '""') if '"' in text else text


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


def _lines(result: SetResult) -> Iterator[str]:
    """Values that repeat from item to item are rendered once and looked up afterwards."""
    files = [f'"{cell(summary.name)}"' for summary in result.inputs]
    known = Memo(cell)
    placed = Memo(_place)
    scored = Memo(_scores)
    timed = Memo(_latency_of(result.rubric))
    reasoned = Memo(_reasons_of(result.rubric))
    for item, source in zip(result.items, result.sources, strict=True):
        track, seconds = item.track, item.seconds
        extra = "".join([f',"{cell(text)}"' for text in item.extra]) if item.extra else ""
        yield (
            f'{files[source]},{item.row},"{cell(item.query_id)}",'
            f"{placed[item.round, track, item.category, item.run_id]},"
            f'"{cell(item.item_id)}",{item.status},'
            f"{scored[item.why, item.intent, item.intent_source, item.accuracy, item.stability]},"
            f"{'' if seconds is None else repr(seconds).removesuffix('.0')},{timed[item.latency, track]},"
            f'"{known[item.llm_status]}","{known[item.recorded]}","{cell(item.llm_comment)}","{known[item.llm_model]}",'
            f'"{cell(item.executed_at)}",'
            f"{reasoned[item.failure_word, item.recorded_issue, item.has_payload, seconds is None, track]},"
            f'"{cell(item.question)}","{cell(item.expected)}","{cell(item.response)}","{cell(item.error)}"{extra}\r\n'
        )


def _place(key: tuple[str, int | None, str, str]) -> str:
    round_label, track, category, run_id = key
    return f'"{cell(round_label)}",{"" if track is None else track},"{cell(category)}","{cell(run_id)}"'


def _scores(key: tuple[str, float | None, str, float, float]) -> str:
    why, intent, source, accuracy, stability = key
    return f'"{cell(why)}",{number(intent)},"{cell(source)}",{number(accuracy)},{number(stability)}'


def _latency_of(rubric: Rubric) -> Callable[[tuple[float, int | None]], str]:
    def render(key: tuple[float, int | None]) -> str:
        points, track = key
        return f'{number(points)},"{cell(rubric.latency_class(track).name)}"'

    return render


def _reasons_of(rubric: Rubric) -> Callable[[tuple[str, str, bool, bool, int | None]], str]:
    """failure_word and reasons: codes of what about the item is not as it should be, `;` between them."""

    def render(key: tuple[str, str, bool, bool, int | None]) -> str:
        failure_word, recorded_issue, has_payload, is_timeless, track = key
        reasons = [
            f"recorded-{recorded_issue}" if recorded_issue else "",
            "" if has_payload else "no-payload",
            "seconds-missing" if is_timeless else "",
            "track-unassigned" if track is None else "" if rubric.names_track(track) else "track-unnamed",
        ]
        return f'"{cell(failure_word)}","{";".join(filter(None, reasons))}"'

    return render
