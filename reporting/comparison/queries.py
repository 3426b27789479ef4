"""The queries of a comparison as people read them: what changed, and the answers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from urllib.parse import quote

from reporting.comparison.figures import metric_of, passes_text, value_text
from reporting.comparison.words import Sides, differing_words
from reporting.data.items_in_html import clean_lines
from reporting.wording.display import clean, excerpt, seconds
from reporting.wording.links import link, query_fragment
from reporting.wording.names import category_name, status_name, track_name
from scoring.comparison.pairing import QueryChange, answer_metrics
from scoring.comparison.run import Answer, Query, Run
from scoring.rubric.model import Status, group_key
from texts import Texts

MAX_LISTED = 100  # queries of a list with their answers
MAX_ROUNDS = 5  # of a query, side by side
ID_CHARS = 60
QUESTION_CHARS = 200
ANSWER_CHARS = 1_200
LABEL_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """One item of each side. titles: round, status and seconds. sides: the answers; None where they are the same.

    text: the answer that is the same, "" without any.
    """

    titles: tuple[str, str]
    sides: Sides | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedQuery:
    """A query that changed. passes: `2/2 → 1/2`. points: metrics that changed. hrefs: of its items in both reports.

    track, category: in words, "" where the profile has no tracks. more_rounds: pairs of items left out.
    """

    query_id: str
    question: str
    track: str
    category: str
    passes: str
    points: str
    hrefs: tuple[str, str]
    answers: tuple[AnswerPair, ...]
    more_rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryList:
    """One of the four lists. more: queries left out."""

    name: str
    title: str
    queries: tuple[ListedQuery, ...]
    total: int

    @property
    def more(self) -> int:
        """Queries left out."""
        return self.total - len(self.queries)


def query_list(name: str, changes: Sequence[QueryChange], after: Run, pages: tuple[str, str], t: Texts) -> QueryList:
    """One of the four lists. pages: relative addresses of the two reports, "" without one."""
    shown = tuple(_listed(change, after, pages, t) for change in changes[:MAX_LISTED])
    return QueryList(name=name, title=t(f"compare.list.{name}"), queries=shown, total=len(changes))


def item_href(page: str, query_id: str) -> str:
    """The address of a query in a report; "" without a report. page: relative address of the report."""
    return f"{quote(page, safe='/-_.~')}#{query_fragment(query_id)}" if page else ""


def query_in(query: Query, page: str) -> str:
    """A Query ID that leads to the query in a report; the ID alone without a report."""
    return link(excerpt(query.query_id, ID_CHARS), item_href(page, query.query_id))


def _listed(change: QueryChange, after: Run, pages: tuple[str, str], t: Texts) -> ListedQuery:
    old, new = change.pair
    passes = [passes_text(query) for query in change.pair]
    before_page, after_page = pages
    pairs = list(zip_longest(old.answers, new.answers))
    return ListedQuery(
        query_id=query_in(new, after_page) if after_page else query_in(old, before_page),
        question=excerpt(new.question or old.question, QUESTION_CHARS),
        track=track_name(group_key(new.track), t),
        category=category_name(new.category, t),
        passes=" → ".join(passes),
        points=_points(old, new, after, t),
        hrefs=(item_href(before_page, old.query_id), item_href(after_page, new.query_id)),
        answers=tuple(_answer_pair(*pair, t) for pair in pairs[:MAX_ROUNDS]),
        more_rounds=max(len(pairs) - MAX_ROUNDS, 0),
    )


def _points(old: Query, new: Query, after: Run, t: Texts) -> str:
    """`의도 충족 5.00 → 0.00` of each metric that an answer earns, where it changed."""
    return ", ".join(
        f"{metric_of(after, metric, t)} "
        f"{value_text(metric, old.values[metric])} → {value_text(metric, new.values[metric])}"
        for metric in answer_metrics(after.basis)
        if metric in old.values and metric in new.values and old.values[metric] != new.values[metric]
    )


def _answer_pair(old: Answer | None, new: Answer | None, t: Texts) -> AnswerPair:
    before, after = (clean_lines(one.text, ANSWER_CHARS) if one is not None else "" for one in (old, new))
    is_same = before == after and old is not None and new is not None
    return AnswerPair(
        titles=(_title(old, t), _title(new, t)),
        sides=None if is_same else differing_words(before, after),
        text=before if is_same else "",
    )


def _title(answer: Answer | None, t: Texts) -> str:
    """`1/1 · 정상 · 4.200`; "" where a side has no such item."""
    if answer is None:
        return ""
    known = answer.status in list(Status)
    status = status_name(Status(answer.status), t) if known else excerpt(answer.status, LABEL_CHARS)
    pieces = [excerpt(answer.round, LABEL_CHARS), status]
    pieces += [] if answer.seconds is None else [seconds(answer.seconds)]
    return clean(" · ".join(pieces))
