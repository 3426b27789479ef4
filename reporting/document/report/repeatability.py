"""The section of repeatability: how many queries always pass, how likely k attempts do, and which ones vary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from reporting.document.blocks import SPACE, Block, Heading, Items, Link, Paragraph, linked
from reporting.document.report.item_tables import query_table
from reporting.document.tables import Table, table
from reporting.wording import NONE, between, count, filled, items_link, joined, percent
from scoring.results import QueryAttempts, Repeatability, SetResult
from scoring.rubric import Rubric
from scoring.statistics import Reliability, Repeats, Share
from texts import Texts

ROUNDS_OF_TABLE = 3  # from so many on; of two rounds the sentence says it all


def repeatability_blocks(result: SetResult, t: Texts) -> list[Block]:
    """What the attempts at each query say: the counts, how likely all attempts pass or one does, and which ones vary.

    pass^k and pass@k for each k from three rounds on. All of it is bounded.
    """
    found, kind = result.repeatability, pass_kind(result.rubric)
    if not found.is_repeated:
        return [Items([linked(t("repeat.once"))])]
    lines = [_counts_text(found, kind, t)]
    if len(result.rounds) > 1:
        # The largest k that some query has attempts for; k = 1 has queries, because something was repeated.
        most = next(entry for entry in reversed(found.reliability) if entry.queries)
        lines.append(_reliability_text(most, kind, t))
    if not found.flaky:
        lines.append(t("repeat.no-flaky"))
    blocks: list[Block] = [Items([*map(linked, lines)])]
    if len(result.rounds) >= ROUNDS_OF_TABLE:
        blocks.append(_rates(found, kind, t))
    return [*blocks, *_queries(result, found.flaky, t("findings.disagreeing"), t)]


def never_blocks(result: SetResult, t: Texts) -> list[Block]:
    """The queries that no attempt passed, where there was more than one."""
    found = result.repeatability
    if not found.never or not found.is_repeated:
        return []
    title = t(f"repeat.never.{pass_kind(result.rubric)}")
    return [Heading(3, title), *_queries(result, found.never, title, t, with_rounds=False)]


def pass_kind(rubric: Rubric) -> str:
    """What passing means for an item: "passed" by points that the document names, else "answered" by its status."""
    return "answered" if rubric.pass_points is None else "passed"


def share_text(share: Share) -> str:
    """`85.2% (75.9–91.3%)`."""
    if share.value is None or share.interval is None:
        return NONE
    low, high = (percent(end, 1.0) for end in share.interval)
    return f"{percent(share.value, 1.0)} ({between(low, high)})"


def _counts_text(found: Repeatability, kind: str, t: Texts) -> str:
    numbers = {name.value: items_link(count(found.counts[name]), repeat=name.value) for name in Repeats}
    queries = t.counted("queries", count(sum(found.counts.values())))
    text = filled(partial(t, f"repeat.counts.{kind}"), n=queries, **numbers)
    return joined([text, t("repeat.left-out", n=count(found.left_out))], " ") if found.left_out else text


def _reliability_text(most: Reliability, kind: str, t: Texts) -> str:
    times = t.named("repeat.times", str(most.k)) or t("repeat.times", k=str(most.k))
    shares = {"all_pass": share_text(most.all_pass), "any_passes": share_text(most.any_passes)}
    text = t(f"repeat.reliable.{kind}", times=times, **shares)
    return f"{text} {t('repeat.too-few', k=str(most.k), n=count(most.left_out))}" if most.left_out else text


def _rates(found: Repeatability, kind: str, t: Texts) -> Table:
    rows = [
        [str(entry.k), share_text(entry.all_pass), share_text(entry.any_passes), *map(count, entry[1:3])]
        for entry in found.reliability
    ]
    titles = [t("repeat.k"), t(f"repeat.all.{kind}"), t("repeat.any"), t("consistency.queries"), t("repeat.fewer")]
    return table([f">{title}" for title in titles], rows).named(titles[0])


def _queries(
    result: SetResult, queries: Sequence[QueryAttempts], name: str, t: Texts, *, with_rounds: bool = True
) -> list[Block]:
    """Queries with their number of passes; nothing without any."""
    if not queries:
        return []
    wanted = {query.query_id for query in queries}
    known = {query.query_id: query for query in result.queries if query.query_id in wanted}
    shown = query_table(
        result,
        queries,
        lambda entry: known[entry.query_id],
        t,
        more=[(f">{t(f'repeat.passes.{pass_kind(result.rubric)}')}", _passes)],
        with_rounds=with_rounds,
    ).named(name)
    if not shown.more:
        return [shown]
    left_out = t("repeat.more", n=shown.more_text), SPACE, Link("queries.csv", "queries.csv")
    return [shown, Paragraph(left_out, "muted")]


def _passes(query: QueryAttempts) -> str:
    """`1/3`."""
    return f"{count(query.attempts.passed)}/{count(query.attempts.n)}"
