"""The answers of a page where no script runs: those of the queries that lost most, as many as READABLE_BYTES hold."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reporting.document import DOT, Html, html, in_line
from reporting.wording import count, excerpt, score
from texts import Texts

READABLE_BYTES = 200_000
TEXT_CHARS = 600
MOST_ANSWERS = 6  # of a query
_QUERY, _, _LOST, _, _WHY, _QUESTION, _EXPECTED, _RESPONSE, _MESSAGE, _ERROR, _, _FIRST = range(12)

Row = Sequence[Any]


def readable_items(page: Mapping[str, Any], t: Texts) -> Html:
    """Markup of the answers. page: the data as the script reads them."""
    by_query: defaultdict[int, list[Row]] = defaultdict(list)
    for row in page["items"]:
        by_query[row[_QUERY]].append(row)
    is_comparison = any(facet["name"] == "side" for facet in page["facets"])
    queries = (
        list(by_query) if is_comparison else sorted(by_query, key=lambda at: -sum(row[_LOST] for row in by_query[at]))
    )
    drawn: list[str] = []
    size = 0
    for at in queries:
        article = _article(page["queries"][at], by_query[at], page, t)
        size += len(article.encode())
        if size > READABLE_BYTES:
            break
        drawn.append(article)
    left = len(queries) - len(drawn)
    more = [html("<p>{}</p>\n", t("items.unreadable", n=count(left)))] if left else []
    told = html('<p class="muted">{}</p>\n', t("items.noscript"))
    return Html(f"<noscript>{''.join([told, *drawn, *more])}</noscript>\n")


def _article(query: str, rows: Sequence[Row], page: Mapping[str, Any], t: Texts) -> Html:
    def text(row: Row, at: int) -> str:
        return "" if row[at] < 0 else excerpt(page["strings"][row[at]], TEXT_CHARS)

    first = rows[0]
    question = text(first, _QUESTION) or query
    expected = text(first, _EXPECTED)
    told = [html('<p class="muted">{}: {}</p>\n', t("js.expected"), expected)] if expected else []
    answers = []
    for row in rows[:MOST_ANSWERS]:
        error, answer = text(row, _ERROR), text(row, _RESPONSE) or text(row, _MESSAGE)
        answers.append(
            html(
                '<div><h4>{}</h4>\n<p class="bad">{}</p><div class="text">{}</div>\n<p class="muted">{}</p></div>\n',
                in_line([*_places(row, page), text(row, _WHY)], DOT),
                error,
                answer or ("" if error else t("js.no-answer")),
                in_line(list(_grades(row, page)), DOT),
            )
        )
    more = [html("<p>…</p>\n")] if len(rows) > MOST_ANSWERS else []
    return html(
        '<article class="readable"><h3>{}</h3>\n{}{}{}</article>\n',
        question,
        Html("".join(told)),
        Html("".join(answers)),
        Html("".join(more)),
    )


def _places(row: Row, page: Mapping[str, Any]) -> Iterator[str]:
    """The side of a comparison, the round and the status."""
    for at, facet in enumerate(page["facets"]):
        if facet["name"] in {"side", "round", "status"} and row[_FIRST + at] >= 0:
            yield facet["names"][row[_FIRST + at]]


def _grades(row: Row, page: Mapping[str, Any]) -> Iterator[str]:
    first = _FIRST + len(page["facets"])
    for (_, title), points in zip(page["metrics"], row[first:], strict=False):
        if points is not None:
            yield f"{title} {score(points)}"
