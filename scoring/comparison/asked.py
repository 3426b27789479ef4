"""What a run asks: its queries as hashes, small enough to keep of every run and to look for a baseline with."""

import hashlib
from collections.abc import Iterable
from itertools import zip_longest

import msgspec

from scoring.comparison.pairing import counterparts
from scoring.comparison.run import Query
from scoring.text import compared_texts, folded_ids, is_blank

_FORMAT = b"scorewatch-asked-2"
_HASH_BYTES = 8
_FORM_DIGITS = 2 * _HASH_BYTES
_ID_DIGITS = 8  # tell IDs of one form apart
_KNOWN_TEXTS = 10_000
LEAST_SHARE = (9, 10)  # of the queries of a run that its baseline has to share

Texts = tuple[tuple[str, ...], tuple[str, ...]]
Asked = dict[str, Texts]
"""By hash of the Query ID, which begins with that of its form: hashes of the texts that it asks for.

These are the non-blank questions and expected results, sorted."""


class Asking:
    """Collects what items ask, without their texts. asked: what those ask that were added."""

    def __init__(self) -> None:
        self.asked: Asked = {}
        self._known: set[int] = set()  # hashes of what was added
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}  # many queries expect the same

    def add(self, items: Iterable[tuple[str, str, str]]) -> None:
        """Add some items. items: (Query ID, question, expected result)."""
        new = [item for item in dict.fromkeys(items) if hash(item) not in self._known]
        if not new:
            return
        self._known.update(map(hash, new))
        texts = [text for text in {text for _, *written in new for text in written} if not is_blank(text)]
        hashes = dict(zip(texts, map(_hash, compared_texts(texts)), strict=True))
        forms = map(_hash, folded_ids([query_id for query_id, *_ in new]))
        for (query_id, question, expected), form in zip(new, forms, strict=True):
            key = f"{form}{_hash(query_id)[:_ID_DIGITS]}"
            questions, results = self.asked.get(key, ((), ()))
            self.asked[key] = self._with(questions, hashes.get(question)), self._with(results, hashes.get(expected))

    def _with(self, texts: tuple[str, ...], text: str | None) -> tuple[str, ...]:
        if text is None or text in texts:
            return texts
        more = tuple(sorted((*texts, text)))
        return self._texts.setdefault(more, more) if len(self._texts) < _KNOWN_TEXTS else more


def asked_of(items: Iterable[tuple[str, str, str]]) -> Asked:
    """What items ask. items: (Query ID, question, expected result), any order."""
    asking = Asking()
    asking.add(items)
    return asking.asked


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
    digest = hashlib.sha256(_FORMAT)
    before = b"["
    for query in sorted(asked):  # as the JSON of all pairs, which may be 60 MB
        digest.update(before + msgspec.json.encode((query, asked[query])))
        before = b","
    digest.update(b"]")
    return digest.hexdigest()[:32]


def shares_enough(own: Asked, other: Asked) -> bool:
    """Has `other` at least 90 % of the queries of `own`? A reworded query is not shared."""
    if not own:
        return False
    least, whole = LEAST_SHARE
    if len(own.items() & other.items()) * whole >= least * len(own):
        return True
    same = counterparts(list(own), list(other), forms_of)
    equal = sum(not _is_reworded(own[query], other[theirs]) for query, theirs in same.items())
    return equal * whole >= least * len(own)


def forms_of(queries: Iterable[str]) -> list[str]:
    """Of the keys of what is asked: IDs of one form may be one query, see `scoring.comparison.pairing`."""
    return [query[:_FORM_DIGITS] for query in queries]


def _is_reworded(own: Texts, other: Texts) -> bool:
    """As `scoring.comparison.pairing` has it: both sides say something, and never the same."""
    return any(one and two and set(one).isdisjoint(two) for one, two in zip(own, other, strict=True))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_HASH_BYTES).hexdigest()
