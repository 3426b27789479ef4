"""Many settled sets, each with what the watcher reads of a run of 82 queries in three rounds.

The sample is scored twice, the second time compared with the first. Every set has the small files of that run with a
name, a time, digests, numbers and figures of its own, and in the watched folder a file with the hash that they name.
Pages are empty, and one set of a hundred is refused.
"""

import hashlib
import re
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec

from bench.sample import SAMPLE
from config import load_rubrics
from reporting.store import (
    BASELINE,
    BASELINE_JSON,
    COMPARE_HTML,
    PROBLEM_MD,
    REPORT_FORMAT_VERSION,
    REPORT_JSON,
    STATUS,
    STATUS_JSON,
    SUMMARY_HTML,
    SUMMARY_JSON,
    BaselineFile,
    FileMark,
    StatusFile,
    SummaryFile,
    baseline_of,
    encode_json,
    run_key,
    summary_key,
)
from reporting.store.status import CommitMark
from reporting.store.summary import SUMMARY
from scoring.comparison import Origin
from scoring.sets import ReportBasis
from tests.faults.harness import score_directly
from tests.reporting.index.folders import refused

REFUSED_EACH = 100
LANGUAGE = "ko"
_DAYS = "2026-03-02", "2026-03-03"
_FIRST = datetime(2020, 1, 1)  # noqa: DTZ001 -- as the times of the data, without a zone
_VARIED = frozenset({"headline", "findings", "told", "verdict"})
_FIXED = frozenset({"code", "severity", "title"})
_NUMBER = re.compile(r"[0-9]+")
Content = TypeVar("Content")


class Sets:
    """A folder of reports that grows, and the watched folder.

    number: of the next set. Each report is compared with the one before.
    """

    def __init__(self, out: Path, watch: Path) -> None:
        self.out, self.watch = out, watch
        self.number = 1
        self._random = Random(7)
        self._status, self._compared, self._summary = _scored()
        rubrics = {rubric.profile: rubric for rubric in load_rubrics()}
        self._basis = ReportBasis.of(rubrics[self._status.profile], language=LANGUAGE)
        self._last: StatusFile | None = None
        watch.mkdir(parents=True, exist_ok=True)

    def add(self) -> str:
        """One more set; its name."""
        number = self.number
        self.number += 1
        at = _FIRST + timedelta(minutes=30 * number)
        name = f"resume_agent_{at:%y%m%d}_{number:06}"
        data = f"{name}\n".encode()
        (self.watch / f"{name}.csv").write_bytes(data)
        inputs = {f"{name}.csv": hashlib.sha256(data).hexdigest()}
        status = msgspec.structs.replace(
            self._another(self._status, name),
            set=name,
            key=self._basis.key(inputs.items()),
            executed=at.isoformat(),
            inputs=inputs,
        )
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        if number % REFUSED_EACH == 0:
            status = refused(status, f"{name}.csv: ")
            self._publish(folder, status, PROBLEM_MD, name.encode(), None)
            return name
        before, self._last = self._last, status
        compared = msgspec.structs.replace(
            self._another(self._compared, name),
            set=name,
            key=run_key(status.key, ""),
            origin=Origin.FIRST if before is None else Origin.EARLIER,
            baseline="" if before is None else before.set,
            baseline_key="" if before is None else run_key(before.key, ""),
        )
        (folder / COMPARE_HTML).touch()
        mark = encode_json(CommitMark(REPORT_FORMAT_VERSION, status.key, {}))
        self._publish(folder, status, REPORT_JSON, mark, compared)
        return name

    def _publish(self, folder: Path, status: StatusFile, last: str, data: bytes, compared: BaselineFile | None) -> None:
        mark = FileMark(len(data), hashlib.sha256(data).hexdigest())
        status = msgspec.structs.replace(status, files={last: mark})
        baseline = None if compared is None else baseline_of(compared)
        summary = msgspec.structs.replace(
            self._another(self._summary, status.set),
            key=summary_key(status, baseline, None, language=LANGUAGE, public_url=""),
            set=status.set,
            run=run_key(status.key, ""),
            baseline="" if baseline is None else baseline.key,
        )
        (folder / SUMMARY_HTML).touch()
        (folder / last).write_bytes(data)
        if compared is not None:
            (folder / BASELINE_JSON).write_bytes(encode_json(compared))
        (folder / SUMMARY_JSON).write_bytes(encode_json(summary))
        (folder / f".{STATUS_JSON}").write_bytes(encode_json(status))
        (folder / f".{STATUS_JSON}").rename(folder / STATUS_JSON)

    def _another(self, content: Content, name: str) -> Content:
        """The same of another set: with other figures, to the last digit, and other numbers in its texts."""
        kept = msgspec.to_builtins(content)
        for field in _VARIED & kept.keys():
            kept[field] = self._vary(kept[field], name)
        return msgspec.convert(kept, type(content))

    def _vary(self, value: Any, name: str) -> Any:
        match value:
            case float():
                return value * self._random.uniform(0.9, 1.0)
            case str():
                return name.join(_NUMBER.sub(self._number, part) for part in value.split(self._status.set))
            case dict():
                return {key: one if key in _FIXED else self._vary(one, name) for key, one in value.items()}
            case list() | tuple():
                return [self._vary(one, name) for one in value]
        return value

    def _number(self, found: re.Match[str]) -> str:
        return str(self._random.randrange(10 ** len(found[0])))


def _scored() -> tuple[StatusFile, BaselineFile, SummaryFile]:
    """The small files of the second of two runs of the sample."""
    sample, names = SAMPLE.read_bytes(), [f"resume_agent_{day[2:].replace('-', '')}" for day in _DAYS]
    with tempfile.TemporaryDirectory(prefix="scorewatch-sample-") as home:
        folder = Path(home, "in")
        folder.mkdir()
        for name, day in zip(names, _DAYS, strict=True):
            (folder / f"{name}.csv").write_bytes(sample.replace(_DAYS[0].encode(), day.encode()))
        out = score_directly(Path(home), folder) / names[-1]
        status, compared, summary = STATUS.read(out), BASELINE.read(out), SUMMARY.read(out)
    assert status is not None
    assert compared is not None
    assert compared.verdicts
    assert summary is not None
    return status, compared, summary
