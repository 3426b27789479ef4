"""Folders of reports with nothing but the small files that an index reads."""

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from reporting.store import (
    BASELINE_JSON,
    COMPARE_HTML,
    GATE,
    STATUS,
    STATUS_JSON,
    SUMMARY_HTML,
    SUMMARY_JSON,
    BaselineFile,
    GateFile,
    Headline,
    MeasuredHeadline,
    ShownFinding,
    SourceMark,
    SourceState,
    State,
    StatusFile,
    SummaryFile,
    baseline_of,
    encode_json,
    read_baseline,
    read_sources,
    remove_pin,
    run_key,
    summary_key,
    write_pin,
    write_sources,
)
from scoring import Severity
from scoring.comparison import Difference, Origin, Verdict
from scoring.gate import GateResult, GateState
from scoring.judging import JudgeState
from scoring.results import ANSWERED
from scoring.statistics import Interval
from tests.reporting.comparison.runs import items_of
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result

EMPTY = ShownFinding("empty-file", Severity.REFUSED, 1, "파일이 비어 있습니다. 다시 넣으세요. [empty-file]")
NAMES = [*(f"run_2603{day:02}" for day in range(1, 15)), "undated", "다른/run", "x<b>|", "other_260301"]
PROFILES = ("resume-agent", "resume-agent", "resume-agent", "url-agent", "../evil")


def a_status(out: Path) -> StatusFile:
    """The status of a report, to be varied."""
    publish_report(make_result(*items_of(20)), set_name="first", key="k", out=out)
    status = STATUS.read(out / "first")
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
        verdicts={}
        if before is None
        else {ANSWERED: verdict, "intent": verdict, "accuracy": Verdict.SAME, "measure.cost": Verdict.CHANGED},
        sentence="",
        differences=differences,
        damaged=("intent",) if verdict is Verdict.NOT_COMPARABLE else msgspec.UNSET,
    )
    folder = out / status.set
    (folder / COMPARE_HTML).write_bytes(b"")
    (folder / ".new").write_bytes(encode_json(mark))
    (folder / ".new").rename(folder / BASELINE_JSON)


def write_front_page_mark(out: Path, status: StatusFile) -> None:
    """What says that the front page of a set without a gate is up to date, and an empty page."""
    compared = read_baseline(out / status.set, status)
    baseline = None if compared is None else baseline_of(compared)
    content = SummaryFile(
        key=summary_key(status, baseline, None, language="ko", public_url=""),
        set=status.set,
        run=run_key(status.key, status.judge_digest),
        baseline="" if baseline is None else baseline.key,
        rules="",
        public_url="",
        language="ko",
        engine_version=status.engine_version,
        verdict="",
        files={},
    )
    (out / status.set / SUMMARY_HTML).write_bytes(b"")
    (out / status.set / SUMMARY_JSON).write_bytes(encode_json(content))


class Folder:
    """A folder of reports in which anything may happen, drawn from a seed."""

    def __init__(self, out: Path, seed: int) -> None:
        self.out = out
        self.random = random.Random(seed)
        self.base = a_status(out)
        shutil.rmtree(out / "first")
        self.statuses: dict[str, StatusFile] = {}
        self.publications = 0
        self.does: Sequence[Callable[[str], None]] = [self.publish] * 6 + [
            self.remove, self.compare, self.compare, self.compare, self.lose_comparison, self.gate, self.mark, self.pin,
        ]  # fmt: skip

    def change(self) -> str:
        """Do one thing to one set; its name."""
        name = self.random.choice(NAMES)
        does = self.random.choice(self.does)
        if does == self.publish or name in self.statuses:
            does(name)
        return name

    def publish(self, name: str) -> None:
        self.publications += 1
        draw = self.random
        executed = draw.choice(["", "", f"2026-03-{draw.randrange(1, 29):02}T10:{draw.randrange(60):02}:00"])
        status = msgspec.structs.replace(
            self.base,
            set=name,
            key=f"{self.publications:064x}",
            profile=draw.choice(PROFILES),
            executed=executed,
            asked=draw.choice(["a" * 32, "a" * 32, "b" * 32, ""]),
            judge=draw.choice([JudgeState.NONE, JudgeState.PENDING, JudgeState.INCOMPLETE]),
            rubric_digest=draw.choice(["r", "s"]),
            damaged=draw.random() < 0.15,
        )
        metrics = {"intent": draw.random() * 5, "accuracy": None, "stability": 1e16}
        if draw.random() < 0.2:
            metrics["total"] = 3.21
        figures = {"n": 20, "answered": draw.randrange(21), "metrics": metrics, "intervals": dict.fromkeys(metrics)}
        if draw.random() < 0.3:
            figures |= {"passed": draw.randrange(11), "assessed": 10}
        if draw.random() < 0.3:
            unit, value = draw.choice(["USD", "₩"]), draw.random() * 9_999
            measure = MeasuredHeadline(
                title="비용|",
                unit=unit,
                decimals=2,
                sum=None,
                mean=value,
                interval=Interval(value - 1_234.5, value + 3),
            )
            figures["measures"] = {draw.choice(["measure.cost", "measure.tokens"]): measure}
        status = with_figures(status, **figures)
        assert status.headline is not None
        shares = {"answered_rate": status.headline.answered / 20, "pass_rate": (status.headline.passed or 0) / 10}
        status = with_figures(status, **shares)
        self.statuses[name] = refused(status) if draw.random() < 0.2 else status
        write_status(self.out, self.statuses[name])

    def remove(self, name: str) -> None:
        shutil.rmtree(self.out / name)
        del self.statuses[name]

    def compare(self, name: str) -> None:
        before = self.random.choice([None, *self.statuses.values()])
        differences = self.random.choice([(), (), (Difference.RUBRIC,)])
        verdict = self.random.choice([Verdict.WORSE, Verdict.NOT_COMPARABLE])
        write_comparison(self.out, self.statuses[name], before, *differences, verdict=verdict)

    def lose_comparison(self, name: str) -> None:
        (self.out / name / COMPARE_HTML).unlink(missing_ok=True)

    def gate(self, name: str) -> None:
        status = self.statuses[name]
        result = GateResult(state=self.random.choice(list(GateState)), rules=())
        gate = GateFile(set=name, key=status.key, judge_digest="", rules="", result=result)
        GATE.write(self.out / name, gate)

    def mark(self, name: str) -> None:
        marks = read_sources(self.out)
        marks[name] = SourceMark(self.random.choice(list(SourceState)), "somewhere")
        if self.random.random() < 0.3:
            del marks[name]
        write_sources(self.out, marks)

    def pin(self, name: str) -> None:
        profile = self.statuses[name].profile
        if profile != "../evil":
            if self.random.random() < 0.5:
                write_pin(self.out, profile, name)
            else:
                remove_pin(self.out, profile)
