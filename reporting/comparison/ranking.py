"""ranking.md and ranking.html: two or more runs of the same queries, ranked."""

from collections.abc import Sequence

from reporting.comparison.figures import (
    difference_text,
    interval_text,
    metric_of,
    p_text,
    passes_text,
    value_text,
    why_text,
)
from reporting.comparison.items import Entry, is_read, page_items, place_facets, quoted, round_facet, status_facet
from reporting.comparison.queries import ID_CHARS, QUESTION_CHARS, item_href
from reporting.comparison.run_table import judge_text, profile_text, rubric_text, run_name, runs_table
from reporting.data import FAILS, MAX_ITEMS, MIXED, PRESET, embed, facet, several
from reporting.document import (
    Block,
    Details,
    Embedded,
    Items,
    Link,
    OnlyMarkdown,
    Page,
    Paragraph,
    Section,
    Table,
    head,
    href,
    html,
    meanings,
    skip_link,
    table,
    titled,
    workbench_of,
)
from reporting.wording import count, excerpt, link, track_name
from scoring.comparison import Query, Ranking, Run, Unranked, UnrankedKind
from scoring.rubric import group_key
from scoring.statistics import RankedPair
from texts import Texts

SCRIPT = "ranking.js"
MOST_DIFFERING = 20
NO_BREAK = "\u00a0"
MOST_REASONS = 5
MARK_DIGITS = 8
WORDS = ("query", "round", "answered", "passed", "interval", "chance")
_SHORT_CHARS = 40
_DIFFER = "differ"


def ranking_page(ranking: Ranking, *, key: str, engine: int, pages: Sequence[str], t: Texts) -> Page:
    """The page. key: of the ranking. pages: relative addresses of the reports, "" without one."""
    items = _embedded(ranking, pages, key[:MARK_DIGITS], t)
    title = t("rank.title")
    about = " · ".join(names_of(ranking, t))
    line = t("compare.basis-line", key=key[:MARK_DIGITS], engine=str(engine))
    told = [Paragraph(t("rank.pairs-told"), "muted")]
    pairs = [Section("pairs", t("rank.pairs"), [*told, _pairs(ranking, t)])] if ranking.board is not None else []
    return Page(
        title=f"{title} · {about}",
        skips=[skip_link(t)],
        head=head(title, about),
        blocks=[
            Section("summary", t("nav.summary"), [*_told(ranking, t), _ranks(ranking, t).named(title)]),
            *pairs,
            Section("figures", t("rank.figures"), [Paragraph(t("rank.figures-told"), "muted"), _figures(ranking, t)]),
            Section("tracks", t("rank.tracks"), [Paragraph(t("rank.tracks-told"), "muted"), _tracks(ranking, t)]),
            Section("queries", t("rank.queries"), [*_differing(ranking, pages, t), workbench_of(items, t)]),
            Section("runs", t("compare.runs"), _runs(ranking, pages, t)),
            Details(t("about.words"), [Items(meanings(WORDS, t))]),
            OnlyMarkdown([Paragraph(line)]),
            html("<footer>{}</footer>\n", line),
        ],
        kind="comparison",
        script=SCRIPT,
        data=items.json,
    )


def names_of(ranking: Ranking, t: Texts) -> list[str]:
    """The runs by name, in the order in which they were named; equal names are told apart by a number."""
    names = [run_name(run, t) for run in ranking.runs]
    return [
        f"{name} ({names[: at + 1].count(name)})" if names.count(name) > 1 else name for at, name in enumerate(names)
    ]


def ranking_line(ranking: Ranking, t: Texts) -> str:
    """The first run where it is alone, else that nothing tells the first ones apart, or why nothing is ranked."""
    names, figure = names_of(ranking, t), metric_of(ranking.runs[-1], ranking.figure, t)
    queries = t.counted("queries", count(len(ranking.rows)))
    if ranking.board is None:
        more = len(ranking.unranked) - 1
        why = _reason(ranking, ranking.unranked[0], t) + (f" {t('rank.more', n=count(more))}" if more else "")
        return t("rank.unranked", metric=figure, why=why)
    first = [at for at in ranking.order if ranking.board.ranks[at][0] == 1]
    if len(first) == 1 and ranking.board.ranks[first[0]] == (1, 1):
        return t("rank.first", name=names[first[0]], metric=figure, queries=queries)
    listed = ", ".join(names[at] for at in first)
    return t("rank.none-first", names=listed, metric=figure, queries=queries)


def ranking_lines(ranking: Ranking, t: Texts) -> list[str]:
    """A line a run for a terminal, the highest first: `1–2 model-b 4.05`; or the reasons why nothing is ranked."""
    if ranking.board is None:
        return [_reason(ranking, one, t) for one in ranking.unranked]
    names = names_of(ranking, t)
    return [
        f"{rank_text(ranking.board.ranks[at])} {names[at]} {value_text(ranking.figure, ranking.means[at])}"
        for at in ranking.order
    ]


