"""Folders of reports with nothing but the small files that an index reads."""

from __future__ import annotations

from pathlib import Path

import msgspec

from reporting.publish import publish_report
from reporting.store.baseline import BASELINE_JSON, BaselineFile, run_key
from reporting.store.json import encode_json
from reporting.store.set_folder import COMPARE_HTML
from reporting.store.status import STATUS_JSON, Headline, ShownFinding, State, StatusFile, read_status
from scoring.comparison.baseline import Origin
from scoring.comparison.changes import Verdict
from scoring.comparison.compare import Difference
from scoring.problems import Severity
from tests.reporting.comparison.runs import items_of
from tests.reporting.results import make_result

EMPTY = ShownFinding("empty-file", Severity.REFUSED, 1, "파일이 비어 있습니다. 다시 넣으세요. [empty-file]")


def a_status(out: Path) -> StatusFile:
    """The status of a report, to be varied."""
    publish_report(make_result(*items_of(20)), set_name="first", key="k", out=out)
    status = read_status(out / "first" / STATUS_JSON)
    assert status is not None
    return status


def write_status(out: Path, status: StatusFile) -> None:
    """Publish a status as its set."""
    folder = out / status.set
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".new").write_bytes(encode_json(status))
    (folder / ".new").rename(folder / STATUS_JSON)


def refused(status: StatusFile, text: str = "a.csv: ") -> StatusFile:
    """The same set without a report."""
    finding = ShownFinding(EMPTY.code, EMPTY.severity, EMPTY.count, text + EMPTY.text)
    return msgspec.structs.replace(
        status, state=State.PROBLEM, headline=None, findings=(finding,), executed="", asked=""
    )


def with_figures(status: StatusFile, **changes: object) -> StatusFile:
    """The same report with other figures in its headline."""
    assert isinstance(status.headline, Headline)
    return msgspec.structs.replace(status, headline=msgspec.structs.replace(status.headline, **changes))


def write_comparison(
    out: Path, status: StatusFile, before: StatusFile | None, *differences: Difference, verdict: Verdict = Verdict.WORSE
) -> None:
    """A comparison beside a report."""
    mark = BaselineFile(
        set=status.set,
        key=run_key(status.key, status.judge_digest),
        origin=Origin.EARLIER if before is not None else Origin.FIRST,
        baseline="" if before is None else before.set,
        baseline_key="" if before is None else run_key(before.key, before.judge_digest),
        language="ko",
        engine_version=status.engine_version,
        verdicts={} if before is None else {"intent": verdict, "accuracy": Verdict.SAME},
        sentence="",
        differences=differences,
    )
    folder = out / status.set
    (folder / COMPARE_HTML).write_bytes(b"")
    (folder / ".new").write_bytes(encode_json(mark))
    (folder / ".new").rename(folder / BASELINE_JSON)
