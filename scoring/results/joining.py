"""Joins the files of a set: which rows count once, and which runs are told apart (docs/scoring.md#several-files).

No file replaces rows of another. Two files that give different rows for one query and round are two runs: each keeps
the rounds that they share as rounds of its own.

A file that is joined to others is refused where none of them is in the set, and so are they without it.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, repeat
from typing import NamedTuple

import msgspec

from scoring.findings import FindingLog
from scoring.items import Item, Turn, round_sort_key
from scoring.items.spool import Items, Part
from scoring.problems import Problem, refused
from scoring.results.item_table import ItemTable
from scoring.results.model import Round
from scoring.results.uncertainty import QueryValues
from scoring.rubric import JoinRule, Rubric
from scoring.sets import conflict_original, fold, is_browser_copy
from scoring.text import cut, folded_ids, is_blank

SMALL_SHARE = 0.5  # of the largest round: a smaller one is named
FEWEST_ASKED_AGAIN = 2  # one text above all items is no question of theirs
_Place = tuple[str, str] | tuple[str, str, Turn | None]  # Query ID, round as written, turn of a conversation
_Row = tuple[int, int]  # hash of everything that is known of a row, its number
_Known = tuple[int, int | None, int]  # hashes of the item without its payload and of that (None: not kept), number
_Contents = Mapping[_Place, Mapping[int, list[_Row]]]  # the rows of each file that has the place
_PLACE = ("query_id", "round")


class Joined(NamedTuple):
    """The items that count, in order. sources: for each the index of its file; rounds: of the set, in order.

    dropped: data quality by code of the rows that do not count, because another file has them too.
    """

    items: Items
    sources: array[int]
    rounds: tuple[Round, ...]
    dropped: Counter[str]


def conflict_copies(names: Sequence[str]) -> dict[str, str]:
    """Name -> name of its original, of the files that a sync tool put beside it when two machines had changed it."""
    known = {fold(name): name for name in names}
    originals = {name: conflict_original(name) for name in names}
    return {name: known[fold(first)] for name, first in originals.items() if first is not None and fold(first) in known}


def without_copies(
    files: Sequence[tuple[str, Part]], copies: Mapping[str, str], log: FindingLog
) -> list[tuple[str, Part]]:
    """The files without the rows of conflict copies and of files with the bytes of an earlier one.

    files: ordered by name. copies: as `conflict_copies` gives them.
    """
    first: dict[str, str] = {}
    kept = []
    for name, part in files:
        if name in copies:
            log.add(Problem(code="conflict-copy", source=name, values={"original": copies[name]}))
            kept.append((name, Part(sha256=part.sha256, size=part.size, rubric_digest=part.rubric_digest)))
            continue
        if is_browser_copy(name):
            log.add(Problem(code="browser-copy", source=name))
        if not part.refused and first.setdefault(part.sha256, name) != name:
            log.add(Problem(code="files-equal", source=name, values={"first": first[part.sha256]}))
            duplicates = part.duplicates + len(part.items)
            kept.append(
                (name, msgspec.structs.replace(part, items=Items(), duplicates=duplicates, findings=(), counts={}))
            )
            continue
        kept.append((name, part))
    return kept


def join_files(names: Sequence[str], files: Sequence[Items], log: FindingLog, *, has_sessions: bool = False) -> Joined:
    """The items of all files. names: of the files, in order; files: their items, extra cells in one layout.

    has_sessions: may items be turns of conversations? Then a query of two sessions or turns is not the same.
    """
    contents = _shared_contents(files, (*_PLACE, "details") if has_sessions else _PLACE)
    apart = _runs_apart(contents)
    for label in sorted(apart, key=round_sort_key):
        told = ", ".join(names[source] for source in sorted(apart[label]))
        log.add(Problem(code="runs-by-file", found=cut(label), values={"files": told}))
    dropped = _equal_rows(contents, apart, names, log)
    counts = _take_back(dropped, names, files, log) if dropped else Counter[str]()

    items: list[Items] = []
    sources = array("I")
    labels: dict[tuple[str, str], str] = {}  # by label as written and file, "" where files share the round
    written = {label for of_file in files for label in set(of_file.column("round"))} if apart else set()
    for source, (name, of_file) in enumerate(zip(names, files, strict=True)):
        kept = of_file
        if dropped:
            rows = enumerate(of_file.column("row"))
            kept = of_file.without({at for at, row in rows if (source, row) in dropped})
        own = {label: _label(label, name, written) for label, runs in apart.items() if source in runs}
        for label in set(kept.column("round")):
            labels[label, name if label in own else ""] = own.get(label, label)
        items.append(kept.edited(partial(_with_round, labels=own)) if own else kept)
        sources.extend(repeat(source, len(kept)))
    ordered = sorted(labels, key=lambda at: (round_sort_key(at[0]), at[1]))
    rounds = [
        Round(label=labels[label, file], number=number, file=file)
        for number, (label, file) in enumerate(ordered, start=1)
    ]
    return Joined(Items.joined(items), sources, tuple(rounds), counts)


def note_queries(
    table: ItemTable, values: QueryValues, sources: Sequence[int], names: Sequence[str], log: FindingLog
) -> None:
    """Log queries with several items in one round, IDs with several questions, and questions with several IDs.

    names: of the files.
    """

    def problem(code: str, index: int, values: dict[str, str]) -> Problem:
        row, found = table.rows[index], cut(table.query_id_at(index))
        return Problem(code=code, source=names[sources[index]], row=row, found=found, values=values)

    for index, n in _attempts(table, values):
        log.add(problem("attempts", index, {"round": cut(table.traits_at(index).round), "items": str(n)}))
    for other in sorted(table.other_questions.values()):
        texts = {"first": cut(other.first), "second": cut(other.second)}
        log.add(problem("two-questions", other.at, texts))
    for index, question, n in _asked_again(table):
        log.add(problem("question-repeated", index, {"question": cut(question), "ids": str(n)}))


def note_small_rounds(rounds: Sequence[Round], sizes: Sequence[int], log: FindingLog) -> None:
    """Log rounds that hold less than half of what the largest does."""
    largest = max(sizes)
    for entry, size in zip(rounds, sizes, strict=True):
        if size < largest * SMALL_SHARE:
            values = {"items": str(size), "largest": str(largest)}
            log.add(Problem(code="small-round", found=cut(entry.label), values=values))


def _with_round(item: Item, *, labels: Mapping[str, str]) -> Item:
    return msgspec.structs.replace(item, round=labels[item.round]) if item.round in labels else item


def _places_in(items: Items, fields: Sequence[str]) -> Iterator[_Place]:
    """The place of every item. fields: of `_PLACE`, and the details where items have turns."""
    for columns in items.columns(*fields):
        query_ids, labels, *details = columns
        turns = [[one and one.turn for one in column] for column in details]
        yield from zip(query_ids, labels, *turns, strict=True)


def _shared_contents(files: Sequence[Items], fields: Sequence[str]) -> _Contents:
    """The rows of every place that several files have."""
    if sum(map(bool, files)) < 2:
        return {}
    first: dict[_Place, int] = {}
    shared: set[_Place] = set()
    for source, of_file in enumerate(files):
        shared |= {place for place in _places_in(of_file, fields) if first.setdefault(place, source) != source}
    del first
    known: dict[_Place, dict[int, list[_Known]]] = {place: {} for place in shared}
    for source, of_file in enumerate(files) if shared else ():
        for item, place in zip(of_file, _places_in(of_file, fields), strict=True):
            of_place = known.get(place)
            if of_place is not None:
                packed = msgspec.msgpack.encode(msgspec.structs.replace(item, row=0, payload="", noted=None))
                payload = hash(item.payload) if item.payload or not item.payload_size else None
                of_place.setdefault(source, []).append((hash(packed), payload, item.row))
    return {place: _by_payload(of_place) for place, of_place in known.items()}


def _by_payload(of_place: Mapping[int, list[_Known]]) -> dict[int, list[_Row]]:
    """The rows of a place, apart by their payloads too, where each of those that are alike without it has kept it."""
    lost = {item for rows in of_place.values() for item, payload, _ in rows if payload is None}
    return {
        source: [(item if item in lost else hash((item, payload)), row) for item, payload, row in rows]
        for source, rows in of_place.items()
    }


def _runs_apart(contents: _Contents) -> dict[str, set[int]]:
    """Round as written -> files that keep it as a round of their own.

    Two files are two runs when each has a row that the other lacks for one query and round.
    """
    rivals: defaultdict[int, set[int]] = defaultdict(set)
    settled: set[frozenset[int]] = set()  # files of which each is a rival of each: many queries have the same files
    for of_place in contents.values():
        files = frozenset(of_place)
        if files in settled:
            continue
        alike: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        for source, rows in of_place.items():
            alike[tuple(sorted(content for content, _ in rows))].add(source)
        counted = [(Counter(contents_of), sources) for contents_of, sources in alike.items()]
        for (one, ones), (other, others) in combinations(counted, 2):
            if not (one <= other or other <= one):
                for source in ones:
                    rivals[source] |= others
                for source in others:
                    rivals[source] |= ones
        if all(files - {source} <= rivals[source] for source in files):
            settled.add(files)
    apart: defaultdict[str, set[int]] = defaultdict(set)
    for (_, label, *_), of_place in contents.items():
        apart[label] |= {source for source in of_place.keys() - apart[label] if rivals[source] & of_place.keys()}
    return {label: files for label, files in apart.items() if files}


def _equal_rows(
    contents: _Contents, apart: Mapping[str, set[int]], names: Sequence[str], log: FindingLog
) -> set[tuple[int, int]]:
    """(file, row) of the rows that an earlier file or a run of its own has too; each is logged."""
    dropped: dict[tuple[int, int], dict[str, str]] = {}
    for (query, label, *_), of_place in contents.items():
        runs = apart.get(label, set())
        held: Counter[int] = Counter()
        first: dict[int, tuple[int, int]] = {}
        for source in sorted(of_place, key=lambda source: (source not in runs, source)):
            rows = of_place[source]
            left = Counter() if source in runs else held.copy()
            for content, row in rows:
                if left[content]:
                    left[content] -= 1
                    of_file, kept = first[content]
                    dropped[source, row] = {"query": cut(query), "kept": f"{names[of_file]} {kept}"}
                first.setdefault(content, (source, row))
            held |= Counter(content for content, _ in rows)
    places = (
        Problem(code="rows-equal", source=names[source], row=row, values=dropped[source, row])
        for source, row in sorted(dropped)
    )
    log.add_first(places, len(dropped))
    return set(dropped)


def _take_back(
    dropped: Container[tuple[int, int]], names: Sequence[str], files: Sequence[Items], log: FindingLog
) -> Counter[str]:
    """Log no longer what dropped rows gave, since no item has it. Returns what they were counted for."""
    gone: dict[tuple[str, int], tuple[str, ...]] = {}
    counts: Counter[str] = Counter()
    for source, (name, of_file) in enumerate(zip(names, files, strict=True)):
        for rows, notes in of_file.columns("row", "noted"):
            for row, noted in zip(rows, notes, strict=True):
                if noted is not None and (source, row) in dropped:
                    gone[name, row] = noted.findings
                    counts.update(noted.counts)
    log.drop_rows(gone)
    return counts


def _label(written: str, file: str, taken: set[str]) -> str:
    """The label of a run of its own, which no file has as the label of a round."""
    label = f"{written}, {file}"
    while label in taken:
        label += "'"
    return label


def _attempts(table: ItemTable, values: QueryValues) -> Iterator[tuple[int, int]]:
    """Of each query with several items in a round the first of these items, in their order, and how many there are."""
    first: dict[tuple[int, ...], tuple[int, int]] = {}  # by marks: place of that item among those of the query
    for marks in values.alike:
        counted = Counter([values.samples[mark].round for mark in marks])
        if len(counted) < len(marks):
            at, label = next(
                (at, label) for at, mark in enumerate(marks) if counted[label := values.samples[mark].round] > 1
            )
            first[marks] = at, counted[label]
    if not first:
        return
    wanted = {query: first[marks] for query, marks in enumerate(values.marks) if marks in first}
    passed: Counter[int] = Counter()
    for index, query in enumerate(table.queries):
        if query in wanted:
            if passed[query] == wanted[query][0]:
                yield index, wanted.pop(query)[1]
                if not wanted:
                    return
            passed[query] += 1


def _asked_again(table: ItemTable) -> Iterator[tuple[int, str, int]]:
    """Of each question with several Query IDs, where these are most of all, its first item and how many they are."""
    asked = Counter(table.questions)
    again = {question: n for question, n in asked.items() if n > 1 and not is_blank(question)}
    if len(again) < FEWEST_ASKED_AGAIN or 2 * sum(again.values()) <= len(table.questions):
        return
    for index, query in enumerate(table.queries):
        question = table.questions[query]
        if question in again:
            yield index, question, again.pop(question)
            if not again:
                return


def read_alike_as_one(found: Joined, names: Sequence[str], log: FindingLog) -> Joined:
    """The items, those of Query IDs that look alike with one of them, where the forms never stand in one round.

    names: of the files. Where they do stand in one round they are different queries, which is logged as well.
    """
    groups = _alike(dict.fromkeys(found.items.column("query_id")))
    if not groups:
        return found
    forms = {form for group in groups for form in group}
    number = {entry.label: entry.number for entry in found.rounds}
    rounds: defaultdict[str, set[int]] = defaultdict(set)
    first: dict[str, tuple[str, int]] = {}
    sources = iter(found.sources)
    for ids, labels, rows in found.items.columns("query_id", "round", "row"):
        for query, label, row, of_file in zip(ids, labels, rows, sources, strict=False):
            if query in forms:
                rounds[query].add(number[label])
                first.setdefault(query, (names[of_file], row))
    shown: dict[str, str] = {}
    for group in groups:
        form, *others = sorted(group, key=lambda one: min(rounds[one]))
        is_one = sum(len(rounds[one]) for one in group) == len(set().union(*(rounds[one] for one in group)))
        shown |= dict.fromkeys(others, form) if is_one else {}
        source, row = first[others[0]]
        code = "ids-alike" if is_one else "ids-alike-apart"
        values = {"first": cut(form), "others": ", ".join(map(cut, others))}
        log.add(Problem(code=code, source=source, row=row, found=cut(others[0]), values=values))
    return found._replace(items=found.items.edited(partial(_named, shown=shown))) if shown else found


def _alike(ids: Iterable[str]) -> list[list[str]]:
    """Groups of IDs that look alike, in the order in which they come."""
    distinct = list(ids)
    folded = folded_ids(distinct)
    if len(set(folded)) == len(distinct):
        return []
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for form, folded_form in zip(distinct, folded, strict=True):
        groups[folded_form].append(form)
    return [group for group in groups.values() if len(group) > 1]


def _named(item: Item, *, shown: Mapping[str, str]) -> Item:
    return msgspec.structs.replace(item, query_id=shown[item.query_id]) if item.query_id in shown else item


def refuse_apart(files: Sequence[tuple[str, Part]], rubric: Rubric) -> list[tuple[str, Part]]:
    """The files, those refused whose other one is not in the set: a report would not follow its changes."""
    rule = rubric.records
    if rule is None or not isinstance(rule.join, JoinRule):
        return list(files)
    problem = refused("join-apart", found=rule.join.file)
    contents = {part.sha256 for _, part in files}
    has_read = any(not rule.is_joined(name) for name, _ in files)
    return [
        (name, part)
        if part.refused or (has_read if rule.is_joined(name) else part.beside in contents)
        else (
            name,
            Part(
                sha256=part.sha256, size=part.size, rubric_digest=part.rubric_digest, refused=True, problems=(problem,)
            ),
        )
        for name, part in files
    ]
