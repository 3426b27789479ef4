"""The section of consistency: pairs of rounds compared, or labels and signatures side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from reporting.document.blocks import Passage
from reporting.document.tables import Table, ratio_text, shown_groups, table
from reporting.wording import (
    count,
    excerpt,
    few,
    items_link,
    pair_kind,
    query_link,
    round_name,
    score,
    sure_score,
    track_key,
    track_name,
    track_names,
)
from scoring.results import AgreementFigures, Group, Pairs, QueryAgreement, SetResult
from scoring.rubric import ALL
from texts import Texts

T = TypeVar("T")
_AGREEMENT: Mapping[str, Callable[[AgreementFigures, Texts], str]] = {
    "consistency.queries": lambda figures, t: few(count(figures.queries), figures.queries, t),
    "consistency.single": lambda figures, _: count(figures.single),
    "consistency.label": lambda figures, _: ratio_text(figures.ratio_label),
    "consistency.signature": lambda figures, _: ratio_text(figures.ratio_signature),
    "table.points": lambda figures, _: sure_score(figures.score, figures.interval),
}
MAX_QUERIES = 50
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
SIGNATURE_CHARS = 160


def consistency_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The section of consistency, whichever way the profile finds it."""
    if result.rubric.agreement is None:
        reason = consistency_reason(result, t)
        return [Passage(text=reason, table=None if reason else consistency_table(result, t))]
    return _agreement_blocks(result, t)


def consistency_table(result: SetResult, t: Texts) -> Table:
    """Compared pairs by outcome: a row per track with any, per two of three to six rounds, and one for all."""
    groups = [(track_name(key, t), key, group.pairs) for key, group in _groups(result)]
    figures = [entry for entry in groups if entry[2].compared or entry[1] == ALL]
    everything = figures.pop()
    for pair in result.round_pairs:
        numbers = (t("round.short", number=str(entry.number)) for entry in (pair.first, pair.second))
        figures.append((" · ".join(numbers), "", pair.pairs))
    return _by_group([*figures, everything], _pair_columns(result), _pair_filters(result), t)


def _pair_columns(result: SetResult) -> Mapping[str, Callable[[Pairs, Texts], str]]:
    kind = pair_kind(result.rubric)
    return {
        "consistency.queries": lambda pairs, t: few(count(pairs.queries), pairs.queries, t),
        "consistency.pairs": lambda pairs, _: count(pairs.compared),
        f"pairs.{kind}.both": lambda pairs, _: count(pairs.both_pass),
        f"pairs.{kind}.neither": lambda pairs, _: count(pairs.both_fail),
        "chart.consistency.mismatch": lambda pairs, _: count(pairs.mismatch),
        "table.points": lambda pairs, _: sure_score(pairs.score, pairs.interval),
    }


def _pair_filters(result: SetResult) -> Mapping[str, Mapping[str, str]]:
    """Filters that leave the items of a column, by the key of its title. Of more than two rounds pairs are no items."""
    filters: dict[str, Mapping[str, str]] = {
        "consistency.queries": {},
        "consistency.pairs": {},
        "chart.consistency.mismatch": {"finding": "unequal"},
        "table.points": {},
    }
    if len(result.rounds) == 2:
        kind = pair_kind(result.rubric)
        filters |= {f"pairs.{kind}.both": {"repeat": "always"}, f"pairs.{kind}.neither": {"repeat": "never"}}
    return filters


def _groups(result: SetResult) -> list[tuple[str, Group]]:
    tracks = [(key, group) for key, group in shown_groups(result) if group is not None]
    return [*tracks, (ALL, result.groups[0])]


def _by_group(
    figures: Sequence[tuple[str, str, T]],
    columns: Mapping[str, Callable[[T, Texts], str]],
    filters: Mapping[str, Mapping[str, str]],
    t: Texts,
) -> Table:
    """figures: title of a row and the key of its group, "" for none. columns: cells by the key of their title.

    filters: that leave the items of a column, for those that have items.
    """

    def linked(text: str, column: str, key: str) -> str:
        return items_link(text, track=track_key(key), **filters[column]) if key and column in filters else text

    rows = [
        [title, *(linked(cell(entry, t), column, key) for column, cell in columns.items())]
        for title, key, entry in figures
    ]
    return table([t("table.scope"), *(f">{t(key)}" for key in columns)], rows)


def consistency_reason(result: SetResult, t: Texts) -> str:
    """Why consistency has no score, "" when it has one."""
    if result.groups[0].pairs.score is not None:
        return ""
    return t("consistency.one-round" if len(result.rounds) < 2 else "consistency.no-pairs")


def _agreement_blocks(result: SetResult, t: Texts) -> list[Passage]:
    everything = result.groups[0].agreement
    assert everything is not None
    rule = result.rubric.agreement
    assert rule is not None
    blocks = []
    if everything.single:
        key = "consistency.single-told-hint" if len(result.rounds) < 2 else "consistency.single-told"
        text = t(key, n=count(everything.single), points=t.counted("points", f"{rule.single:g}"))
        blocks.append(Passage(text=text))
    figures = [(track_name(key, t), key, group.agreement) for key, group in _groups(result) if group.agreement]
    blocks.append(Passage(table=_by_group(figures, _AGREEMENT, {"consistency.queries": {}, "table.points": {}}, t)))
    differing = [query for query in result.agreements if differs(query)]
    if differing:
        blocks.append(
            Passage(
                heading=t("consistency.differing"),
                text=t("consistency.differing-told"),
                table=_differing_table(result, differing, t),
            )
        )
    elif everything.queries > everything.single:
        blocks.append(Passage(text=t("consistency.all-agree")))
    return blocks


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
                query_link(query.query_id, ID_CHARS),
                *place,
                label,
                *(_shown(text, none) for text in query.labels[: len(rounds)]),
                ratio_text(query.ratio_label),
                score(query.score),
            ]
        )
        rows.append(
            [
                "",
                *[""] * len(place),
                signature,
                *(_shown(text, none) for text in query.signatures[: len(rounds)]),
                ratio_text(query.ratio_signature),
                "",
            ]
        )
    titles = [
        "Query ID",
        *([t("items.track")] if has_tracks else []),
        t("consistency.compared"),
        *(round_name(entry, t) for entry in rounds),
        f">{t('basis.ratio')}",
        f">{t('table.points')}",
    ]
    left_out = max(len(queries) - MAX_QUERIES, 0)
    return table(titles, rows, total=len(rows) + left_out)


def differs(query: QueryAgreement) -> bool:
    """Do its rounds differ in label or signature?"""
    return query.n > 1 and (query.ratio_label, query.ratio_signature) != (1.0, 1.0)


def _shown(text: str | None, none: str) -> str:
    return none if text is None else excerpt(text, SIGNATURE_CHARS)
