"""`scorewatch score` with a judge: asked once, kept at once, completed in place; nothing is sent without an address."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from reporting.store import read_verdicts
from tests.faults.harness import wait_for
from tests.judge.files import write_answers
from tests.judge.stub import Stub
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.service, pytest.mark.timeout(300)]

KEY = "sk-live-0123456789abcdef"
NAME = "h_recruit_a"
ANSWERS = ("가나다", "라마바", "사아자", "차카타", "파하")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    for name in [name for name in os.environ if name.startswith("SCOREWATCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("cli.score.judge.FIRST_REST_SECONDS", 0.01)
    write_answers(tmp_path / f"{NAME}.csv", *ANSWERS, verdicts={0: "PERFECT"})
    return tmp_path


def judge_at(monkeypatch: pytest.MonkeyPatch, url: str, **more: str) -> None:
    settings = {"BASE_URL": url, "API_KEY": KEY, "MODEL": "grader-1", "TIMEOUT_SECONDS": "20", **more}
    for name, value in settings.items():
        monkeypatch.setenv(f"SCOREWATCH_JUDGE_{name}", value)


def score(*arguments: str) -> int:
    return main(["score", f"{NAME}.csv", *arguments])


def status(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / NAME / "status.json").read_bytes())
    return found


def tree(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".scorewatch" not in path.parts
    }


def test_what_has_no_verdict_is_asked_once_and_a_second_run_asks_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stub(place / "log", key=KEY) as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 0
        assert len(stub.requests) == 4  # the first has a recorded verdict
        assert "평가 모델에 4문항을 묻습니다" in capsys.readouterr().err
        assert status(place / "out")["judge"] == "done"
        whole = tree(place / "out")
        assert score("--out", "out") == 0
        assert len(stub.requests) == 4
        assert tree(place / "out") == whole
        assert capsys.readouterr().err == ""


def test_a_grade_of_a_person_stays_when_another_judge_grades_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_OUT", "out")

    def verdicts() -> dict[str, tuple[str, str]]:
        with (place / "out" / NAME / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
            return {one["query_id"]: (one["verdict"], one["intent_source"]) for one in csv.DictReader(stream)}

    with Stub(place / "log", "good:WEAK") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out")
        assert main(["review", NAME, "--for", "김", "--metric", "intent", "-o", "back.csv"]) == 0
        with (place / "back.csv").open(encoding="utf-8-sig", newline="") as stream:
            sheet = list(csv.DictReader(stream))
        for one in sheet:
            one["검수 점수"] = "GOOD" if one["Query ID"] == "Q-2" else ""
        with (place / "back.csv").open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, list(sheet[0]))
            writer.writeheader()
            writer.writerows(sheet)
        assert score("--out", "out") == 0
        before = verdicts()
        assert len(stub.requests) == 4
    with Stub(place / "log-2", "good:PERFECT") as stub:
        judge_at(monkeypatch, stub.url, MODEL="grader-2")
        assert score("--out", "out") == 0
        assert len(stub.requests) == 4  # also of Q-2, whose grade comes back when hers is taken back
        after = verdicts()
        (place / "back.csv").unlink()
        assert score("--out", "out") == 0
        assert len(stub.requests) == 4
    judged = {f"Q-{at}" for at in (3, 4, 5)}
    assert before["Q-2"] == after["Q-2"] == ("GOOD", "reviewed")
    assert {before[query_id] for query_id in judged} == {("WEAK", "judge")}
    assert {after[query_id] for query_id in judged} == {("PERFECT", "judge")}
    assert verdicts()["Q-2"] == ("PERFECT", "judge")


def test_a_file_that_was_renamed_brings_its_verdicts_along(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out")
        (place / f"{NAME}.csv").rename("h_recruit_b.csv")
        assert main(["score", "h_recruit_b.csv", "--out", "out"]) == 0
        assert len(stub.requests) == 4
    before, after = (place / "out" / name / "verdicts.jsonl" for name in (NAME, "h_recruit_b"))
    assert before.read_bytes() == after.read_bytes()


@pytest.mark.parametrize("lost", ["work-area", "report", "status"])
def test_whatever_else_is_lost_verdicts_are_not_paid_for_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out")
        whole = tree(place / "out")
        shutil.move(place / "out", place / "elsewhere")
        if lost == "work-area":
            shutil.rmtree(place / "elsewhere/.scorewatch")
        elif lost == "report":
            for path in (place / "elsewhere" / NAME).iterdir():
                if path.name != "verdicts.jsonl":
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        else:
            (place / "elsewhere" / NAME / "status.json").unlink()
        assert score("--out", "elsewhere") == 0
        assert len(stub.requests) == 4
        assert tree(place / "elsewhere") == whole


def test_without_an_output_folder_it_says_that_verdicts_are_not_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        assert score() == 0
        assert "판정 4건은 저장하지 않았습니다" in capsys.readouterr().out
        assert score("--json") == 0
        assert json.loads(capsys.readouterr().out)["sets"][0]["judge"] == "done"
        assert len(stub.requests) == 8


def test_a_judge_out_of_reach_leaves_a_report_that_is_completed_later(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stub(place / "log", "no-model") as stub:
        judge_at(monkeypatch, stub.url)
        write_answers(place / "h_recruit_b.csv", *ANSWERS)
        assert main(["score", ".", "--out", "out"]) == 1
        assert len(stub.requests) == 1  # and none for the second set
    out = capsys.readouterr().out
    assert out.count("[judge-down]") == 1
    assert "(not-found: HTTP 404: The model grader-1 does not exist" in out
    assert "평가 모델의 답을 기다림" in out
    assert status(place / "out")["judge"] == "pending"
    key = status(place / "out")["key"]
    with Stub(place / "log2") as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 0
        assert len(stub.requests) == 4
    assert (status(place / "out")["judge"], status(place / "out")["key"]) == ("done", key)
    assert not (place / "out" / NAME / "history").exists()


def test_an_item_that_keeps_failing_is_given_up_and_not_billed_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stub(place / "log", when={"사아자": "outside"}) as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 1
        asked = len(stub.requests)
        assert asked == 3 + 3 * 3  # three tries, each with two replies asked for again
        assert "평가 모델이 일부 문항을 포기함" in capsys.readouterr().out
        assert status(place / "out")["judge"] == "incomplete"
        assert sorted(one.failure for one in read_verdicts(place / "out", NAME).values()) == [
            "",
            "",
            "",
            "reply-invalid",
        ]
        assert score("--out", "out") == 1
        assert len(stub.requests) == asked


def test_an_item_that_a_server_fails_at_first_of_all_is_given_up_alone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log", when={"라마바": "fails:500"}) as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 1
        assert len(stub.requests) == 3 + 3 * 5
        assert status(place / "out")["judge"] == "incomplete"
        found = read_verdicts(place / "out", NAME).values()
        assert sorted(one.failure for one in found) == ["", "", "", "server-error"]


def test_a_server_that_fails_at_everything_ends_with_every_item_given_up(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log", "fails:500") as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 1
        asked = len(stub.requests)
        assert asked == 4 * 3 * 5  # items, tries, requests of a try
        assert status(place / "out")["judge"] == "incomplete"
        assert score("--out", "out") == 1
        assert len(stub.requests) == asked
    assert {one.failure for one in read_verdicts(place / "out", NAME).values()} == {"server-error"}


def test_another_model_is_another_report_and_the_verdicts_of_the_first_stay(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out")
        first = tree(place / "out" / NAME)
        judge_at(monkeypatch, stub.url, MODEL="grader-2")
        score("--out", "out")
        assert len(stub.requests) == 8
        assert status(place / "out")["key"] != json.loads(first["status.json"])["key"]
        judge_at(monkeypatch, stub.url)
        score("--out", "out")
        assert len(stub.requests) == 8
    again = tree(place / "out" / NAME)
    assert again["report.md"] == first["report.md"]


def test_nothing_is_sent_without_an_address_whatever_the_environment_says(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log") as stub:
        for name, value in {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": KEY, "SCOREWATCH_JUDGE_MODEL": "m"}.items():
            monkeypatch.setenv(name, value)
        assert score("--out", "out") == 0
        assert stub.requests == []
    assert status(place / "out")["judge"] == "none"
    assert not (place / "out" / NAME / "verdicts.jsonl").exists()


def test_the_key_is_nowhere(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SCOREWATCH_LOG_LEVEL", "debug")
    for behaviour in ("good", "wrong-key", "no-model-key"):
        with Stub(place / f"log-{behaviour}", behaviour) as stub:
            judge_at(monkeypatch, stub.url)
            score("--out", behaviour)
            assert f"Bearer {KEY}" in stub.requests[0]["headers"].values()
    said = capsys.readouterr()
    assert KEY[8:] not in said.out + said.err
    for path in (*place.glob("good/**/*"), *place.glob("wrong-key/**/*"), *place.glob("no-model-key/**/*")):
        assert not path.is_file() or KEY[8:].encode() not in path.read_bytes(), path


def shown(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["sets"][0]
    return found


def test_lost_verdicts_are_asked_for_again_and_the_report_says_what_score_says(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = place / "out" / NAME / "verdicts.jsonl"
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out", "--json") == 0
        whole = tree(place / "out")
        first = shown(capsys)
        verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[2:]))
        assert score("--out", "out", "--json") == 0
        assert shown(capsys) == first
        assert tree(place / "out") == whole
        assert len(stub.requests) == 4 + 2


@pytest.mark.parametrize("kept", [0, 2])
def test_while_lost_verdicts_are_pending_the_complete_report_stands_and_is_shown(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kept: int
) -> None:
    verdicts = place / "out" / NAME / "verdicts.jsonl"
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out", "--json")
    first, before = shown(capsys), status(place / "out")
    verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[:kept]) + b"{damaged")
    assert score("--out", "out", "--json") == 1  # nobody listens there any more
    found = shown(capsys)
    assert (found["judge"], found["headline"]) == ("done", first["headline"])
    assert status(place / "out") == before


def test_a_report_whose_lost_verdicts_are_given_up_is_published_anew(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        score("--out", "out", "--json")
    first = shown(capsys)
    (place / "out" / NAME / "verdicts.jsonl").write_bytes(b"damaged")
    with Stub(place / "log2", when={"사아자": "outside"}) as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out", "--json") == 1
        asked = len(stub.requests)
        found, stands = shown(capsys), status(place / "out")
        assert found["judge"] == stands["judge"] == "incomplete"
        assert found["headline"] == stands["headline"] != first["headline"]
        whole = tree(place / "out")
        assert score("--out", "out", "--json") == 1
        assert (len(stub.requests), tree(place / "out")) == (asked, whole)


def test_two_runs_for_one_folder_pay_once(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_answers(place / f"{NAME}.csv", *(f"답변 {at}" for at in range(20)))
    with Stub(place / "log", "slow:0.2") as stub:
        judge_at(monkeypatch, stub.url, CONCURRENCY="2")
        command = [sys.executable, "-m", "cli.main", "score", f"{NAME}.csv", "--out", "out"]
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            wait_for(lambda: bool(stub.requests), "the first run to ask")
            assert score("--out", "out") == 0
            assert first.wait(timeout=60) == 0
        assert len(stub.requests) == 20
    said = capsys.readouterr().err
    assert "다른 실행이 이 세트를 평가 모델에 묻고 있습니다" in said
    assert "20문항을 묻습니다" not in said
    lines = (place / "out" / NAME / "verdicts.jsonl").read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 20


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_in_the_midst_keeps_what_was_paid_for(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    write_answers(place / f"{NAME}.csv", *(f"답변 {at}" for at in range(30)))
    with Stub(place / "log", "slow:0.2") as stub:
        judge_at(monkeypatch, stub.url, CONCURRENCY="2")
        command = [sys.executable, "-m", "cli.main", "score", f"{NAME}.csv", "--out", "out"]
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: len(read_verdicts(place / "out", NAME)) >= 4, "some verdicts")
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(timeout=30) != 0
        assert status(place / "out")["judge"] == "pending"
        paid = len(read_verdicts(place / "out", NAME))
        assert len((place / "out" / NAME / "verdicts.jsonl").read_bytes().splitlines()) == paid
        sent = len(stub.requests)
        assert sent - paid <= 4  # what was in flight, and what had come and was about to be kept
        assert score("--out", "out") == 0
        assert len(stub.requests) - sent == 30 - paid
    assert status(place / "out")["judge"] == "done"
