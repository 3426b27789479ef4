"""`items.csv`: one line per item, for spreadsheets and scripts.

UTF-8 with BOM and CRLF, as Excel expects; every text cell is quoted and on one line. Cell text is data: what a
spreadsheet would run as a formula gets a leading apostrophe, control and bidi characters are cleaned. Encoded without
`csv.writer`, in chunks, because this is the largest file of a report: `csv.writer` takes twice the CPU time.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain, repeat

from reporting.data.item_columns import Columns, columns_by_batch
from reporting.wording import causes_text, clean, comments_text, given_text
from scoring import FORMULA, Memo
from scoring.items import NO_DETAILS, ItemDetails, Review
from scoring.results import SetResult, passes_of
from scoring.rubric import FIELDS, Measure, Rubric, Status, TrackId
from scoring.sets import CsvTitles

# First characters that need a closer look: those that a spreadsheet runs, and blanks that may hide them.
_RISKY = FORMULA | {" "}
_BLANK_OR_RISKY = _RISKY | {"\n"}
LINE_BREAK = " ⏎ "  # as `clean` shows it
_SEPARATOR = "\x1f"
_NO_WORD = re.compile(r"\W")
_KNOWN_TEXTS = 2_000  # questions and the like, up to 4 KB each

COLUMNS = (
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
    "message",
)

# After them, since engine 10. A report of the version before has no such columns.
OUTCOME_COLUMNS = ("passed", "text_hash")

# After those, for profiles with rules of their own.
DETAIL_COLUMNS = (
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

# After those, for profiles with levels to judge.
VERDICT_COLUMNS = ("verdict_why", "verdict_reason")
RUBRIC_COLUMNS = ("rubrics", "rubrics_level", "rubrics_source", "rubrics_why", "rubrics_reason")

# Last, for profiles whose items are turns of conversations.
SESSION_COLUMNS = ("session", "turn")

# Behind those, for sets with grades of people: who gave them, and those of `graded_columns` for each metric graded.
REVIEW_COLUMNS = ("reviewed_by", "review_sample")


Asks = Callable[[Iterable[tuple[str, str, str]]], object]  # is given Query ID, question and expected result of items


def graded_columns(metric: str) -> tuple[str, ...]:
    """What an item had in a metric before people graded it, what each gave where they differ, and what each wrote."""
    reviewed = (f"reviewed_{metric}_{what}" for what in ("by", "comment", "cause"))
    return f"before_{metric}", f"before_{metric}_source", *reviewed


def encode_items(
    result: SetResult, asks: Asks | None = None, *, titles: CsvTitles = CsvTitles.FIELDS
) -> Iterator[bytes]:
    """The whole file in chunks; the first one is the byte-order mark and the header.

    asks: is given what all items ask, so that they need not be read twice.
    """
    yield title_row(header(result, titles))
    make = _chunk_maker(result)
    start = 0
    for of in columns_by_batch(result.items):
        n = len(of["row"])
        if asks is not None:
            asks(zip(of["query_id"], of["question"], of["expected"], strict=True))
        yield make(of, slice(start, start + n))
        start += n


def header(result: SetResult, titles: CsvTitles = CsvTitles.FIELDS) -> list[str]:
    """Names of the columns, those of extra columns of the input last.

    An extra column with the name of an earlier column gets ` (input)` appended.
    """
    rubric = result.rubric
    details: tuple[str, ...] = OUTCOME_COLUMNS + (DETAIL_COLUMNS if rubric.has_details else ())
    details += VERDICT_COLUMNS if _has_judged_verdict(rubric) else ()
    details += RUBRIC_COLUMNS if rubric.rubrics is not None else ()
    details += measure_columns(rubric.measures, titles)
    details += SESSION_COLUMNS if rubric.sessions is not None else ()
    if result.reviews is not None:
        details += (*REVIEW_COLUMNS, *chain.from_iterable(map(graded_columns, _graded(result))))
    names = [*titled(COLUMNS, FIELDS, rubric, titles), *details]
    for extra in result.extra_columns:
        names.append(f"{extra} (input)" if extra in names else extra)
    return names


def titled(names: Iterable[str], inputs: Container[str], rubric: Rubric, titles: CsvTitles) -> list[str]:
    """The names of columns. inputs: those that the report calls as the rubric document calls the input's column."""
    if titles is CsvTitles.FIELDS:
        return list(names)
    of_report = {column.name: column.title for column in rubric.columns if column.name in inputs}
    return [of_report.get(name, name) for name in names]


