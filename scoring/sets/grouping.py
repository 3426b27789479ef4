"""Groups input files into sets, by their paths alone. No disk.

A file directly in the watched folder is a set, or all whose names a pattern of their document puts together; the files
of one profile in a sub-folder are one set, always named `<folder>/<profile>`. A conflict copy of a sync tool belongs to
the set of its original, where it does not count. What files there are decides, never the order in which they are seen.

The profile of a file whose name no document claims is the one whose columns it has.
"""

import io
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

import msgspec

from scoring.problems import InputError, Problem
from scoring.reading import in_its_encoding, open_table
from scoring.rubric import EXCEPT, Rubric
from scoring.sets.names import (
    conflict_original,
    flat_set_name,
    fold,
    folder_set_name,
    gathered_name,
    is_reserved,
    lone_set_name,
    safe_component,
    shown,
)

_LISTED = 5  # files that a clash names

NO_PATTERNS: Mapping[str, str] = MappingProxyType({})

ProfileOf = Callable[[str], str | Problem | None]


class InputSet(msgspec.Struct, frozen=True, kw_only=True):
    """The input files of one set.

    name: "/"-separated, safe to create below the output folder. inputs: paths as given, ordered by their shown name.
    names: the same files by their name relative to the set, NFC. is_gathered: are they outside of folders, put together
    by a pattern?
    """

    name: str
    profile: str
    inputs: tuple[str, ...]
    names: tuple[str, ...]
    is_gathered: bool = False


class Clash(msgspec.Struct, frozen=True, kw_only=True):
    """Files that would share one name in the output, or one file that several rubrics claim; none is scored.

    name: the set they would share, in the spelling that sorts first. paths: as they were given, at least one.
    """

    name: str
    paths: tuple[str, ...]
    problem: Problem


class Grouping(msgspec.Struct, frozen=True, kw_only=True):
    """Every given path is in exactly one place: the inputs of a set, unclaimed, or the paths of a clash.

    sets: by name. unclaimed: paths that no rubric document claims, or may claim. clashes: by name.
    """

    sets: tuple[InputSet, ...] = ()
    unclaimed: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()

    @property
    def paths(self) -> list[str]:
        """All of them."""
        together = (*(group.inputs for group in self.sets), self.unclaimed, *(clash.paths for clash in self.clashes))
        return list(chain.from_iterable(together))


def place_of(path: str, profile_of: ProfileOf | None = None, patterns: Mapping[str, str] = NO_PATTERNS) -> str:
    """Where a file is grouped: files of different places never share a set, never clash, and are no copies of another.

    A folder is a place, and so is each file directly in the watched folder, with its conflict copies and with what a
    pattern puts together with it. A folder at the top and a file of its name share one, since sets of both may clash.
    patterns: by profile, as for `group_into_sets`.
    """
    folder, _, name = path.rpartition("/")
    if folder:
        place = fold("/".join(map(safe_component, folder.split("/"))))
        return f"{place}/" if "/" in folder else sys.intern(place)
    name = shown(name)
    while (original := conflict_original(name)) is not None:
        name = original
    profile = profile_of(name) if patterns and profile_of is not None else None
    gathered = gathered_name(name, patterns.get(profile, "") if isinstance(profile, str) else "")
    return sys.intern(fold(gathered or flat_set_name(name)))


def group_into_sets(paths: Iterable[str], profile_of: ProfileOf, patterns: Mapping[str, str] = NO_PATTERNS) -> Grouping:
    """Sets of the files at `paths`.

    paths: relative to the watched folder, "/" between components, surrogate escapes where a name is not
    UTF-8; repeated paths count once. profile_of: profile that claims a file, given its shown base name; a problem
    when several do. patterns: of profiles whose files outside of folders are put together, see `gathered_name`.
    """
    members: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    gathered: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    unclaimed = []
    clashes = []
    in_doubt: dict[str, Problem] = {}
    ordered = sorted(set(paths), key=_order)
    copies = {path for path in ordered if conflict_original(shown(path)) is not None}
    known = {fold(shown(path)): path for path in reversed(ordered)} if copies else {}
    for path in ordered:
        parts = path.split("/")
        if not all(map(str.strip, parts)) or "." in parts or ".." in parts:
            clashes.append(_unsafe(path))
            continue
        home = _original(path, known) if path in copies else path
        name = shown(home.rpartition("/")[2])
        profile = None if is_reserved(name) else profile_of(name)
        if profile is None:
            unclaimed.append(path)
        elif isinstance(profile, Problem):
            in_doubt[path] = profile
            members[lone_set_name(path), path].append(path)  # no profile; its path is unique
        elif len(parts) > 1:
            members[folder_set_name("/".join(parts[:-1]), profile), profile].append(path)
        else:
            of_many = gathered_name(name, patterns.get(profile, ""))
            (gathered if of_many else members)[of_many or flat_set_name(home), profile].append(path)

    sets = []
    for plans in _by_folded_name(members, gathered):
        clash = _clash_between(plans) or _doubt(plans[0], in_doubt) or _clash_within(plans[0])
        if clash is None:
            sets.append(plans[0])
        else:
            clashes.append(clash)
    return Grouping(
        sets=tuple(sorted(sets, key=lambda plan: plan.name)),
        unclaimed=tuple(unclaimed),
        clashes=tuple(sorted(clashes, key=lambda clash: (clash.name, clash.paths))),
    )


