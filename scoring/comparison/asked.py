"""What a run asks: its queries as hashes, small enough to keep of every run and to look for a baseline with."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest

from scoring.comparison.reduce import compared_texts
from scoring.comparison.run import Query
from scoring.text import is_blank

_HASH_BYTES = 8
LEAST_SHARE = (9, 10)  # of the queries of a run that its baseline has to share

Texts = tuple[tuple[str, ...], tuple[str, ...]]
Asked = dict[str, Texts]
"""By hash of the Query ID: hashes of the non-blank questions and expected results, sorted."""


def asked_of(items: Iterable[tuple[str, str, str]]) -> Asked:
    """What items ask. items: (Query ID, question, expected result), any order."""
    different = set(items)
    texts = [text for text in {text for _, *written in different for text in written} if not is_blank(text)]
    hashes = dict(zip(texts, map(_hash, compared_texts(texts)), strict=True))
    found: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for query_id, *written in different:
        for of_query, text in zip(found[query_id], written, strict=True):
            if text in hashes:
                of_query.add(hashes[text])
    return {_hash(query_id): (tuple(sorted(one)), tuple(sorted(other))) for query_id, (one, other) in found.items()}


def asked_of_queries(queries: Iterable[Query]) -> Asked:
    """What the queries of a run ask: the same as `asked_of` gives for its items."""
    return asked_of(
        (query.query_id, question, expected)
        for query in queries
        for question, expected in zip_longest(query.questions or ("",), query.expected, fillvalue="")
    )


def asked_digest(asked: Asked) -> str:
    """Identifies what a run asks (hex); "" for a run without queries."""
    if not asked:
        return ""
    return hashlib.sha256(json.dumps(sorted(asked.items()), separators=(",", ":")).encode()).hexdigest()[:32]


def shares_enough(own: Asked, other: Asked) -> bool:
    """Has `other` at least 90 % of the queries of `own`? A reworded query is not shared."""
    if not own:
        return False
    least, whole = LEAST_SHARE
    both = own.keys() & other.keys()
    if len(both) * whole < least * len(own):
        return False
    equal = len(own.items() & other.items())
    if equal < len(both):
        equal = sum(not _is_reworded(own[query], other[query]) for query in both)
    return equal * whole >= least * len(own)


def _is_reworded(own: Texts, other: Texts) -> bool:
    """As `scoring.comparison.pairing` has it: both sides say something, and never the same."""
    return any(one and two and set(one).isdisjoint(two) for one, two in zip(own, other, strict=True))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_HASH_BYTES).hexdigest()
