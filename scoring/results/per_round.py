"""What single rounds say beside the pooled figures: pairs of rounds, and items per track (docs/scoring.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from scoring.findings import FindingLog
from scoring.problems import Problem
from scoring.results.model import Group, Round, RoundPair
from scoring.results.passes import agreeing_pairs, passes_in_round
from scoring.results.rounds import pairs_of_total
from scoring.results.uncertainty import QueryValues
from scoring.rubric.model import CONSISTENCY, Rubric

PAIRED_ROUNDS = range(3, 7)  # of two rounds the pooled figures say it all, of more there are too many pairs to read


def pairs_of_rounds(
    values: QueryValues, rounds: Sequence[Round], place: Mapping[str, int], rubric: Rubric
) -> tuple[RoundPair, ...]:
    """Every two rounds compared, of three to six rounds; nothing for profiles that compare no pairs."""
    if len(rounds) not in PAIRED_ROUNDS or rubric.agreement is not None or not rubric.has_metric(CONSISTENCY):
        return ()
    passing = frozenset(rubric.pass_statuses)
    ends = [(place[item.round], passes_in_round(item, rubric.pass_rule, passing)) for item in values.samples]
    pairs = []
    for (one, first), (other, second) in combinations(enumerate(rounds), 2):
        total = [0, 0, 0, 0]
        for marks, times in values.alike.items():
            found = agreeing_pairs([ends[mark] for mark in dict.fromkeys(marks) if ends[mark][0] in {one, other}])
            if found is not None:
                total = [before + times * n for before, n in zip(total, (*found, 1), strict=True)]
        if any(total):
            pairs.append(RoundPair(first=first, second=second, pairs=pairs_of_total(total, rubric.points)))
    return tuple(pairs)


def find_track_counts(groups: Iterable[Group], rounds: Sequence[Round], rubric: Rubric, log: FindingLog) -> None:
    """Log each round that has more or fewer items of a track than the document declares. groups: of the tracks."""
    items = {group.track: group.items for group in groups}
    for track in rubric.tracks:
        if track.items is None:
            continue
        for entry, n in zip(rounds, items.get(track.number, (0,) * len(rounds)), strict=True):
            if n != track.items:
                values = {"round": entry.label, "track": str(track.number), "declared": str(track.items)}
                found = f"{entry.label} Track {track.number}: {n} / {track.items}"
                log.add(Problem(code="track-counts", found=found, values=values))
