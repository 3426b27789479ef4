"""The lists of queries that changed, as compare.md has them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from reporting.comparison.figures import metric_of, passes_text, value_text
from reporting.document import Block, Heading, Markdown, Paragraph, md, table, table_head, table_row
from reporting.wording import category_name, count, excerpt, link, query_fragment, track_name
from scoring.comparison import Comparison, Query, QueryChange, Run, answer_metrics
from scoring.rubric import group_key
from texts import Texts

NOW_FAILS = "now_fails"
NOW_UNANSWERED = "now_unanswered"
LISTS = (NOW_FAILS, NOW_UNANSWERED, "now_passes", "dropped", "rose")
MAX_LISTED = 100  # queries of a list
MOST_TICKETS = 5
ID_CHARS = 60
QUESTION_CHARS = 200


def list_blocks(name: str, comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """One of the lists; on the page it is a preset of the workbench. pages: of the two reports, "" without one."""
    changes, after = changes_of(name, comparison), comparison.after
    known = comparison.known_fails if name == NOW_FAILS else None
    shown, more = changes[:MAX_LISTED], max(len(changes) - MAX_LISTED, 0)
    titles = [t(f"compare.{key}") for key in ("query", "question", "passes", "points", "report")]
    rows = [_cells(change, after, pages, t) for change in shown]
    if known:
        titles.append(t("known.title"))
        rows = [[*row, _known(change, known, t)] for change, row in zip(shown, rows, strict=True)]
    lines = [*table_head(table(titles, [])), *map(table_row, rows)]
    return [
        Heading(3, list_title(name, comparison, t)),
        Markdown("\n".join([*lines, ""])) if shown else Paragraph(t("compare.none")),
        *([Paragraph(t("compare.more", n=count(more)))] if more else []),
    ]


def lists_of(comparison: Comparison) -> list[str]:
    """The names of the lists; of queries that newly lack answers only where there are any."""
    return [name for name in LISTS if name != NOW_UNANSWERED or comparison.lists.now_unanswered]


def changes_of(name: str, comparison: Comparison) -> Sequence[QueryChange]:
    """The queries of one of the lists."""
    found: Sequence[QueryChange] = getattr(comparison.lists, name)
    return found


def list_title(name: str, comparison: Comparison, t: Texts) -> str:
    """What a list is called, with the number of its queries; of those that newly fail also how many are known."""
    changes, known = changes_of(name, comparison), comparison.known_fails
    title = t("compare.list-count", name=t(f"compare.list.{name}"), n=count(len(changes)))
    if name != NOW_FAILS or not changes or known is None:
        return title
    new, of_lines = t("known.new", n=count(len(changes) - len(known))), t("known.known", n=count(len(known)))
    return f"{title}: {new} · {of_lines}{_by_ticket(known, t)}"


def _by_ticket(known: Mapping[str, str], t: Texts) -> str:
    """` (HR-123: 8)`; the most frequent."""
    counts = Counter(known.values()).most_common()
    named = [f"{known_title(name, t)}: {count(n)}" for name, n in counts[:MOST_TICKETS]]
    named += ["…"] if len(counts) > MOST_TICKETS else []
    return f" ({', '.join(named)})" if named else ""


def known_title(name: str, t: Texts) -> str:
    """The ticket of a known failure, or what was decided of it."""
    return t.named("known.resolution", name) or excerpt(name, ID_CHARS)


def _known(change: QueryChange, known: Mapping[str, str], t: Texts) -> str:
    name = known.get(change.pair.after.query_id)
    return "" if name is None else known_title(name, t)


def place_text(query: Query, t: Texts) -> str:
    """Track and category in words; those of every item, where they differ."""
    places = [(track_name(group_key(one.track), t), category_name(one.category, t)) for one in query.places]
    return " · ".join(map(", ".join, places))


def item_href(page: str, query_id: str) -> str:
    """The address of a query in a report; "" without a report. page: relative address of the report."""
    return f"{quote(page, safe='/-_.~')}#{query_fragment(query_id)}" if page else ""


def query_in(query: Query, page: str) -> str:
    """A Query ID that leads to the query in a report; the ID alone without a report."""
    return link(excerpt(query.query_id, ID_CHARS), item_href(page, query.query_id))


def _cells(change: QueryChange, after: Run, pages: tuple[str, str], t: Texts) -> list[str]:
    """The row of a query in Markdown, with links to its items in both reports."""
    old, new = change.pair
    hrefs = item_href(pages[0], old.query_id), item_href(pages[1], new.query_id)
    titles = md(t("compare.before")), md(t("compare.after"))
    links = [f"[{title}]({href})" if href else "" for title, href in zip(titles, hrefs, strict=True)]
    points = _points(old, new, after, t)
    return [_name(change, pages), _question(change), _passes(change), points, Markdown(" ".join(links))]


def _name(change: QueryChange, pages: tuple[str, str]) -> str:
    old, new = change.pair
    return query_in(new, pages[1]) if pages[1] else query_in(old, pages[0])


def _question(change: QueryChange) -> str:
    old, new = change.pair
    return excerpt(new.question or old.question, QUESTION_CHARS)


def _passes(change: QueryChange) -> str:
    """`2/2 → 1/2`."""
    return " → ".join(map(passes_text, change.pair))


def _points(old: Query, new: Query, after: Run, t: Texts) -> str:
    """`의도 충족 5.00 → 0.00` of each metric that an answer earns, where it changed."""
    return ", ".join(
        f"{metric_of(after, metric, t)} "
        f"{value_text(metric, old.values[metric])} → {value_text(metric, new.values[metric])}"
        for metric in answer_metrics(after.basis)
        if metric in old.values and metric in new.values and old.values[metric] != new.values[metric]
    )
