"""problem.md and problem.html: inputs that were refused, in plain words."""

from collections.abc import Iterator, Sequence

from reporting.document.blocks import (
    BREAK,
    SPACE,
    Block,
    Coded,
    Each,
    Heading,
    Item,
    Items,
    Link,
    Markdown,
    Near,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Text,
    titled,
    words_block,
)
from reporting.document.html_renderer import fragment, head, html
from reporting.document.page_paths import page_address
from reporting.document.tables import table_of
from reporting.wording import count, excerpt, explain
from scoring import MAX_LISTED_PROBLEMS, NearRow, Problem, Severity
from texts import Texts

HASH_CHARS = 12
NAME_CHARS = 120
CELL_CHARS = 80
MAX_INPUTS = 50


def problem_page(
    set_name: str,
    inputs: Sequence[tuple[str, str]],
    problems: Sequence[Problem],
    *,
    has_report: bool = False,
    t: Texts,
) -> Page:
    """The page of inputs that were refused: what is wrong, where, and what to do.

    inputs: (name, SHA-256). problems: why they were refused. has_report: other files of the set were scored.
    """
    ordered = sorted(problems, key=lambda problem: problem.severity is not Severity.REFUSED)
    listed = ordered[:MAX_LISTED_PROBLEMS]
    more = len(problems) - len(listed)
    name, title = excerpt(set_name, NAME_CHARS), t("problem.title")
    files = table_of(
        inputs,
        [
            (t("problem.file"), lambda entry: excerpt(entry[0], NAME_CHARS)),
            (t("problem.digest", chars=str(HASH_CHARS)), lambda entry: entry[1][:HASH_CHARS]),
        ],
        limit=MAX_INPUTS,
    )
    blocks: list[Block] = [
        fragment("older.html", t),
        Paragraph(_lead(t) if has_report else Coded(t("problem.no-report")), "lead"),
        Heading(2, t("problem.what")),
        Items([*_items(listed, t)], kind="problems"),
        *([Paragraph(t("problem.more", n=count(more)))] if more > 0 else []),
        Heading(2, t("basis.inputs")),
        files.named(t("basis.inputs")),
        words_block(("set", "profile", "rubric", "round"), t),
    ]
    ways = html(
        '<p class="noprint"><a href="summary.html" data-top>{}</a> · <a href="{}index.html" data-top>{}</a></p>\n',
        t("nav.front"),
        page_address(set_name, "").top,
        t("nav.index"),
    )
    return Page(f"{title} · {name}", head(title, name, ways), blocks)


def _lead(t: Texts) -> Text:
    in_markdown = Markdown(t("problem.report-in", report="[report.md](report.md)"))
    return t("problem.left-out"), SPACE, Each(in_markdown, Link(t("problem.report"), "report.html"))


def _items(problems: Sequence[Problem], t: Texts) -> Iterator[Item]:
    """The problems, of those with the same rows around them the first alone with these."""
    seen = set()
    for problem in problems:
        place = problem.source, problem.row, problem.around
        yield _item(problem, t, near=None if place in seen else near_rows(problem, t))
        seen.add(place)


def _item(problem: Problem, t: Texts, *, near: Near | None) -> Item:
    """A problem with the place in its file. near: the rows around it."""
    text = explain(problem, t.language)
    said = Each(
        titled(text.place, Coded(text.what)), html("<p><strong>{}</strong><br>{}</p>", text.place, Coded(text.what))
    )
    fix = titled(t("problem.fix"), Coded(text.fix))
    below = OnlyMarkdown([Items([fix, titled(t("problem.code"), text.code)])])
    in_html = OnlyHtml([Paragraph((fix, html(' <span class="muted">[{}]</span>', text.code)))])
    return Item(said, [BREAK, below, in_html, *([near] if near is not None else [])])


def near_rows(problem: Problem, t: Texts) -> Near | None:
    """The rows around a problem, None where it has none."""
    if not problem.around:
        return None
    rows = [(near.number, _cells(near)) for near in problem.around]
    has_header = rows[0][0] <= 1 and rows[0][0] != problem.row
    titles = rows.pop(0)[1] if has_header and len(rows) > 1 else ()
    width = max(map(len, (titles, *(cells for _, cells in rows))))
    filled = [(count(number), *cells, *[""] * (width - len(cells))) for number, cells in rows]
    hit = next((at for at, (number, _) in enumerate(rows) if number == problem.row), None)
    return Near(t("problem.around"), [t("problem.row"), *titles, *[""] * (width - len(titles))], filled, hit)


def _cells(near: NearRow) -> tuple[str, ...]:
    return tuple(excerpt(cell, CELL_CHARS) for cell in near.cells)
