"""The plan of a set: its inputs, its rubric, its judge, and the key of the report that they give.

Two reports with the same key are the same, byte for byte. The watcher makes a plan, the work area stores it as JSON,
the worker reads it. Nothing else describes what is to be done.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Self
from urllib.parse import quote, unquote

import msgspec

from scoring.items import ENGINE_VERSION
from scoring.judging import JudgeIdentity, judge_settings
from scoring.problems import Problem
from scoring.review import PersonGrade, digest_of
from scoring.rubric import Rubric
from scoring.sets.grouping import Clash, told_apart
from scoring.sets.names import lone_set_name, shown

_FORMAT = "scorewatch-key-1"


class SetId(NamedTuple):
    """What a folder of a set is about. name: of the set. key: of everything that its report is made from."""

    name: str
    key: str


class CsvTitles(StrEnum):
    """What the columns of `items.csv` and `queries.csv` are called: fixed names for programs, or titles for people."""

    FIELDS = "fields"
    REPORT = "report"


class ReportBasis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything but the inputs that a report depends on; made once per rubric, since digests take time.

    judge: None when no rule of the rubric is judged, or no judge is set. settings: as for `set_key`.
    """

    rubric_digest: str
    language: str
    csv_titles: CsvTitles
    judge: JudgeIdentity | None
    settings: Mapping[str, str]

    @classmethod
    def of(
        cls,
        rubric: Rubric,
        *,
        language: str,
        csv_titles: CsvTitles = CsvTitles.FIELDS,
        judge: JudgeIdentity | None = None,
    ) -> Self:
        """The basis of reports by this rubric. judge: the one in the settings."""
        titles = {} if csv_titles is CsvTitles.FIELDS else {"csv_titles": csv_titles.value}
        return cls(
            rubric_digest=rubric.digest,
            language=language,
            csv_titles=csv_titles,
            judge=judge if rubric.judged else None,
            settings={"language": language, **titles, **judge_settings(rubric.judged, judge)},
        )

    def key(self, inputs: Iterable[tuple[str, str]], grades: Iterable[PersonGrade] = ()) -> str:
        """Key of the report of these inputs, by this engine. inputs: as for `set_key`. grades: of people, all used."""
        digest = digest_of(grades)
        settings = {**self.settings, "used_grades": digest} if digest else self.settings
        return set_key(inputs, rubric_digest=self.rubric_digest, report_settings=settings)


def refusal_key(
    inputs: Sequence[tuple[str, str]], problems: Sequence[Problem], *, rubric_digest: str, language: str
) -> str:
    """Key of a set that is refused before it is scored: the problems belong to it.

    inputs: (shown path, SHA-256 or "" when the file was not read). rubric_digest: "" when no rubric claims the files.
    """
    named = [*inputs, *((problem.code, str(problem)) for problem in problems)]
    return set_key(named, rubric_digest=rubric_digest, report_settings={"language": language})


def set_key(
    inputs: Iterable[tuple[str, str]],
    *,
    rubric_digest: str,
    report_settings: Mapping[str, str],
    engine_version: int = ENGINE_VERSION,
) -> str:
    """SHA-256 (64 hex digits) over everything that a report depends on.

    inputs: (name relative to the set, SHA-256 of the whole content), any order, any normal form.
    report_settings: settings that change what a report says ("language", others where they are not the usual ones).
    """
    named = sorted((unicodedata.normalize("NFC", name), sha256) for name, sha256 in inputs)
    values = [_FORMAT, engine_version, rubric_digest, sorted(report_settings.items()), named]
    # ASCII with escapes: also names with lone surrogates have one form, and no separator can be forged.
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()


class PlannedInput(msgspec.Struct, frozen=True):
    """One file of a planned set. path: relative to the watched folder, escaped; name: relative to the set, NFC.

    size, mtime_ns, ctime_ns: while they are the same, so is the content.
    """

    path: str
    name: str
    sha256: str
    size: int
    mtime_ns: int
    ctime_ns: int


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the report of one key is made from.

    judge: None when no rule of the rubric is judged, or no judge is set. grades: of people, for this set.
    """

    set_name: str
    key: str
    rubric_digest: str
    engine_version: int
    language: str
    inputs: tuple[PlannedInput, ...]
    judge: JudgeIdentity | None = None
    csv_titles: CsvTitles = CsvTitles.FIELDS
    grades: tuple[PersonGrade, ...] = ()

    @property
    def id(self) -> SetId:
        """The report that the plan is for."""
        return SetId(self.set_name, self.key)


def plan_set(
    set_name: str, inputs: Iterable[PlannedInput], basis: ReportBasis, grades: tuple[PersonGrade, ...] = ()
) -> Plan:
    """The plan of a set for this engine. grades: of people, for this set."""
    inputs = tuple(inputs)
    return Plan(
        set_name=set_name,
        key=basis.key([(entry.name, entry.sha256) for entry in inputs], grades),
        rubric_digest=basis.rubric_digest,
        engine_version=ENGINE_VERSION,
        language=basis.language,
        inputs=inputs,
        judge=basis.judge,
        csv_titles=basis.csv_titles,
        grades=grades,
    )


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A set that has no report.

    rubric_digest: "" where no rubric was asked, as for the names of its files alone. inputs: (name relative to the set,
    SHA-256, "" if not read), any order, no name twice: those that look alike have their spelling.
    """

    id: SetId
    profile: str
    problems: tuple[Problem, ...]
    inputs: tuple[tuple[str, str], ...]
    rubric_digest: str = ""


def refuse_clash(clash: Clash, hashes: Iterable[str], *, profile: str, rubric_digest: str, language: str) -> Refusal:
    """Files that would have reports of one name. hashes: of the files, as in `clash.paths`."""
    inputs = tuple(zip(told_apart(clash.paths), hashes, strict=True))
    return _refusal(clash.name, clash.problem, inputs, profile, rubric_digest, language)


def refuse_link(path: str, target: str, *, profile: str, rubric_digest: str, language: str) -> Refusal:
    """A link that leads out of the watched folder. path, target: as the file system has them."""
    problem = Problem(code="symlink-outside", source=shown(path), values={"target": shown(target)})
    return _refusal(lone_set_name(path), problem, ((shown(path), ""),), profile, rubric_digest, language)


def _refusal(  # noqa: PLR0917 -- private, and only passed on
    name: str, problem: Problem, inputs: tuple[tuple[str, str], ...], profile: str, rubric_digest: str, language: str
) -> Refusal:
    key = refusal_key(inputs, [problem], rubric_digest=rubric_digest, language=language)
    return Refusal(id=SetId(name, key), profile=profile, problems=(problem,), inputs=inputs)


def escape_path(path: str) -> str:
    """A relative path as ASCII; names that are not UTF-8 keep their bytes."""
    return quote(path, safe="/", errors="surrogateescape")


def unescape_path(escaped: str) -> str:
    """Inverse of `escape_path`."""
    return unquote(escaped, errors="surrogateescape")
