"""The queries of a comparison as people read them: what changed, and the answers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from urllib.parse import quote

from reporting.comparison.figures import metric_of, passes_text, value_text
from reporting.comparison.words import Piece, differing_words
from reporting.data import clean_lines
from reporting.document import (
    DOT,
    Block,
    Heading,
    Html,
    Link,
    Markdown,
    OnlyMarkdown,
    Paragraph,
    html,
    in_line,
    linked,
    md,
    table,
    table_head,
    table_row,
)
from reporting.wording import (
    category_name,
    clean,
    count,
    excerpt,
    link,
    query_fragment,
    seconds,
    status_name,
    track_name,
)
from scoring.comparison import Answer, Query, QueryChange, Run, answer_metrics
from scoring.rubric import Status, group_key
from texts import Texts

MAX_LISTED = 100  # queries of a list with their answers
MAX_ROUNDS = 5  # of a query, side by side
ID_CHARS = 60
QUESTION_CHARS = 200
ANSWER_CHARS = 1_200
LABEL_CHARS = 40
_ALL = Link("compare.json", "compare.json")


def list_blocks(name: str, changes: Sequence[QueryChange], after: Run, pages: tuple[str, str], t: Texts) -> list[Block]:
    """One of the four lists, in HTML with the answers side by side. pages: of the two reports, "" without one."""
    shown, more = changes[:MAX_LISTED], max(len(changes) - MAX_LISTED, 0)
    title, none = list_title(name, changes, t), t("compare.none")
    left_out = [t("compare.more", n=count(more))] if more else []
    titles = [t(f"compare.{key}") for key in ("query", "question", "passes", "points", "report")]
    lines = [*table_head(table(titles, [])), *(table_row(_cells(change, after, pages, t)) for change in shown)]
    articles = [_article(change, after, pages, t) for change in shown] or [html("<p>{}</p>\n", none)]
    of_html = [*articles, *(html('<p class="muted">{} {}</p>\n', text, _ALL) for text in left_out)]
    return [
        OnlyMarkdown(
            [
                Heading(3, title),
                Markdown("\n".join([*lines, ""])) if shown else Paragraph(none),
                *map(Paragraph, left_out),
            ]
        ),
        html(
            '<section class="list" data-list="{}" aria-labelledby="{}">\n{}{}</section>\n',
            name,
            name,
            html('<h3 id="{}">{}</h3>\n', name, title),
            Html("".join(of_html)),
        ),
    ]


def list_title(name: str, changes: Sequence[QueryChange], t: Texts) -> str:
    """What a list is called, with the number of its queries."""
    return t("compare.list-count", name=t(f"compare.list.{name}"), n=count(len(changes)))


def place_of(query: Query, t: Texts) -> tuple[str, str]:
    """Track and category in words."""
    return track_name(group_key(query.track), t), category_name(query.category, t)


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


def _article(change: QueryChange, after: Run, pages: tuple[str, str], t: Texts) -> Html:
    """A query with its answers, as many as MAX_ROUNDS."""
    old, new = change.pair
    track, category = place_of(new, t)
    hrefs = item_href(pages[0], old.query_id), item_href(pages[1], new.query_id)
    titles = t("compare.in-before"), t("compare.in-after")
    links = [html('<a href="{}">{}</a>', href, title) for href, title in zip(hrefs, titles, strict=True) if href]
    facts = [text for text in (_points(old, new, after, t),) if text]
    pairs = list(zip_longest(old.answers, new.answers))[:MAX_ROUNDS]
    return html(
        '<article class="pair" data-track="{}" data-category="{}">\n<h4>{} <small class="r">{}</small></h4>\n'
        '<p>{}</p>\n<p class="muted">{}</p>\n<p class="noprint">{}</p>\n<details><summary>{}</summary>\n'
        "{}</details>\n</article>\n",
        track,
        category,
        linked(_name(change, pages)),
        _passes(change),
        _question(change),
        in_line([track, category, *facts], DOT),
        in_line(links, DOT),
        t("compare.answers"),
        Html("".join(_answers(*pair, t) for pair in pairs)),
    )


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


def _answers(old: Answer | None, new: Answer | None, t: Texts) -> Html:
    """One item of each side; an answer that both have stands there once."""
    before, after = (clean_lines(one.text, ANSWER_CHARS) if one is not None else "" for one in (old, new))
    titles, none = (_title(old, t), _title(new, t)), t("compare.no-answer")
    if before == after and old is not None and new is not None:
        both = '<div class="both"><h5>{} → {}</h5><p class="muted">{}</p><div class="text">{}</div></div>\n'
        sides = [html(both, *titles, t("compare.same-answer"), before or none)]
    else:
        words = differing_words(before, after)
        side = '<div><h5>{} {}</h5><div class="text">{}</div></div>\n'
        sides = [
            html(side, t("compare.before"), titles[0], _words(words.before, "del") or none),
            html(side, t("compare.after"), titles[1], _words(words.after, "ins") or none),
        ]
    return Html(f'<div class="answers">\n{"".join(sides)}</div>\n')


def _words(pieces: Sequence[Piece], tag: str) -> Html:
    changed = f"<{tag}>{{}}</{tag}>"
    return Html("".join(html(changed if piece.is_changed else "{}", piece.text) for piece in pieces))


def _title(answer: Answer | None, t: Texts) -> str:
    """`1/1 · 정상 · 4.200`; "" where a side has no such item."""
    if answer is None:
        return ""
    known = answer.status in list(Status)
    status = status_name(Status(answer.status), t) if known else excerpt(answer.status, LABEL_CHARS)
    pieces = [excerpt(answer.round, LABEL_CHARS), status]
    pieces += [] if answer.seconds is None else [seconds(answer.seconds)]
    return clean(" · ".join(pieces))
