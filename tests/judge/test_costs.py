"""What a judge costs: said before, counted, and stopped at a budget. Requests are counted by the endpoint."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from reporting.store import append_verdicts, forget_failures, read_verdicts, spent_tokens
from scoring.judging import Tokens, Verdict
from tests.judge.files import write_answers
from tests.judge.stub import Stub

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]

NAME = "h_recruit_a"
PRICE = {"PRICE_INPUT": "1000", "PRICE_OUTPUT": "5000", "CURRENCY": "usd"}  # 0.15 USD a request of the stub
GATE = """
[gate]
rules = ["intent >= 0", "judged >= 0.5", "stability >= 0"]
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    for name in [name for name in os.environ if name.startswith("SCOREWATCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("cli.score.judge.FIRST_REST_SECONDS", 0.01)
    write_answers(tmp_path / f"{NAME}.csv", *(f"답변 {at}" for at in range(10)))
    return tmp_path


def judge_at(monkeypatch: pytest.MonkeyPatch, url: str, **more: str) -> None:
    for name, value in {"BASE_URL": url, "MODEL": "grader-1", "TIMEOUT_SECONDS": "20", **more}.items():
        monkeypatch.setenv(f"SCOREWATCH_JUDGE_{name}", value)


def score(*arguments: str) -> int:
    return main(["score", f"{NAME}.csv", *arguments])


def judge_of(out: Path, name: str = NAME) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / name / "report.json").read_bytes())["judge"]
    return found


@pytest.mark.parametrize(
    "money",
    [("1500 tokens", "100000 tokens", {}), ("2 USD", "100 USD", PRICE)],
    ids=["tokens", "money"],
)
@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_a_budget_ends_in_the_middle_and_when_it_is_raised_nothing_is_asked_twice(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    concurrency: str,
    money: tuple[str, str, dict[str, str]],
) -> None:
    budget, raised, more = money
    (place / "scorewatch.toml").write_text(GATE)
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url, BUDGET=budget, CONCURRENCY=concurrency, **more)
        assert score("--out", "out", "--gate") == 4
        asked = len(stub.requests)
        assert 0 < asked < 10
        said = capsys.readouterr().out
        assert f"평가를 기다리는 문항이 {10 - asked}개 있음" in said
        assert said.count("[judge-budget]") == 1
        assert f"평가를 기다리는 문항이 {10 - asked}개 있음" in said
        judge = judge_of(place / "out")
        (metric,) = judge["metrics"]
        assert (judge["state"], metric["judged"], metric["pending"]) == ("pending", asked, 10 - asked)
        assert spent_tokens(place / "out") == Tokens(100 * asked, 10 * asked)
        assert "판정 불가" in said
        assert score("--out", "out") == 1
        assert len(stub.requests) == asked
        monkeypatch.setenv("SCOREWATCH_JUDGE_BUDGET", raised)
        assert score("--out", "out", "--gate") == 0
        assert len(stub.requests) == len(read_verdicts(place / "out", NAME)) == 10
        asked_about = [request["body"]["messages"][1]["content"] for request in stub.requests]
        assert len(set(asked_about)) == 10
    assert judge_of(place / "out")["state"] == "done"


def test_a_budget_is_for_all_sets_of_a_folder_and_those_that_get_nothing_have_their_report(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_answers(place / "h_recruit_b.csv", "다른 답")
    append_verdicts(place / "out", "old", [Verdict(hash="0" * 64, level="GOOD", prompt_tokens=5000, model="dear-1")])
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url, BUDGET="5100 tokens")
        assert main(["score", ".", "--out", "out"]) == 1
        assert stub.requests == []
        assert [judge_of(place / "out", name)["state"] for name in (NAME, "h_recruit_b")] == ["pending"] * 2
        monkeypatch.setenv("SCOREWATCH_JUDGE_BUDGET", "0 tokens")
        assert main(["score", ".", "--out", "new"]) == 1
        assert stub.requests == []


def test_without_a_folder_a_budget_is_for_the_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url, BUDGET="1500 tokens")
        assert score() == 1
        assert 0 < len(stub.requests) < 10


