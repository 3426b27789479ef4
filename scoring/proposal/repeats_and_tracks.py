"""Whether a file asks the same questions several times, by which column; and tracks that are words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scoring.items import read_track
from scoring.proposal.columns import MAX_ROUNDS, Assigned, candidates
from scoring.proposal.model import Reason, Sample
from scoring.proposal.names import is_agent
from scoring.proposal.sample import Facts
from scoring.text import normalise
from texts import words

_FEWEST_ROUNDS = 2
_FEWEST_AGENTS = 2
_LONGEST = 80  # characters of a track
_STEPS = (
    "easy simple basic beginner low trivial 쉬움 쉬운 하 초급 기초 낮음 기본",
    "medium moderate intermediate normal mid middle 보통 중 중급 중간",
    "hard difficult complex advanced high 어려움 어려운 상 고급 높음 심화 복합",
    "very_hard expert extreme 매우어려움 최상 최고급",
)


class Repeats(NamedTuple):
    """query, round: their columns, None without one. others: further columns that may be the round.

    is_compared: have both a value in every row, and does the file ask questions again? doubt: what hinders it.
    """

    query: Assigned | None
    round: Assigned | None
    others: tuple[Facts, ...]
    is_compared: bool
    doubt: Reason | None


def find_repeats(sample: Sample, columns: Sequence[Facts], assigned: dict[str, Assigned]) -> Repeats:
    """Which columns tell questions and rounds, of those assigned and those free.

    A column of ids that are all different is no column of questions where another one repeats from round to round.
    """
    taken = {one.facts.at for field, one in assigned.items() if field not in {"query_id", "item_id", "run_id"}}
    ids = [Assigned(facts, reason) for _, facts, reason in candidates(columns, "query_id") if facts.at not in taken]
    query, round_ = assigned.get("query_id"), assigned.get("round")
    if query is not None and query.reason.code != "chosen":
        query = next((one for one in ids if _tells(sample, one.facts, round_)), query)
    if query is None:
        return Repeats(None, round_, (), False, None)
    repeats = len(query.facts.values) < query.facts.filled
    others = tuple(
        facts
        for facts in columns
        if facts.at not in taken | {query.facts.at}
        and repeats
        and round_ is None
        and _tells_apart(sample, query, facts)
    )
    if round_ is not None:
        is_whole = query.facts.is_full and round_.facts.is_full
        # The first rows of a long file may all be of one round.
        is_asked_again = len(round_.facts.values) < _FEWEST_ROUNDS or _tells(sample, query.facts, round_)
        doubt = None
        if not is_whole:
            doubt = Reason("rounds-blank", {"query": query.facts.header, "round": round_.facts.header})
        elif not is_asked_again:
            doubt = Reason("ids-differ", {"query": query.facts.header, "round": round_.facts.header})
        return Repeats(query, round_, others, is_whole and is_asked_again, doubt)
    most = max(query.facts.values.values(), default=0)
    doubt = Reason("no-round", {"query": query.facts.header, "times": str(most)}) if repeats else None
    return Repeats(query, None, others, False, doubt)


def find_agents(sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Facts | None:
    """The column of agents or models of which several answered most of the questions; None without one."""
    return _telling(sample, (facts for facts in columns if is_agent(facts.header)), assigned)


def find_kinds(sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Facts | None:
    """The column of several kinds of records that most questions have, as spans and generations; None without one."""
    known = words("kinds")["words"]
    kinds = (facts for facts in columns if all(value.casefold() in known for value in facts.values))
    return _telling(sample, kinds, assigned)


def _telling(sample: Sample, labels: Iterable[Facts], assigned: Mapping[str, Assigned]) -> Facts | None:
    """The first column of which most questions have several values."""
    asked = [assigned[field].facts for field in ("query_id", "question") if field in assigned]
    for facts in labels:
        is_label = _FEWEST_AGENTS <= len(facts.values) <= MAX_ROUNDS and facts.mean_length <= _LONGEST
        if is_label and any(_have_several(sample, one, facts) for one in asked):
            return facts
    return None


def _have_several(sample: Sample, asked: Facts, agents: Facts) -> bool:
    """Have most questions answers of several agents?"""
    answered: defaultdict[str, set[str]] = defaultdict(set)
    for row in sample.rows:
        answered[normalise(row[asked.at])].add(normalise(row[agents.at]))
    return 2 * sum(len(found - {""}) >= _FEWEST_AGENTS for found in answered.values()) > len(answered)


def _tells(sample: Sample, query: Facts, round_: Assigned | None) -> bool:
    """Is some question of this column asked in two rounds?"""
    if round_ is None:
        return False
    pairs = {(normalise(row[query.at]), normalise(row[round_.facts.at])) for row in sample.rows}
    return len({question for question, _ in pairs}) < len(pairs)


def _tells_apart(sample: Sample, query: Assigned, facts: Facts) -> bool:
    """Has each row another pair of question and value, of a column with few values?"""
    if not (_FEWEST_ROUNDS <= len(facts.values) <= MAX_ROUNDS and facts.is_full):
        return False
    pairs = {(normalise(row[query.facts.at]), normalise(row[facts.at])) for row in sample.rows}
    return len(pairs) == len(sample.rows)


def names_of_tracks(facts: Facts) -> tuple[str, ...]:
    """The words of a column of tracks in their order; () where the tracks are numbers, or no document can name one.

    Words without a known order stay in the order in which they come.
    """
    spelled = {name.casefold(): name for name in reversed(list(map(normalise, facts.values)))}
    names = tuple(name for name in dict.fromkeys(map(normalise, facts.values)) if name in spelled.values())
    if all(read_track(name) is not None for name in names) or not all(map(_is_nameable, names)):
        return ()
    steps = [_step(name) for name in names]
    known = [step for step in steps if step is not None]
    if len(known) < len(names):
        return names
    return tuple(name for _, name in sorted(zip(known, names, strict=True), key=lambda pair: pair[0]))


def _is_nameable(name: str) -> bool:
    return name.isprintable() and len(name) <= _LONGEST


def _step(name: str) -> int | None:
    plain = "_".join(name.casefold().replace("-", " ").split())
    return next((at for at, words in enumerate(_STEPS) if plain in words.split()), None)
