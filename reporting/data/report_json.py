"""`report.json`: every figure of a set at full precision, for programs; and the commit mark of a report.

The texts of the items are in `items.csv` alone: with them this file would grow with the input. The schema that is
published in `docs/report.schema.json` is made from these classes.
"""

from collections.abc import Mapping

import msgspec

from reporting.data.report_blocks import (
    JudgeReport,
    RepeatabilityFigures,
    RubricsFigures,
    SessionFigures,
    repeatability_figures,
    rubrics_figures,
    session_figures,
)
from reporting.store import REPORT_FORMAT_VERSION, FileMark, Headline, ShownFinding, headline_of, published_schema
from reporting.wording import damage_text, describe_finding, excerpt
from scoring import Finding, Problem
from scoring.comparison import Basis
from scoring.results import (
    Damage,
    Distribution,
    Group,
    InputSummary,
    Insights,
    QueryAgreement,
    Reviews,
    Round,
    SetResult,
    Total,
    checklist_lines,
    leading_of,
)
from scoring.sets import SetId
from texts import texts

DAMAGE_CHARS = 600  # of a text whose remedy comes last
_FOUND_CHARACTERS = 500
_PLACES = 5  # of a finding


class FoundPlace(msgspec.Struct, frozen=True):
    """file: name relative to the set, "" for a place in no file. row: as a spreadsheet shows it. found: the cell."""

    file: str
    row: int | None
    column: str | None
    found: str


class FindingEntry(ShownFinding, frozen=True, kw_only=True):
    """Something to look at. places: the first ones."""

    places: tuple[FoundPlace, ...]


class RowSum(msgspec.Struct, frozen=True, kw_only=True):
    """rows = items + duplicates + blank_rows + unusable_rows, over all inputs."""

    rows: int
    items: int
    duplicates: int
    blank_rows: int
    unusable_rows: int


_ROW_FIELDS = RowSum.__struct_fields__


class MetricTitle(msgspec.Struct, frozen=True):
    """A metric that the report shows, in its order; the name is its key in `metrics` of a group."""

    name: str
    title: str


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of report.json. files: size and hash of every other file of the report, by relative path.

    basis: what a comparison needs of the rubric. total: the weighted total, null for profiles without weights; its
    value is null while a part has none. agreements: per query, for profiles that count labels and signatures. rubrics:
    null without that metric. judge: null for profiles with nothing for a judge. sessions: left out where no item has
    one. damaged: figures of which too much is lost, left out where none is. leading: the figure that leads, as the data
    of the set decides it. checklist: lines of the checklist, and whether there is nothing to look at. banner: what
    stands above every page, left out where nothing does. reviews: grades of people, left out without any.
    """

    format_version: int
    set: str
    profile: str
    title: str
    key: str
    engine_version: int
    rubric_digest: str
    language: str
    headline: Headline
    inputs: tuple[InputSummary, ...]
    row_sum: RowSum
    rounds: tuple[Round, ...]
    metrics: tuple[MetricTitle, ...]
    basis: Basis
    total: Total | None
    groups: tuple[Group, ...]
    agreements: tuple[QueryAgreement, ...]
    distributions: tuple[Distribution, ...]
    repeatability: RepeatabilityFigures
    rubrics: RubricsFigures | None
    judge: JudgeReport | None
    insights: Insights
    counts: dict[str, int]
    restored_rounds: tuple[str, ...]
    extra_columns: tuple[str, ...]
    findings: tuple[FindingEntry, ...]
    files: dict[str, FileMark]
    sessions: SessionFigures | None = None
    damaged: tuple[Damage, ...] = ()
    leading: str = ""
    checklist: dict[str, bool] = {}
    banner: str = ""
    reviews: Reviews | None = None

    @property
    def damage_texts(self) -> tuple[str, ...]:
        """What damaged the figures of the set, each with its places and its remedy."""
        codes = {code for damage in self.damaged for code in damage.codes}
        found = [one for one in self.findings if one.code in codes]
        return tuple([excerpt(one.text.removesuffix(f" [{one.code}]"), DAMAGE_CHARS) for one in found])


def build_report(
    result: SetResult, insights: Insights, set_id: SetId, *, language: str, files: Mapping[str, FileMark]
) -> Report:
    """The report of one set as a value, ready for `encode_json`."""
    return Report(
        format_version=REPORT_FORMAT_VERSION,
        set=set_id.name,
        profile=result.rubric.profile,
        title=result.rubric.title,
        key=set_id.key,
        engine_version=result.engine_version,
        rubric_digest=result.rubric_digest,
        language=language,
        headline=headline_of(result),
        inputs=result.inputs,
        row_sum=RowSum(**{name: sum(getattr(entry, name) for entry in result.inputs) for name in _ROW_FIELDS}),
        rounds=result.rounds,
        metrics=tuple(MetricTitle(metric.name, metric.title) for metric in result.rubric.metrics),
        basis=Basis.of(result.rubric),
        total=result.total,
        agreements=result.agreements,
        groups=result.groups,
        distributions=result.distributions,
        repeatability=repeatability_figures(result),
        rubrics=rubrics_figures(result),
        judge=msgspec.convert(result.judge, JudgeReport | None, from_attributes=True),
        insights=insights,
        counts=result.counts,
        restored_rounds=result.restored_rounds,
        extra_columns=result.extra_columns,
        findings=tuple(finding_entry(finding, language) for finding in result.findings),
        files=dict(sorted(files.items())),
        damaged=result.damaged,
        sessions=session_figures(result),
        leading=leading_of(result.rubric, result.kinds),
        checklist=dict(checklist_lines(result)),
        banner=damage_text(result, texts(language)),
        reviews=result.reviews,
    )


def schema() -> dict[str, object]:
    """JSON Schema (2020-12) of report.json."""
    return published_schema(msgspec.json.schema(Report))


def finding_entry(finding: Finding, language: str) -> FindingEntry:
    """A finding with its text and first places."""
    return FindingEntry(
        code=finding.code,
        severity=finding.severity,
        count=finding.count,
        text=describe_finding(finding, language),
        places=tuple(map(_place, finding.places[:_PLACES])),
    )


def _place(problem: Problem) -> FoundPlace:
    """`found` may be a whole cell of several MB."""
    found = problem.found
    if len(found) > _FOUND_CHARACTERS:
        found = found[: _FOUND_CHARACTERS - 1] + "…"
    return FoundPlace(problem.source, problem.row, problem.column, found)
