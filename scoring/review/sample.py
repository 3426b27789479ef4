"""Which items go out to a person, and in what order: a function of the inputs, so that two reviewers get the same rows.

Questions drawn at random come first, each with all its rounds: they stand for the others. The rest are items that look
as if a grade could be wrong.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoring.review.grades import Sample
from scoring.statistics import QUERIES_FOR_VALUE

_RANDOM_SHARE = 2  # at most one of so many rows, once there are enough questions


class Candidate(NamedTuple):
    """An item that may go out. concern: how much it looks as if its grade could be wrong, 0 for not at all."""

    at: int
    query_id: str
    concern: int


def choose_sample(candidates: Sequence[Candidate], *, n: int, seed: str) -> list[tuple[int, Sample]]:
    """Indices of the items to send, with why.

    n: of rows; 0 for all. seed: of the inputs. At least QUERIES_FOR_VALUE questions are random, if n has room for them.
    """
    order = _shuffler(seed)
    by_query: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_query[candidate.query_id].append(candidate)
    room = n or len(candidates)
    chosen: dict[int, Sample] = {}
    for number, query_id in enumerate(sorted(by_query, key=order)):
        items = by_query[query_id]
        if n and (len(chosen) + len(items) > room or _has_enough(number, len(chosen) + len(items), room)):
            break
        chosen |= {one.at: Sample.RANDOM for one in items}
    left = [one for one in candidates if one.at not in chosen]
    left.sort(key=lambda one: (-one.concern, order(f"{one.query_id}\0{one.at}")))
    chosen |= {one.at: Sample.FLAGGED for one in left[: room - len(chosen)] if one.concern}
    return sorted(chosen.items(), key=lambda entry: order(str(entry[0])))


def rows_for(queries: int, candidates: Sequence[Candidate], *, seed: str) -> int:
    """The least n with which `choose_sample` draws so many questions at random; 0 where there are fewer."""
    sizes = Counter(one.query_id for one in candidates)
    drawn = sorted(sizes, key=_shuffler(seed))[:queries]
    rows = sum(sizes[query_id] for query_id in drawn)
    return 0 if len(drawn) < queries else rows if queries <= QUERIES_FOR_VALUE else rows * _RANDOM_SHARE


def _has_enough(questions: int, rows: int, room: int) -> bool:
    """Would one more question take more than its share, although there are enough?"""
    return questions >= QUERIES_FOR_VALUE and rows * _RANDOM_SHARE > room


def _shuffler(seed: str) -> Callable[[str], str]:
    return lambda text: hashlib.sha256(f"{seed}\0{text}".encode(errors="surrogatepass")).hexdigest()
