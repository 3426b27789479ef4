"""Groups failed items by error text; numbers, ids, addresses and paths become placeholders.

See docs/scoring.md#error-patterns.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice

import msgspec

from scoring.results.item_table import ItemTable
from scoring.results.traits import Traits
from scoring.rubric import Status, group_key
from scoring.text import Memo, known_text

EXAMPLES = 5  # Query IDs named per pattern

PatternKey = tuple[str, Status | None, str]  # folded text, or status and rule of items without a text


class PatternGroup(msgspec.Struct, frozen=True, gc=False):
    """A category or track (its key of the group) and its items in a pattern."""

    key: str
    n: int


class FailurePattern(msgspec.Struct, frozen=True, gc=False):
    """Failed items with the same error text.

    text: folded, "" when none was recorded: these are told apart by status and by `why`, the rule of the status, which
    is "" otherwise. status: of most of the items. n: items; queries: how many different ones. categories, tracks: those
    of the items, most items first. query_ids: the first EXAMPLES of the queries.
    """

    status: Status
    text: str
    why: str
    n: int
    queries: int
    categories: tuple[PatternGroup, ...]
    tracks: tuple[PatternGroup, ...]
    query_ids: tuple[str, ...]

    @property
    def key(self) -> PatternKey:
        """What its items have in common, as `pattern_of` finds it."""
        return (self.text, None, "") if self.text else ("", self.status, self.why)


def pattern_of(traits: Traits, folded: str) -> PatternKey:
    """The pattern of a failed item. folded: its error text by `fold`."""
    return (folded, None, "") if folded else ("", traits.status, traits.why)


def find_patterns(table: ItemTable, failed: Iterable[int]) -> tuple[FailurePattern, ...]:
    """The patterns of these items, most items first. failed: indices of items that are not answered."""
    known = Memo(known_text)
    members: defaultdict[PatternKey, list[int]] = defaultdict(list)
    for index in failed:
        members[pattern_of(table.traits_at(index), table.pattern_at(index))].append(index)

    patterns = []
    for (text, _, why), found in members.items():
        queries = dict.fromkeys([table.queries[index] for index in found])
        counted = Counter([table.numbers[index] for index in found])
        traits = [(table.distinct[number], n) for number, n in counted.items()]
        patterns.append(
            FailurePattern(
                status=Status(_shares((one.status, n) for one, n in traits)[0].key),
                text=text,
                why=why,
                n=len(found),
                queries=len(queries),
                categories=_shares((known[one.category], n) for one, n in traits),
                tracks=_shares((group_key(one.track), n) for one, n in traits),
                query_ids=tuple(table.query_ids[query] for query in islice(queries, EXAMPLES)),
            )
        )
    patterns.sort(key=lambda pattern: (-pattern.n, pattern.status, pattern.text, pattern.why))
    return tuple(patterns)


def _shares(counts: Iterable[tuple[str, int]]) -> tuple[PatternGroup, ...]:
    """How often each key is there, the most frequent first, of equal ones in text order."""
    added: Counter[str] = Counter()
    for key, n in counts:
        added[key] += n
    return tuple([PatternGroup(key, n) for key, n in sorted(added.items(), key=lambda entry: (-entry[1], entry[0]))])
