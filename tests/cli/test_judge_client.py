"""The client of the judge is an extra: where it is missing and a judge is set, a command says so before any work."""

import pytest

from tests.cli.place import Place

SAID = "A judge is set, but the package openai is not installed. Install 'scorewatch[judge]'"


@pytest.fixture
def without_client(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("cli.score.settings.find_spec", lambda name: None if name == "openai" else name)
    monkeypatch.setenv("SCOREWATCH_JUDGE_BASE_URL", "http://localhost:9/v1")
    monkeypatch.setenv("SCOREWATCH_JUDGE_MODEL", "grader")
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    place.file("h_recruit_a.csv", 'Query ID,방/반복,Raw JSON\r\nQ1,1/1,"{""assistantMessage"": ""세 명입니다.""}"\r\n')
    return place


def test_a_judge_without_its_client_ends_a_command_before_any_work(without_client: Place) -> None:
    commands = (
        ("up", "--drain"),
        ("score", "h_recruit_a.csv", "--out", "out"),
    )
    for command in commands:
        ran = without_client.run(*command)
        assert (ran.code, SAID in ran.err) == (2, True), (command, ran)
        assert not (without_client.root / "out").exists()


def test_a_worker_of_the_judge_says_so_too(without_client: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://localhost:9/0")
    ran = without_client.run("worker", "--judge")
    assert (ran.code, SAID in ran.err) == (2, True), ran


def test_without_a_judge_nothing_is_said(without_client: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOREWATCH_JUDGE_BASE_URL")
    monkeypatch.delenv("SCOREWATCH_JUDGE_MODEL")
    assert without_client.score("h_recruit_a.csv").code == 0