def test_the_cost_stands_in_the_report_and_without_a_price_nothing_of_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 0
        assert not {"cost", "estimated_tokens"} & judge_of(place / "out").keys()
        judge_at(monkeypatch, stub.url, **PRICE)
        assert score("--out", "out") == 0
        assert len(stub.requests) == 10  # a price asks nothing anew
    cost = judge_of(place / "out")["cost"]
    assert cost == {"amount": 1.5, "currency": "USD", "input_price": 1000.0, "output_price": 5000.0}
    text = (place / "out" / NAME / "report.md").read_text(encoding="utf-8")
    assert "비용: 1.5 USD (100만 토큰에 입력 1,000, 출력 5,000)" in text
    assert "어림" not in text


def test_tokens_that_an_endpoint_does_not_count_are_estimated_and_said_to_be(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log", "uncounted") as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 0
        sent = sum(len(text["content"].encode()) for one in stub.requests for text in one["body"]["messages"])
    judge = judge_of(place / "out")
    assert judge["prompt_tokens"] == pytest.approx(sent / 4, abs=10)
    assert judge["estimated_tokens"] == judge["prompt_tokens"] + judge["completion_tokens"]
    assert judge["completion_tokens"] > 10
    assert "글의 길이로 어림한 것" in (place / "out" / NAME / "report.md").read_text(encoding="utf-8")


def test_a_budget_holds_where_an_endpoint_counts_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(place / "log", "uncounted") as stub:
        judge_at(monkeypatch, stub.url, BUDGET="3000 tokens")
        assert score("--out", "out") == 1
        assert 0 < len(stub.requests) < 10
    assert sum(spent_tokens(place / "out")) <= 3000


def test_a_plan_says_what_is_left_to_ask_and_asks_and_writes_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def plan() -> dict[str, Any]:
        assert score("--out", "out", "--judge-plan", "--json") == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    with Stub(place / "log") as stub:
        judge_at(monkeypatch, stub.url, VOTES="3", BUDGET="4 USD", **PRICE)
        first = plan()
        (only,) = first["sets"]
        assert (only["items"], only["requests"], only["completion_tokens"]) == (10, 30, 3000)
        assert only["cost"] == pytest.approx(only["prompt_tokens"] / 1000 + 15)
        assert first["budget"] == {"amount": 4.0, "unit": "USD", "used": 0.0}
        assert stub.requests == []
        assert sorted(path.name for path in place.iterdir() if path.name != "log") == [f"{NAME}.csv"]
        score("--out", "out")
        capsys.readouterr()
        asked = len(stub.requests)
        before = sorted(place.glob("out/**/*"))
        later = plan()
        assert later["total"]["requests"] == 30 - asked
        assert later["budget"]["used"] == pytest.approx(0.15 * asked)
        assert len(stub.requests) == asked
        assert sorted(place.glob("out/**/*")) == before


def test_a_plan_is_told_in_words_and_without_a_judge_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("--judge-plan") == 2
    assert "SCOREWATCH_JUDGE_BASE_URL" in capsys.readouterr().err
    judge_at(monkeypatch, "http://127.0.0.1:9/v1")
    write_answers(place / "h_recruit_b.csv", "다른 답")
    assert main(["score", ".", "--judge-plan"]) == 0
    said = capsys.readouterr().out
    assert f"{NAME}: 평가할 문항 10개, 요청 10개" in said
    assert "모두: 평가할 문항 11개, 요청 11개" in said
    assert "비용 모름" in said
    assert "아무것도 묻지 않았습니다" in said
    assert score("--judge-plan", "--gate") == 2


def test_tokens_of_failed_tries_stay_counted_when_they_are_tried_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(place / "log", when={"답변 3": "outside"}) as stub:
        judge_at(monkeypatch, stub.url)
        assert score("--out", "out") == 1
        paid = spent_tokens(place / "out")
        assert paid == Tokens(100 * len(stub.requests), 10 * len(stub.requests))
        assert forget_failures(place / "out", NAME) == 1
        assert spent_tokens(place / "out") == paid
