"""`scorewatch up` with a judge: reports first, verdicts later, nothing paid twice whatever is killed or lost."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reporting.store import read_verdicts, spent_tokens
from tests.faults.harness import Up, environment, report_files, wait_for
from tests.inner import command_line, running_url
from tests.judge.files import write_answers
from tests.judge.stub import Stub
from tests.paths import ROOT

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

KEY = "sk-live-0123456789abcdef"
NAME = "h_recruit_a"
SECONDS = 90.0  # two workers start, and import the client


def judged(home: Path, url: str, *arguments: str, **settings: str) -> Up:
    """An `up` with a judge at `url`."""
    judge = {"JUDGE_BASE_URL": url, "JUDGE_MODEL": "grader-1", "JUDGE_API_KEY": KEY, "JUDGE_TIMEOUT_SECONDS": "20"}
    return Up(home, *arguments, **{**judge, **settings})


def answers(number: int) -> list[str]:
    return [f"답변 {at}" for at in range(number)]


def drain(home: Path, url: str, **settings: str) -> int:
    with judged(home, url, "--drain", **settings) as up:
        assert up.process is not None
        return up.process.wait(timeout=SECONDS)


def status(up: Up, name: str = NAME) -> str:
    found = up.status(name)
    return "" if found is None else str(found["judge"])


def wait_judged(up: Up, state: str = "done", name: str = NAME) -> None:
    wait_for(lambda: status(up, name) == state, f"{name} to be {state}", SECONDS)


def environment_of(up: Up, name: str) -> str:
    """Of one of its processes that runs."""
    pid = (up.state / "run" / f"{name}.pid").read_text().split()[0]
    return Path(f"/proc/{pid}/environ").read_text(errors="replace")


def ended(up: Up) -> None:
    """End it as Ctrl-C does."""
    assert up.process is not None
    up.process.send_signal(signal.SIGINT)
    up.process.wait(timeout=SECONDS)


def test_report_comes_first_and_both_ways_give_the_same_bytes(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "slow:0.3", key=KEY) as stub, judged(tmp_path, stub.url) as up:
        write_answers(up.watch / f"{NAME}.csv", *answers(20), verdicts={0: "PERFECT", 7: "FAILED"})
        wait_judged(up, "pending")
        first = up.status(NAME)
        holders = [name for name in ("broker", "judge", "worker") if KEY in environment_of(up, name)]
        assert holders == ["judge"]
        wait_judged(up)
        last = up.status(NAME)
        assert first is not None
        assert last is not None
        assert first["key"] == last["key"]
        assert first["headline"]["metrics"]["intent"] != last["headline"]["metrics"]["intent"]
        assert not (up.out / NAME / "history").exists()
        assert len(stub.requests) == 18
        ended(up)
        direct = environment(up.watch, tmp_path / "direct", tmp_path / "no-state")
        names = {"JUDGE_BASE_URL": stub.url, "JUDGE_MODEL": "grader-1", "JUDGE_API_KEY": KEY}
        direct |= {f"SCOREWATCH_{name}": value for name, value in names.items()}
        command = [sys.executable, "-m", "cli.main", "score", str(up.watch), "--out", str(tmp_path / "direct")]
        subprocess.run(command, cwd=ROOT, env=direct, capture_output=True, check=True, timeout=SECONDS)
    assert report_files(up.out) == report_files(tmp_path / "direct")


def test_a_slow_model_holds_up_no_report(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "slow:3600") as stub, judged(tmp_path, stub.url) as up:
        write_answers(up.watch / f"{NAME}.csv", *answers(40))
        wait_judged(up, "pending")
        wait_for(lambda: bool(stub.requests), "the model to be asked", SECONDS)
        shutil.copy(ROOT / "docs/test-result/resume_agent_sample.csv", up.watch / "resume_agent_b.csv")
        wait_for(lambda: up.status("resume_agent_b") is not None, "the other report")
        assert status(up) == "pending"
        assert read_verdicts(up.out, NAME) == {}


@pytest.mark.parametrize("victim", ["child", "worker", "up"])
def test_a_kill_between_request_and_verdict_costs_what_was_in_flight(tmp_path: Path, victim: str) -> None:
    concurrency = 2
    with (
        Stub(tmp_path / "log", "slow:0.25") as stub,
        judged(tmp_path, stub.url, JUDGE_CONCURRENCY=str(concurrency)) as up,
    ):
        write_answers(up.watch / f"{NAME}.csv", *answers(36))
        wait_for(lambda: len(read_verdicts(up.out, NAME)) >= 5, "some verdicts", SECONDS)
        parent = up.pid_of("judge")
        assert "--queues judge" in command_line(parent)
        if victim == "child":
            children = [int(pid) for pid in _children(parent)]
            assert children
            for pid in children:
                os.kill(pid, signal.SIGKILL)
        elif victim == "worker":
            os.kill(parent, signal.SIGKILL)
        else:
            assert up.process is not None
            up.process.kill()
            up.process.wait()
            wait_for(lambda: not up.children(), "everything to end with it")
            up.start()
        wait_judged(up)
        assert len(read_verdicts(up.out, NAME)) == 36
        assert 36 <= len(stub.requests) <= 36 + concurrency
        lines = (up.out / NAME / "verdicts.jsonl").read_text().splitlines()
        assert len(lines) == 36


def test_two_workers_of_a_judge_ask_for_no_item_twice(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "slow:0.1") as stub, judged(tmp_path, stub.url, JUDGE_CONCURRENCY="2") as up:
        assert up.process is not None
        wait_for(lambda: running_url(up.state) is not None, "the broker")
        second = {**up.environment(), "SCOREWATCH_WORKERS": "1"}
        command = [sys.executable, "-m", "tests.faults.quick", "worker", "--judge"]
        with (tmp_path / "second.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=second, stdout=log, stderr=log)
        try:
            wait_for(lambda: "ready." in (tmp_path / "second.log").read_text(), "the second worker", SECONDS)
            write_answers(up.watch / "방/h_recruit_1.csv", *answers(60))
            write_answers(up.watch / "방/h_recruit_2.csv", *answers(90))
            wait_judged(up, name="방/h-recruit")
            assert len(stub.requests) == len(read_verdicts(up.out, "방/h-recruit"))
            assert "judging" in (tmp_path / "second.log").read_text()
        finally:
            process.terminate()
            process.wait(timeout=SECONDS)


def test_two_workers_of_a_judge_keep_one_budget(tmp_path: Path) -> None:
    settings = {"JUDGE_CONCURRENCY": "2", "JUDGE_BUDGET": "6000 tokens", "RETRY_SECONDS": "0.5"}
    with Stub(tmp_path / "log", "slow:0.1") as stub, judged(tmp_path, stub.url, **settings) as up:
        wait_for(lambda: running_url(up.state) is not None, "the broker")
        command = [sys.executable, "-m", "tests.faults.quick", "worker", "--judge"]
        with (tmp_path / "second.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=up.environment(), stdout=log, stderr=log)
        try:
            wait_for(lambda: "ready." in (tmp_path / "second.log").read_text(), "the second worker", SECONDS)
            for number in range(3):
                texts = [f"{number}: {text}" for text in answers(60)]
                write_answers(up.watch / f"set {number}" / "h_recruit_1.csv", *texts)
            wait_for(lambda: "judge-budget: " in up.log.read_text(), "the end of the budget", SECONDS)
            wait_for(lambda: sum(spent_tokens(up.out)) == 110 * len(stub.requests), "the last verdicts", SECONDS)
            asked = [request["body"]["messages"][1]["content"] for request in stub.requests]
            assert 110 * len(asked) <= 6000
            assert len(set(asked)) == len(asked)
        finally:
            process.terminate()
            process.wait(timeout=SECONDS)


def test_a_wiped_state_and_work_area_pay_nothing_twice(tmp_path: Path) -> None:
    with Stub(tmp_path / "log") as stub:
        write_answers(tmp_path / "in" / f"{NAME}.csv", *answers(20))
        assert drain(tmp_path, stub.url) == 0
        whole = report_files(tmp_path / "out")
        shutil.rmtree(tmp_path / "state")
        shutil.rmtree(tmp_path / "out/.scorewatch")
        (tmp_path / "out" / NAME / "report.md").unlink()
        (tmp_path / "out" / NAME / "status.json").unlink()
        assert drain(tmp_path, stub.url) == 0
        assert report_files(tmp_path / "out") == whole
        assert len(stub.requests) == 20


def test_a_judge_out_of_reach_is_told_and_asked_again_when_it_is_back(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "wrong-key") as stub:
        write_answers(tmp_path / "in" / f"{NAME}.csv", *answers(40))
        assert drain(tmp_path, stub.url, RETRY_SECONDS="0.5") == 1
        said = (tmp_path / "up.log").read_text()
        assert f"끝내지 못함: {NAME} (judge: key-refused: HTTP 401" in said
        asked = len(stub.requests)
        assert asked < 12  # three times, of 40 items
        port = int(stub.url.rpartition(":")[2].partition("/")[0])
    found: dict[str, Any] = json.loads((tmp_path / "out" / NAME / "status.json").read_bytes())
    assert found["judge"] == "pending"
    with judged(tmp_path, stub.url, RETRY_SECONDS="0.5") as up:
        wait_for(lambda: '"reason": "judge: unreachable' in up.log.read_text(), "the trouble", SECONDS)
        with Stub(tmp_path / "log2", port=port) as again:
            wait_judged(up)
            assert len(again.requests) == 40
    _assert_key_nowhere(tmp_path)


def test_items_given_up_are_asked_again_on_retry_and_nothing_else_is(tmp_path: Path) -> None:
    write_answers(tmp_path / "in" / f"{NAME}.csv", *answers(10))
    with Stub(tmp_path / "log", when={"답변 3": "outside"}) as stub:
        assert drain(tmp_path, stub.url, RETRY_SECONDS="0.5") == 1
        assert _judge(tmp_path) == "incomplete"
        asked = len(stub.requests)
        assert asked == 9 + 3 * 3
        assert drain(tmp_path, stub.url) == 1
        assert len(stub.requests) == asked
    up = judged(tmp_path, "http://127.0.0.1:1/v1")
    retry = [sys.executable, "-m", "cli.main", "retry", NAME]
    subprocess.run(retry, cwd=ROOT, env=up.environment(), capture_output=True, check=True, timeout=SECONDS)
    with Stub(tmp_path / "log2") as stub:
        assert drain(tmp_path, stub.url) == 0
        assert len(stub.requests) == 1
    assert _judge(tmp_path) == "done"


def test_a_budget_ends_in_the_middle_and_when_it_is_raised_nothing_is_asked_twice(tmp_path: Path) -> None:
    with Stub(tmp_path / "log") as stub:
        write_answers(tmp_path / "in" / f"{NAME}.csv", *answers(40))
        with judged(tmp_path, stub.url, JUDGE_BUDGET="3000 tokens") as up:
            wait_for(lambda: '"reason": "judge-budget: ' in up.log.read_text(), "the end of the budget", SECONDS)
            asked = len(stub.requests)
            assert 16 < asked < 40  # in the midst of a later task
            assert f'"judge-budget: {110 * asked} / 3000 tokens"' in up.log.read_text()
        assert _judge(tmp_path) == "pending"
        report = json.loads((tmp_path / "out" / NAME / "report.json").read_bytes())
        assert [metric["judged"] for metric in report["judge"]["metrics"]] == [asked]
        with judged(tmp_path, stub.url, JUDGE_BUDGET="100000 tokens") as up:
            wait_judged(up)
        assert len(stub.requests) == len(read_verdicts(tmp_path / "out", NAME)) == 40
    assert _judge(tmp_path) == "done"


def test_new_answers_alone_are_asked_when_a_file_changes(tmp_path: Path) -> None:
    with Stub(tmp_path / "log") as stub, judged(tmp_path, stub.url) as up:
        write_answers(up.watch / f"{NAME}.csv", *answers(10))
        wait_judged(up)
        before = up.status(NAME)
        write_answers(up.watch / f"{NAME}.csv", *answers(12))
        wait_for(lambda: up.status(NAME) != before and status(up) == "done", "the new report", SECONDS)
        assert len(stub.requests) == 12
        assert [path.name[:5] for path in (up.out / NAME / "history").iterdir()] == ["0001-"]


def test_without_an_address_there_is_no_worker_for_a_judge_and_nothing_is_sent(tmp_path: Path) -> None:
    with Stub(tmp_path / "log") as stub, Up(tmp_path, JUDGE_MODEL="grader-1", JUDGE_API_KEY=KEY) as up:
        write_answers(up.watch / f"{NAME}.csv", *answers(3))
        wait_judged(up, "none")
        assert not (up.state / "run/judge.pid").exists()
        assert stub.requests == []
        assert not any("--queues judge" in line for line in up.children())
    _assert_key_nowhere(tmp_path)


IN_MEMORY = """
import sys
from tests.faults.quick import main, shorten
shorten()
from cli.service import processes
processes.find_server = lambda **_: None
sys.exit(main(["up", "--drain"]))
"""


def test_without_a_broker_a_judge_takes_turns_with_reports(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", when={"답변 3": "outside"}) as stub:
        up = judged(tmp_path, stub.url)
        write_answers(up.watch / f"{NAME}.csv", *answers(10))
        run = subprocess.run(
            [sys.executable, "-c", IN_MEMORY],
            cwd=ROOT,
            env=up.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert run.returncode == 1, run.stderr[-3000:]
        assert len(stub.requests) == 9 + 3 * 3
    assert _judge(tmp_path) == "incomplete"


def _judge(home: Path) -> str:
    found: dict[str, Any] = json.loads((home / "out" / NAME / "status.json").read_bytes())
    return str(found["judge"])


def _assert_key_nowhere(home: Path) -> None:
    for path in home.rglob("*"):
        with suppress(OSError):
            if path.is_file() and not path.name.startswith("log"):
                assert KEY[8:].encode() not in path.read_bytes(), path


def _children(parent: int) -> list[str]:
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return path.read_text().split()
