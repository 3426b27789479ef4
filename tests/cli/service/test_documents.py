"""Rubric documents and gate rules that change while the service runs: in force within seconds, or said to be not."""

import json
import os
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest
from click import unstyle

from cli.main import main
from cli.service import Documents, Watch
from config import Settings, load_rubrics
from reporting.runs import BaselineAsk, compare_with_baseline
from reporting.store import STATUS, Destination, StatusFile, read_gate
from reporting.summary import write_summary
from scoring.sets import Plan
from tests.cli.place import rows
from tests.inner import SHIPPED_FOLDER
from workers import make_app
from workers.broker import MEMORY_URL
from workers.jobs import Strikes, WorkArea, Workplace, assemble

NAME = "resume_agent_a"
DOCUMENT = (SHIPPED_FOLDER / "resume-agent.md").read_text(encoding="utf-8")
SECONDS = 0.5  # of a step
WITHIN = 5.0  # from a change to what comes of it


class Service:
    """The watcher of `up` over real folders, and a worker that does at once what it is asked for."""

    def __init__(self, root: Path) -> None:
        self.root, self.now, self.told = root, 1000.0, list[str]()
        for name in ("in", "state", "rubrics"):
            (root / name).mkdir()
        self.write("gate.toml", '[gate]\nrules = ["items >= 1"]\n')
        self.settings = Settings(
            watch=root / "in", out=root / "out", state=root / "state", rubrics=root / "rubrics",
            gate_file=root / "gate.toml", observer="polling", rescan_seconds=2,
        )  # fmt: skip
        app = make_app(self.settings, MEMORY_URL)
        self.watch = Watch(self.settings, app, holder="test", tell=lambda line, _: self.told.append(line))
        reports = Destination(out=root / "out", language="ko")
        area = WorkArea(root / "out")
        place = Workplace(watch=root / "in", reports=reports, area=area, strikes=Strikes(None), time_limit_seconds=60.0)
        send = self.watch.queue.submit

        def submit(plans: Sequence[Plan], *, again: bool) -> None:
            send(plans, again=again)
            for plan in plans:
                assemble(place, place.find_plan(plan.set_name, plan.key), score_missing=True)

        def compare(asks: Sequence[BaselineAsk], *, language: str, public_url: str = "", xlsx: bool = False) -> None:
            assert (language, public_url, xlsx) == ("ko", "", False)
            for ask in asks:
                compare_with_baseline(ask, reports)
                write_summary(ask.set_name, reports)

        self.watch.queue.submit = submit  # type: ignore[method-assign]
        self.watch.queue.compare = compare  # type: ignore[method-assign]

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(0, 10**18 + len(os.listdir(self.root)) + int(self.now * 1000)))  # noqa: PTH208

    def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        end = self.now + seconds
        while not condition():
            assert self.now < end, self.told
            self.now += SECONDS
            self.watch.step(self.now)

    @property
    def status(self) -> StatusFile | None:
        return STATUS.read(self.root / "out" / NAME)

    @property
    def gate(self) -> str:
        status = self.status
        found = None if status is None else read_gate(self.root / "out" / NAME, status)
        return "" if found is None else str(found.result.state)

    @property
    def front_page(self) -> str:
        path = self.root / f"out/{NAME}/summary.md"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    @property
    def report(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.root / "out" / NAME).glob("report.*")}

    def index(self) -> str:
        return (self.root / "out/index.md").read_text(encoding="utf-8")


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.chdir(tmp_path)
    service = Service(tmp_path)
    service.write(f"in/{NAME}.csv", rows("Q1", "Q2"))
    service.until(lambda: service.gate == "passed")
    return service


def digest(service: Service) -> str:
    rubrics = load_rubrics(service.settings.rubrics, language="ko")
    return next(rubric.digest for rubric in rubrics if rubric.profile == "resume-agent")


def test_a_document_that_is_new_scores_its_sets_again(service: Service) -> None:
    before = service.status
    assert before is not None
    service.write("rubrics/resume-agent.md", DOCUMENT.replace("\ntitle: ", "\ntitle: 새 ", 1))
    assert digest(service) != before.rubric_digest
    service.until(lambda: (now := service.status) is not None and now.rubric_digest == digest(service), WITHIN)
    assert any("바뀌어 적용했습니다. 루브릭이 바뀐 프로필: resume-agent" in line for line in service.told)
    (service.root / "rubrics/resume-agent.md").unlink()
    service.until(lambda: (now := service.status) is not None and now.rubric_digest == before.rubric_digest, WITHIN)


