"""The parts of a front page below its figures: answers, causes, and what the figures stand on."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from reporting.comparison import (
    ERROR_CHARS,
    cause_texts,
    error_of,
    failing_answers,
    item_href,
    value_text,
    why_title,
)
from reporting.data import Report
from reporting.document import (
    DOT,
    SPACE,
    Block,
    Each,
    Html,
    Items,
    Link,
    Markdown,
    OnlyHtml,
    Paragraph,
    Section,
    Text,
    html,
    in_line,
    titled,
)
from reporting.store import COMPARE_HTML, REPORT_HTML
from reporting.summary.facts import Facts, Look, Named, leading_metric, losses_of, lost_queries
from reporting.summary.plan import plan_text
from reporting.summary.verdict import (
    figure_name,
    figure_of,
    weakest_place,
)
from reporting.wording import (
    brief_of_count,
    count,
    excerpt,
    items_fragment,
    points,
    slice_text,
    some_names,
    track_name,
)
from scoring import Severity
from scoring.comparison import Query, numbered
from scoring.items import UNANSWERED, round_sort_key
from scoring.judging import JudgeState
from scoring.results import ANSWERED, INTENT, PASS, MetricLoss
from scoring.rubric import CONSISTENCY, Status
from texts import Texts, codes

MOST_WAYS = 3  # tracks of a cause
MOST_DOTS = 6  # more rounds are told as k/n
QUESTION_CHARS = 80


def answer_blocks(facts: Facts, t: Texts) -> list[Block]:
    """At most five answers to look at first: the question, its rounds before and now, the first words of the error."""
    named = facts.named
    if not named:
        return []
    told = [t("summary.dots-both" if any(one.before for one in named) else "summary.dots")]
    queries = [facts.queries[one.query_id] for one in named if one.query_id in facts.queries]
    told += [t("summary.dots-unassessed")] if any(one.assessed < one.n for one in queries) else []
    lines = [_answer(one, facts, t) for one in named]
    if facts.compared is not None:
        shown = {one.query_id for one in named}
        further = {
            "now_fails": facts.compared.now_fails,
            "dropped": lost_queries(facts.compared),
            "now_unanswered": facts.compared.now_unanswered or (),
        }
        more: list[Text] = []
        for preset, entries in further.items():
            if ids := sorted([entry.query_id for entry in entries if entry.query_id not in shown], key=numbered):
                told_more = t(f"summary.more.{preset}", all=count(len(entries)), names=some_names(ids, t))
                page = f"{COMPARE_HTML}#preset={preset}"
                if preset == "dropped" and len(ids) == 1:
                    page = item_href(COMPARE_HTML, ids[0])  # the preset has others, too
                more.append(_leading_to(page, told_more, facts))
        lines += [in_line(more, DOT)] if more else []
    return [
        Section("answers", t("summary.answers"), [Items(lines), OnlyHtml([Paragraph(" ".join(told), "muted small")])])
    ]


def _answer(named: Named, facts: Facts, t: Texts) -> Text:
    """`19,164명입니다 (Q-001) ●●→○○ · newly failing · “Timeout”`."""
    query = facts.queries.get(named.query_id)
    query_id = excerpt(named.query_id, QUESTION_CHARS)
    question = "" if query is None else excerpt(query.question, QUESTION_CHARS)
    shown = query_id if question in {"", query_id} else f"{question} ({query_id})"
    text = _leading_to(item_href(REPORT_HTML, named.query_id), shown, facts)
    dots = _dots(named, query)
    assert facts.report is not None
    look: str = named.look
    if named.look is Look.NEVER and len(facts.report.rounds) == 1:
        look = "failing"
    elif named.look is Look.UNANSWERED and query is not None and not query.assessed:
        look = "unassessed" if query.n > 1 else "no-answer"
    pieces: list[Text] = [
        (text, SPACE, Each(dots, html('<span class="dots">{}</span>', dots))),
        t(f"summary.look.{look}"),
    ]
    pieces += [] if query is None else _said(query, t)
    return in_line(pieces, DOT)


def _leading_to(page: str, text: str, facts: Facts) -> Text:
    return Link(text, facts.address + page) if facts.address else Each(text, beside(text, page))


def beside(text: str, page: str) -> Html:
    """A link to a page in the folder of the set, which a script makes one where that folder is at hand."""
    return html('<a data-href="{}">{}</a>', page, text)


def _dots(named: Named, query: Query | None) -> str:
    """`●●→○○`: of the baseline as many as passed, of this run round by round, in one as the rows come."""
    before = "" if named.before is None else _counted(*named.before)
    if query is None:
        return f"{before}→" if before else ""
    if query.n > MOST_DOTS:
        now = f"{query.passed}/{query.assessed}"
    else:
        answers = sorted(query.answers, key=lambda one: (round_sort_key(one.round), one.file, one.row or 0))
        now = "".join("–" if one.passes is None else "●" if one.passes else "○" for one in answers)
    return f"{before}→{now}" if before else now


def _counted(passed: int, assessed: int) -> str:
    if assessed > MOST_DOTS:
        return f"{passed}/{assessed}"
    return "●" * passed + "○" * (assessed - passed)


def _said(query: Query, t: Texts) -> list[str]:
    """The first words of its error, else those of the first answer that does not pass, else the status of that."""
    if error := error_of(query):
        return [f"“{excerpt(error, ERROR_CHARS)}”"]
    failing = failing_answers(query)
    text = next((answer.text for answer in failing if answer.text), "")
    if text:
        return [t("summary.answer", text=excerpt(text, ERROR_CHARS))]
    return [t(f"summary.said.{answer.status}") for answer in failing[:1] if answer.status in UNANSWERED]


def cause_blocks(facts: Facts, t: Texts) -> list[Block]:
    """At most three causes with their items and points, and in one line the weakest place and slice."""
    report = facts.report
    assert report is not None
    metric = leading_metric(report, facts.leading)
    loss = next((loss for loss in report.insights.losses if loss.metric == metric and loss.points), None)
    name = figure_name(facts, report.basis.told_as(metric), t)
    lines: list[Text] = [] if loss is None else list(_causes(loss, facts, t))
    weakest = []
    if (place := weakest_place(report, metric, t)) is not None:
        weakest.append(t("summary.worst", place=place[0], metric=name, value=place[1]))
    if report.insights.slices and report.insights.slices.weak:
        titles = {entry.name: figure_name(facts, entry.name, t) for entry in report.metrics}
        weakest.append(str(slice_text(report.insights.slices.weak[0], report.insights.slices, titles, t)))
    lines += [" ".join(weakest)] if weakest else []
    if loss is None:
        title = t("summary.why")
    else:
        share = report.basis.told_as(metric)
        value = "" if share == metric else value_text(share, figure_of(report, share)[0])
        title = why_title(loss, name, value, report.headline.n, t)
    return [Section("why", title, [Items(lines)])] if lines else []


def damage_blocks(facts: Facts, t: Texts) -> list[Block]:
    """What damaged the figures, each with its places and its remedy: why it failed is not known before that."""
    assert facts.report is not None
    lines = facts.report.damage_texts
    return [Section("damage", t("summary.damage"), [Items(lines)])] if lines else []


def _causes(loss: MetricLoss, facts: Facts, t: Texts) -> Iterator[Text]:
    assert facts.report is not None
    before = None if facts.earlier is None else losses_of(facts.earlier)
    is_share = facts.report.basis.told_as(loss.metric) != loss.metric
    for text, status in cause_texts(
        loss,
        losses_of(facts.report),
        before,
        queries=facts.queries.values(),
        is_share=is_share,
        is_repeated=len(facts.report.rounds) > 1,
        t=t,
    ):
        yield text, *_by_track(status, loss, facts, t)


def _by_track(status: Status | None, loss: MetricLoss, facts: Facts, t: Texts) -> tuple[Text, ...]:
    """` · Track 3: 37, Track 1: 3`: where a status is most frequent, each the way to its answers; nothing in one."""
    assert facts.report is not None
    if status is None or len(facts.report.groups) < 3:  # all items, and those of the only track
        return ()
    items: Counter[str] = Counter()
    for place in loss.places:
        items[place.track] += place.n if place.status is status else 0
    ways = [
        _leading_to(
            f"{REPORT_HTML}#{items_fragment(track=key, status=status.value)}",
            f"{track_name(key, t)}: {count(n)}",
            facts,
        )
        for key, n in items.most_common(MOST_WAYS)
        if n
    ]
    return DOT, in_line(ways, Markdown(", "))


def plan_lines(facts: Facts, t: Texts) -> list[Text]:
    """What one more round or more questions would show, in one line; nothing where nothing can be said of it."""
    if facts.plan is None:
        return []
    assert facts.report is not None
    return [titled(t("plan.title"), plan_text(facts.plan, facts.report, t))]


def trust_blocks(facts: Facts, t: Texts) -> list[Block]:
    """Whether to use the figures, and what they stand on, in one line of HTML."""
    mark, sign, line, checked = _trust(facts, t)
    page = f"{REPORT_HTML}#checklist"
    link = html('<a href="{}">{}</a>', facts.address + page, checked) if facts.address else beside(checked, page)
    return [html('<p class="trust {}"><b>{}</b> {}: {} {}</p>\n', mark, sign, t("summary.trust"), line, link)]


def trust_line(facts: Facts, t: Texts) -> Text:
    """The same in Markdown."""
    _, sign, line, checked = _trust(facts, t)
    return titled(f"{sign} {t('summary.trust')}", f"{line} {checked}".rstrip())


class _Trust(NamedTuple):
    mark: str
    sign: str
    line: str
    checked: str


def _trust(facts: Facts, t: Texts) -> _Trust:
    """Green where every row was used and nothing touches a figure."""
    report = facts.report
    assert report is not None
    doubts = list(_doubts(facts, report, t))
    mark = "fine" if not doubts and not report.row_sum.unusable_rows else "look"
    answer = t(f"summary.trust.{'none' if report.banner else mark}")
    line = " ".join([answer, *_rows(report, t), *doubts, *_people(report, t)])
    return _Trust(mark, "✓" if mark == "fine" else "!", line, _checked(report, t))


def _rows(report: Report, t: Texts) -> Iterator[str]:
    """How many of the rows that are not blank were used, and what became of the others.

    Nothing below a banner, which says how many values were lost.
    """
    read = report.row_sum
    if report.banner:
        return
    yield t("summary.rows", used=count(read.items), rows=count(read.rows - read.blank_rows))
    if read.duplicates:
        yield t("summary.rows-twice", n=count(read.duplicates))
    if read.unusable_rows:
        yield t("summary.rows-unusable", n=count(read.unusable_rows))
    for finding in report.findings:
        if finding.code == "records-not-selected":
            yield t("summary.not-selected", n=count(finding.count))


def _checked(report: Report, t: Texts) -> str:
    """How many lines of the checklist need a look; "" without a checklist."""
    if not report.checklist:
        return ""
    unticked = sum(not is_fine for is_fine in report.checklist.values())
    if not unticked:
        return t("summary.checklist-fine")
    return t("summary.checklist", n=count(unticked), all=count(len(report.checklist)))


def _people(report: Report, t: Texts) -> list[str]:
    """Who graded answers whose grades count; nothing without any."""
    if report.reviews is None or not report.reviews.items:
        return []
    names = some_names([one.name for one in report.reviews.reviewers], t)
    return [t("summary.people", items=t.counted("items", count(report.reviews.items)), names=names)]


def _one_round(report: Report, t: Texts) -> str:
    counted = report.headline.metrics.get(CONSISTENCY)
    if counted is None:
        return t("summary.one-round")
    return t("summary.one-round-counted", points=t.counted("points", points(counted)))


def _few_graded(facts: Facts, report: Report, t: Texts) -> Iterator[str]:
    """That the leading figure leaves out items without a grade, or counts by status for want of grades."""
    if facts.leading == PASS and report.headline.assessed < report.headline.n:
        told = {"n": count(report.headline.assessed), "all": count(report.headline.n)}
        yield t("summary.assessed", metric=figure_name(facts, PASS, t), **told)
        if unanswered := sum(pattern.n for pattern in report.insights.patterns):
            yield t("summary.unanswered", items=t.counted("items", count(unanswered)))
    if report.leading == ANSWERED and any(entry.name == INTENT for entry in report.metrics):
        graded = report.insights.intent_sources.recorded
        few = t("summary.few-graded", graded=count(graded), all=count(report.headline.n))
        yield few if graded else t("summary.by-status")


def _doubts(facts: Facts, report: Report, t: Texts) -> Iterator[str]:
    """What takes away from the figures; findings that touch none are not told."""
    found = {finding.code: finding for finding in report.findings}
    refused = sum(entry.refused for entry in report.inputs)
    if refused:
        yield t("summary.refused", n=count(refused))
    touching = [one for one in found.values() if codes()[one.code].touches]
    errors = [one for one in touching if one.severity is not Severity.NOTE]
    unused = [one for one in touching if one.severity is Severity.NOTE]
    for text, chosen in (("summary.errors", errors), ("summary.values", unused)):
        if chosen:
            named = [brief_of_count(one.code, one.count, Severity.NOTE, t) for one in chosen]
            yield t(text, n=count(len(chosen)), found=some_names(named, t))
    if hidden := len(report.insights.hidden_failures):
        yield t("summary.hidden-failures", n=count(hidden))
    if contradicting := report.counts.get("recorded-contradicts-failure"):
        yield t("summary.failures-with-score", n=count(contradicting))
    if facts.compared is not None and "same-run" in facts.compared.note_codes:
        yield t("summary.same-run")
    if len(report.rounds) == 1:
        yield _one_round(report, t)
    if "rounds-differ" in found:
        yield t("summary.rounds-differ")
    yield from _few_graded(facts, report, t)
    if report.judge is not None and report.judge.state in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        yield t(f"summary.judge-{report.judge.state}")
