"""What single settings may hold, and in which language a refusal speaks."""

import re
from pathlib import Path

import pytest

from config.load import load_settings
from tests.config.refusing import refusal
from texts import fill

pytestmark = pytest.mark.usefixtures("clean_surroundings")


@pytest.mark.parametrize(
    "address",
    [
        "ftp://hunter2@hooks/",
        "hooks.example/hunter2",
        "https:///hunter2",
        "http://:80",
        "http://hooks.example/훅/hunter2",
        "http://훅.example/hunter2",
        "http://hooks.example/a b/hunter2",
        "http://hooks.example/hunter2\n",
        "http://hooks.example/\x7fhunter2",
        "http://user:hunter2@hooks.example/",
    ],
)
def test_webhook_is_a_web_address_and_never_shown(address: str) -> None:
    assert refusal(webhook_url=address) == (
        "설정 webhook_url: 값(비밀이어서 표시하지 않음)은 쓸 수 없습니다. "
        "http:// 또는 https://로 시작하는 주소를 공백, 사용자, 암호 없이 ASCII 글자로 적으세요"
        "(한글은 %EA%B0%80처럼). [wrong-setting]"
    )


@pytest.mark.parametrize(
    "address",
    [
        "ftp://judge/v1",
        "judge/v1",
        "http:///v1",
        "http://user:hunter2@judge/v1",
        "https://judge/v1?key=hunter2",
        "https://judge/v1#hunter2",
        "https://judge /v1",
        "https://judge/v1\n",
    ],
)
def test_judge_address_holds_no_secret_and_none_is_shown(address: str) -> None:
    assert refusal(judge_base_url=address, judge_model="m") == (
        "설정 judge_base_url: 값(비밀이어서 표시하지 않음)은 쓸 수 없습니다. "
        "http:// 또는 https://로 시작하고 사용자, 암호, ?, #이 없는 주소를 적으세요. [wrong-setting]"
    )


def test_a_public_address_is_no_secret_and_its_password_is_not_shown() -> None:
    assert "설정 public_url: 'reports.example'은 쓸 수 없습니다." in refusal(public_url="reports.example")
    said = refusal(public_url="https://user:hunter2@reports.example/")
    assert "'https://…@reports.example/'은 쓸 수 없습니다." in said


@pytest.mark.parametrize(
    "address",
    [
        "http://jira.example/browse/{ticket}",
        "https://jira.example/browse/",
        "https://{ticket}.jira.example/",
        "https://jira.example{ticket}",
        "https://jira.example/{ticket}/{ticket}",
        "https://user:hunter2@jira.example/{ticket}",
        "javascript:alert('{ticket}')",
    ],
)
def test_an_address_of_tickets_is_encrypted_and_names_the_ticket_behind_its_host(address: str) -> None:
    said = refusal(ticket_url=address)
    assert "https://로 시작하고 호스트 뒤에 {ticket}을 한 번 쓴 주소를 적으세요" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("key", ["hunter2\n", "hunter2 ", "비밀hunter2"])
def test_judge_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    assert refusal(judge_api_key=key) == (
        "설정 judge_api_key: 값(비밀이어서 표시하지 않음)은 쓸 수 없습니다. "
        "공백과 제어 문자가 없는 ASCII 글자로 적으세요. [wrong-setting]"
    )


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        pytest.param("judge_votes", 0, "1 이상 15 이하의 정수를 적으세요", id="no-vote"),
        pytest.param("judge_votes", 16, "1 이상 15 이하의 정수를 적으세요", id="too-many-votes"),
        pytest.param("judge_concurrency", 0, "1 이상 100 이하의 정수를 적으세요", id="no-request"),
        pytest.param("judge_timeout_seconds", 0, "0보다 크고 86400 이하인 초를 숫자로 적으세요", id="no-time"),
        pytest.param("judge_model", "  ", "모델 이름을 적으세요", id="blank-model"),
    ],
)
def test_judge_settings_out_of_range_are_refused(name: str, value: object, allowed: str) -> None:
    assert refusal(**{name: value}) == fill(
        "설정 {name}: {found}{은/는} 쓸 수 없습니다. {allowed}. [wrong-setting]",
        {"name": name, "found": repr(value), "allowed": allowed},
    )


@pytest.mark.parametrize("name", ["watch", "out", "state", "rubrics", "gate_file"])
def test_path_with_a_zero_byte_is_refused(name: str) -> None:
    found = refusal(**{name: "a\0b"})
    assert found.startswith(f"설정 {name}: ")
    assert found.endswith(" 경로를 적으세요. [wrong-setting]")
    assert "\0" not in found


def test_judge_time_out_counts_only_with_a_judge() -> None:
    assert load_settings(task_time_limit_seconds=5).judge_timeout_seconds == 60
    fitting = load_settings(judge_base_url="http://judge", judge_model="m", judge_timeout_seconds=99.9)
    assert fitting.judge_base_url == "http://judge"


@pytest.mark.parametrize("address", ["9464", ":9464", "host", "host:x", "host:70000", "a@host:1", "http://host:1"])
def test_metrics_address_is_host_and_port(address: str) -> None:
    assert refusal(metrics_address=address) == (
        f"설정 metrics_address: {fill('{found}{은/는}', {'found': repr(address)})} 쓸 수 없습니다. "
        "127.0.0.1:9464처럼 호스트와 포트를 적으세요. [wrong-setting]"
    )


@pytest.mark.parametrize("line", ["language = 'EN'", "language = 'en'\nsettle_seconds = 1"])
def test_refusal_speaks_the_language_that_is_set(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("scorewatch.toml").write_text(f"{line}\nworkers = 0\nwacth = 'a'\n")
    assert refusal().splitlines() == [
        "wacth in scorewatch.toml: there is no such setting. Did you mean watch? [unknown-setting]",
        "Setting workers in scorewatch.toml: 0 cannot be used. Use a whole number from 1 to 10000. [wrong-setting]",
    ]
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "ko")
    assert refusal().startswith("scorewatch.toml의 wacth: 없는 설정입니다.")


def test_unknown_language_is_refused_in_the_next_one_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    assert refusal(language="fr") == "Setting language: 'fr' cannot be used. Use one of ko, en. [wrong-setting]"


def test_english_refusals_have_no_hangul(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_XYZZY", "1")
    together = refusal(language="en", watch="a", out="a")
    Path(".env").write_bytes(b"SCOREWATCH_OUT=\xff")
    files = refusal(language="en", config=Path("other.toml"), broker_url="http://x")
    assert not re.search("[\uac00-\ud7a3]", together + files)
    assert together.splitlines()[-1] == (
        "The settings do not fit together: watch (a) is the same as out (a) or inside it. "
        "The folder of reports is not read, so keep them apart. [conflicting-settings]"
    )
    assert [line.rpartition(" ")[2] for line in files.splitlines()] == [
        "[unreadable-settings-file]",
        "[missing-settings-file]",
        "[unknown-setting]",
        "[wrong-setting]",
    ]
