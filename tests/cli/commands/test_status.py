"""`status` and `retry` over folders alone, no service running."""

import errno
import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from cli.main import main
from cli.screen import cells
from cli.service import overview
from reporting.store import (
    STATUS,
    STATUS_JSON,
    SourceMark,
    SourceState,
    append_verdicts,
    encode_json,
    read_verdicts,
    write_atomic,
    write_sources,
)
from scoring import Problem
from scoring.items import ENGINE_VERSION
from scoring.judging import JudgeFigures, JudgeState, Verdict
from tests.inner import note_reading, save_snapshot
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import SHA, make_item, make_result
from watcher import Snapshot
from workers.broker import Depth, this_process
from workers.jobs import WorkArea


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("WATCH", "OUT", "STATE"):
        monkeypatch.setenv(f"SCOREWATCH_{name}", str(tmp_path / name.lower()))
    monkeypatch.delenv("SCOREWATCH_BROKER_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state").mkdir()
    out = tmp_path / "out"
    publish_report(make_result(make_item()), set_name="fine", key="k1", out=out)
    publish_report(make_result(make_item()), set_name="old", key="k2", out=out)
    publish_report(make_result(make_item()), set_name="twin", key="k3", out=out)
    return out


def refuse(out: Path) -> None:
    publish_problem(
        [Problem(code="empty-file", source="b.csv")],
        inputs=[("b.csv", SHA)],
        set_name="bad\u202e",
        key="k4",
        out=out,
        profile="p",
        rubric_digest="d",
    )


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(arguments)
    return code, capsys.readouterr().out