_Members = Mapping[tuple[str, str], list[str]]  # name and profile of a set -> its files


def _by_folded_name(members: _Members, gathered: _Members) -> Iterable[list[InputSet]]:
    """The sets, those together whose names clash; with what a pattern puts together also the folder of that name."""
    by_folded: defaultdict[str, list[InputSet]] = defaultdict(list)
    for (name, profile), inputs in members.items():
        by_folded[fold(name)].append(_plan(name, profile, inputs))
    for (name, profile), inputs in gathered.items():
        of_folder = by_folded.pop(fold(folder_set_name(name, profile)), [])
        together = msgspec.structs.replace(_plan(name, profile, inputs), is_gathered=True)
        by_folded[fold(name)] += [together, *of_folder]
    return by_folded.values()


def named_set(name: str, paths: Iterable[str], profile: str) -> InputSet | Clash:
    """One set of the files named, wherever they lie.

    Files are known by their base name; where two share it, all by their path below the folder they share.
    Raises ValueError when `name` has a blank, `.` or `..` component.
    """
    parts = name.split("/")
    if not all(map(str.strip, parts)) or "." in parts or ".." in parts:
        raise ValueError(name)
    name = "/".join(map(safe_component, parts))
    inputs = sorted(set(paths), key=_order)
    plan = _plan(name, profile, inputs)
    if _clash_within(plan) is None:
        return plan
    split = [path.split("/") for path in inputs]
    shared = 0
    while len({tuple(parts[: shared + 1]) for parts in split}) == 1 and shared + 1 < min(map(len, split)):
        shared += 1
    names = tuple(shown("/".join(parts[shared:])) for parts in split)
    plan = InputSet(name=name, profile=profile, inputs=tuple(inputs), names=names)
    return _clash_within(plan) or plan


def _original(path: str, known: Mapping[str, str]) -> str:
    """The file of which `path` is a conflict copy, if that lies beside it; else itself. known: paths by folded name."""
    original = conflict_original(shown(path))
    found = None if original is None else known.get(fold(original))
    return path if found is None else _original(found, known)


def _order(path: str) -> tuple[str, str]:
    return shown(path), path


def _plan(name: str, profile: str, inputs: list[str]) -> InputSet:
    named = sorted((shown(path.rpartition("/")[2]), path) for path in inputs)
    paths, names = tuple([path for _, path in named]), tuple([base for base, _ in named])
    names = paths if names == paths else names  # of many files without a folder one tuple each
    return InputSet(name=sys.intern(name), profile=profile, inputs=paths, names=names)


def _clash_between(plans: list[InputSet]) -> Clash | None:
    """Different files or folders whose sets would have one name, case and normal form ignored."""
    sources: dict[tuple[str, str, str], str] = {}
    for plan in plans:
        known = {fold(shown(path)): path for path in plan.inputs} if len(plan.inputs) > 1 else {}
        for path in plan.inputs:
            folder = path.rpartition("/")[0]
            source = "" if plan.is_gathered else folder or _original(path, known)
            sources.setdefault((plan.name, plan.profile, source), path)
    if len(sources) == 1:
        return None
    paths = [path for plan in plans for path in plan.inputs]
    return _clash("name-clash", min(plan.name for plan in plans), paths, sources.values())


def _doubt(plan: InputSet, in_doubt: Mapping[str, Problem]) -> Clash | None:
    """A file that several rubrics claim; it is a clash of its own."""
    path = plan.inputs[0]
    problem = in_doubt.get(path)
    return None if problem is None else Clash(name=plan.name, paths=(path,), problem=problem.at(shown(path)))


def _clash_within(plan: InputSet) -> Clash | None:
    """Two files of a set with the same shown name: their rows could not be distinguished."""
    for (first, second), (path, other) in zip(pairwise(plan.names), pairwise(plan.inputs), strict=True):
        if first == second:
            return _clash("same-name-twice", plan.name, list(plan.inputs), [path, other])
    return None