def measure_columns(measures: Iterable[Measure], titles: CsvTitles) -> tuple[str, ...]:
    """The names of the columns of measures: `measure_tokens`, or `measure.tokens` as among metrics."""
    keys = tuple(measure.key for measure in measures)
    return keys if titles is CsvTitles.REPORT else snake_case(keys)


def snake_case(names: Iterable[str]) -> tuple[str, ...]:
    """The names as fields of a table."""
    return tuple(_NO_WORD.sub("_", name) for name in names)


def title_row(names: Iterable[str]) -> bytes:
    """The first line of a file, behind a byte-order mark."""
    return (",".join(f'"{cell(name)}"' for name in names) + "\r\n").encode("utf-8-sig", "replace")


def cell(text: str) -> str:
    """Text to put between quotes: harmless in a spreadsheet, on one line, quotes doubled."""
    if not text.isprintable() or text[:1] in _RISKY:
        text = _defuse(text)
    return text.replace('"', '""') if '"' in text else text


def lines_of(text: str) -> str:
    """The text of a cell, its line breaks as they were."""
    return text.replace(LINE_BREAK, "\n") if LINE_BREAK in text else text


def column(texts: Sequence[str], end: str) -> list[bytes]:
    """`cell` of each, followed by `end`, in UTF-8."""
    if not any(texts):
        return [end.encode()] * len(texts)
    if _BLANK_OR_RISKY.isdisjoint([text[:1] for text in texts]):
        together = _SEPARATOR.join(texts)
        one_line = together.replace("\n", LINE_BREAK)
        # One text is changed instead of hundreds. The count shows whether a cell holds the separator.
        if together.count(_SEPARATOR) == len(texts) - 1 and one_line.replace(_SEPARATOR, "").isprintable():
            return _pieces(one_line.replace('"', '""'), end)
    together = _SEPARATOR.join(map(cell, texts))
    return _pieces(together, end)


def truth(is_true: bool | None) -> str:
    """A whole cell: `true`, `false`, or nothing for neither."""
    return "" if is_true is None else "true" if is_true else "false"


def track_cell(track: TrackId | None) -> str:
    """A whole cell: the number of a track, or its text in quotes."""
    return f'"{cell(track)}"' if isinstance(track, str) else "" if track is None else str(track)


def number(value: float | None) -> str:
    """Shortest text of the float, whole numbers without `.0`; "" when there is no value."""
    return "" if value is None else repr(value).removesuffix(".0")


def numbers(values: Sequence[float | None]) -> list[bytes]:
    """`number` of each, in UTF-8."""
    together = _SEPARATOR.join(map(repr, values)) + _SEPARATOR
    return _pieces(together.replace(f".0{_SEPARATOR}", _SEPARATOR).replace("None", "")[:-1], "")


def _pieces(together: str, end: str) -> list[bytes]:
    separator = _SEPARATOR.encode()
    data = together.encode("utf-8", "replace") + separator
    pieces = data.replace(separator, end.encode() + separator).split(separator) if end else data.split(separator)
    del pieces[-1]
    return pieces


def _defuse(text: str) -> str:
    joined = text.replace("\n", LINE_BREAK)
    if joined.isprintable() and text[:1] not in _BLANK_OR_RISKY:  # most answers only have line breaks to replace
        return joined
    cleaned = clean(text)
    return f"'{cleaned}" if text.lstrip(" ")[:1] in FORMULA or cleaned[:1] in FORMULA else cleaned