def _told(ranking: Ranking, t: Texts) -> list[Block]:
    blocks: list[Block] = [Paragraph(ranking_line(ranking, t), "verdict")]
    reasons = [_reason(ranking, one, t) for one in ranking.unranked[:MOST_REASONS]]
    more = len(ranking.unranked) - MOST_REASONS
    if len(ranking.unranked) > 1:
        blocks.append(Items([*reasons, *([t("rank.more", n=count(more))] if more > 0 else [])]))
    if any(ranking.left_out):
        left = ", ".join(
            f"{name} {count(n)}" for name, n in zip(names_of(ranking, t), ranking.left_out, strict=True) if n
        )
        blocks.append(Paragraph(t("rank.left-out", names=left), "note"))
    if ranking.reworded:
        ids = ", ".join(excerpt(one, ID_CHARS) for one in ranking.reworded[:MOST_DIFFERING])
        blocks.append(Paragraph(t("rank.reworded", n=count(len(ranking.reworded)), ids=ids), "note"))
    if ranking.regraded:
        blocks.append(Paragraph(t("rank.regraded", n=count(ranking.regraded)), "note"))
    judge = {run.grading_judge for run in ranking.runs}
    if len(judge) == 1 and any(judge):
        blocks.append(Paragraph(t("compare.same-judge", model=excerpt(judge.pop(), _SHORT_CHARS)), "note"))
    return blocks


def _reason(ranking: Ranking, one: Unranked, t: Texts) -> str:
    names, sides = names_of(ranking, t), [ranking.runs[one.a], ranking.runs[one.b]]
    if one.why is not None:
        said = why_text(one.why, t)
    else:
        before, after = (_fact(one.kind, run, t) for run in sides)
        said = t(f"rank.differs.{one.kind}", before=before, after=after)
    return t("rank.pair", a=names[one.a], b=names[one.b], why=said)


def _fact(kind: UnrankedKind, run: Run, t: Texts) -> str:
    if kind is UnrankedKind.RUBRIC:
        return f"{rubric_text(run)}, {judge_text(run, t)}"
    if kind is UnrankedKind.PROFILE:
        return profile_text(run)
    return str(run.engine_version) if kind is UnrankedKind.ENGINE else count(1 if run.selection else len(run.rounds))


def _pair(ranking: Ranking, row: int, column: int) -> RankedPair | None:
    """A run against another one, whichever was named first."""
    for pair in () if ranking.board is None else ranking.board.pairs:
        if (pair.b, pair.a) == (row, column):
            return pair
        if (pair.a, pair.b) == (row, column):
            return pair.mirrored
    return None


def _ranks(ranking: Ranking, t: Texts) -> Table:
    """The runs by their means, each against the one with the highest."""
    names, best, figure = names_of(ranking, t), ranking.order[0], ranking.figure
    metric = metric_of(ranking.runs[-1], figure, t)
    titles = [t("rank.rank"), t("compare.name"), f">{metric}"]
    if ranking.board is not None:
        titles += [f">{t('rank.to-best')}", f">{t('compare.range')}", f">{t('rank.wins')}", f">{t('compare.p')}"]
    rows = []
    for at in ranking.order:
        row = ["—" if ranking.board is None else rank_text(ranking.board.ranks[at]), names[at]]
        row.append(value_text(figure, ranking.means[at]))
        if ranking.board is not None:
            pair = _pair(ranking, at, best)
            row += ["—"] * 4 if pair is None else [*_against(figure, pair, t), _wins(pair), p_text(pair.p_holm)]
        rows.append(row)
    return table(titles, rows)


def rank_text(rank: tuple[int, int]) -> str:
    """`1–2`, or `3` where the range is one place."""
    low, high = rank
    return f"{low}" if low == high else f"{low}–{high}"


def _against(figure: str, pair: RankedPair, t: Texts) -> tuple[str, str]:
    return difference_text(figure, pair.difference, t), interval_text(figure, pair.interval, t)


def _wins(pair: RankedPair) -> str:
    """`3 / 2 / 11`: wins, ties and losses."""
    return " / ".join(map(count, (pair.win, pair.tie, pair.loss)))


