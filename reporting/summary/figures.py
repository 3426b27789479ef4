"""The figures of a front page, the leading one large, the rules of the gate that did not pass, and the tracks."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from reporting.comparison import value_text
from reporting.data import Report
from reporting.document import (
    DOT,
    SPACE,
    Block,
    Charts,
    Html,
    Items,
    OnlyHtml,
    OnlyMarkdown,
    Paragraph,
    Strong,
    Text,
    html,
    in_line,
    large,
    struck,
    titled,
)
from reporting.document.charts import Dot, bar, forest_chart
from reporting.gate import reason_text, rule_name, state_name
from reporting.summary.facts import Facts, leading_metric
from reporting.summary.verdict import as_told, figure_name, figure_of, pair_text, regraded_texts
from reporting.wording import between, clean, corrected_texts, count, excerpt, track_name, verdict_mark
from scoring.comparison import SHARES, Change, GroupKind, Verdict, has_no_scale
from scoring.gate import GateResult, GateState, RuleResult, limit_of
from scoring.results import ANSWERED, PASS, SECONDS
from scoring.rubric import CONSISTENCY, RUBRICS, SHARE, Scale, TrackId, is_measure
from scoring.statistics import Interval
from texts import Texts

MOST_FIGURES = 4  # in a line of their own below the leading one, in Markdown: first those that changed
MOST_TRACKS = 8
MOST_RULES = 2
LABEL_CHARS = 12
_KINDS = {Verdict.WORSE: "down", Verdict.BETTER: "up"}


class Figure(NamedTuple):
    """A figure of the page. change: None where nothing was compared. is_again: is it worse again?

    of: `60 of 82 items`, of seconds that not every item has; "" else.
    """

    name: str
    title: str
    value: float | None
    interval: Interval | None
    change: Change | None
    is_again: bool = False
    of: str = ""


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
            change = facts.change(name)
            of = _of_items(report, t) if name == SECONDS else ""
            sure = None if facts.is_damaged else interval
            found.append(Figure(name, figure_name(facts, name, t), value, sure, change, name in facts.again, of))
    return found


def _of_items(report: Report, t: Texts) -> str:
    seconds = report.groups[0].set_seconds
    told = t("summary.of-items", n=count(seconds.n), all=count(seconds.n + seconds.missing))
    return told if seconds.missing else ""


def figure_blocks(facts: Facts, t: Texts) -> list[Block]:
    """The leading figure large, the others as rows, and in a small line those with equal values."""
    report, figures = facts.report, figures_of(facts, t)
    assert report is not None
    if not figures:
        return []
    first, *others = figures
    rule = limit_of(facts.gate, first.name, report.basis.names)
    interval = t("summary.interval", interval=_interval(first)) if first.interval is not None else ""
    notes = [interval, _pair(first), t("summary.limit", rule=clean(rule.rule)) if rule is not None else ""]
    big = html(
        '<p class="big"><abbr title="{}">{}</abbr> {} {} {}</p>\n<p class="muted">{}</p>\n',
        term_of(first.name, t),
        first.title,
        large(value_text(first.name, first.value), is_damaged=facts.is_damaged),
        _mark(first, t),
        Html(_bar(first, facts, None if rule is None else rule.limit)),
        " · ".join(filter(None, notes)),
    )
    rows = "".join(_row(figure, facts, t) for figure in others)
    table = Html(f'<table class="rows"><tbody>{rows}</tbody></table>\n') if rows else Html("")
    told_first = sorted(others, key=lambda figure: figure.change is None or not figure.change.is_found)
    lines = [in_line(list(_line(figure, facts, t)), DOT) for figure in (first, *told_first[:MOST_FIGURES])]
    if more := told_first[MOST_FIGURES:]:
        values = ", ".join(f"{figure.title} {value_text(figure.name, figure.value)}" for figure in more)
        lines.append(t("summary.more-figures", figures=values))
    told = [OnlyHtml([Paragraph(copies, "muted small")]) for copies in [_copies(facts, t)] if copies]
    noted = [text for text in (_shared(figures, t), _untimed(figures, t), *regraded_texts(facts, t)) if text]
    corrected = corrected_lines(report, t)
    lines += [" ".join([*corrected, *noted])] if corrected or noted else []
    shown = [*map(Paragraph, corrected), *(Paragraph(text, "muted small") for text in noted)]
    return [OnlyMarkdown([Items(lines)]), OnlyHtml([big, table, *shown]), *told]


def corrected_lines(report: Report, t: Texts) -> list[str]:
    """What people would give overall, a sentence a figure; none without people's grades."""
    if report.reviews is None:
        return []
    titles = {metric.name: metric.title for metric in report.metrics}
    return corrected_texts(report.reviews, titles.__getitem__, lambda name: figure_of(report, name)[0], t)


