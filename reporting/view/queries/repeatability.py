"""The section of repeatability: how many queries always pass, how likely k attempts do, and which ones vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from reporting.view.queries.query_table import query_table
from reporting.view.tables import Table, table
from reporting.wording.display import NONE, count, percent
from reporting.wording.intervals import between
from reporting.wording.links import filled, items_link, joined
from scoring.results.model import SetResult
from scoring.results.repeatability import QueryAttempts, Repeatability
from scoring.rubric.model import Rubric
from scoring.statistics.repeats import Reliability, Repeats, Share
from texts import Texts

ROUNDS_OF_TABLE = 3  # from so many on; of two rounds the sentence says it all


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatabilityView:
    """lines: the counts, then how likely all attempts pass or one does; or that nothing was repeated.

    rates: pass^k and pass@k for each k, None for fewer than three rounds. flaky, never: queries that pass sometimes or
    never with their number of passes; None without any, and where nothing was repeated.
    """

    lines: tuple[str, ...]
    rates: Table | None
    flaky: Table | None
    never_title: str
    never: Table | None


def repeatability_view(result: SetResult, t: Texts) -> RepeatabilityView:
    """What the attempts at each query say, all of it bounded."""
    found, kind = result.repeatability, pass_kind(result.rubric)
    if not found.is_repeated:
        return RepeatabilityView(lines=(t("repeat.once"),), rates=None, flaky=None, never_title="", never=None)
    lines = [_counts_text(found, kind, t)]
    if len(result.rounds) > 1:
        # The largest k that some query has attempts for; k = 1 has queries, because something was repeated.
        most = next(entry for entry in reversed(found.reliability) if entry.queries)
        lines.append(_reliability_text(most, kind, t))
    if not found.flaky:
        lines.append(t("repeat.no-flaky"))
    return RepeatabilityView(
        lines=tuple(lines),
        rates=_rates(found, kind, t) if len(result.rounds) >= ROUNDS_OF_TABLE else None,
        flaky=_queries(result, found.flaky, t),
        never_title=t(f"repeat.never.{kind}"),
        never=_queries(result, found.never, t, with_rounds=False),
    )


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
    return table([f">{title}" for title in titles], rows)


def _queries(
    result: SetResult, queries: Sequence[QueryAttempts], t: Texts, *, with_rounds: bool = True
) -> Table | None:
    if not queries:
        return None
    wanted = {query.query_id for query in queries}
    known = {query.query_id: query for query in result.queries if query.query_id in wanted}
    return query_table(
        result,
        queries,
        lambda entry: known[entry.query_id],
        t,
        more=[(f">{t(f'repeat.passes.{pass_kind(result.rubric)}')}", _passes)],
        with_rounds=with_rounds,
    )


def _passes(query: QueryAttempts) -> str:
    """`1/3`."""
    return f"{count(query.attempts.passed)}/{count(query.attempts.n)}"