def _clash(code: str, name: str, paths: list[str], between: Iterable[str]) -> Clash:
    named = sorted(between, key=_order)
    listed = told_apart(named)[:_LISTED]
    values = {"set": name, "first": listed[0], "second": listed[1], "paths": ", ".join(listed)}
    if len(named) > _LISTED:
        values["paths"] += f", … (+{len(named) - _LISTED})"
    return Clash(
        name=name,
        paths=tuple(sorted(paths, key=_order)),
        problem=Problem(code=code, source=shown(named[0]), values=values),
    )


def told_apart(paths: Sequence[str]) -> list[str]:
    """The paths as people see them, in order; those that look alike with their spelling, so that no two are equal."""
    alike = Counter(map(shown, paths))
    used: Counter[str] = Counter()
    names = []
    for path in paths:
        name = shown(path)
        if alike[name] > 1:
            spelling = _spelling(path)
            used[name + spelling] += 1
            again = used[name + spelling]
            name = f"{name} ({spelling} {again})" if again > 1 else f"{name} ({spelling})"
        names.append(name)
    return names


def _spelling(path: str) -> str:
    """Encoding of a name, shown where two names look alike."""
    if not path.isascii() and any("\udc80" <= character <= "\udcff" for character in path):
        return "CP949"
    return "NFC" if unicodedata.is_normalized("NFC", path) else "NFD"


def _unsafe(path: str) -> Clash:
    return Clash(
        name="/".join(safe_component(part) for part in path.split("/")),
        paths=(path,),
        problem=Problem(code="unsafe-path", source=shown(path)),
    )


LARGEST = 16 << 20  # bytes of a file that is looked into, which for a workbook or document is read as a whole
_FEWEST = 3  # required columns that say more than chance
_SHARE = 0.8  # of the required columns that have to be there


class Likely(NamedTuple):
    """A profile whose columns a file has. matched: of the required ones.

    name: of the file, as the profile would claim it; pattern: what that has to look like, as in `resume_agent_…`. Both
    are "" where the profile takes no such kind of file.
    """

    profile: str
    matched: int
    required: int
    name: str
    pattern: str

    @property
    def fits(self) -> bool:
        """Are so many of the columns there that only the name is wrong?"""
        return self.required >= _FEWEST and self.matched >= self.required * _SHARE and bool(self.pattern)

    def problem(self, path: str) -> Problem:
        """That the file is not scored: for its name alone, or because its columns are those of no profile."""
        values = {"profile": self.profile, "matched": str(self.matched), "required": str(self.required)}
        values |= {"name": self.name, "pattern": self.pattern}
        return Problem(code="name-of-no-profile" if self.fits else "columns-of-no-profile", source=path, values=values)


def likely_profile(stream: BinaryIO, name: str, rubrics: Iterable[Rubric]) -> Likely | None:
    """The profile whose columns the file has, None where none has enough of them. Raises OSError."""
    likely = closest_profile(stream, name, rubrics)
    return likely if likely is not None and likely.fits else None


def closest_profile(stream: BinaryIO, name: str, rubrics: Iterable[Rubric]) -> Likely | None:
    """The profile that shares most required columns with the file, None where none shares any. Raises OSError."""
    if stream.seek(0, io.SEEK_END) > LARGEST:
        return None
    found = [likely for rubric in rubrics if (likely := _likely(stream, name, rubric)) is not None]
    return max(found, key=lambda one: (one.fits, one.matched / one.required, one.required), default=None)


def _likely(stream: BinaryIO, name: str, rubric: Rubric) -> Likely | None:
    required = sum(column.required for column in rubric.columns)

    def missing(encoding: str) -> int:
        table = open_table(stream, name, rubric.wanted_columns, records=rubric.records, encoding=encoding)
        width = table.columns.width  # of a row; what is no object gives one of a cell too many
        # without any row no record lacks a column
        has_rows = not table.row_unit or any(len(row) == width and any(row) for row in table.rows())
        return len(table.columns.missing) if has_rows else required

    try:
        matched = required - in_its_encoding(missing)
    except InputError:
        return None
    if not matched:
        return None
    before, after = _around_names(name, rubric) or ("", "")
    stem, dot, kind = name.rpartition(".")
    claimed = f"{before}{stem}{after}{dot}{kind.lower()}" if before or after else ""
    return Likely(rubric.profile, matched, required, claimed, f"{before}…{after}" if claimed else "")


def _around_names(name: str, rubric: Rubric) -> tuple[str, str] | None:
    """What a pattern of the profile wants before and after a name, whose kind of file it claims; None without one."""
    suffix = name[name.rfind(".") :].lower()
    for pattern in rubric.files:
        if not pattern.startswith(EXCEPT) and pattern.endswith(suffix) and pattern.count("*") == 1:
            before, _, after = pattern.removesuffix(suffix).partition("*")
            return before, after
    return None