def _line(figure: Figure, facts: Facts, t: Texts) -> Iterator[Text]:
    """A figure in Markdown: value, interval, before, verdict."""
    value = value_text(figure.name, figure.value)
    shown = value if facts.is_damaged else Strong(value)
    yield titled(figure.title, (shown, *_in_brackets(_interval(figure) or figure.of)))
    yield from filter(None, (_pair(figure), _mark_text(figure, t)))


def _in_brackets(shown: str) -> tuple[Text, ...]:
    return (SPACE, f"({shown})") if shown else ()


def _row(figure: Figure, facts: Facts, t: Texts) -> str:
    report, value = facts.report, value_text(figure.name, figure.value)
    assert report is not None
    cells = (
        term_of(figure.name, t),
        figure.title,
        struck(value) if facts.is_damaged else value,
        Html(_bar(figure, facts)),
        _interval(figure) or figure.of,
        _pair(figure),
        _mark(figure, t),
    )
    row = (
        '<tr><th scope="row"><abbr title="{}">{}</abbr></th><td class="r">{}</td><td>{}</td><td class="n muted">{}</td>'
    )
    return html(row + '<td class="n muted">{}</td><td class="n">{}</td></tr>\n', *cells)


def _bar(figure: Figure, facts: Facts, limit: float | None = None) -> str:
    if has_no_scale(figure.name) or facts.is_damaged:
        return ""
    assert facts.report is not None
    before = _before(figure.change, figure.value)
    return bar(Dot("", figure.value, figure.interval, "", before), scale_of(facts.report, figure.name), limit)


def _before(change: Change | None, value: float | None) -> float | None:
    """Where the run before stands beside a value: at it where both look alike, be they means of other queries."""
    if change is None or change.before is None:
        return None
    return change.before if pair_text(change) else value


def scale_of(report: Report, name: str) -> Scale:
    """The scale of a figure that has one."""
    return SHARE if name in {*SHARES, RUBRICS} else report.basis.points


def _interval(figure: Figure) -> str:
    return "" if figure.interval is None else between(*(value_text(figure.name, end) for end in figure.interval))


def _pair(figure: Figure) -> str:
    return "" if figure.change is None else pair_text(figure.change)


def _shared(figures: list[Figure], t: Texts) -> str:
    """Why a value behind an arrow may be another than the value of the set; "" where none is."""
    for figure in figures:
        change, value = figure.change, value_text(figure.name, figure.value)
        if change is not None and _pair(figure) and (after := value_text(figure.name, change.after)) != value:
            queries = t.counted("queries", count(change.queries))
            return t("summary.shared", metric=figure.title, value=value, after=after, queries=queries)
    return ""


def _untimed(figures: list[Figure], t: Texts) -> str:
    """Why the score of speed changed and the mean seconds did not; "" where it needs no word."""
    found = [figure.name for figure in figures if figure.change is not None and figure.change.is_found]
    changed = {name.partition(".")[0] for name in found}  # a class of latency is latency
    is_apart = "latency" in changed and SECONDS not in changed
    return t("summary.untimed") if is_apart and any(figure.of for figure in figures) else ""


def _mark_text(figure: Figure, t: Texts) -> str:
    """`▽ worse`: the mark of a change that was found, and the verdict."""
    if figure.change is None:
        return ""
    verdict, mark = figure.change.verdict, str(figure.change.verdict)
    if figure.is_again:
        mark = "again"
    elif verdict is Verdict.SAME and _pair(figure):
        mark = "graded-anew"
    elif verdict is Verdict.NOT_DISTINGUISHABLE and not _pair(figure):
        mark = "alike"
    told = t(f"summary.mark.{mark}")
    has_mark = figure.is_again or figure.change.is_found
    return f"{verdict_mark(verdict, is_again=figure.is_again)} {told}" if has_mark else told


def _mark(figure: Figure, t: Texts) -> Html:
    if figure.change is None:
        return Html("")
    kind = "down" if figure.is_again else _KINDS.get(figure.change.verdict, "muted")
    return html(f'<span class="{kind}">{{}}</span>', _mark_text(figure, t))