def test_a_broken_document_leaves_the_one_in_force_and_is_said_everywhere(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = service.status
    assert before is not None
    service.write("rubrics/resume-agent.md", "---\nprofile: resume-agent\n---\n")
    service.until(lambda: any("이전 것을 씁니다" in line and "[rubric-" in line for line in service.told), WITHIN)
    service.until(lambda: "이전 것을 씁니다" in service.index(), WITHIN)
    for name in ("WATCH", "OUT", "STATE"):
        monkeypatch.setenv(f"SCOREWATCH_{name}", str(getattr(service.settings, name.lower())))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", str(service.root / "rubrics"))
    service.until((service.root / "state/watcher.json").exists)
    assert main(["status"]) == 1
    said = capsys.readouterr().out
    assert "이전 것을 씁니다" in said
    assert "[rubric-" in said
    service.write(f"in/{NAME}.csv", rows("Q1", "Q2", "Q3"))
    service.until(lambda: (now := service.status) is not None and now.key != before.key)
    now = service.status
    assert now is not None
    assert now.rubric_digest == before.rubric_digest
    service.write("rubrics/resume-agent.md", DOCUMENT)
    service.until(lambda: "이전 것을 씁니다" not in service.index(), 2 * WITHIN)


def test_a_document_of_a_new_profile_takes_files_that_nobody_took(service: Service) -> None:
    service.write("in/new_agent_1.csv", rows("Q1"))
    service.until(lambda: any(unstyle(line)[6:].startswith("– new_agent_1.csv ") for line in service.told))
    text = DOCUMENT.replace("profile: resume-agent", "profile: new-agent").replace("resume_agent_*", "new_agent_*")
    service.write("rubrics/new-agent.md", text)
    service.until((service.root / "out/new_agent_1/report.md").is_file, 2 * WITHIN)


def test_gate_rules_that_change_are_evaluated_again(service: Service) -> None:
    service.write("gate.toml", '[gate]\nrules = ["items >= 9"]\n')
    service.until(lambda: service.gate == "failed", WITHIN)
    service.write("gate.toml", '[gate]\nrules = ["itms >= 1"]\n')
    service.until(lambda: any("이전 것을 씁니다" in line and "itms" in line for line in service.told), WITHIN)
    assert service.gate == "failed"
    service.write("gate.toml", '[gate]\nrules = ["items >= 2"]\n')
    service.until(lambda: service.gate == "passed", WITHIN)


def test_other_settings_that_change_are_named_everywhere_and_need_a_restart(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "설정이 바뀌었습니다. 다시 시작해야 적용됩니다: judge_model, settle_seconds, workers"
    text = 'workers = 3\nsettle_seconds = 9.0\njudge_model = "비밀"\n[gate]\nrules = ["items >= 9"]\n'
    service.write("scorewatch.toml", text)
    service.until(lambda: told in service.told, WITHIN)
    service.until(lambda: told in service.index(), WITHIN)
    assert service.gate == "passed"  # the rules are in a file of their own
    assert not any("적용했습니다" in line or "비밀" in line for line in service.told)
    for name in ("WATCH", "OUT", "STATE"):
        monkeypatch.setenv(f"SCOREWATCH_{name}", str(getattr(service.settings, name.lower())))
    service.until((service.root / "state/watcher.json").exists)
    assert main(["status"]) == 1
    assert told in capsys.readouterr().out.splitlines()
    service.write("scorewatch.toml", "workers = [")
    service.until(
        lambda: any("이전 것을 씁니다" in line and "scorewatch.toml" in line for line in service.told), WITHIN
    )
    (service.root / "scorewatch.toml").unlink()
    service.until(lambda: "다시 시작해야" not in service.index() and "이전 것" not in service.index(), 2 * WITHIN)


def test_a_settings_file_with_hostile_names_is_told_of_as_text(service: Service) -> None:
    names = ["<img src=x>", "[a](javascript:b)", "\u202e", "x" * 100_000, *(f"n{number}" for number in range(20))]
    service.write("scorewatch.toml", "".join(f"{json.dumps(name)} = 1\n" for name in names))
    service.until(lambda: any("다시 시작해야 적용됩니다" in line for line in service.told), WITHIN)
    (line,) = [line for line in service.told if "다시 시작해야" in line]
    assert line.endswith(", 외 14개")
    assert len(line) < 400
    assert "\u202e" not in line
    service.until(lambda: "다시 시작해야" in service.index(), WITHIN)
    assert "<img" not in service.index()
    assert "\\[a\\](javascript" in service.index()


def test_a_document_that_is_being_written_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubrics").mkdir()
    documents = Documents(Settings(rubrics=tmp_path / "rubrics"))
    path = tmp_path / "rubrics/resume-agent.md"
    for end in range(1, 4):
        path.write_text(DOCUMENT[: end * 100], encoding="utf-8")
        assert not documents.look()
    path.write_text(DOCUMENT, encoding="utf-8")
    assert [documents.look() for _ in range(3)] == [False, True, False]
    assert documents.fault == ""


def test_rules_of_a_settings_file_that_comes_later_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    documents = Documents(Settings())
    assert not documents.rules
    Path("scorewatch.toml").write_text('language = "ko"\n[gate]\nrules = ["items >= 1"]\n', encoding="utf-8")
    assert [documents.look(), documents.look()] == [False, True]
    assert documents.rules
    Path("scorewatch.toml").unlink()
    assert [documents.look(), documents.look()] == [False, True]
    assert not documents.rules


def test_the_snapshot_has_the_fault(service: Service) -> None:
    def outdated() -> str:
        return str(json.loads((service.root / "state/watcher.json").read_bytes())["snapshot"]["outdated"])

    service.until((service.root / "state/watcher.json").exists)
    service.write("gate.toml", "[gate")
    service.until(lambda: "gate.toml" in outdated(), WITHIN)


def test_known_failures_that_change_decide_gates_and_front_pages_again(service: Service) -> None:
    service.write("gate.toml", '[gate]\nrules = ["failing queries except known <= 0"]\n')
    service.write(f"in/{NAME}.csv", rows("Q1", "Q2").replace("3명,,", "3명,TimeoutError: 90 s,"))
    service.until(lambda: service.gate == "failed")
    service.until(lambda: "게이트 실패" in service.front_page)
    front, report = service.front_page, service.report
    service.write("in/known.csv", "Query ID,pattern,resolution,ticket,until\n,Timeout*,known,HR-1,\n,,known,HR-2,\n")
    service.until(lambda: service.gate == "passed", 2 * WITHIN)
    service.until(lambda: "HR-1: 2" in service.front_page, WITHIN)
    assert any("알려진 실패 1행" in line for line in service.told)
    assert any("known.csv 3행 'Query ID'" in line and "[known-blank]" in line for line in service.told)
    service.until(lambda: "known-blank" in service.index(), WITHIN)
    assert "채점하지 않은 파일" not in service.index()  # it is no file that nobody takes
    service.write("in/known.csv", "nothing of it\n")
    service.until(lambda: service.gate == "undecidable", 2 * WITHIN)
    service.until(lambda: "missing-columns" in service.front_page, WITHIN)
    (service.root / "in/known.csv").unlink()
    service.until(lambda: service.gate == "failed", 2 * WITHIN)
    service.until(lambda: service.front_page == front, WITHIN)
    assert service.report == report
    assert not (service.root / "out/known.json").exists()
    assert not (service.root / f"out/{NAME}/tickets.csv").exists()


def test_a_line_gets_overdue_without_a_change_of_its_file(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.write("gate.toml", '[gate]\nrules = ["failing queries except known <= 0"]\n')
    service.write("in/known.csv", "Query ID,resolution,until\nQ*,muted,2026-03-01\n")
    monkeypatch.setattr("cli.service.documents.today", lambda: date(2026, 3, 1))
    service.write(f"in/{NAME}.csv", rows("Q1").replace("3명,,", "3명,TimeoutError: 90 s,"))
    service.until(lambda: "보류: 1" in service.front_page and service.gate == "passed")
    monkeypatch.setattr("cli.service.documents.today", lambda: date(2026, 3, 2))
    service.until(lambda: service.gate == "failed", 2 * WITHIN)
    service.until(lambda: "기한(2026-03-01)이 지나" in service.front_page, WITHIN)


def test_a_run_that_takes_the_place_of_none_is_told_once_until_its_set_is_there(service: Service) -> None:
    service.write(f"in/{NAME}.csv.run.toml", 'replaces = "resume_agent_b"\n')
    service.until(lambda: "replaces-nothing" in service.index(), 2 * WITHIN)
    service.until(lambda: service.watch.watcher.files.scans > 10)
    said = f"{NAME}.csv.run.toml 'replaces'"
    assert [line for line in service.told if said in line and "가장 비슷한 이름은 -" in line] == [
        line for line in service.told if "[replaces-nothing]" in line
    ]
    assert len([line for line in service.told if "[replaces-nothing]" in line]) == 1
    service.write("in/resume_agent_b.csv", rows("Q1", "Q2", "Q3"))
    service.until(lambda: "replaces-nothing" not in service.index())
    assert f"대신하는 세트: {NAME}" in service.index().replace("\\", "")


def test_a_sheet_of_questions_that_changes_scores_its_sets_again(service: Service) -> None:
    before = service.status
    assert before is not None
    service.write("in/questions-resume-agent.csv", "Query ID,expected\nQ1,3명\nQ2,\nQ3,\n")
    service.until(lambda: (now := service.status) is not None and now.key != before.key)
    status = service.status
    assert status is not None
    assert {one.code for one in status.findings} >= {"question-unasked"}
    key = status.key
    service.write("in/questions-resume-agent.csv", "nothing of it\n")
    service.until(lambda: any("[missing-columns]" in line for line in service.told), WITHIN)
    service.until(lambda: "missing-columns" in service.index(), WITHIN)
    service.write(f"in/{NAME}.csv", rows("Q1", "Q2", "Q3"))
    service.until(lambda: (now := service.status) is not None and now.key != key)
    status = service.status
    assert status is not None
    assert "question-unlisted" not in {one.code for one in status.findings}  # the sheet of before is in force
    (service.root / "in/questions-resume-agent.csv").unlink()
    service.until(lambda: "missing-columns" not in service.index(), WITHIN)
    service.write(f"in/{NAME}.csv", rows("Q1", "Q2"))
    service.until(lambda: (now := service.status) is not None and now.key == before.key)
