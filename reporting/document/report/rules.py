"""How each figure was computed, a line per rule, from the rubric that was used."""

from reporting.document.blocks import Passage, Text, titled
from reporting.document.report.repeatability import pass_kind, session_rule
from reporting.document.tables import table
from reporting.wording import NONE, excerpt, is_readable, metric_title, pointed_bands, status_names
from scoring.results import SetResult
from scoring.rubric import Rubric, Status, paths_of
from texts import Texts

WORD_CHARS = 80
TRACK_CHARS = 120


def rules(result: SetResult, t: Texts) -> tuple[Text, ...]:
    """The lines in the order of the report."""
    rubric = result.rubric
    total = t("basis.no-total" if result.total is None else "basis.total")
    if rubric.agreement is not None:
        total = t("basis.totals-agreement", total=total)
    tracks = _tracks(rubric, t)
    lines = _intent(rubric, t) if rubric.has_metric("intent") else [_statuses(rubric, t)]
    if rubric.has_metric("accuracy") and not rubric.accuracy_of:  # a copy says so where its scores are
        lines.append(_accuracy(rubric, t))
    if rubric.has_metric("stability"):
        points = points_text(rubric, "stability", t)
        lines.append(titled(t("metric.stability"), t("basis.stability-rule", points=points)))
    if rubric.has_metric("consistency"):
        lines.append(_consistency(rubric, t))
    if rubric.has_metric("latency"):
        lines.append(_speed(rubric, t))
    if rubric.rubrics is not None:
        order = " > ".join(t(f"rubrics.source.{source}") for source in rubric.rubrics.sources)
        lines.append(titled(t("metric.rubrics"), t("rubrics.rule", order=order)))
    if result.sessions is not None:
        lines.append(titled(t("sessions.title"), session_rule(result.sessions.rule, pass_kind(rubric), t)))
    return (*tracks, *lines, titled(t("basis.totals"), t("basis.totals-rule", total=total)))


def basis_tables(rubric: Rubric, t: Texts) -> tuple[Passage, ...]:
    """Bands over the ratio, points of addresses. Levels and bands over seconds are in the tables that count them."""
    blocks = []
    points = f">{t('table.points')}"
    if rubric.checks is not None:
        bands = pointed_bands(rubric.checks.bands, t, missing=t("basis.no-checks"), unit="")
        # A ratio never leaves 0..1, so that its ends are single numbers.
        ends = {t("band.to", edge="0"): "0", t("band.from", edge="1"): "1"}
        rows = [[f"{given:g}", ends.get(text, text)] for given, text in bands]
        blocks.append(Passage(text=t("basis.ratio-bands"), table=table([points, t("basis.ratio")], rows)))
    elif rubric.addresses is not None:
        rule = rubric.addresses
        reaches = {
            "same-key": rule.same_key,
            "same-path": rule.same_path,
            "neither": rule.neither,
            "missing": rule.missing,
        }
        rows = [[f"{given:g}", t(f"reach.{reach}")] for reach, given in reaches.items()]
        blocks.append(Passage(text=t("basis.accuracy-points"), table=table([points, t("checks.condition")], rows)))
    return tuple(blocks)


def points_text(rubric: Rubric, metric: str, t: Texts) -> str:
    """`정상(ok) 5점, 보완 요청(partial) 4점, …`."""
    points = rubric.status_points[metric]
    return ", ".join(
        t("basis.status-points", name=name, points=t.counted("points", f"{points[status]:g}"))
        for status, full in status_names(t).items()
        if status in points
        for name in (full if full.casefold() == status.value else f"{full}({status.value})",)
    )


def _tracks(rubric: Rubric, t: Texts) -> list[Text]:
    """What the document says of the tracks."""
    lines = [
        t(
            "basis.track" if track.items is None else "basis.track-items",
            track=str(track.number),
            meaning=excerpt(track.meaning, TRACK_CHARS) or NONE,
            n=str(track.items),
        )
        for track in rubric.tracks
    ]
    return [titled(t("basis.tracks"), " · ".join(lines))] if lines else []


def _intent(rubric: Rubric, t: Texts) -> list[Text]:
    """Where intent comes from. Which source how many items used is in its section and in the checklist."""
    statuses = _statuses(rubric, t)
    if rubric.verdict is not None:
        order = " > ".join(t(f"source.{source}") for source in rubric.verdict.sources)
        return [titled(t("basis.verdict"), t("basis.verdict-rule", order=order)), statuses]
    if rubric.intent_of:
        return [statuses]
    labelling = t("basis.labelling-rule", points=points_text(rubric, "intent", t))
    return [titled(t("basis.labelling"), labelling), statuses]


def _statuses(rubric: Rubric, t: Texts) -> Text:
    names = status_names(t)
    shown = [excerpt(word, WORD_CHARS) for word in rubric.partial_words if is_readable(word, t)]
    if len(shown) < len(rubric.partial_words):
        shown.append(t("basis.korean-words"))
    words = ", ".join(shown)
    order = " > ".join(names[status] for status in rubric.order_of_statuses if words or status is not Status.PARTIAL)
    rule = t("basis.status-rule", order=order, words=words) if words else t("basis.status-rule-plain", order=order)
    return titled(t("basis.status"), rule)


def _accuracy(rubric: Rubric, t: Texts) -> Text:
    if rubric.checks is not None:
        order = ", ".join(t(f"check-source.{source}") for source in rubric.checks.sources)
        text = t("basis.checks-rule", order=order)
    else:
        assert rubric.addresses is not None
        key, field = excerpt(rubric.addresses.key, WORD_CHARS), excerpt(rubric.addresses.field, WORD_CHARS)
        text = t("basis.address-rule", key=key, field=field)
    return titled(t("metric.accuracy"), text)


def _consistency(rubric: Rubric, t: Texts) -> Text:
    if rubric.agreement is not None:
        signature = ", ".join((*rubric.agreement.signature.keys, *rubric.agreement.signature.beside))
        label, of_signature = rubric.agreement.parts
        shares = {"label": f"{label}", "parts": f"{of_signature}"}
        key = "basis.agreement-rule" if label == of_signature else "basis.agreement-weighted"
        text = t(key, signature=signature, **shares)
    elif rubric.pass_rule is not None:
        title = metric_title(rubric, rubric.pass_rule.metric, t)
        text = t("basis.pairs-pass-rule", metric=title, points=t.counted("points", f"{rubric.pass_rule.points:g}"))
    else:
        text = t("basis.pairs-rule")
    return titled(t("metric.consistency"), text)


def _speed(rubric: Rubric, t: Texts) -> Text:
    if rubric.classes is None:
        return titled(t("basis.speed"), t("basis.speed-rule"))
    rule = rubric.classes
    text = t(
        "basis.speed-class-rule",
        field=", ".join(excerpt(path, WORD_CHARS) for path in paths_of(rule.field)),
        several=", ".join(excerpt(name, WORD_CHARS) for name in rule.several),
        n=str(rule.several_count),
        class_name=next(entry.title for entry in rubric.latency_classes if entry.name == rule.several_class),
    )
    return titled(t("basis.speed"), text)