def _pairs(ranking: Ranking, t: Texts) -> Table:
    """A row a run, against the run of each column."""
    names, rows = names_of(ranking, t), []
    for at in ranking.order:
        cells = []
        for other in ranking.order:
            pair = _pair(ranking, at, other)
            if pair is None:
                cells.append("")
                continue
            difference, interval = _against(ranking.figure, pair, t)
            mark = "" if not pair.is_found else "▲ " if pair.difference > 0 else "▼ "
            told = f"{mark}{difference}", f"({interval}),", _wins(pair)
            cells.append(" ".join(one.replace(" ", NO_BREAK) for one in told))
        rows.append([names[at], *cells])
    return table(["", *(f">{names[at]}" for at in ranking.order)], rows).named(t("rank.pairs"))


def _figures(ranking: Ranking, t: Texts) -> Table:
    names, last = names_of(ranking, t), ranking.runs[-1]
    rows = [
        [metric_of(last, figure, t), *(value_text(figure, means[at]) for at in ranking.order)]
        for figure, means in ranking.figures.items()
        if figure != ranking.figure
    ]
    return table([t("table.metric"), *(f">{names[at]}" for at in ranking.order)], rows).named(t("rank.figures"))


def _tracks(ranking: Ranking, t: Texts) -> Table:
    names = names_of(ranking, t)
    rows = [
        [
            track_name(group_key(of.track), t),
            count(of.queries),
            *(value_text(ranking.figure, of.means[at]) for at in ranking.order),
        ]
        for of in ranking.tracks
    ]
    titles = [t("compare.group"), f">{t('compare.n')}", *(f">{names[at]}" for at in ranking.order)]
    return table(titles, rows).named(t("rank.tracks"))


def _differing(ranking: Ranking, pages: Sequence[str], t: Texts) -> list[Block]:
    """The queries in which the runs differ most, with the value of each run, which leads to its report."""
    found, names = ranking.differing, names_of(ranking, t)
    if not found:
        return [Paragraph(t("rank.none-differs"))]

    def value(query: Query, page: str) -> str:
        text = value_text(ranking.figure, query.values[ranking.figure])
        return link(f"{text} ({passes_text(query)})", item_href(page, query.query_id))

    rows = [
        [
            excerpt(row[0].query_id, ID_CHARS),
            excerpt(row[0].question, QUESTION_CHARS),
            *(value(row[at], pages[at]) for at in ranking.order),
        ]
        for row in found[:MOST_DIFFERING]
    ]
    titles = [t("compare.query"), t("compare.question"), *(f">{names[at]}" for at in ranking.order)]
    told = t("rank.queries-told", n=count(len(found)), shown=count(len(rows)))
    return [Paragraph(told, "muted"), table(titles, rows).named(t("rank.queries"))]


def _runs(ranking: Ranking, pages: Sequence[str], t: Texts) -> list[Block]:
    names = names_of(ranking, t)
    ways = [
        Link(titled(name, t("compare.report")), href(page)) for name, page in zip(names, pages, strict=True) if page
    ]
    runs = runs_table(ranking.runs, names, t).named(t("compare.runs"))
    return [runs, *([Items(ways)] if ways else [])]


def _embedded(ranking: Ranking, pages: Sequence[str], mark: str, t: Texts) -> Embedded:
    """The answers of all runs, those of the queries in which they differ most first."""
    differing = ranking.differing
    rows = {row[0].query_id: row for row in (*differing, *ranking.shared)}
    entries = [
        Entry(query, query_id, side, answer)
        for query_id, row in rows.items()
        for side, query in enumerate(row)
        for answer in query.answers
    ]
    shown = entries[:MAX_ITEMS]
    ids = {row[0].query_id for row in differing}
    mixed = {query_id for query_id, row in rows.items() if any(one.is_flaky for one in row)}
    places = {
        _DIFFER: [at for at, entry in enumerate(shown) if entry.query_id in ids],
        FAILS: [at for at, entry in enumerate(shown) if entry.answer.passes is False],
        MIXED: [at for at, entry in enumerate(shown) if entry.query_id in mixed],
    }
    titles = {_DIFFER: t("rank.differ"), FAILS: t(f"preset.{FAILS}"), MIXED: t(f"preset.{MIXED}")}
    named = [(name, titles[name], of) for name, of in places.items()]
    names = {str(at): excerpt(name, _SHORT_CHARS) for at, name in enumerate(names_of(ranking, t))}
    facets = [
        several(PRESET, t("preset"), named, range(len(shown)), keeps_empty=True),
        facet("run", t("compare.name"), [str(entry.side) for entry in shown], names),
        status_facet(shown, t),
        round_facet(ranking.runs, shown, t),
        *place_facets(ranking.runs[-1].basis.tracks, shown, t),
    ]
    items = page_items(shown, ranking.runs, [run.name for run in ranking.runs], facets, t)
    items = items._replace(mark=mark, preset=_DIFFER if differing else "", pages=quoted(pages))
    return embed(items, t, total=len(entries), is_read=is_read(shown))
