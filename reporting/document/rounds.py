"""The item pages: the answers of one round and track, at most 200 of them, in Markdown only."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from reporting.document.blocks import DOT, Block, Heading, Link, Markdown, Page, Paragraph
from reporting.document.html_renderer import banner
from reporting.document.markdown import inert, inert_each, markdown_page, md, table_head
from reporting.document.page_paths import PageLink, page_links
from reporting.document.report import page_cells, page_titles
from reporting.document.tables import shown_groups, table
from reporting.wording import (
    NONE,
    count,
    damage_text,
    excerpt,
    excerpt_each,
    metric_titles,
    percent,
    review_text,
    round_name,
    score,
    seconds,
    status_names,
    status_whys,
    track_name,
)
from scoring import Memo
from scoring.items import Item, details_of, turn_of
from scoring.results import Group, SetResult, reading_order
from scoring.rubric import REASON_NO_CHECKS, Rubric, Status, group_key
from texts import Texts

MAX_PAGE_ITEMS = 200
ID_CHARS = 60
QUESTION_CHARS = 160
ANSWER_CHARS = 200
NAME_CHARS = 80

_SCORE_TITLES = ("page.intent", "page.accuracy", "page.stability", "basis.speed", "js.seconds")


def render_round_pages(result: SetResult, *, set_name: str, t: Texts) -> Iterator[tuple[str, str]]:
    """(path relative to the set's folder, text) of every page under rounds/, in the order of `page_links`.

    Made one by one. A page that cannot hold all items takes the failed ones first, and shows them in file order, the
    turns of a conversation together.
    """
    links, above = page_links(result, t), banner(damage_text(result, t))
    chosen = _chosen_items(result, links)
    name, home = excerpt(set_name, NAME_CHARS), Link(t("changes.home"), "../../report.md")
    numbers = {entry.label: index for index, entry in enumerate(result.rounds)}
    has_tracks = bool(shown_groups(result))
    top = "\n".join(table_head(table(_titles(result, t), [])))
    to_rows = _row_maker(result, t)
    to_summary = _summary_maker(result.rubric, t)
    for link in links:
        group = result.group(link.track)
        assert group is not None, link
        index = numbers[link.round]
        rows = list(map(" | ".join, to_rows(result.items.pick(chosen[link.round, link.track]))))
        body = " |\n| ".join(rows)
        title = round_name(result.rounds[index], t) + (f" {track_name(link.track, t)}" if has_tracks else "")
        left_out = _left_out(group.items[index] - len(rows), t)
        blocks: list[Block] = [
            Paragraph((name, DOT, home)),
            Paragraph(to_summary(group, index)),
            Markdown(f"{top}\n| {body} |\n"),
        ]
        yield link.href, markdown_page(Page(title, [*above, Heading(1, title)], [*blocks, *left_out]))


def _left_out(number: int, t: Texts) -> list[Block]:
    more = t("page.more", n=count(number), items="[items.csv](../../items.csv)")
    return [Paragraph(Markdown(more))] if number else []


def _titles(result: SetResult, t: Texts) -> list[str]:
    rubric = result.rubric
    first = ["Query ID", *([t("sessions.session-turn")] if result.sessions is not None else []), t("table.question")]
    if _is_plain(rubric):
        return [*first, t("items.status"), *page_titles(t), t("page.error-or-response")]
    details = [t("more.verdict"), t("more.label"), f">{t('page.checks')}"] if rubric.has_details else []
    if _shows_reasons(result):
        details.append(t("judge.reason"))
    if rubric.rubrics is not None:
        details += page_titles(t)
    return [
        *first,
        t("items.status"),
        *(f">{t(key)}" for key in _SCORE_TITLES),
        *details,
        "LLM",
        t("page.error-or-response"),
    ]


def _chosen_items(result: SetResult, links: tuple[PageLink, ...]) -> dict[tuple[str, str], list[int]]:
    """Indices of the items of each page, by label of the round and key of the track."""
    table, passing = result.table, frozenset(result.rubric.pass_statuses)
    places: defaultdict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    lists = [places[one.round, group_key(one.track)][one.status in passing] for one in table.distinct]
    order: Sequence[int] = range(len(table)) if result.sessions is None else reading_order(result.items)
    for at, index in enumerate(order):
        found = lists[table.numbers[index]]
        if len(found) < MAX_PAGE_ITEMS:
            found.append(at)
    return {(link.round, link.track): [order[at] for at in _fitting(*places[link.round, link.track])] for link in links}


def _fitting(failed: list[int], passed: list[int]) -> list[int]:
    """The failed ones first, and of them all those that fit, in order."""
    return sorted([*failed, *passed][:MAX_PAGE_ITEMS])


def _summary_maker(rubric: Rubric, t: Texts) -> Callable[[Group, int], str]:
    statuses, metrics = status_names(t), metric_titles(rubric, t)

    def summary(group: Group, index: int) -> str:
        n = group.items[index]
        counts = group.statuses[index]
        answered = sum(counts.get(status, 0) for status in rubric.pass_statuses)
        scores = ", ".join(
            f"{title} {score(group.metrics[metric].rounds[index].value)}"
            for metric, title in metrics.items()
            if metric in group.metrics
        )
        return t(
            "page.summary" if rubric.has_metric("latency") else "page.summary-plain",
            items=t.counted("items", count(n)),
            rate=percent(answered, n),
            shares=", ".join(f"{title} {count(counts.get(status, 0))}" for status, title in statuses.items()),
            scores=scores,
            mean=seconds(group.seconds[index].mean),
        )

    return summary


def _is_plain(rubric: Rubric) -> bool:
    """Has the profile the rubrics metric alone?"""
    return rubric.rubrics is not None and len(rubric.metrics) == 1


def _shows_reasons(result: SetResult) -> bool:
    """Did a judge give any verdict on intent?"""
    return result.judge is not None and any(
        metric.metric == "intent" and metric.judged for metric in result.judge.metrics
    )


def _row_maker(result: SetResult, t: Texts) -> Callable[[Sequence[Item]], Iterable[Sequence[str]]]:
    """A function from items to the cells of their rows, escaped; figures need no escape."""
    rule, has_reasons = result.rubric.rubrics, _shows_reasons(result)
    status_text, not_assessable = status_whys(t), t("accuracy.not-assessable")
    statuses: Memo[tuple[Status, str], str] = Memo(lambda key: md(status_text(*key)))
    graded: Memo[tuple[str, str], str] = Memo(
        lambda key: inert(" ".join(filter(None, (excerpt(key[0], 30), excerpt(key[1], 20)))) or NONE)
    )

    def rows(items: Sequence[Item]) -> Iterable[tuple[str, ...]]:
        answers = inert_each(
            excerpt_each([item.error or item.message or item.response for item in items], ANSWER_CHARS)
        )
        return zip(
            inert_each(excerpt_each([item.query_id for item in items], ID_CHARS)),
            inert_each(excerpt_each([item.question for item in items], QUESTION_CHARS)),
            [statuses[item.status, item.why] for item in items],
            [score(item.intent) for item in items],
            [score(item.accuracy) for item in items],
            [score(item.stability) for item in items],
            [score(item.latency) for item in items],
            [seconds(item.seconds) for item in items],
            [graded[item.llm_status, item.recorded] for item in items],
            [_reviewed(item, t) + (text or _second_answer(item)) for text, item in zip(answers, items, strict=True)],
            strict=True,
        )

    def detailed(item: Item) -> Iterator[str]:
        details = details_of(item)
        checks = f"{details.checks - details.failed_count}/{details.checks}" if details.checks else NONE
        if details.accuracy_reason == REASON_NO_CHECKS:
            checks = not_assessable
        shown = [excerpt(details.verdict, 30), excerpt(details.label, 30), checks]
        if has_reasons:
            shown.append(excerpt(details.verdict_reason, ANSWER_CHARS))
        if rule is not None:
            shown += page_cells(details, rule, t)
        return (md(text) or NONE for text in shown)

    def detailed_rows(items: Sequence[Item]) -> Iterable[tuple[str, ...]]:
        return ((*row[:-2], *detailed(item), *row[-2:]) for row, item in zip(rows(items), items, strict=True))

    def plain_rows(items: Sequence[Item]) -> Iterable[tuple[str, ...]]:
        levels = ([] if rule is None else page_cells(details_of(item), rule, t) for item in items)
        return ((*row[:3], *map(md, shown), row[-1]) for row, shown in zip(rows(items), levels, strict=True))

    chosen = plain_rows if _is_plain(result.rubric) else detailed_rows if result.rubric.has_details else rows
    if result.sessions is None:
        return chosen
    return lambda items: (
        (row[0], inert(_turn_text(item)) or NONE, *row[1:]) for row, item in zip(chosen(items), items, strict=True)
    )


def _reviewed(item: Item, t: Texts) -> str:
    """What people graded of an item, in front of its answer; "" for nothing."""
    told = review_text(item.review, t)
    return f"**{inert(t('more.reviewed'))}: {inert(excerpt(told, ANSWER_CHARS))}** · " if told else ""


def _turn_text(item: Item) -> str:
    """`S7 · 2`; "" outside a session."""
    turn = turn_of(item)
    return "" if turn is None else " · ".join(filter(None, (excerpt(turn.session, ID_CHARS), excerpt(turn.label, 20))))


def _second_answer(item: Item) -> str:
    """The answer of an item whose first text has nothing to show."""
    return inert(excerpt(item.message or item.response, ANSWER_CHARS)) or NONE
