"""The parts of a front page, a function each: figures, tracks, answers, causes, and what the figures stand on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from reporting.comparison import item_href, value_text
from reporting.data import Report
from reporting.document import (
    DOT,
    SPACE,
    Block,
    Charts,
    Each,
    Html,
    Items,
    Link,
    OnlyHtml,
    OnlyMarkdown,
    Paragraph,
    Section,
    Strong,
    Text,
    html,
    in_line,
    titled,
)
from reporting.document.charts import Dot, bar, forest_chart
from reporting.gate import reason_text, rule_name, state_name
from reporting.store import REPORT_HTML
from reporting.summary.facts import Facts, Named
from reporting.summary.verdict import ERROR_CHARS, figure_name, figure_of, first_error, leading_metric, weakest_place
from reporting.wording import (
    between,
    clean,
    count,
    excerpt,
    pattern_text,
    points,
    score,
    status_name,
    track_name,
)
from scoring import Severity
from scoring.comparison import SHARES, Change, GroupKind, Query, has_no_scale
from scoring.gate import GateResult, GateState, RuleResult
from scoring.judging import JudgeState
from scoring.results import ANSWERED, INTENT, PASS, MetricLoss
from scoring.rubric import CONSISTENCY, RUBRICS, SHARE, Scale, Status, TrackId
from scoring.statistics import Interval
from texts import Texts, codes

MOST_FIGURES = 6  # below the leading one, in Markdown
MOST_TRACKS = 8
MOST_CAUSES = 3
MOST_RULES = 3
MOST_DOTS = 6  # more rounds are told as k/n
QUESTION_CHARS = 80
LABEL_CHARS = 12
_GATE_NAMES = {PASS: "pass_rate", ANSWERED: "answered_rate"}


class Figure(NamedTuple):
    """A figure of the page. change: None where nothing was compared."""

    name: str
    title: str
    value: float | None
    interval: Interval | None
    change: Change | None


def figures_of(facts: Facts, t: Texts) -> list[Figure]:
    """The distinct figures with a value, the leading one first; copies of others are left out."""
    report = facts.report
    assert report is not None
    leading = facts.leading
    names = sorted(report.basis.names, key=lambda name: name != leading)
    found = []
    for name in names:
        value, interval = figure_of(report, name)
        if name not in report.basis.copies and value is not None:
            found.append(Figure(name, figure_name(facts, name, t), value, interval, facts.change(name)))
    return found


def figure_blocks(facts: Facts, t: Texts) -> list[Block]:
    """The leading figure large, the others as rows, and in a small line those with equal values."""
    report, figures = facts.report, figures_of(facts, t)
    assert report is not None
    if not figures:
        return []
    first, *others = figures
    rule = limit_of(facts.gate, first.name)
    notes = [_before(first, t), t("summary.limit", rule=clean(rule.rule)) if rule is not None else ""]
    big = html(
        '<p class="big"><span>{}</span> <b>{}</b> {} {}</p>\n<p class="muted">{}</p>\n',
        first.title,
        value_text(first.name, first.value),
        _mark(first, t),
        Html(_bar(first, report, None if rule is None else rule.limit)),
        " · ".join(filter(None, [_interval(first), *notes])),
    )
    rows = "".join(_row(figure, report, t) for figure in others)
    table = Html(f'<table class="rows"><tbody>{rows}</tbody></table>\n') if rows else Html("")
    lines = [in_line(list(_line(figure, t)), DOT) for figure in figures[: MOST_FIGURES + 1]]
    copies = _copies(facts, t)
    told = [OnlyHtml([Paragraph(copies, "muted small")])] if copies else []
    return [OnlyMarkdown([Items(lines)]), OnlyHtml([big, table]), *told]


def _line(figure: Figure, t: Texts) -> Iterator[Text]:
    """A figure in Markdown: value, interval, before, verdict."""
    yield titled(figure.title, (Strong(value_text(figure.name, figure.value)), *_in_brackets(_interval(figure))))
    yield from filter(None, (_before(figure, t), _mark_text(figure, t)))


def _in_brackets(shown: str) -> tuple[Text, ...]:
    return (SPACE, f"({shown})") if shown else ()


def _row(figure: Figure, report: Report, t: Texts) -> str:
    cells = (figure.title, value_text(figure.name, figure.value), Html(_bar(figure, report)), _interval(figure))
    row = '<tr><th scope="row">{}</th><td class="r">{}</td><td>{}</td><td class="n muted">{}</td>'
    return html(
        row + '<td class="n muted">{}</td><td class="n">{}</td></tr>\n', *cells, _before(figure, t), _mark(figure, t)
    )


def _bar(figure: Figure, report: Report, limit: float | None = None) -> str:
    if has_no_scale(figure.name):
        return ""
    before = None if figure.change is None else figure.change.before
    return bar(Dot("", figure.value, figure.interval, "", before), scale_of(report, figure.name), limit)


def scale_of(report: Report, name: str) -> Scale:
    """The scale of a figure that has one."""
    return SHARE if name in {*SHARES, RUBRICS} else report.basis.points


def _interval(figure: Figure) -> str:
    return "" if figure.interval is None else between(*(value_text(figure.name, end) for end in figure.interval))


def _before(figure: Figure, t: Texts) -> str:
    if figure.change is None:
        return ""
    return f"{t('summary.before')} {value_text(figure.name, figure.change.before)}"


def _mark_text(figure: Figure, t: Texts) -> str:
    return "" if figure.change is None else t(f"summary.mark.{figure.change.verdict}")


def _mark(figure: Figure, t: Texts) -> Html:
    if figure.change is None:
        return Html("")
    kinds = {"worse": "down", "better": "up"}
    return html(f'<span class="{kinds.get(figure.change.verdict, "muted")}">{{}}</span>', _mark_text(figure, t))


def _copies(facts: Facts, t: Texts) -> str:
    """`Figures with the same values: accuracy = intent`."""
    assert facts.report is not None
    named = [
        t("summary.copy-of", name=figure_name(facts, name, t), of=figure_name(facts, of, t))
        for name, of in facts.report.basis.copies.items()
    ]
    return t("summary.copies", names=", ".join(named)) if named else ""


def limit_of(gate: GateResult | None, metric: str) -> RuleResult | None:
    """The rule of a gate that holds a figure of the whole set against a limit."""
    start = f"{_GATE_NAMES.get(metric, metric)} "
    rules = [] if gate is None else [rule for rule in gate.rules if rule.limit is not None and rule.unit is not None]
    return next((rule for rule in rules if rule.rule.startswith(start)), None)


def gate_blocks(gate: GateResult | None, t: Texts, *, most: int = MOST_RULES) -> list[Block]:
    """The rules that did not pass, the worst first."""
    if gate is None:
        return []
    states = list(GateState)
    open_rules = sorted(
        [rule for rule in gate.rules if rule.state is not GateState.PASSED], key=lambda rule: states.index(rule.state)
    )
    lines = [f"{rule_name(rule, t)}: {state_name(rule, t)} ({reason_text(rule, t)})" for rule in open_rules[:most]]
    if len(open_rules) > most:
        lines.append(t("summary.gate-more", n=count(len(open_rules) - most)))
    return [Items(lines)] if lines else []


def track_blocks(facts: Facts, t: Texts) -> list[Block]:
    """Dots and intervals of the figure that leads, per track on one axis. Nothing with fewer than two tracks."""
    report = facts.report
    assert report is not None
    metric = leading_metric(report)
    dots = []
    for group in report.groups[1 : MOST_TRACKS + 1]:
        if metric not in group.metrics and metric != CONSISTENCY:
            continue
        mean, label = group.figure(metric), excerpt(track_name(group.key, t), LABEL_CHARS)
        if mean.value is not None:
            before = _before_of(facts, group.track, metric)
            dots.append(Dot(label, mean.value, mean.interval, score(mean.value), before))
    if len(dots) < 2:
        return []
    title = t("summary.tracks", metric=figure_name(facts, metric, t))
    scale = scale_of(report, metric)
    return [OnlyHtml([Charts([forest_chart("tracks", title, dots, scale, lambda end: f"{end:g}")])])]


def _before_of(facts: Facts, track: TrackId | None, metric: str) -> float | None:
    groups = () if facts.compared is None else facts.compared.groups
    group = next((group for group in groups if group.kind is GroupKind.TRACK and group.track == track), None)
    change = None if group is None else group.change(metric)
    return None if change is None else change.before


def answer_blocks(facts: Facts, t: Texts) -> list[Block]:
    """At most five answers to look at first: the question, its rounds before and now, the first words of the error."""
    named = facts.named
    if not named:
        return []
    told = t("summary.dots-both" if any(one.before for one in named) else "summary.dots")
    lines = [_answer(one, facts, t) for one in named]
    return [Section("answers", t("summary.answers"), [Items(lines), OnlyHtml([Paragraph(told, "muted small")])])]


def _answer(named: Named, facts: Facts, t: Texts) -> Text:
    query = facts.queries.get(named.query_id)
    question = excerpt(query.question, QUESTION_CHARS) if query is not None else ""
    shown = question or excerpt(named.query_id, QUESTION_CHARS)
    link = Link(shown, f"{facts.address}{item_href(REPORT_HTML, named.query_id)}")
    text: Text = link if facts.address else Each(shown, link)
    dots = _dots(named, query)
    pieces: list[Text] = [
        (text, SPACE, Each(dots, html('<span class="dots">{}</span>', dots))),
        t(f"summary.look.{named.look}"),
    ]
    if error := _error(query):
        pieces.append(f"“{error}”")
    return in_line(pieces, DOT)


def _dots(named: Named, query: Query | None) -> str:
    """`●●→○○`: of the baseline as many as passed, of this run round by round."""
    before = "" if named.before is None else _counted(*named.before)
    if query is None:
        return f"{before}→" if before else ""
    marks = [answer.passes for answer in query.answers if answer.passes is not None]
    if len(marks) > MOST_DOTS:
        now = f"{query.passed}/{query.assessed}"
    else:
        now = "".join("●" if passes else "○" for passes in marks)
    return f"{before}→{now}" if before else now


def _counted(passed: int, assessed: int) -> str:
    if assessed > MOST_DOTS:
        return f"{passed}/{assessed}"
    return "●" * passed + "○" * (assessed - passed)


def _error(query: Query | None) -> str:
    """Its first words."""
    return "" if query is None else excerpt(first_error(query), ERROR_CHARS)


def cause_blocks(facts: Facts, t: Texts) -> list[Block]:
    """At most three causes with their items and points, and the place that is the weakest."""
    report = facts.report
    assert report is not None
    metric = leading_metric(report)
    loss = next((loss for loss in report.insights.losses if loss.metric == metric and loss.points), None)
    lines: list[Text] = [] if loss is None else list(_causes(loss, report, t))
    if (place := weakest_place(report, t)) is not None:
        title = figure_name(facts, metric, t)
        lines.append(t("summary.worst", place=place[0], metric=title, value=place[1]))
    return [Section("why", t("summary.why"), [Items(lines)])] if lines else []


class _Cause(NamedTuple):
    kind: str
    cause: str
    status: Status | None


def _causes(loss: MetricLoss, report: Report, t: Texts) -> Iterator[str]:
    lost: defaultdict[_Cause, float] = defaultdict(float)
    items: Counter[_Cause] = Counter()
    for place in loss.places:
        cause = _Cause(place.kind, place.cause, place.status)
        lost[cause] += place.points
        items[cause] += place.n
    ordered = sorted(lost, key=lambda cause: (-lost[cause], *map(str, cause)))
    for cause in ordered[:MOST_CAUSES]:
        yield t(
            "summary.cause",
            cause=_cause_text(cause, items[cause], report, t),
            items=t.counted("items", count(items[cause])),
            points=t.counted("points", points(lost[cause])),
            all=t.counted("points", points(loss.points)),
        )


def _cause_text(cause: _Cause, n: int, report: Report, t: Texts) -> str:
    if cause.status is None:
        if not cause.kind:
            return t("lost.rounds")
        named = excerpt(cause.cause, ERROR_CHARS)
        return t(f"lost.{cause.kind}", cause=t.named("reach", cause.cause) or named)
    what = t("lost.items", status=status_name(cause.status, t))
    patterns = [pattern for pattern in report.insights.patterns if pattern.status is cause.status and pattern.text]
    if not patterns or 2 * patterns[0].n <= n:
        return what
    return t("summary.cause-error", cause=what, error=pattern_text(excerpt(patterns[0].text, ERROR_CHARS), t))


def trust_blocks(facts: Facts, t: Texts) -> list[Block]:
    """What the figures stand on, in one line: green where every row was used and nothing touches a figure."""
    report = facts.report
    assert report is not None
    doubts = list(_doubts(report, t))
    total = report.row_sum.rows
    rows = t("summary.rows", used=count(total - report.row_sum.unusable_rows), rows=count(total))
    checklist = report.checklist.values()
    checked = [t("summary.checklist", fine=count(sum(checklist)), all=count(len(checklist)))] if checklist else []
    line = " · ".join([rows, *doubts, *checked])
    mark = "fine" if not doubts and not report.row_sum.unusable_rows else "look"
    sign = "✓" if mark == "fine" else "!"
    shown = html('<p class="trust {}"><b>{}</b> {}: {}</p>\n', mark, sign, t("summary.trust"), line)
    return [OnlyMarkdown([Paragraph(titled(f"{sign} {t('summary.trust')}", line))]), shown]


def _doubts(report: Report, t: Texts) -> Iterator[str]:
    """What takes away from the figures; findings that touch none are not told."""
    found = {finding.code: finding for finding in report.findings}
    refused = sum(entry.refused for entry in report.inputs)
    if refused:
        yield t("summary.refused", n=count(refused))
    touching = [one for one in found.values() if one.severity is not Severity.NOTE and codes()[one.code].touches]
    if touching:
        yield t("summary.errors", n=count(sum(one.count for one in touching)))
    if len(report.rounds) == 1:
        yield t("summary.one-round")
    if "rounds-differ" in found:
        yield t("summary.rounds-differ")
    if report.leading == ANSWERED and any(entry.name == INTENT for entry in report.metrics):
        yield t("summary.by-status")
    if report.judge is not None and report.judge.state in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        yield t(f"summary.judge-{report.judge.state}")
