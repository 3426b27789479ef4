"""A rubric document in Markdown from a proposal, in one language: every value with what it means, and why it is so.

What could not be decided stands as a commented line. The program reads the document as any other.
"""

import json
import re
from collections.abc import Iterator

from reporting.wording import excerpt, percent
from scoring.proposal import (
    ColumnGuess,
    MeasureGuess,
    PayloadGuess,
    Proposal,
    Reason,
    ScoreKind,
    Seconds,
    bands_of,
    levels_of_scale,
)
from scoring.rubric import WHOLE_RECORD
from scoring.rubric.document import show_number
from texts import Texts

MAX_FIELDS = 60  # that are listed of a column
_KEYS = ("message", "ui", "error", "seconds", "milliseconds")
_RATIOS = ("ratio = 1", "ratio >= 0.75", "ratio >= 0.5", "ratio >= 0.25", "0 < ratio < 0.25", "ratio = 0")


def payload_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Paths of the payload, and every field of every column of JSON objects as a comment."""
    if proposal.payload is not None:
        yield f"# {t('proposal.payload')}"
    if proposal.payload is not None or proposal.ends is not None:
        yield "payload:"
    places = {} if proposal.payload is None else proposal.payload.paths
    for key in _KEYS:
        if paths := places.get(key):
            yield f"  {key}: {listed(paths)} # {t(f'proposal.payload.{key}')}"
    if proposal.ends is not None:
        ends = listed((proposal.ends.start, proposal.ends.end))
        yield f"  seconds: {{ between: {ends} }} # {t('proposal.payload.between')}"
    for one in proposal.objects:
        kind = "proposal.record.fields" if one.title == WHOLE_RECORD else "proposal.payload.fields"
        yield f"# {t(kind, column=inert(one.title), rows=str(one.rows))}"
        yield from _fields(one, t)
    if proposal.objects or proposal.ends is not None:
        yield ""


def accuracy_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Accuracy by checks: in force where the file has some, a comment where it only could."""
    payload = proposal.payload
    if payload is None or not (proposal.has_checks or payload.calls is not None):
        return
    before = "  " if proposal.has_checks else "  # "
    yield f"  # {t('proposal.accuracy.checks' if proposal.has_checks else 'proposal.accuracy.none')}"
    yield f"{before}accuracy:"
    yield f"{before}  headings: {listed((t('proposal.accuracy'),))}"
    yield f"{before}  checks:"
    yield f"{before}    sources: [marked]"
    if payload.calls is not None:
        arguments = f", arguments: {scalar(payload.calls.arguments)}" if payload.calls.arguments else ""
        places = f"paths: {listed((payload.calls.path,))}, name: {scalar(payload.calls.name)}{arguments}"
        yield f"{before}    calls: {{ {places} }} # {t('proposal.accuracy.calls')}"


def accuracy_table(proposal: Proposal, t: Texts) -> Iterator[str]:
    """The table of `accuracy_lines`, as code where those are a comment."""
    payload = proposal.payload
    if payload is None or not (proposal.has_checks or payload.calls is not None):
        return
    low, high = proposal.scale
    yield from ("", f"## {t('proposal.accuracy')}", "")
    yield t("proposal.body.accuracy" if proposal.has_checks else "proposal.body.no-accuracy")
    yield from ("", *(() if proposal.has_checks else ("```",)))
    yield f"| {t('proposal.condition')} | {t('proposal.points')} |"
    yield "| --- | ---: |"
    yield f"| `error` | {show_number(low)} |"
    yield f"| {t('proposal.no-checks')} | {show_number(low)} |"
    for step, ratio in enumerate(_RATIOS):
        yield f"| {ratio} | {show_number(round(high - (high - low) * step / (len(_RATIOS) - 1), 4))} |"
    yield from () if proposal.has_checks else ("```",)


def _fields(payload: PayloadGuess, t: Texts) -> Iterator[str]:
    for field in payload.fields[:MAX_FIELDS]:
        filled = t("proposal.filled", share=percent(field.filled, payload.rows))
        yield f"#   {inert(field.path)}: {t(f'proposal.kind.{field.kind}')}, {filled}"
    more = len(payload.fields) - MAX_FIELDS
    if more > 0:
        yield f"#   {t('proposal.payload.more', n=str(more))}"