def _copies(facts: Facts, t: Texts) -> str:
    """`Figures with the same values: accuracy = intent`."""
    assert facts.report is not None
    named = [
        t("summary.copy-of", name=figure_name(facts, name, t), of=figure_name(facts, of, t))
        for name, of in facts.report.basis.copies.items()
    ]
    return t("summary.copies", names=", ".join(named)) if named else ""


def term_of(name: str, t: Texts) -> str:
    """What a figure means, in a sentence."""
    if name in {PASS, ANSWERED}:
        return t("term.passed" if name == PASS else "term.answered")
    return t.named("term", name.partition(".")[0]) or t("term.measure" if is_measure(name) else "term.level")


def gate_blocks(facts: Facts, t: Texts) -> list[Block]:
    """The rules that did not pass, the worst first; in Markdown in one line behind the state of the gate."""
    gate = facts.gate
    if gate is None:
        return []
    states = list(GateState)
    open_rules = sorted(
        [rule for rule in gate.rules if rule.state is not GateState.PASSED], key=lambda rule: states.index(rule.state)
    )
    lines = [
        f"{_rule_text(rule, facts, t)}: {state_name(rule, t)} ({reason_text(rule, t)})"
        for rule in open_rules[:MOST_RULES]
    ]
    if len(open_rules) > MOST_RULES:
        lines.append(t("summary.gate-more", n=count(len(open_rules) - MOST_RULES)))
    state = Strong(badge_text(gate, t))
    in_markdown = OnlyMarkdown([Paragraph(titled(state, in_line(lines, DOT)) if lines else state)])
    return [in_markdown, OnlyHtml([Paragraph(t("summary.gate-told")), Items(lines)] if lines else [])]


def _rule_text(rule: RuleResult, facts: Facts, t: Texts) -> str:
    """`pass_rate >= 85 % (Answer rate)`: a rule with the figure that it limits, where that has another name."""
    assert facts.report is not None
    names = facts.report.basis.names
    only = GateResult(rule.state, (rule,))
    titles = (figure_name(facts, name, t) for name in names if limit_of(only, name, names) is not None)
    text, title = rule_name(rule, t), next(titles, "")
    key = rule.rule.partition(" ")[0].replace("_", " ")
    return f"{text} ({title})" if title and title.casefold() != key.casefold() else text


def badge_text(gate: GateResult, t: Texts) -> str:
    """`Gate failed`."""
    return t("summary.gate-badge", state=t(f"gate.state.{gate.state}"))


def track_blocks(facts: Facts, t: Texts) -> list[Block]:
    """Dots and intervals of the figure that leads, per track on one axis. Nothing with fewer than two tracks."""
    report = facts.report
    assert report is not None
    metric = leading_metric(report, facts.leading)
    name, dots = report.basis.told_as(metric), []
    for group in report.groups[1 : MOST_TRACKS + 1]:
        if metric not in group.metrics and metric != CONSISTENCY:
            continue
        mean, label = group.figure(metric), excerpt(track_name(group.key, t), LABEL_CHARS)
        if mean.value is not None:
            value, *ends = (as_told(report, metric, one) for one in (mean.value, *(mean.interval or ())))
            interval = Interval(*ends) if ends else None
            change = _change_of(facts, group.track, name)
            pair = "" if change is None else pair_text(change)
            shown = pair.replace("% →", " →").replace(" ", "") or value_text(name, value)
            dots.append(Dot(label, value, interval, shown, _before(change, value)))
    if len(dots) < 2:
        return []
    has_before = any(dot.before is not None for dot in dots)
    title = t("summary.tracks", metric=figure_name(facts, name, t))
    told = t("summary.tracks-told-both" if has_before else "summary.tracks-told")
    chart = forest_chart("tracks", title, dots, scale_of(report, name), partial(_end, name))
    return [OnlyHtml([Charts([chart]), Paragraph(told, "muted small")])]


def _end(name: str, end: float) -> str:
    return f"{end:.0%}" if name in SHARES else f"{end:g}"


def _change_of(facts: Facts, track: TrackId | None, metric: str) -> Change | None:
    groups = () if facts.compared is None else facts.compared.groups
    group = next((group for group in groups if group.kind is GroupKind.TRACK and group.track == track), None)
    return None if group is None else group.change(metric)