def status(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code, text = run(capsys, "status", "--json")
    told: dict[str, Any] = json.loads(text)
    return code, told


def test_status_says_what_stands_there_and_what_became_of_the_files(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = status(capsys)
    assert code == 0
    assert [entry["set"] for entry in told["sets"]] == ["fine", "old", "twin"]
    assert {entry["source"] for entry in told["sets"]} == {None}
    assert (told["watcher"], told["queue"]) == (None, None)
    refuse(out)
    marks = {
        "old": SourceMark(SourceState.RENAMED, "fine"),
        "twin": SourceMark(SourceState.DUPLICATE, "fine"),
        "bad\u202e": SourceMark(SourceState.REMOVED),
    }
    write_sources(out, marks)
    code, told = status(capsys)
    assert code == 1
    by_name = {entry["set"]: entry for entry in told["sets"]}
    assert by_name["old"]["source"] == {"state": "renamed", "other": "fine"}
    assert by_name["twin"]["source"] == {"state": "duplicate", "other": "fine"}
    assert by_name["bad\u202e"]["source"] == {"state": "removed", "other": ""}
    assert by_name["fine"] == {
        "set": "fine",
        "state": "report",
        "key": "k1",
        "headline": by_name["fine"]["headline"],
        "judge": "none",
        "findings": [],
        "gate": None,
        "compared": None,
        "source": None,
    }
    assert by_name["fine"]["headline"]["n"] == 1
    assert by_name["bad\u202e"]["findings"][0]["code"] == "empty-file"
    code, text = run(capsys, "status")
    assert code == 1
    lines = text.splitlines()
    assert lines[0] == "세트 4개, 보고서 3개, 읽지 못함 1개"
    assert "old: 이름 바뀜 → fine" in lines
    assert "twin: 같은 내용: fine" in lines
    assert "\u202e" not in text
    assert any(line.startswith("bad") and line.endswith(": 원본 없음") for line in lines)
    assert any(line.endswith("읽지 못함: 빈 파일 (내보내기가 끝난 파일로 바꾸세요)") for line in lines)
    assert any(line.endswith("[empty-file]") for line in run(capsys, "status", "-v")[1].splitlines())


def test_status_names_what_waits_what_is_scored_and_the_last_ten(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.jobs.workplace.LARGE_BYTES", 10)
    for number in range(9):
        publish_report(make_result(), set_name=f"new{number}", key="k", out=out)
        os.utime(out / f"new{number}/status.json", ns=(0, 10**18 * 2 + number))
    seen = Snapshot(
        sets=30, settled=12, asked=2, in_work=("big", "둘\u202e"), in_line=tuple(f"w{number}" for number in range(10))
    )
    save_snapshot(out.parent / "state", seen, observer="native", reason="")
    with note_reading(out, "big", "big.csv", 200) as progress:
        assert progress is not None
        progress(50)
        lines = run(capsys, "status", "--language", "en")[1].splitlines()
        told = status(capsys)[1]
    assert "Sets waiting: 16 (w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, 6 more)" in lines
    at = lines.index("Sets being scored: 2 (big, 둘)")
    assert lines[at + 1].startswith("  big.csv: 25% read, 0:0")
    at = lines.index("Last finished:")
    last = [found[1] for line in lines[at + 1 :] if (found := re.match(r"\d\d[:-]\d\d ✓ (\S+) ", line))]
    assert last[:9] == [f"new{number}" for number in reversed(range(9))]
    assert len(last) == 10
    assert " ✓ new8 1 item answered 100.0%" in lines[at + 1]
    assert [(entry["path"], entry["done"], entry["size"]) for entry in told["reading"]] == [("big.csv", 50, 200)]
    assert told["watcher"]["snapshot"]["in_work"] == ["big", "둘\u202e"]


def test_status_says_the_problems_with_their_remedy_and_counts_the_rest(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(out)
    code, text = run(capsys, "status")
    assert code == 1
    assert "문제가 있는 세트" not in text  # it is among the last
    monkeypatch.setattr("cli.service.overview.LAST_SETS", 0)
    lines = run(capsys, "status")[1].splitlines()
    line = lines[lines.index("문제가 있는 세트 1개:") + 1]
    assert line.endswith("읽지 못함: 빈 파일 (내보내기가 끝난 파일로 바꾸세요)")
    monkeypatch.setattr("cli.service.overview.MOST_PROBLEMS", 0)
    assert "외 1개는 --json이나 목록(index.html)에 있습니다." in run(capsys, "status")[1].splitlines()
    seen = Snapshot(sets=1, troubles={"a": "storage: No space left on device", "b.csv": "Permission denied"})
    save_snapshot(out.parent / "state", seen, observer="native", reason="")
    lines = run(capsys, "status")[1].splitlines()
    reason = "디스크에 남은 공간이 없음"
    assert f"다시 시도: a (storage: {reason}). 보고서 폴더의 공간, 할당량, 권한을 확인하세요." in lines
    assert "다시 시도: b.csv (권한이 없음). 소유자, 권한, 마운트를 확인하세요." in lines


def test_no_line_of_status_is_wider_than_a_terminal_unless_asked(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = "가나다라\u202e<b>" * 40
    reason = "Permission denied: /" + long
    write_sources(out, {"fine": SourceMark(SourceState.RENAMED, long)})
    judge(out, long[:60], "k6", JudgeState.INCOMPLETE)
    seen = Snapshot(
        sets=9, asked=3, troubles={long: reason}, likely={long: reason}, outdated=long, degraded=reason,
        unwritable=reason, in_work=(long,) * 3, in_line=(long,) * 3,
    )  # fmt: skip
    save_snapshot(out.parent / "state", seen, observer="native", reason=reason)
    lines = run(capsys, "status")[1].splitlines()
    assert len(lines) >= 14
    assert max(map(cells, lines)) <= 100
    assert "줄인 내용은 -v로 모두 볼 수 있습니다." in lines
    assert not any(sign in "".join(lines) for sign in ("\x1b", "\u202e"))
    told = run(capsys, "status", "-v")[1]
    assert max(map(cells, told.splitlines())) > 100
    assert "줄인 내용" not in told


def test_status_of_a_folder_that_cannot_be_read_says_so(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def scandir(path: str) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert main(["status"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"보고서 폴더를 읽을 수 없습니다: 권한이 없음: {out}")
    assert "SCOREWATCH_OUT" in said


@pytest.mark.parametrize("is_leading", [True, False])
def test_status_tells_of_the_watcher(out: Path, capsys: pytest.CaptureFixture[str], is_leading: bool) -> None:
    snapshot = Snapshot(sets=3, settled=2, asked=1, troubles={"a\x1b": "storage: full"}, is_leading=is_leading)
    save_snapshot(out.parent / "state", snapshot, observer="polling", reason="mount:nfs4")
    _, told = status(capsys)
    assert told["watcher"]["snapshot"]["is_leading"] is is_leading
    assert told["watcher"]["snapshot"]["troubles"] == {"a\x1b": "storage: full"}
    _, text = run(capsys, "status")
    assert "(polling, mount:nfs4" in text
    assert ("다른 감시가 작업 중" in text) is not is_leading
    assert "\x1b" not in text


def test_status_says_that_the_folder_of_reports_cannot_be_written_to(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = f"Read-only file system: {out}"
    save_snapshot(out.parent / "state", Snapshot(unwritable=reason), observer="native", reason="")
    assert status(capsys)[1]["watcher"]["snapshot"]["unwritable"] == reason
    assert (
        f"보고서 폴더에 쓸 수 없습니다: 읽기 전용 파일 시스템: {out}. 쓸 수 있게 되면 이어서 진행합니다."
        in run(capsys, "status", "-v")[1].splitlines()
    )


@pytest.mark.parametrize(
    ("settled", "depth", "line"),
    [
        pytest.param(
            3, Depth(0, 2), "큐에 할 일이 없습니다(끝났지만 아직 정리하지 않은 작업 2개).", id="of-dead-workers"
        ),
        pytest.param(2, Depth(0, 2), "큐: 대기 0개, 실행 2개", id="at-work"),
        pytest.param(3, Depth(1, 2), "큐: 대기 1개, 실행 2개", id="more-waits"),
        pytest.param(3, Depth(0, 2, 1), "큐: 대기 0개, 실행 2개", id="judge-waits"),
        pytest.param(3, Depth(0, 0), "큐: 대기 0개, 실행 0개", id="empty"),
        pytest.param(None, Depth(0, 2), "큐: 대기 0개, 실행 2개", id="no-watcher"),
    ],
)
def test_what_dead_workers_hold_of_done_work_is_not_called_running(
    out: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    settled: int | None,
    depth: Depth,
    line: str,
) -> None:
    monkeypatch.setattr("cli.service.overview._look_at_queue", lambda *_: overview.SeenQueue(depth))
    if settled is not None:
        save_snapshot(out.parent / "state", Snapshot(sets=3, settled=settled), observer="native", reason="")
    assert line in run(capsys, "status")[1].splitlines()


def test_watchers_and_workers_of_all_machines_are_listed(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = this_process("watcher", is_leading=True)
    others = [
        msgspec.structs.replace(own, host="b", pid=7, is_leading=False),
        msgspec.structs.replace(this_process("worker", at_once=4), host="c\u202e", pid=8),
        msgspec.structs.replace(this_process("judge"), host="d", pid=9, engine_version=ENGINE_VERSION + 1),
    ]
    save_snapshot(
        out.parent / "state", Snapshot(), observer="native", reason="", queue=Depth(0, 0), processes=(own, *others)
    )
    monkeypatch.setattr("cli.service.overview.node", lambda: own.host)
    lines = run(capsys, "status")[1].splitlines()
    assert "감시(대기 중): b, 프로세스 7" in lines
    assert "워커: c, 프로세스 8, 동시에 4개" in lines
    assert f"평가 모델용 워커: d, 프로세스 9 · 다른 채점 엔진: {ENGINE_VERSION + 1}" in lines
    assert not any(line.startswith("감시(작업 중)") for line in lines)  # that of this machine is told of already
    assert [one["host"] for one in status(capsys)[1]["processes"]] == [own.host, "b", "c\u202e", "d"]


def test_reports_of_an_older_engine_are_counted_as_to_be_made_again(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(capsys)[1]["older_engine_sets"] == 0
    for name, engine in (("old", ENGINE_VERSION - 1), ("twin", ENGINE_VERSION + 1)):
        found = STATUS.read(out / name)
        assert found is not None
        write_atomic(out / name / STATUS_JSON, encode_json(msgspec.structs.replace(found, engine_version=engine)))
    assert "이전 엔진으로 만들어 다시 산출할 보고서: 1" in run(capsys, "status")[1].splitlines()
    assert status(capsys)[1]["older_engine_sets"] == 1


@pytest.mark.parametrize("mark", [None, SourceMark(SourceState.DUPLICATE, "fine")], ids=["plain", "duplicate"])
def test_retry_forgets_what_is_settled(out: Path, capsys: pytest.CaptureFixture[str], mark: SourceMark | None) -> None:
    write_sources(out, {} if mark is None else {"old": mark})
    code, text = run(capsys, "retry", "old", "--json")
    assert (code, json.loads(text)) == (0, {"set": "old", "retried": True, "strikes_forgotten": True})
    assert not (out / "old/status.json").exists()
    assert (out / "old/report.md").exists()
    assert (out.parent / "state/look").exists()


def test_retry_takes_a_name_however_it_is_typed(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish_report(make_result(make_item()), set_name="방/한글_A", key="k5", out=out)
    for typed in (unicodedata.normalize("NFD", "방/한글_A"), "방/한글_a"):
        append_verdicts(out, "방/한글_A", [Verdict(hash="b", failure="timeout", tries=3)])
        code, text = run(capsys, "retry", typed, "--json")
        assert (code, json.loads(text)["set"]) == (0, "방/한글_A")
        assert not (out / "방/한글_A/status.json").exists()
        assert read_verdicts(out, "방/한글_A") == {}
        publish_report(make_result(make_item()), set_name="방/한글_A", key="k5", out=out)


def test_retry_of_a_name_that_may_be_two_sets_is_of_none(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish_report(make_result(make_item()), set_name="oLD", key="k5", out=out)
    assert main(["retry", "Old"]) == 2
    assert "그런 세트가 없습니다: Old" in capsys.readouterr().err
    assert run(capsys, "retry", "oLD")[0] == 0
    assert (out / "old/status.json").exists()


def test_retry_on_a_file_system_without_case_takes_the_name_of_the_set(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out / "OLD").symlink_to("old")
    code, text = run(capsys, "retry", "OLD", "--json")
    assert (code, json.loads(text)["set"]) == (0, "old")


@pytest.mark.parametrize("held", ["parts", "locks", "status.json"])
def test_retry_in_a_folder_that_cannot_be_written_says_so(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, held: str
) -> None:
    area = WorkArea(out)
    area.prepare()
    (area.root / "parts" / f"{SHA}-d-1.csv").touch()
    real_unlink, real_open = Path.unlink, os.open

    def unlink(path: Path, *, missing_ok: bool = False) -> None:
        if held in path.parts:
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        real_unlink(path, missing_ok=missing_ok)

    def open_(path: str | Path, flags: int, *arguments: int, **others: int) -> int:
        if held in Path(path).parts and flags & os.O_ACCMODE != os.O_RDONLY:
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return real_open(path, flags, *arguments, **others)

    monkeypatch.setattr(Path, "unlink", unlink)
    monkeypatch.setattr(os, "open", open_)
    assert main(["retry", "old"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("보고서 폴더에 쓸 수 없습니다: 읽기 전용 파일 시스템: ")
    assert held in said


def judge(out: Path, name: str, key: str, state: JudgeState) -> None:
    result = replace(make_result(make_item()), judge=JudgeFigures(state=state, metrics=()))
    publish_report(result, set_name=name, key=key, out=out)


def test_status_tells_what_a_judge_has_left(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge(out, "waits", "k5", JudgeState.PENDING)
    code, told = status(capsys)
    assert code == 0
    assert [entry["judge"] for entry in told["sets"]] == ["none", "none", "none", "pending"]
    judge(out, "gave-up", "k6", JudgeState.INCOMPLETE)
    code, text = run(capsys, "status")
    assert code == 1
    assert "평가 모델: 판정을 기다리는 세트 1개, 일부를 평가하지 못한 세트 1개, 남은 작업 0개" in text.splitlines()
    assert "scorewatch retry로 다시 물을 수 있는 세트 1개: gave-up" in text.splitlines()
    for number in range(6):
        judge(out, f"gave-up-{number}", f"k{number + 7}", JudgeState.INCOMPLETE)
    lines = run(capsys, "status")[1].splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("scorewatch retry로")]
    assert "세트 7개" in lines[at]
    assert lines[at + 1].endswith(", 외 2개")


def test_retry_asks_the_judge_again_for_what_it_gave_up_and_for_nothing_else(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paid = Verdict(hash="a", level="GOOD")
    append_verdicts(out, "old", [paid, Verdict(hash="b", failure="timeout", tries=3)])
    assert run(capsys, "retry", "old")[0] == 0
    assert read_verdicts(out, "old") == {"a": paid}


def test_retry_says_that_the_judge_is_asked_where_it_is(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge(out, "gave-up", "k6", JudgeState.INCOMPLETE)
    assert "gave-up: 평가 모델이 포기한 문항을 다시 묻습니다." in run(capsys, "retry", "gave-up")[1]
    assert "다시 채점합니다: old" in run(capsys, "retry", "old")[1]


@pytest.mark.parametrize("state", [SourceState.REMOVED, SourceState.RENAMED])
def test_retry_of_a_set_without_files_would_lose_its_report(
    out: Path, capsys: pytest.CaptureFixture[str], state: SourceState
) -> None:
    write_sources(out, {"old": SourceMark(state, "fine")})
    assert main(["retry", "old"]) == 2
    assert "다시 채점할 파일이 없습니다: old" in capsys.readouterr().err
    assert (out / "old/status.json").exists()


def test_retry_of_an_unknown_set_is_named(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del out
    assert main(["retry", "nobody"]) == 2
    assert "그런 세트가 없습니다: nobody" in capsys.readouterr().err


@pytest.mark.parametrize(("blocks", "names"), [(0, 100), (200, 100), (1 << 20, 0)])
def test_full_disk_of_the_state_folder_is_named(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, blocks: int, names: int
) -> None:
    del out
    real = os.statvfs

    def full(path: Path) -> os.statvfs_result:
        found = list(real(path))
        found[1], found[4], found[5], found[7] = 4096, blocks, 1000, names
        return os.statvfs_result(found)

    assert "disk of the state folder" not in run(capsys, "status", "--language", "en")[1]
    monkeypatch.setattr(os, "statvfs", full)
    code, shown = run(capsys, "status", "--language", "en")
    assert code == 1
    assert "The disk of the state folder is full:" in shown
    code, shown = run(capsys, "status", "--json")
    assert (code, json.loads(shown)["is_state_disk_full"]) == (1, True)


def test_the_queue_is_asked_anew_where_a_full_disk_keeps_the_snapshot(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Snapshot(sets=3, settled=1)
    depth = Depth(waiting=7, running=1, judging=0)
    save_snapshot(out.parent / "state", seen, observer="native", reason="", queue=depth)
    assert "Queue: 7 waiting, 1 running" in run(capsys, "status", "--language", "en")[1]
    monkeypatch.setattr("cli.service.overview.is_disk_full", lambda _state: True)
    shown = run(capsys, "status", "--language", "en")[1]
    assert "disk of the state folder is full" in shown
    assert "7 waiting" not in shown