def _chunk_maker(result: SetResult) -> Callable[[Columns, slice], bytes]:
    """A function from the fields of some items, and their places among all, to their lines.

    Works in columns: values that recur are encoded once and looked up afterwards, the other texts are checked and
    encoded as one. Every piece ends with its comma or quotes, so that a line is joined from few pieces.
    """
    files = [f'"{cell(summary.name)}",'.encode("utf-8", "replace") for summary in result.inputs]
    known: Memo[str, bytes] = Memo(lambda text: _encoded(f'{cell(text)}","'), limit=_KNOWN_TEXTS)
    placed, scored, reasoned = Memo(_place), Memo(_scores), Memo(_reasons_of(result.rubric))
    timed = Memo(_latency_of(result.rubric))
    render = _detail_renderer(result.rubric)
    rubric = result.rubric
    has_details = rubric.has_details or bool(rubric.measures) or rubric.sessions is not None
    graded = None if result.reviews is None else _graded(result)
    by_payload = result.rubric.classes is not None
    ends = [f',{truth(passed)},"'.encode() for passed in passes_of(result.table.distinct, rubric)]

    def recurring(texts: Sequence[str]) -> Iterable[bytes]:
        if len(dict.fromkeys(texts)) * 2 > len(texts):  # too few repeats to cache
            return column(texts, '","')
        return map(known.__getitem__, texts)

    def make(of: Columns, at: slice) -> bytes:
        places = zip(of["round"], of["track"], of["category"], of["run_id"], strict=True)
        scores = zip(
            of["status"], of["why"], of["intent"], of["intent_source"], of["accuracy"], of["stability"], strict=True
        )
        is_timeless = [seconds is None for seconds in of["seconds"]]
        reasons = zip(
            of["failure_word"], of["recorded_issue"], of["has_payload"], is_timeless, of["track"], strict=True
        )
        classes = [(one or NO_DETAILS).latency_class for one in of["details"]] if by_payload else of["track"]
        latencies = zip(of["latency"], classes, of["llm_status"], of["recorded"], strict=True)
        pieces = zip(
            map(files.__getitem__, result.sources[at]),
            _pieces(_SEPARATOR.join(map(str, of["row"])), ',"'),
            column(of["query_id"], '",'),
            map(placed.__getitem__, places),
            column(of["item_id"], '",'),
            map(scored.__getitem__, scores),
            numbers(of["seconds"]),
            map(timed.__getitem__, latencies),
            recurring(of["llm_comment"]),
            recurring(of["llm_model"]),
            column(of["executed_at"], '",'),
            map(reasoned.__getitem__, reasons),
            recurring(of["question"]),
            recurring(of["expected"]),
            column(of["response"], '","'),
            column(of["error"], '","'),
            column(_other_messages(of["message"], of["response"]), '"'),
            map(ends.__getitem__, result.table.numbers[at]),
            column(of["text_hash"], '"'),
            _rest(of["extra"], of["details"] if has_details else None, render, of["review"], graded),
            strict=True,
        )
        return b"".join(map(b"".join, pieces))  # in two steps: all pieces at once take three times as long

    return make


def _other_messages(messages: Sequence[str], responses: Sequence[str]) -> list[str]:
    """Messages of the payload, "" where the response says the same."""
    pairs = zip(messages, responses, strict=True)
    return ["" if message == response else message for message, response in pairs]


def _rest(
    extras: Sequence[tuple[str, ...]],
    details: Sequence[ItemDetails | None] | None,
    render: Callable[[ItemDetails], str],
    reviews: Sequence[tuple[Review, ...]],
    graded: Sequence[str] | None,
) -> Iterable[bytes]:
    """The cells after the last common column, with the end of the line. graded: metrics, None without any reviews."""
    lines: Iterable[bytes] = repeat(b"\r\n", len(extras))
    if extras[0]:
        cells = [column(texts, '"') for texts in zip(*extras, strict=True)]
        lines = [b',"' + b',"'.join(texts) + b"\r\n" for texts in zip(*cells, strict=True)]
    if graded is not None:
        lines = [_encoded(_reviewed(one, graded)) + line for one, line in zip(reviews, lines, strict=True)]
    if details is None:
        return lines
    return [_encoded(render(one or NO_DETAILS)) + line for one, line in zip(details, lines, strict=True)]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _place(key: tuple[str, TrackId | None, str, str]) -> bytes:
    round_label, track, category, run_id = key
    return _encoded(f'"{cell(round_label)}",{track_cell(track)},"{cell(category)}","{cell(run_id)}","')


def _scores(key: tuple[Status, str, float | None, str, float, float]) -> bytes:
    status, why, intent, source, accuracy, stability = key
    return _encoded(f'{status},"{cell(why)}",{number(intent)},"{cell(source)}",{number(accuracy)},{number(stability)},')


def _latency_of(rubric: Rubric) -> Callable[[tuple[float, TrackId | None, str, str]], bytes]:
    """Points, class, llm_status and llm_score. The payload names the class, or it depends on the track."""
    by_payload = rubric.classes is not None

    def render(key: tuple[float, TrackId | None, str, str]) -> bytes:
        points, of_class, llm_status, recorded = key
        name = str(of_class) if by_payload else rubric.latency_class(of_class).name
        return _encoded(f',{number(points)},"{cell(name)}","{cell(llm_status)}","{cell(recorded)}","')

    return render


