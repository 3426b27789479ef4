"""The evaluation prompt of a profile, to paste into a chat.

Every number and word comes from the rubric, so that the two cannot diverge; the sentences come from the catalogue.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from reporting.document.report import operator_text
from reporting.store import encode_json
from reporting.wording import (
    clean,
    metric_title,
    metric_titles,
    operand,
    pass_limit,
    pointed_bands,
    status_name,
    status_names,
    widest_scale,
)
from scoring import BLANK_WORDS
from scoring.results import TOTAL_ORDER
from scoring.rubric import (
    PAYLOAD_KEYS,
    RUBRICS,
    AddressRule,
    AgreementRule,
    CheckRule,
    PayloadRule,
    Rubric,
    Scale,
    Source,
    Status,
    VerdictRule,
    is_by_scores,
    paths_of,
)
from texts import Texts


def evaluation_prompt(rubric: Rubric, t: Texts) -> str:
    """Role, rules and output of an evaluation by this rubric; ends with a line break."""
    return _prompt(rubric, _outputs(rubric, t), t)


def prompt_pieces(rubric: Rubric, rows: Sequence[Mapping[str, str]], t: Texts, *, max_chars: int) -> list[str]:
    """The prompt with the rows as JSON below it, in as many pieces as it takes to keep each within `max_chars`.

    rows: filled cells by column title, in the order of the file. Every piece holds all rules, so that it can be pasted
    into a chat of its own; every piece asks for a line per item, the last one also for the summary. A row that is
    longer than the room that the rules leave is a piece of its own, and that piece is longer than `max_chars`.
    Without rows there is one piece.
    """
    whole = evaluation_prompt(rubric, t) + _data(rows, t)
    if len(whole) <= max_chars:
        return [whole]
    widest = len(rows)  # no number in a piece has more digits
    room = max_chars - len(_piece(rubric, [], t, number=widest, total=widest, first=widest))
    groups = _grouped(rows, room)
    first = 1
    pieces = []
    for number, group in enumerate(groups, start=1):
        pieces.append(_piece(rubric, group, t, number=number, total=len(groups), first=first))
        first += len(group)
    return pieces


def _grouped(rows: Sequence[Mapping[str, str]], room: int) -> list[list[Mapping[str, str]]]:
    """Consecutive rows whose JSON takes at most `room` characters together; at least one row each."""
    groups: list[list[Mapping[str, str]]] = []
    used = 0
    for row in rows:
        size = len(encode_json([row]).decode())
        if not groups or used + size > room:
            groups.append([])
            used = 0
        groups[-1].append(row)
        used += size
    return groups


def _piece(rubric: Rubric, rows: Sequence[Mapping[str, str]], t: Texts, *, number: int, total: int, first: int) -> str:
    """One of several pieces. first: number of its first row, from 1."""
    places = {"number": str(number), "total": str(total), "first": str(first), "last": str(first + len(rows) - 1)}
    outputs = [t("prompt.out-items", metrics=_titles(rubric, t))]
    if number == total:
        outputs += [t("prompt.out-summary", total=str(total)), *_outputs(rubric, t)]
    else:
        outputs.append(t("prompt.out-no-summary"))
    return f"{t('prompt.piece', **places)}\n\n{_prompt(rubric, outputs, t)}{_data(rows, t)}"


def _data(rows: Sequence[Mapping[str, str]], t: Texts) -> str:
    """The rows as JSON between fences that nothing in them can close."""
    text = encode_json(list(rows)).decode()
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"\n{t('prompt.rows')}\n{fence}json\n{text}{fence}\n"


def _prompt(rubric: Rubric, outputs: Sequence[str], t: Texts) -> str:
    rules = list(_rules(rubric, t))
    lines = [t("prompt.role", title=clean(rubric.title)), "", t("prompt.rules")]
    for number, (rule, details) in enumerate(rules, start=1):
        lines.append(f"{number}) {rule}")
        lines += [f"   - {detail}" for detail in details]
    lines += ["", t("prompt.output"), *(f"- {line}" for line in outputs)]
    return "\n".join(lines) + "\n"


_Rule = tuple[str, list[str]]


def _rules(rubric: Rubric, t: Texts) -> Iterator[_Rule]:
    titles = {column.name: clean(column.title) for column in rubric.columns}
    if rubric.has_column("query_id") and rubric.has_column("round"):
        yield t("prompt.group", query_id=titles["query_id"], round=titles["round"]), []
    meanings = [
        t("prompt.track", track=str(track.number), meaning=clean(track.meaning))
        for track in rubric.tracks
        if track.meaning
    ]
    if meanings:
        yield t("prompt.tracks"), meanings
    yield t("prompt.blank", words=", ".join(f"'{word}'" for word in BLANK_WORDS)), []
    if rubric.has_column("raw_json"):
        paths = {key: _places(rubric, key) for key in PAYLOAD_KEYS}
        fields = "; ".join(t(f"payload.{key}", paths=found) for key, found in paths.items() if found)
        yield t("prompt.json", raw_json=titles["raw_json"], fields=fields), []
    if rubric.has_column("raw_json") or rubric.verdict is not None:
        yield t("prompt.statuses"), _statuses(rubric, t)
    for name, rule in _METRICS.items():
        if rubric.has_metric(name):
            yield rule(rubric, t)
    yield from (_judged_score(rubric, rule, t) for rule in rubric.judged_scores)
    yield _passing(rubric, t), []
    total = t("prompt.no-total")
    if rubric.weights:
        weights = ", ".join(
            f"{clean(metric_title(rubric, name, t))} {rubric.weights[name]:g}"
            for name in TOTAL_ORDER
            if name in rubric.weights
        )
        total = t("prompt.total", weights=weights)
    yield t("prompt.means", total=total), []
    scale = widest_scale(rubric)
    yield t("prompt.scale", lowest=f"{scale.lowest:g}", scale=f"{scale.highest:g}"), []
    yield t("prompt.data-only"), []


def _passing(rubric: Rubric, t: Texts) -> str:
    """What passes, or what is answered where the document says no more."""
    rule = rubric.pass_points
    if rule is None:
        return t("prompt.item-answered", statuses=", ".join(status.value for status in rubric.pass_statuses))
    if is_by_scores(rule):
        return t("prompt.item-passes-scores", limit=pass_limit(rubric, t))
    return t("prompt.item-passes", metric=_title(rubric, rule.metric, t), points=_points(rule.points, t))


def _statuses(rubric: Rubric, t: Texts) -> list[str]:
    words = {
        Status.ERROR: ", ".join(f"'{clean(word)}'" for word in rubric.no_error_words),
        Status.PARTIAL: ", ".join(f"'{clean(word)}'" for word in rubric.partial_words),
    }
    lines = []
    for status in sorted(rubric.order_of_statuses, key=lambda one: one is Status.OK):  # that is all others
        name = t("prompt.status", status=status.value, name=status_name(status, t))
        lines.append(t(f"prompt.status-{status.value}", status=name, words=words.get(status, "")))
        also = {Status.ERROR: rubric.error_words, Status.EMPTY: rubric.no_answer_words}.get(status, ())
        if also:
            listed = ", ".join(f"'{clean(word)}'" for word in also)
            lines.append(t(f"prompt.status-{status.value}-answer", status=name, words=listed))
    return lines


def _places(rubric: Rubric, key: str) -> str:
    """The paths of a value in the payload, "" where there is none."""
    return ", ".join(map(clean, (rubric.payload_paths or PayloadRule()).paths(key)))


def _points(value: float, t: Texts) -> str:
    return t.counted("points", f"{value:g}")


def _status_points(rubric: Rubric, metric: str, t: Texts) -> str:
    points = rubric.status_points[metric]
    return ", ".join(
        t("prompt.status-points", status=status.value, points=_points(points[status], t))
        for status in status_names(t)
        if status in points
    )


def _intent(rubric: Rubric, t: Texts) -> _Rule:
    low, high = rubric.recorded_range
    if rubric.verdict is not None:
        return _verdict(rubric.verdict, t)
    if rubric.intent_of:
        return t("prompt.intent-copied", metric=_title(rubric, rubric.intent_of, t)), []
    recorded = t("prompt.intent-recorded", low=f"{low:g}", high=f"{high:g}")
    return recorded, [_status_points(rubric, "intent", t)]


def _verdict(rule: VerdictRule, t: Texts) -> _Rule:
    order = " > ".join(t(f"source.{source}") for source in rule.sources)
    details = [f"{clean(level.name)} = {_points(level.points, t)}: {clean(level.criteria)}" for level in rule.levels]
    details += [
        t("prompt.status-level", status=status.value, level=clean(name)) for status, name in rule.status_levels.items()
    ]
    return t("prompt.intent-level", order=order), details


def _accuracy(rubric: Rubric, t: Texts) -> _Rule:
    if rubric.checks is not None:
        return _checks(rubric.checks, t)
    if rubric.addresses is not None:
        return _addresses(rubric.addresses, t)
    return t("prompt.accuracy-copied", metric=_title(rubric, rubric.accuracy_of, t)), []


def _checks(rule: CheckRule, t: Texts) -> _Rule:
    order = ", ".join(t(f"check-source.{source}") for source in rule.sources)
    details = [t("prompt.check-sources", order=order)]
    if Source.MARKED in rule.sources:
        lookup = ", ".join(map(clean, rule.lookup))
        details.append(t("prompt.check-lookup", marker=clean(rule.marker), lookup=lookup))
    if rule.calls is not None:
        places = {"name": clean(rule.calls.name), "arguments": clean(rule.calls.arguments)}
        details.append(t("prompt.check-calls", paths=", ".join(map(clean, rule.calls.paths)), **places))
    details += [
        t(
            "prompt.check-pattern",
            operator=pattern.operator,
            name=operator_text(pattern.operator, t),
            pattern=clean(pattern.pattern),
        )
        for pattern in rule.patterns
    ]
    if rule.ignored:
        details.append(t("prompt.check-ignored", fields=", ".join(map(clean, rule.ignored))))
    details += _failed(rule.status_points, t)
    details.append(_bands(pointed_bands(rule.bands, t, missing=t("basis.no-checks"), unit=""), t))
    return t("prompt.accuracy-checks"), details


def _addresses(rule: AddressRule, t: Texts) -> _Rule:
    reaches = t(
        "prompt.addresses",
        same_key=_points(rule.same_key, t),
        same_path=_points(rule.same_path, t),
        neither=_points(rule.neither, t),
        missing=_points(rule.missing, t),
    )
    text = t("prompt.accuracy-address", key=clean(rule.key), field=clean(rule.field))
    return text, [reaches, *_failed(rule.status_points, t)]


def _failed(points: dict[Status, float], t: Texts) -> list[str]:
    return [t("prompt.status-get", status=status.value, points=_points(given, t)) for status, given in points.items()]


def _consistency(rubric: Rubric, t: Texts) -> _Rule:
    if rubric.agreement is not None:
        return _agreement(rubric.agreement, rubric.points, t)
    passing = t("prompt.pass-statuses", statuses=", ".join(status.value for status in rubric.pass_statuses))
    if rubric.pass_rule is not None:
        metric = _title(rubric, rubric.pass_rule.metric, t)
        passing = t("prompt.pass-points", metric=metric, points=_points(rubric.pass_rule.points, t))
    return t("prompt.consistency", passing=passing, scale=_span(rubric.points)), []


def _agreement(rule: AgreementRule, scale: Scale, t: Texts) -> _Rule:
    label, signature = rule.label, rule.signature
    details = [
        t("prompt.label-status", label=clean(name), status=status.value) for status, name in label.status_labels.items()
    ]
    for key, entries in (("prompt.label-first", label.first), ("prompt.label-most", label.most)):
        details += [t(key, label=clean(entry.label), words=", ".join(map(clean, entry.words))) for entry in entries]
    details.append(t("prompt.label-otherwise", label=clean(label.otherwise)))
    details.append(t("prompt.signature", keys=", ".join(map(clean, (*signature.keys, *signature.beside)))))
    details.append(t("prompt.signature-none", empty=clean(signature.empty), invalid=clean(signature.invalid)))
    details.append(t("prompt.single", points=_points(rule.single, t)))
    if rule.parts[0] != rule.parts[1]:
        label_part, signature_part = map(str, rule.parts)
        weighted = t("prompt.agreement-weighted", label=label_part, signature=signature_part, scale=_span(scale))
        return weighted, details
    return t("prompt.agreement", scale=_span(scale)), details


def _span(scale: Scale) -> str:
    """`5`, or `1 + 4` of a scale that does not start at 0."""
    return f"{scale.lowest:g} + {scale.length:g}" if scale.lowest else f"{scale.highest:g}"


def _latency(rubric: Rubric, t: Texts) -> list[str]:
    lines = []
    for entry in rubric.latency_classes:
        tracks = f" (Track {', '.join(map(str, entry.tracks))})" if entry.tracks else ""
        bands = _bands(pointed_bands(entry.bands, t, missing=t("basis.no-time")), t)
        lines.append(f"{clean(entry.title)}{tracks}: {bands}")
    default = next(entry.title for entry in rubric.latency_classes if entry.name == rubric.default_class)
    if rubric.classes is not None:
        rule = rubric.classes
        several = next(entry.title for entry in rubric.latency_classes if entry.name == rule.several_class)
        fields = ", ".join(map(clean, rule.several))
        lines.append(t("prompt.class-field", field=", ".join(map(clean, paths_of(rule.field)))))
        lines.append(t("prompt.class-several", fields=fields, n=str(rule.several_count), class_name=clean(several)))
    if len(rubric.latency_classes) > 1:
        lines.append(t("prompt.class-others", class_name=clean(default)))
    return lines


def _bands(spans: list[tuple[float, str]], t: Texts) -> str:
    return ", ".join(f"{text} = {_points(points, t)}" for points, text in spans)


def _rubrics(rubric: Rubric, t: Texts) -> _Rule:
    rule = rubric.rubrics
    assert rule is not None
    points = [level.points for level in rule.levels]
    order = " > ".join(t(f"rubrics.source.{source}") for source in rule.sources)
    levels = [
        f"{rule.spelling(level)} {clean(level.name)} = {rule.points(level):g}: {clean(level.criteria)}"
        for level in rule.levels
    ]
    words = ", ".join(f"'{clean(word)}'" for word in rubric.no_error_words)
    levels.append(t("prompt.rubrics-none", words=words))
    return t("prompt.rubrics", order=order, low=operand(min(points)), high=operand(max(points))), levels


def _judged_score(rubric: Rubric, rule: VerdictRule, t: Texts) -> _Rule:
    """A named score that a judge picks by levels of its own."""
    levels = [f"{rule.spelling(level)} {clean(level.name)}: {clean(level.criteria)}" for level in rule.levels]
    return t("prompt.score", score=_score_title(rubric, rule)), levels


def _score_title(rubric: Rubric, rule: VerdictRule) -> str:
    return next(clean(measure.title) for measure in rubric.measures if measure.name == rule.metric)


def _titles(rubric: Rubric, t: Texts) -> str:
    """What is given to each row: metrics, and scores by levels."""
    judged = (_score_title(rubric, rule) for rule in rubric.judged_scores)
    return ", ".join((*map(clean, metric_titles(rubric, t).values()), *judged))


_METRICS: Mapping[str, Callable[[Rubric, Texts], _Rule]] = {
    "intent": _intent,
    "accuracy": _accuracy,
    "stability": lambda rubric, t: (t("prompt.stability"), [_status_points(rubric, "stability", t)]),
    "consistency": _consistency,
    "latency": lambda rubric, t: (t("prompt.latency"), _latency(rubric, t)),
    RUBRICS: _rubrics,
}


def _title(rubric: Rubric, metric: str, t: Texts) -> str:
    return clean(metric_title(rubric, metric, t))


def _outputs(rubric: Rubric, t: Texts) -> list[str]:
    lines = [
        t("prompt.out-headline"),
        t("prompt.out-scores", metrics=_titles(rubric, t)),
    ]
    if rubric.pass_points is not None:
        lines.append(t("prompt.out-below"))
    if rubric.has_metric("latency"):
        lines.append(t("prompt.out-seconds-tracks" if rubric.has_tracks else "prompt.out-seconds"))
        lines.append(t("prompt.out-latency-tracks" if rubric.has_tracks else "prompt.out-latency"))
    if rubric.has_metric("consistency"):
        lines.append(t("prompt.out-pairs" if rubric.agreement is None else "prompt.out-agreement"))
    if rubric.rubrics is not None:
        lines.append(t("prompt.out-levels"))
    if rubric.checks is not None:
        lines.append(t("prompt.out-checks"))
    if rubric.weights:
        lines.append(t("prompt.out-total"))
    if rubric.has_metric("stability"):
        lines.append(t("prompt.out-stability"))
    return lines