_COMMENT_CHARACTERS = 160
_TITLE_CHARACTERS = 80  # of a measure; its column has the whole name
_HIGH_SHARE = 0.7  # of a scale, in the line that shows how a score decides
_PLAIN = re.compile(r"[A-Za-z\uac00-\ud7a3][\w./-]*(?: [\w./-]+)*")
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def scalar(text: str) -> str:
    """The text as a YAML value: bare where it is plain words, else in double quotes. text: printable, on one line."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return json.dumps(text, ensure_ascii=False)


def inert(text: str, limit: int = _COMMENT_CHARACTERS) -> str:
    """The text on one line, cut, without any character that a front matter may not hold."""
    shown = excerpt(text, limit)
    return shown if shown.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in shown)


def listed(texts: tuple[str, ...]) -> str:
    """The texts as a YAML list on one line."""
    return f"[{', '.join(map(scalar, texts))}]"


_INSIDE = re.compile(r"[.\[$]")  # of a path that is more than a name
_FINE = ("-", "none", "n/a", "na", "0", "ok", "success")
_STATUS_ROWS = (("`ok` / `partial`", True), ("`error` / `empty`", False))


def write_document(proposal: Proposal, *, file_name: str, t: Texts) -> str:
    """The document; ends with a line break. file_name: of the sample, shown in it."""
    return "\n".join([*_front_matter(proposal, file_name, t), *_body(proposal, t), ""])


def reason_text(reason: Reason, t: Texts) -> str:
    """A reason in words; texts from the file in it are inert."""
    return t(f"proposal.reason.{reason.code}", **{name: inert(value) for name, value in reason.values.items()})


def field_name(field: str, t: Texts) -> str:
    """What people call a field."""
    return t(f"proposal.field.{field}")


def _front_matter(proposal: Proposal, file_name: str, t: Texts) -> Iterator[str]:
    yield "---"
    yield f"# {t('proposal.head', file=inert(file_name), rows=str(proposal.rows))}"
    yield f"# {t('proposal.head-change')}"
    yield "#"
    yield from (f"# {line}" for line in understood(proposal, t))
    yield ""
    yield f"profile: {scalar(proposal.profile)}"
    yield f"title: {scalar(proposal.title)} # {t('proposal.title')}"
    yield ""
    yield f"# {t('proposal.files')}"
    yield f"files: {listed(proposal.files)}"
    yield ""
    yield from _scale(proposal, t)
    yield ""
    if proposal.records:
        yield f"records: {listed((proposal.records,))} # {t('proposal.records')}"
        if proposal.key:
            yield f"key: {scalar(proposal.key)} # {t('proposal.key')}"
        yield ""
    if proposal.not_run:
        asked = (f"{scalar(one.path)}: {{ not: {listed(one.words)} }}" for one in proposal.not_run)
        yield f"where: {{ {', '.join(asked)} }} # {t('proposal.where')}"
        yield ""
    yield from _columns(proposal, t)
    yield ""
    if proposal.tracks:
        yield f"tracks: # {t('proposal.tracks')}"
        yield from (f"  - {{ track: {scalar(track)} }}" for track in proposal.tracks)
        yield ""
    yield from payload_lines(proposal, t)
    yield from _measures(proposal, t)
    yield from _scores(proposal, t)
    if proposal.column("session") is not None:
        yield f"sessions: {{ pass: last }} # {t('proposal.sessions')}"
        yield ""
    yield from _metrics(proposal, t)
    yield ""
    yield from _words(proposal, t)
    yield "---"


def understood(proposal: Proposal, t: Texts) -> Iterator[str]:
    """What the file was taken to hold, in sentences: an item, its answer, how good it is, and what is not known."""
    yield t("understood.items", rows=str(proposal.rows))
    if proposal.records:
        kind = "records" if not proposal.key else "map-whole" if proposal.records == WHOLE_RECORD else "map"
        yield t(f"understood.{kind}", records=inert(proposal.records), key=inert(proposal.key))
    yield from not_run_lines(proposal, t)
    for field in ("question", "response", "expected", "error"):
        if places := _places(proposal, field):
            yield t(f"understood.{field}", column=places)
        elif field == "response":
            yield t("understood.raw")
    graded = proposal.column("llm_score") or proposal.column("intent_verdict")
    low, high = map(show_number, proposal.scale)
    points = "" if proposal.pass_points is None else show_number(proposal.pass_points)
    scores = ", ".join(measure.title for measure in proposal.measures if measure.scale is not None)
    if graded is None and (proposal.has_unsure_score or not scores):
        yield t("understood.unsure-score" if proposal.has_unsure_score else "understood.no-score")
    elif graded is not None and proposal.score is ScoreKind.NUMBER:
        yield t("understood.number", column=inert(graded.header), low=low, high=high, points=points)
    elif graded is not None:
        passes = [level.name for level in proposal.levels if level.points >= (proposal.pass_points or 0)]
        yield t("understood.word", column=inert(graded.header), words=inert(", ".join(passes)))
    if scores:
        yield t("understood.scores", scores=inert(scores))
    for doubt in proposal.doubts:
        yield t("understood.doubt", doubt=reason_text(doubt, t))


def not_run_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Which rows are left out, because nothing was run, and which answers count as none."""
    for one in proposal.not_run:
        words = inert(", ".join(one.words))
        yield t("understood.not-run", rows=str(one.rows), column=inert(one.path), words=words)
    if proposal.no_answer:
        yield t("understood.no-answer", words=inert(", ".join(map(str, proposal.no_answer))))


