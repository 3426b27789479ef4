"""From the arguments of `scorewatch score` to sets: which files, by which rubric, under which name.

A folder is read as the watcher reads its folder, so that both make the same sets; a file named by itself is a set of
its own, wherever it lies.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from cli.localised import spoken
from cli.score.known import folders_about
from cli.score.rubrics import Rubrics
from reporting.store import ReviewShelf, may_be_named_so, read_sheets, sheet_paths
from scoring import Problem, RubricError
from scoring.reading import open_named, whole_hash
from scoring.rubric import Rubric
from scoring.sets import (
    RUN_TOML,
    Clash,
    InputSet,
    ProfileOf,
    Refusal,
    flat_set_name,
    fold,
    group_into_sets,
    is_accepted,
    is_run_file,
    is_sheet,
    named_set,
    names_packed,
    refuse_clash,
    refuse_link,
    run_files,
    shown,
)
from watcher import InputFolder


class PlannedSet(msgspec.Struct, frozen=True, kw_only=True):
    """A set to be scored: its files in the order of the plan, and its rubric."""

    plan: InputSet
    files: tuple[Path, ...]
    rubric: Rubric

    @property
    def run_files(self) -> list[tuple[str, str]]:
        """Where it may be said what the run was: path as people know it, and where that is."""
        pairs = list(zip(self.plan.inputs, self.files, strict=True))
        at_folder = {path.rpartition("/")[0]: file.parent for path, file in pairs if "/" in path}
        folders = [(f"{folder}/{RUN_TOML}", f"{at}/{RUN_TOML}") for folder, at in at_folder.items()]
        return [*folders, *((f"{path}.{RUN_TOML}", f"{file}.{RUN_TOML}") for path, file in pairs)]


MOST_LOOKED_AT = 20  # files whose columns are read although no profile takes their name


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """sets, refused: by name. unclaimed: shown paths from folders. problems: of arguments that belong to no set.

    misnamed: what scores the first that are unclaimed. reviews: files with grades of
    people, which are no sets. named: files that were named themselves, not by a folder. sheet_problems: those of the
    problems that are of sheets of questions.
    """

    sets: tuple[PlannedSet, ...]
    refused: tuple[Refusal, ...]
    unclaimed: tuple[str, ...]
    problems: tuple[Problem, ...]
    misnamed: tuple[Problem, ...] = ()
    reviews: ReviewShelf = msgspec.field(default_factory=ReviewShelf)
    named: tuple[Path, ...] = ()
    sheet_problems: tuple[Problem, ...] = ()


def plan_work(
    arguments: Sequence[Path],
    rubrics: Rubrics,
    *,
    out: Path,
    ignore: tuple[str, ...],
    set_name: str | None,
    adjudicator: str = "",
    watch: Path | None = None,
) -> Work:
    """Everything there is to do for the files and folders named, as the sheets of questions there are have it.

    watch: the watched folder, where the sheets for its files are; None reads no sheets. The rest as of `_plan_work`.
    """
    work = _plan_work(arguments, rubrics, out=out, ignore=ignore, set_name=set_name, adjudicator=adjudicator)
    folders = [] if watch is None else folders_about(arguments, watch)
    paths = next(filter(None, map(sheet_paths, folders)), [])
    if not paths:
        return work
    from scoring.questions import Questions  # few folders have any

    sheets = read_sheets(paths, [rubric.profile for rubric in rubrics.in_force])
    questions = Questions([sheet for sheet in sheets if sheet.is_readable])
    problems = tuple([problem for sheet in sheets for problem in sheet.problems])
    return msgspec.structs.replace(
        work,
        sets=tuple(
            [msgspec.structs.replace(one, rubric=questions.applied(one.rubric, one.plan.name)) for one in work.sets]
        ),
        problems=(*work.problems, *problems),
        sheet_problems=problems,
    )


def _plan_work(
    arguments: Sequence[Path],
    rubrics: Rubrics,
    *,
    out: Path,
    ignore: tuple[str, ...],
    set_name: str | None,
    adjudicator: str,
) -> Work:
    """Everything there is to do for the files and folders named, without sheets.

    out: never read, should it lie in a folder named. set_name: one set of all files. adjudicator: of people's grades.
    Raises click.UsageError for an argument that is not there, and for a set name that cannot be used.
    """
    found = _collect(arguments, out, ignore, tuple(filter(names_packed, rubrics.patterns)))
    reviews = ReviewShelf(adjudicator)
    _take_reviews(found, reviews)
    said = {path for path in found.files if is_run_file(path.rpartition("/")[2])}
    for path in said:
        del found.files[path]
    named = {fold(shown(path)) for path in found.named}
    files_named = tuple(path for path in arguments if path.is_file())

    def profile_of(base_name: str) -> str | Problem | None:
        return rubrics.choose(base_name, is_named=fold(base_name) in named)

    if set_name is not None:
        work = _one_set(set_name, found, profile_of, rubrics)
        return msgspec.structs.replace(work, reviews=reviews, named=files_named)
    files = _apart(found)
    grouping = group_into_sets(files, profile_of, rubrics.set_patterns)
    left = {
        path: rubrics.problem_of(
            shown(path.rpartition("/")[2]), files[path], path=shown(path), is_named=path in found.named
        )
        for path in grouping.unclaimed
    }
    problems = [*found.problems, *filter(None, left.values())]
    passed_over = [*found.others]
    refused = [_clashing(clash, files, profile_of, rubrics) for clash in grouping.clashes]
    taken = {fold(plan.name) for plan in grouping.sets} | {fold(entry.id.name) for entry in refused}
    for file, entry in _outside(found, profile_of, rubrics, passed_over):
        if fold(entry.id.name) in taken:  # the folder is another's, and what stands there stays
            problems += [problem.at(shown(str(file))) for problem in entry.problems]
        else:
            taken.add(fold(entry.id.name))
            refused.append(entry)
    problems += _no_files(found, profile_of, passed_over)
    problems += _faults(rubrics, [] if grouping.sets or refused else problems)
    said = said.difference(*(run_files(plan.inputs) for plan in grouping.sets))
    unclaimed = [path for path, problem in left.items() if problem is None]
    misnamed = (
        rubrics.misnamed(shown(path.rpartition("/")[2]), files[path], path=shown(path))
        for path in unclaimed[:MOST_LOOKED_AT]
    )
    return Work(
        sets=tuple(
            PlannedSet(
                plan=plan,
                files=tuple(files[path] for path in plan.inputs),
                rubric=rubrics.used[plan.profile],
            )
            for plan in grouping.sets
        ),
        refused=tuple(sorted(refused, key=lambda entry: entry.id.name)),
        unclaimed=(*map(shown, (*unclaimed, *sorted(said))), *passed_over),
        problems=tuple(problems),
        misnamed=tuple(filter(None, misnamed)),
        reviews=reviews,
        named=files_named,
    )


class _Found(msgspec.Struct):
    """files: path as the grouping sees it -> files that go by it. named: paths that were named themselves.

    outside: links that lead out, and where to. special: what is no file. others: shown paths of kinds that are not
    read. reserved: files that were named and are no inputs. Folders may share paths.
    """

    files: dict[str, list[Path]] = {}
    named: set[str] = set()
    outside: list[tuple[str, Path, str]] = []
    special: list[tuple[str, Path]] = []
    others: list[str] = []
    reserved: list[Path] = []
    problems: list[Problem] = []


def _collect(arguments: Sequence[Path], out: Path, ignore: tuple[str, ...], packed: tuple[str, ...]) -> _Found:
    found = _Found()
    known: set[str] = set()
    others: set[str] = set()

    def add(path: str, file: Path) -> None:
        if _is_new(file, known):
            found.files.setdefault(path, []).append(file)

    for argument in arguments:
        if argument.is_dir():
            listing = InputFolder(argument, out=out, ignore=ignore, packed=packed).scan()
            for path in sorted(listing.files):
                add(path, argument / path)
            links = ((path, argument / path, target) for path, target in sorted(listing.outside.items()))
            found.outside += (link for link in links if _is_new(link[1], others))
            special = ((path, argument / path) for path in sorted(listing.special))
            found.special += (entry for entry in special if _is_new(entry[1], others))
            found.others += (shown(path) for path in sorted(listing.others) if _is_new(argument / path, others))
            for folder, reason in sorted(listing.unreadable.items()):
                found.problems.append(_unreadable(argument / folder, reason))
        elif argument.is_file() and is_sheet(argument.name):
            found.reserved.append(argument)
        elif argument.is_file():
            found.named.add(argument.name)
            add(argument.name, argument)
        else:
            reason = "score.not-a-file" if argument.exists() else "score.not-there"
            raise click.UsageError(spoken()(reason, path=shown(str(argument))))
    found.outside = [link for link in found.outside if _is_new(link[1], known)]  # named itself, it may lie anywhere
    return found


def _take_reviews(found: _Found, reviews: ReviewShelf) -> None:
    """Take the review files out of what was found, whatever they are called: before any profile claims them."""
    for path, files in list(found.files.items()):
        left = [file for file in files if not (may_be_named_so(file.name) and _is_review(file, path, reviews))]
        if left:
            found.files[path] = left
        else:
            del found.files[path]


def _is_review(file: Path, path: str, reviews: ReviewShelf) -> bool:
    try:
        return reviews.take(file, shown(path))
    except OSError:  # whoever scores it says why
        return False


def _is_new(file: Path, known: set[str]) -> bool:
    """Is it none of the known? Then it is from now on.

    A link within the folder is one more name of its target, as for the watcher: only its folder is resolved.
    """
    real = f"{os.path.realpath(file.parent)}/{file.name}"
    if real in known:
        return False
    known.add(real)
    return True


def _no_files(found: _Found, profile_of: ProfileOf, passed_over: list[str]) -> Iterator[Problem]:
    """Problems of what has the name of an input and is no file; `passed_over` gets those that nobody claims."""
    for path, file in sorted(found.special):
        if profile_of(shown(path.rpartition("/")[2])) is None:
            passed_over.append(shown(path))
        else:
            yield _unreadable(file, "no-file")


def _outside(
    found: _Found, profile_of: ProfileOf, rubrics: Rubrics, passed_over: list[str]
) -> Iterator[tuple[Path, Refusal]]:
    """Links that lead out of a folder named; `passed_over` gets those that nobody claims."""
    for path, file, target in sorted(found.outside):
        profile = profile_of(shown(path.rpartition("/")[2]))
        if profile is not None:
            yield file, refuse_link(path, target, **_named(profile, rubrics))
        elif is_accepted(path.rpartition("/")[2]):
            passed_over.append(shown(path))


def _apart(found: _Found) -> dict[str, Path]:
    """The files by path; those that share one are a problem, and none of them is left."""
    files: dict[str, Path] = {}
    for path, sharing in found.files.items():
        if len(sharing) == 1:
            files[path] = sharing[0]
            continue
        first, second, *_ = names = [shown(str(file)) for file in sharing]
        values = {"set": flat_set_name(path), "first": first, "second": second, "paths": ", ".join(names)}
        found.problems.append(Problem(code="name-clash", source=shown(path), values=values))
    return files


def _one_set(set_name: str, found: _Found, profile_of: ProfileOf, rubrics: Rubrics) -> Work:
    claimed: dict[str, Path] = {}
    profiles: dict[str, str] = {}
    unclaimed = [*found.others]
    problems = list(found.problems)
    for path, file in ((path, file) for path, files in found.files.items() for file in files):
        profile = profile_of(shown(file.name))
        if isinstance(profile, Problem):
            problems.append(profile.at(shown(str(file))))
            continue
        if profile is not None:
            claimed[os.path.abspath(file)] = file  # noqa: PTH100 -- Path.absolute keeps `..`
            profiles.setdefault(profile, shown(str(file)))
            continue
        is_named = path in found.named
        problem = rubrics.problem_of(shown(file.name), file, path=shown(path), is_named=is_named)
        if problem is None:
            unclaimed.append(shown(path))
        else:
            problems.append(problem)
    problems += _no_files(found, profile_of, unclaimed)
    for file, entry in _outside(found, profile_of, rubrics, unclaimed):
        problems += [problem.at(shown(str(file))) for problem in entry.problems]
    if len(profiles) > 1:
        examples = ", ".join(f"{file}({profile})" for profile, file in profiles.items())
        raise click.UsageError(spoken()("score.one-profile", examples=examples))
    sets: list[PlannedSet] = []
    refused: list[Refusal] = []
    for profile in profiles:
        try:
            plan = named_set(set_name, claimed, profile)
        except ValueError:
            raise click.UsageError(spoken()("score.set-name", name=shown(set_name))) from None
        if isinstance(plan, Clash):
            refused.append(_clashing(plan, claimed, profile_of, rubrics))
        else:
            inputs = tuple(claimed[path] for path in plan.inputs)
            sets.append(PlannedSet(plan=plan, files=inputs, rubric=rubrics.used[profile]))
    problems += _faults(rubrics, [] if sets or refused else problems)
    return Work(sets=tuple(sets), refused=tuple(refused), unclaimed=tuple(unclaimed), problems=tuple(problems))


def _clashing(clash: Clash, files: Mapping[str, Path], profile_of: ProfileOf, rubrics: Rubrics) -> Refusal:
    hashes = [hash_of(files[path]) for path in clash.paths]
    return refuse_clash(clash, hashes, **_named(profile_of(shown(clash.paths[0].rpartition("/")[2])), rubrics))


def hash_of(file: Path) -> str:
    """SHA-256 of a file, "" when it cannot be read."""
    try:
        with open_named(file) as stream:
            return whole_hash(stream).sha256
    except OSError:
        return ""


def _named(profile: str | Problem | None, rubrics: Rubrics) -> dict[str, str]:
    """What a refusal says of the rubric that claims its files; nothing when several do."""
    rubric = rubrics.used[profile] if isinstance(profile, str) else None
    digest = "" if rubric is None else rubric.digest
    return {"profile": "" if rubric is None else rubric.profile, "rubric_digest": digest, "language": spoken().language}


def _faults(rubrics: Rubrics, alone: Sequence[Problem]) -> tuple[Problem, ...]:
    """What is wrong in the document. alone: all that is to be told else, where nothing can be scored.

    Raises RubricError for a wrong document that no file was scored by, with the files that it was meant for.
    """
    faults = rubrics.faults()
    if faults and alone:
        raise RubricError((*(problem for problem in alone if problem.code == "rubric-unfit"), *faults))
    return faults


def _unreadable(path: Path, reason: str) -> Problem:
    return Problem(code="unreadable", source=shown(str(path)), values={"reason": reason})
