"""The item pages: the answers of one round and track, at most 200 of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from reporting import words
from reporting.display import count, excerpt, percent, score, seconds
from reporting.page_paths import PageLink, page_links
from reporting.tables import Table, table
from reporting.view_metrics import shown_groups
from scoring.part import Item, ItemDetails
from scoring.repetition import group_key
from scoring.result import Group, SetResult
from scoring.rubric import Rubric, Status
from scoring.rules import REASON_NO_CHECKS

MAX_PAGE_ITEMS = 200
ID_CHARS = 60
QUESTION_CHARS = 160
ANSWER_CHARS = 200
NAME_CHARS = 80
_NO_DETAILS = ItemDetails()

_TITLES = (
    "Query ID",
    "질의",
    "상태",
    ">의도",
    ">정확",
    ">안정",
    ">속도",
    ">초",
    "LLM",
    "오류/응답",
)

# Before the last two, for profiles with rules of their own.
_DETAIL_TITLES = ("판정", "라벨", ">체크")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """One page. path, home: relative links to itself and back to the report. summary: one line of figures."""

    path: str
    title: str
    set_name: str
    summary: str
    table: Table


def build_pages(result: SetResult, *, set_name: str) -> Iterator[PageView]:
    """Pages in the order of `page_links`, made one by one.

    A page that can't hold all items takes the failed ones first; what it takes stands in file order.
    """
    links = page_links(result)
    chosen = _chosen_items(result, links)
    name = excerpt(set_name, NAME_CHARS)
    numbers = {entry.label: index for index, entry in enumerate(result.rounds)}
    has_tracks = bool(shown_groups(result))
    has_details = result.rubric.has_details
    titles = (*_TITLES[:-2], *_DETAIL_TITLES, *_TITLES[-2:]) if has_details else _TITLES
    to_cells = _detailed_cells if has_details else _cells
    for link in links:
        group = result.group(link.track)
        assert group is not None, link
        index = numbers[link.round]
        yield PageView(
            path=link.href,
            title=words.round_name(result.rounds[index]) + (f" {words.track_name(link.track)}" if has_tracks else ""),
            set_name=name,
            summary=_summary(group, index, result.rubric),
            table=table(titles, [to_cells(item) for item in chosen[link.round, link.track]], total=group.items[index]),
        )


def _chosen_items(result: SetResult, links: tuple[PageLink, ...]) -> dict[tuple[str, str], list[Item]]:
    keys = {track: group_key(track) for track in {item.track for item in result.items}}
    wanted = {(link.round, link.track) for link in links}
    passing = frozenset(result.rubric.pass_statuses)
    failed: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    passed: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index, item in enumerate(result.items):
        kept = (passed if item.status in passing else failed)[item.round, keys[item.track]]
        if len(kept) < MAX_PAGE_ITEMS:
            kept.append(index)
    return {
        place: [result.items[index] for index in sorted((failed[place] + passed[place])[:MAX_PAGE_ITEMS])]
        for place in wanted
    }


def _summary(group: Group, index: int, rubric: Rubric) -> str:
    n = group.items[index]
    statuses = group.statuses[index]
    passed = sum(statuses.get(status, 0) for status in rubric.pass_statuses)
    shares = ", ".join(f"{title} {count(statuses.get(status, 0))}" for status, title in words.STATUSES.items())
    scores = ", ".join(
        f"{title} {score(group.metrics[metric].rounds[index].value)}"
        for metric, title in rubric.metrics_by_name.items()
        if metric in group.metrics
    )
    mean = seconds(group.seconds[index].mean)
    return f"{count(n)}문항, 통과율 {percent(passed, n)} ({shares}). {scores}, 평균 {mean}초."


def _cells(item: Item) -> tuple[str, ...]:
    status = words.STATUSES[item.status]
    if item.status is not Status.OK:
        status = f"{status} ({words.why(item.why)})"
    llm = " ".join(filter(None, (excerpt(item.llm_status, 30), excerpt(item.recorded, 20))))
    return (
        excerpt(item.query_id, ID_CHARS),
        excerpt(item.question, QUESTION_CHARS),
        status,
        score(item.intent),
        score(item.accuracy),
        score(item.stability),
        score(item.latency),
        seconds(item.seconds),
        llm or words.NOTHING,
        excerpt(item.error, ANSWER_CHARS) or excerpt(item.message or item.response, ANSWER_CHARS) or words.NOTHING,
    )


def _detailed_cells(item: Item) -> tuple[str, ...]:
    cells, details = _cells(item), item.details or _NO_DETAILS
    checks = f"{details.checks - details.failed_count}/{details.checks}" if details.checks else words.NOTHING
    if details.accuracy_reason == REASON_NO_CHECKS:
        checks = words.NOT_ASSESSABLE
    shown = (excerpt(details.verdict, 30), excerpt(details.label, 30), checks)
    return (*cells[:-2], *(text or words.NOTHING for text in shown), *cells[-2:])