def _places(proposal: Proposal, field: str) -> str:
    key = {"response": "message", "error": "error"}.get(field, "")
    paths = proposal.payload.paths.get(key, ()) if proposal.payload is not None else ()
    column = proposal.column(field)
    return inert(", ".join(paths) if paths else "" if column is None else column.header)


def _scale(proposal: Proposal, t: Texts) -> Iterator[str]:
    low, high = map(show_number, proposal.scale)
    yield f"# {t(f'proposal.scale.{proposal.score}', low=low, high=high)}"
    scale = f"{{ lowest: {low}, highest: {high} }}" if proposal.scale.lowest else high
    yield f"scale: {scale}"
    if proposal.pass_points is not None:
        points = show_number(proposal.pass_points)
        before = "# " if proposal.has_unsure_score else ""
        yield f"{before}pass_points: {{ metric: intent, points: {points} }} # {t('proposal.pass', points=points)}"


def _columns(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield f"# {t('proposal.columns')}"
    yield "columns:"
    for column in proposal.columns:
        if column.field and not (column.is_doubtful or column.is_in_payload):
            yield f"  - {_column(column)} # {_why(column, t)}"
    doubtful = [column for column in proposal.columns if column.is_doubtful]
    if doubtful:
        yield f"  # {t('proposal.doubtful')}"
    for column in doubtful:
        yield f"  # - {_column(column)} # {_why(column, t)}"
    measured = {measure.title for measure in proposal.measures if not measure.is_doubtful}
    others = [
        inert(column.header)
        for column in proposal.columns
        if column.title and not (column.field or column.path or column.title in measured)
    ]
    if others:
        yield f"  # {t('proposal.others', columns=inert(', '.join(others), 1_000))}"
    for column in proposal.columns:
        if not column.title:
            yield f"  # {inert(column.header) or '—'}: {reason_text(column.reason, t)}"


def _column(column: ColumnGuess) -> str:
    required = ", required: true" if column.is_required else ""
    is_name = column.path == column.title and not _INSIDE.search(column.path)
    paths = f", paths: {listed((column.path,))}" if column.path and not is_name else ""
    return f"{{ name: {column.field}, title: {scalar(column.title)}{paths}{required} }}"


def _why(column: ColumnGuess, t: Texts) -> str:
    filled = t("proposal.filled", share=percent(column.filled, 1.0))
    return f"{field_name(column.field, t)}: {reason_text(column.reason, t)} · {filled}"


def _measures(proposal: Proposal, t: Texts) -> Iterator[str]:
    measures = [measure for measure in proposal.measures if measure.scale is None]
    if not measures:
        return
    yield f"# {t('proposal.measures')}"
    is_declared = any(not measure.is_doubtful for measure in measures)
    yield "measures:" if is_declared else "# measures:"
    for measure in measures:
        values = _named(measure)
        values += [f"unit: {measure.unit}"] if measure.unit else []
        values += [f"decimals: {measure.decimals}"] if measure.decimals is not None else []
        values += ["better: higher"] if measure.is_better_higher else []
        yield f"{'  # ' if measure.is_doubtful else '  '}- {{ {', '.join(values)} }}"
    yield ""


def _named(measure: MeasureGuess) -> list[str]:
    place = f"payload: {listed((measure.path,))}" if measure.path else f"column: {scalar(measure.title)}"
    return [f"name: {scalar(measure.name)}", f"title: {scalar(excerpt(measure.label, _TITLE_CHARACTERS))}", place]


def _scores(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Further scores, each with the scale of its name."""
    scores = [measure for measure in proposal.measures if measure.scale is not None]
    if proposal.score is ScoreKind.NONE and not proposal.has_unsure_score and proposal.column("expected") is not None:
        yield f"# {t('proposal.match')}"
        yield "# match: { as: exact }"
        yield ""
    if not scores:
        return
    if proposal.score_map and scores[0].scale is not None:
        scale = ", ".join(map(show_number, scores[0].scale))
        own = ", ".join([*_named(scores[0]), f"scale: [{scale}]"])
        yield f"# {t('proposal.scores.map')}"
        yield f"#   - {{ {own}, pass: {scalar(f'>= {show_number(_high(scores[0].scale))}')} }}"
        yield "scores:"
        yield f"  - {{ payload: {listed((proposal.score_map,))}, scale: [{scale}], better: by name }}"
        yield ""
        return
    yield f"# {t('proposal.scores')}"
    yield "scores:"
    for score in scores:
        assert score.scale is not None
        values = [*_named(score), f"scale: [{', '.join(map(show_number, score.scale))}]"]
        values += [] if score.is_better_higher else ["better: lower"]
        yield f"  - {{ {', '.join(values)} }}"
    yield ""


def _high(scale: tuple[float, float]) -> float:
    return round(scale[0] + _HIGH_SHARE * (scale[1] - scale[0]), 4)


def _metrics(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield f"# {t('proposal.metrics')}"
    yield "metrics:"
    if proposal.score is ScoreKind.NONE:
        yield f"  # {t('proposal.intent.unsure' if proposal.has_unsure_score else 'proposal.intent.none')}"
        yield f"  # intent: {_intent(proposal, t, 'recorded' if proposal.has_unsure_score else 'judge')}"
    else:
        source = "recorded" if proposal.score is ScoreKind.NUMBER else "column"
        yield f"  # {t(f'proposal.intent.{proposal.score}')}"
        yield f"  intent: {_intent(proposal, t, source)}"
    yield f"  stability: {{ headings: {listed((t('proposal.stability'),))} }} # {t('proposal.stability.why')}"
    yield from accuracy_lines(proposal, t)
    if proposal.has_rounds:
        yield f"  # {t('proposal.consistency.why')}"
        passing = ""
        if not proposal.tells_passing:
            yield f"  # {t('proposal.consistency.by-status')}"
        if proposal.pass_points is not None and not proposal.has_unsure_score:
            passing = f", pass_points: {{ metric: intent, points: {show_number(proposal.pass_points)} }}"
        title = scalar(t("proposal.consistency"))
        yield f"  consistency: {{ title: {title}{passing} }}"
    if proposal.seconds is not None:
        yield f"  latency: {{ headings: {listed((t('proposal.latency'),))} }} # {t('proposal.latency.why')}"
    for doubt in proposal.doubts:
        yield f"  # {reason_text(doubt, t)}"


def _intent(proposal: Proposal, t: Texts, source: str) -> str:
    levels = proposal.levels or levels_of_scale(proposal.scale)
    worst = scalar(_level_name(levels[-1].name, levels[-1].criteria, t))
    sources = f"sources: [{source}, status], statuses: {{ error: {worst}, empty: {worst} }}"
    return f"{{ headings: {listed((t('proposal.intent'),))}, verdict: {{ {sources} }} }}"


def _level_name(name: str, criteria: str, t: Texts) -> str:
    return t(f"proposal.level.{criteria}") if criteria else name


def _words(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield f"# {t('proposal.words')}"
    yield "words:"
    fine = tuple(dict.fromkeys((*_FINE, *_phrases("proposal.fine", proposal), *proposal.fine_words)))
    yield f"  no_error: {listed(fine)} # {t('proposal.words.no-error')}"
    if proposal.no_answer:
        yield f"  no_answer: {listed(tuple(one.word for one in proposal.no_answer))} # {t('proposal.words.no-answer')}"
    before = "  " if proposal.score is ScoreKind.NONE else "  # "
    if proposal.score is not ScoreKind.NONE:
        yield f"  # {t('proposal.words.undeclared')}"
    for name, key in (("partial", "proposal.partial"), ("failure", "proposal.failure")):
        yield f"{before}{name}: {listed(tuple(_phrases(key, proposal)))} # {t(f'proposal.words.{name}')}"


def _phrases(key: str, proposal: Proposal) -> Iterator[str]:
    """Words of the languages that the agent answers in."""
    from texts import texts

    for language, is_used in (("ko", proposal.is_hangul), ("en", proposal.is_latin)):
        if is_used:
            yield from texts(language)(key).split(", ")


def _body(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield ""
    yield f"# {proposal.title}"
    yield ""
    yield t("proposal.body")
    yield ""
    yield f"## {t('proposal.intent')}"
    yield ""
    if proposal.score is ScoreKind.NONE:
        yield t("proposal.body.unsure" if proposal.has_unsure_score else "proposal.body.no-intent")
        yield ""
        yield "```"
        yield from _levels(proposal, t)
        yield "```"
    else:
        yield t(f"proposal.body.intent.{proposal.score}")
        yield ""
        yield from _levels(proposal, t)
    yield ""
    yield f"## {t('proposal.stability')}"
    yield ""
    yield t("proposal.body.stability")
    yield ""
    yield f"| {t('proposal.status')} | {t('proposal.points')} |"
    yield "| --- | ---: |"
    for statuses, is_answered in _STATUS_ROWS:
        yield f"| {statuses} | {show_number(proposal.scale.highest if is_answered else proposal.scale.lowest)} |"
    yield from accuracy_table(proposal, t)
    if proposal.has_rounds:
        yield ""
        yield f"## {t('proposal.consistency')}"
        yield ""
        yield t("proposal.body.consistency" if proposal.tells_passing else "proposal.body.consistency-status")
    if proposal.seconds is not None:
        yield from _latency(proposal, proposal.seconds, t)


def _levels(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield f"| {t('proposal.level')} | {t('proposal.points')} | {t('proposal.criteria')} |"
    yield "| --- | ---: | --- |"
    for level in proposal.levels or levels_of_scale(proposal.scale):
        criteria = t(f"proposal.criteria.{level.criteria}") if level.criteria else t("proposal.criteria.word")
        yield f"| {_level_name(level.name, level.criteria, t)} | {show_number(level.points)} | {criteria} |"


def _latency(proposal: Proposal, seconds: Seconds, t: Texts) -> Iterator[str]:
    yield ""
    yield f"## {t('proposal.latency')}"
    yield ""
    yield t("proposal.body.latency", median=f"{seconds.median:.3g}", most=f"{seconds.most:.3g}")
    yield ""
    yield f"| {t('proposal.seconds')} | {t('proposal.points')} |"
    yield "| --- | ---: |"
    edges, points = (list(map(show_number, row)) for row in bands_of(proposal.scale, seconds.edges))
    yield f"| <= {edges[0]} | {points[0]} |"
    for low, high, one in zip(edges, edges[1:], points[1:], strict=False):
        yield f"| {low}~{high} | {one} |"
    yield f"| > {edges[-1]} | {points[-1]} |"
    yield f"| {t('proposal.missing')} | {points[-1]} |"