def _has_judged_verdict(rubric: Rubric) -> bool:
    return rubric.verdict is not None and rubric.verdict.is_judged


def _detail_renderer(rubric: Rubric) -> Callable[[ItemDetails], str]:
    """A function from details to their cells, each with a comma before it."""
    renderers = [_details] if rubric.has_details else []
    if _has_judged_verdict(rubric):
        renderers.append(_verdict)
    if rubric.rubrics is not None:
        renderers.append(_rubrics)
    if rubric.measures:
        renderers.append(_measures)
    if rubric.sessions is not None:
        renderers.append(_session)
    return renderers[0] if len(renderers) == 1 else lambda details: "".join([render(details) for render in renderers])


def _verdict(details: ItemDetails) -> str:
    return f',"{cell(details.verdict_why)}","{cell(details.verdict_reason)}"'


def _session(details: ItemDetails) -> str:
    return ',"",""' if details.turn is None else f',"{cell(details.turn.session)}","{cell(details.turn.label)}"'


def _graded(result: SetResult) -> list[str]:
    """The metrics that people graded."""
    return [] if result.reviews is None else [of.metric for of in result.reviews.metrics]


def _reviewed(reviews: tuple[Review, ...], graded: Sequence[str]) -> str:
    """The cells of REVIEW_COLUMNS and `graded_columns`; all are blank for an item without a person's grade."""
    by_metric = {one.metric: one for one in reviews}
    names = "; ".join(dict.fromkeys(opinion.reviewer for one in reviews for opinion in one.opinions))
    cells = [f',"{cell(names)}","{reviews[0].sample if reviews else ""}"']
    for one in map(by_metric.get, graded):
        if one is None:
            cells.append(',,"","","",""')
        else:
            texts = (one.origin, given_text(one.opinions), comments_text(one.opinions), causes_text(one.opinions))
            cells.append(f",{number(one.before)}" + "".join([f',"{cell(text)}"' for text in texts]))
    return "".join(cells)


_amounts: Memo[float | None, str] = Memo(lambda amount: f",{number(amount)}")  # scores recur


def _measures(details: ItemDetails) -> str:
    return "".join([_amounts[amount] for amount in details.measures])


def _rubrics(details: ItemDetails) -> str:
    return (
        f',{number(details.rubrics)},"{cell(details.rubrics_level)}","{cell(details.rubrics_source)}"'
        f',"{cell(details.rubrics_why)}","{cell(details.rubrics_reason)}"'
    )


def _details(details: ItemDetails) -> str:
    """The cells of DETAIL_COLUMNS."""
    failed = "; ".join(
        f"{check.name} {check.operator} {check.value}"
        + (f" ← {check.found}" if check.found else "")
        + (f" [{check.fault}]" if check.fault else "")
        for check in details.failed_checks
    )
    return (
        f',"{cell(details.verdict)}","{cell(details.label)}","{cell(details.label_source)}","{cell(details.signature)}"'
        f',"{cell(details.check_source)}",{details.checks},{details.ignored_checks},{number(details.ratio)}'
        f',"{cell(failed)}","{cell(details.accuracy_reason)}"'
    )


def _reasons_of(rubric: Rubric) -> Callable[[tuple[str, str, bool, bool, TrackId | None]], bytes]:
    """failure_word and reasons: codes of what is wrong with the item, joined by `;`."""
    has_speed = rubric.has_metric("latency")

    def render(key: tuple[str, str, bool, bool, TrackId | None]) -> bytes:
        failure_word, recorded_issue, has_payload, is_timeless, track = key
        reasons = [
            f"recorded-{recorded_issue}" if recorded_issue else "",
            "" if has_payload else "no-payload",
            "seconds-missing" if is_timeless and has_speed else "",
            _track_reason(rubric, track),
        ]
        return _encoded(f'"{cell(failure_word)}","{";".join(filter(None, reasons))}","')

    return render


def _track_reason(rubric: Rubric, track: TrackId | None) -> str:
    if not rubric.has_tracks or rubric.names_track(track):
        return ""
    return "track-unassigned" if track is None else "track-unnamed"
