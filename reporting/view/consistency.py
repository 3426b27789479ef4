"""The part of the view about repeated rounds: pairs compared, or labels and signatures side by side."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.view.metrics import Block, shown_groups
from reporting.view.tables import Table, table
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, percent, score
from reporting.wording.names import round_name, track_name, track_names
from scoring.results.model import QueryAgreement, SetResult
from scoring.rubric.model import ALL

_PAIR_TITLES = (
    "consistency.queries",
    "consistency.pairs",
    "chart.consistency.pass",
    "chart.consistency.fail",
    "chart.consistency.mismatch",
    "table.points",
)
_AGREEMENT_TITLES = (
    "consistency.queries",
    "consistency.single",
    "consistency.label",
    "consistency.signature",
    "table.points",
)
MAX_QUERIES = 50
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
SIGNATURE_CHARS = 160


def consistency_blocks(result: SetResult, t: Texts) -> list[Block]:
    """The section of consistency, whichever way the profile finds it."""
    if result.rubric.agreement is None:
        return [Block(text=consistency_reason(result, t), table=consistency_table(result, t))]
    return _agreement_blocks(result, t)


def consistency_table(result: SetResult, t: Texts) -> Table:
    """Compared pairs by outcome, a row per track and one for all."""
    rows = []
    for key, group in (*shown_groups(result), (ALL, result.groups[0])):
        if group is not None:
            pairs = group.pairs
            rows.append(
                [
                    track_name(key, t),
                    count(pairs.queries),
                    count(pairs.compared),
                    count(pairs.both_pass),
                    count(pairs.both_fail),
                    count(pairs.mismatch),
                    score(pairs.score),
                ]
            )
    return table(_titles(_PAIR_TITLES, t), rows)


def consistency_reason(result: SetResult, t: Texts) -> str:
    """Why consistency has no score, "" when it has one."""
    if result.groups[0].pairs.score is not None:
        return ""
    return t("consistency.one-round" if len(result.rounds) < 2 else "consistency.no-pairs")


def _agreement_blocks(result: SetResult, t: Texts) -> list[Block]:
    everything = result.groups[0].agreement
    assert everything is not None
    rule = result.rubric.agreement
    assert rule is not None
    blocks = []
    if everything.single:
        key = "consistency.single-told-hint" if len(result.rounds) < 2 else "consistency.single-told"
        text = t(key, n=count(everything.single), points=t.counted("points", f"{rule.single:g}"))
        blocks.append(Block(text=text))
    blocks.append(Block(table=_agreement_table(result, t)))
    differing = [query for query in result.agreements if _differs(query)]
    if differing:
        blocks.append(
            Block(
                heading=t("consistency.differing"),
                text=t("consistency.differing-told"),
                table=_differing_table(result, differing, t),
            )
        )
    elif everything.queries > everything.single:
        blocks.append(Block(text=t("consistency.all-agree")))
    return blocks


def _agreement_table(result: SetResult, t: Texts) -> Table:
    rows = []
    for key, group in (*shown_groups(result), (ALL, result.groups[0])):
        if group is not None and group.agreement is not None:
            figures = group.agreement
            rows.append(
                [
                    track_name(key, t),
                    count(figures.queries),
                    count(figures.single),
                    _ratio(figures.ratio_label),
                    _ratio(figures.ratio_signature),
                    score(figures.score),
                ]
            )
    return table(_titles(_AGREEMENT_TITLES, t), rows)


def _titles(keys: Sequence[str], t: Texts) -> list[str]:
    return [t("table.scope"), *(f">{t(key)}" for key in keys)]


def _differing_table(result: SetResult, queries: list[QueryAgreement], t: Texts) -> Table:
    """Two rows per query: labels, then signatures, a column per round."""
    rounds = result.rounds[:MAX_ROUND_COLUMNS]
    has_tracks = bool(shown_groups(result))
    ordered = sorted(queries, key=lambda query: query.score)
    rows = []
    tracks, label, signature, none = track_names(t), t("more.label"), t("more.signature"), t("none")
    for query in ordered[:MAX_QUERIES]:
        place = [tracks[query.track]] if has_tracks else []
        rows.append(
            [
                excerpt(query.query_id, ID_CHARS),
                *place,
                label,
                *(_shown(text, none) for text in query.labels[: len(rounds)]),
                _ratio(query.ratio_label),
                score(query.score),
            ]
        )
        rows.append(
            [
                "",
                *[""] * len(place),
                signature,
                *(_shown(text, none) for text in query.signatures[: len(rounds)]),
                _ratio(query.ratio_signature),
                "",
            ]
        )
    titles = [
        "Query ID",
        *([t("items.track")] if has_tracks else []),
        t("consistency.compared"),
        *(round_name(entry, t) for entry in rounds),
        f">{t('consistency.ratio')}",
        f">{t('table.points')}",
    ]
    left_out = max(len(queries) - MAX_QUERIES, 0)
    return table(titles, rows, total=len(rows) + left_out)


def _differs(query: QueryAgreement) -> bool:
    return query.n > 1 and (query.ratio_label, query.ratio_signature) != (1.0, 1.0)


def _shown(text: str | None, none: str) -> str:
    return none if text is None else excerpt(text, SIGNATURE_CHARS)


def _ratio(value: float | None) -> str:
    return NONE if value is None else percent(value, 1.0)
