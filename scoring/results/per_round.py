"""What single rounds say beside the pooled figures: pairs of rounds, and items per track (docs/scoring.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from scoring.findings import FindingLog
from scoring.items.part import Item
from scoring.problems import Problem
from scoring.results.model import Group, Round, RoundPair
from scoring.results.rounds import compare_rounds
from scoring.rubric.model import ALL, Rubric

PAIRED_ROUNDS = range(3, 7)  # of two rounds the pooled figures say it all, of more there are too many pairs to read


def pairs_of_rounds(items: Sequence[Item], rounds: Sequence[Round], rubric: Rubric) -> tuple[RoundPair, ...]:
    """Every two rounds compared, of three to six rounds; nothing for profiles that compare no pairs."""
    if len(rounds) not in PAIRED_ROUNDS or rubric.agreement is not None:
        return ()
    of_round: dict[str, list[Item]] = {entry.label: [] for entry in rounds}
    for item in items:
        of_round[item.round].append(item)
    pairs = []
    for first, second in combinations(rounds, 2):
        place = {first.label: 0, second.label: 1}
        _, compared = compare_rounds([*of_round[first.label], *of_round[second.label]], place, rubric)
        if ALL in compared:
            pairs.append(RoundPair(first=first, second=second, pairs=compared[ALL]))
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
