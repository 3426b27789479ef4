"""Settings: precedence, and every way in which a start must stop."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

import config
from config.load import load_settings
from config.settings import Settings
from config.start import SettingsError
from tests.config.refusing import refusal
from texts import fill

pytestmark = pytest.mark.usefixtures("clean_surroundings")


def test_package_config_is_ours_and_no_other_of_that_name() -> None:
    assert Path(config.__file__).resolve().parent == Path(__file__).resolve().parents[2] / "config"


def test_defaults_are_those_of_the_documents() -> None:
    settings = load_settings()
    assert (settings.watch, settings.out, settings.state) == (
        Path("docs/test-result"),
        Path("docs/reports"),
        Path(".scorewatch"),
    )
    assert (settings.settle_seconds, settings.rescan_seconds) == (1.0, 30.0)
    assert (settings.task_time_limit_seconds, settings.visibility_timeout_seconds) == (300, 600)
    assert (settings.broker_url, settings.workers, settings.observer, settings.language) == (None, None, "auto", "ko")


def test_environment_beats_env_file_beats_toml_beats_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("scorewatch.toml").write_text("settle_seconds = 3\nrescan_seconds = 3\nhistory_versions = 3\nworkers = 3\n")
    Path(".env").write_text("SCOREWATCH_SETTLE_SECONDS=2\nSCOREWATCH_RESCAN_SECONDS=2\nSCOREWATCH_HISTORY_VERSIONS=2\n")
    monkeypatch.setenv("SCOREWATCH_SETTLE_SECONDS", "1.5")
    monkeypatch.setenv("SCOREWATCH_RESCAN_SECONDS", "1.5")
    settings = load_settings(settle_seconds=0.5)
    assert settings.settle_seconds == 0.5
    assert settings.rescan_seconds == 1.5
    assert settings.history_versions == 2
    assert settings.workers == 3
    assert settings.set_quiet_seconds == 5


def test_every_setting_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, tuple[str, object]] = {
        "watch": ("in", Path("in")),
        "out": ("reports", Path("reports")),
        "state": ("state", Path("state")),
        "broker_url": ("redis://queue:6379/0", "redis://queue:6379/0"),
        "settle_seconds": ("2", 2.0),
        "set_quiet_seconds": ("6", 6.0),
        "rescan_seconds": ("7", 7.0),
        "observer": ("Polling", "polling"),
        "workers": ("3", 3),
        "language": ("KO", "ko"),
        "csv_titles": ("Report", "report"),
        "history_versions": ("0", 0),
        "task_time_limit_seconds": ("10", 10),
        "memory_limit_megabytes": ("512", 512),
        "ignore": ("*.bak, draft_*,", ("*.bak", "draft_*")),
        "rubrics": ("more", Path("more")),
        "strict_fsync": ("1", True),
        "remote_control": ("true", True),
        "metrics_address": ("[::1]:9464", "[::1]:9464"),
        "webhook_url": ("https://hooks.example/T0/secret", "https://hooks.example/T0/secret"),
        "webhook_events": ("Problems, gate-failed", ("problems", "gate-failed")),
        "webhook_format": ("Teams", "teams"),
        "adjudicator": ("김검수", "김검수"),
        "public_url": ("https://reports.example/agents", "https://reports.example/agents"),
        "ticket_url": ("https://jira.example/browse/{ticket}", "https://jira.example/browse/{ticket}"),
        "gate_file": ("gate.toml", Path("gate.toml")),
        "judge_base_url": ("http://judge:8000/v1", "http://judge:8000/v1"),
        "judge_api_key": ("sk-secret", "sk-secret"),
        "judge_model": (" graders/one ", "graders/one"),
        "judge_votes": ("15", 15),
        "judge_concurrency": ("100", 100),
        "judge_timeout_seconds": ("3.3", 3.3),
        "judge_compare": ("true", True),
        "xlsx": ("true", True),
        "judge_price_input": ("0.15", 0.15),
        "judge_price_output": ("0.6", 0.6),
        "judge_currency": ("usd", "USD"),
        "judge_budget": ("5 USD", "5 USD"),
        "log": ("JSON", "json"),
        "log_level": ("DEBUG", "debug"),
    }
    assert values.keys() == Settings.model_fields.keys()
    for name, (text, _) in values.items():
        monkeypatch.setenv(f"SCOREWATCH_{name.upper()}", text)
    settings = load_settings()
    for name, (_, expected) in values.items():
        found = getattr(settings, name)
        assert (found.get_secret_value() if isinstance(found, SecretStr) else found) == expected, name


def test_toml_gives_lists_and_home_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("scorewatch.toml").write_text('ignore = ["초안_*", "*.bak"]\nwatch = "~/results"\n', encoding="utf-8")
    settings = load_settings()
    assert settings.ignore == ("초안_*", "*.bak")
    assert settings.watch == tmp_path / "results"


def test_blank_environment_value_means_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_WORKERS", "")
    monkeypatch.setenv("SCOREWATCH_CONFIG", "")
    assert load_settings().workers is None


def test_settings_cannot_be_changed_later() -> None:
    settings = load_settings()
    with pytest.raises(ValidationError, match="frozen"):
        settings.workers = 4


def test_settings_itself_reads_no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_WORKERS", "7")
    Path("scorewatch.toml").write_text("workers = 8\n")
    assert Settings().workers is None


@pytest.mark.parametrize(("name", "meant"), [("OUTPUT", "OUT"), ("OUT_DIR", "OUT"), ("WATCH_DIR", "WATCH")])
def test_a_longer_name_is_taken_for_the_one_that_it_begins_with(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(f"SCOREWATCH_{name}", "x")
    assert f"SCOREWATCH_{fill('{name}{을/를}', {'name': meant})} 뜻하셨나요?" in refusal()


def test_unknown_environment_name_is_named_with_the_likely_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_SETTLE_SECOND", "2")
    assert refusal() == (
        "환경 변수 SCOREWATCH_SETTLE_SECOND: 없는 설정입니다. SCOREWATCH_SETTLE_SECONDS를 뜻하셨나요? [unknown-setting]"
    )


def test_unknown_name_like_no_other_points_at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_XYZZY", "2")
    assert refusal() == (
        "환경 변수 SCOREWATCH_XYZZY: 없는 설정입니다. 설정 이름은 docs/settings.md에 있습니다. [unknown-setting]"
    )


def test_only_our_names_in_the_env_file_are_looked_at() -> None:
    Path(".env").write_text("DATABASE_URL=x\nSCOREWATCH_WATHC=y\n")
    assert refusal() == ".env SCOREWATCH_WATHC: 없는 설정입니다. SCOREWATCH_WATCH를 뜻하셨나요? [unknown-setting]"
    Path(".env").write_text("DATABASE_URL=x\nWATCH=elsewhere\n")
    assert load_settings().watch == Path("docs/test-result")


def test_unknown_toml_key_and_table_are_named() -> None:
    Path("scorewatch.toml").write_text("wacth = 'a'\n[scorewatch]\nout = 'b'\n")
    assert refusal().splitlines() == [
        "scorewatch.toml의 wacth: 없는 설정입니다. watch를 뜻하셨나요? [unknown-setting]",
        "scorewatch.toml의 scorewatch: 없는 설정입니다. 설정 이름은 docs/settings.md에 있습니다. [unknown-setting]",
    ]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        pytest.param("settle_seconds", "-0.1", "0 이상 86400 이하의 초를 숫자로 적으세요", id="below-zero"),
        pytest.param("settle_seconds", "86400.5", "0 이상 86400 이하의 초를 숫자로 적으세요", id="over-a-day"),
        pytest.param("settle_seconds", "1초", "0 이상 86400 이하의 초를 숫자로 적으세요", id="unit"),
        pytest.param("settle_seconds", "nan", "0 이상 86400 이하의 초를 숫자로 적으세요", id="nan"),
        pytest.param("rescan_seconds", "0", "0보다 크고 86400 이하인 초를 숫자로 적으세요", id="never-rescan"),
        pytest.param("workers", "0", "1 이상 10000 이하의 정수를 적으세요", id="no-worker"),
        pytest.param("workers", "2.5", "1 이상 10000 이하의 정수를 적으세요", id="half-a-worker"),
        pytest.param("observer", "inotify", "auto, native, polling 중 하나를 적으세요", id="observer"),
        pytest.param("language", "fr", "ko, en 중 하나를 적으세요", id="language"),
        pytest.param("log", "syslog", "file, json 중 하나를 적으세요", id="log"),
        pytest.param("csv_titles", "제목", "fields, report 중 하나를 적으세요", id="csv-titles"),
        pytest.param("log_level", "loud", "debug, info, warning, error 중 하나를 적으세요", id="log-level"),
        pytest.param("strict_fsync", "maybe", "true 또는 false를 적으세요", id="bool"),
        pytest.param("watch", " ", "폴더 경로를 적으세요", id="blank-path"),
    ],
)
def test_wrong_value_names_setting_value_and_what_is_allowed(
    name: str, value: str, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"SCOREWATCH_{name.upper()}"
    monkeypatch.setenv(variable, value)
    assert refusal() == fill(
        "설정 {name}: {found}{은/는} 쓸 수 없습니다. {allowed}. [wrong-setting]",
        {"name": variable, "found": repr(value), "allowed": allowed},
    )


@pytest.mark.parametrize("line", ["settle_seconds = true", "workers = false", "watch = 7", "ignore = ['']"])
def test_toml_value_of_the_wrong_type_is_no_number_and_no_path(line: str) -> None:
    Path("scorewatch.toml").write_text(line + "\n")
    message = refusal()
    assert message.startswith(f"설정 scorewatch.toml의 {line.partition(' ')[0]}: ")
    assert message.endswith("[wrong-setting]")


def test_wrong_value_says_which_source_it_came_from() -> None:
    Path(".env").write_text("SCOREWATCH_WORKERS=many\n")
    assert refusal().startswith("설정 .env의 SCOREWATCH_WORKERS: 'many'는")
    assert refusal(workers=0).startswith("설정 workers: 0은")


def test_all_wrong_settings_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_WORKERS", "x")
    monkeypatch.setenv("SCOREWATCH_NOPE", "x")
    Path("scorewatch.toml").write_text("rescan_seconds = -1\n")
    assert [line.rpartition("[")[2] for line in refusal().splitlines()] == [
        "unknown-setting]",
        "wrong-setting]",
        "wrong-setting]",
    ]


def test_named_file_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "설정 파일 other.toml: 파일이 없습니다. 경로를 고치거나 파일을 만드세요. [missing-settings-file]"
    assert refusal(config=Path("other.toml")) == expected
    monkeypatch.setenv("SCOREWATCH_CONFIG", "other.toml")
    assert refusal() == expected
    monkeypatch.delenv("SCOREWATCH_CONFIG")
    Path(".env").write_text("SCOREWATCH_CONFIG=other.toml\n")
    assert refusal() == expected


def test_named_file_is_read_instead_of_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("scorewatch.toml").write_text("workers = 3\n")
    Path("other.toml").write_text("history_versions = 4\n")
    monkeypatch.setenv("SCOREWATCH_CONFIG", "other.toml")
    assert (load_settings().workers, load_settings().history_versions) == (None, 4)
    assert load_settings(config=Path("scorewatch.toml")).workers == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"workers = \n", "TOML 형식이 아닙니다(", id="syntax"),
        pytest.param(b"workers = " + b"9" * 5000, "TOML 형식이 아닙니다(", id="long number"),
        pytest.param(b"workers = 0x" + b"f" * 5000, "TOML 형식이 아닙니다(", id="long hexadecimal number"),
        pytest.param(b"workers = 9223372036854775809", "TOML 형식이 아닙니다(", id="65 bits"),
        pytest.param(b"[gate]\nrules = [[" + b"8" * 5000 + b"]]", "TOML 형식이 아닙니다(", id="long number inside"),
        pytest.param(b"x = " + b"[" * 3000 + b"]" * 3000, "TOML 형식이 아닙니다(", id="nested lists"),
        pytest.param(b"x = " + b"{a = " * 3000 + b"1" + b"}" * 3000, "TOML 형식이 아닙니다(", id="nested tables"),
        pytest.param(b"x = " + b"[" * 100_000, "TOML 형식이 아닙니다(", id="open brackets"),
        pytest.param("# 설정\n".encode("cp949"), "읽을 수 없습니다(UTF-8이 아님, 2번째 바이트)", id="cp949"),
    ],
)
def test_unreadable_toml_is_named(content: bytes, reason: str) -> None:
    Path("scorewatch.toml").write_bytes(content)
    message = refusal()
    assert message.startswith(f"설정 파일 scorewatch.toml: {reason}")
    assert message.endswith("[unreadable-settings-file]")


def test_folder_in_place_of_a_file_is_named() -> None:
    Path("scorewatch.toml").mkdir()
    assert refusal().startswith("설정 파일 scorewatch.toml: 읽을 수 없습니다(")
    Path("scorewatch.toml").rmdir()
    Path(".env").write_bytes("SCOREWATCH_OUT=보고서".encode("cp949"))
    assert refusal() == ("설정 파일 .env: 읽을 수 없습니다(UTF-8이 아님, 15번째 바이트). [unreadable-settings-file]")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        pytest.param({"watch": "a", "out": "a"}, "watch(a)가 out(a)과 같거나 그 안에 있습니다.", id="same-folder"),
        pytest.param(
            {"watch": "a/b", "out": "b/../a"}, "watch(a/b)가 out(b/../a)과 같거나 그 안에 있습니다.", id="inside"
        ),
        pytest.param(
            {"out": ".", "watch": "../in"}, "state(.scorewatch)는 이 컴퓨터 전용 폴더여야 합니다.", id="shared-state"
        ),
        pytest.param(
            {"judge_base_url": "http://judge/v1"},
            "judge_base_url을 적었으면 judge_model에 모델 이름도 적어야 합니다.",
            id="judge-without-model",
        ),
        pytest.param(
            {"judge_base_url": "http://judge/v1", "judge_model": "m", "judge_timeout_seconds": 100},
            "judge_timeout_seconds(100)의 3배는 task_time_limit_seconds(300)보다 작아야 합니다.",
            id="judge-cut-short",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(overrides: dict[str, object], message: str) -> None:
    said = refusal(**overrides)
    assert said.startswith(f"설정이 서로 맞지 않습니다: {message}")
    assert said.endswith("[conflicting-settings]")


def test_output_folder_inside_the_watched_one_is_fine() -> None:
    assert load_settings(watch="a", out="a/reports").out == Path("a/reports")


def test_override_nobody_knows_is_a_bug_of_the_caller() -> None:
    with pytest.raises(TypeError, match="no such settings: wacth"):
        load_settings(wacth="a")


def test_secret_stands_in_no_text_of_the_settings() -> None:
    settings = load_settings(broker_url="redis://:hunter2@queue/0", judge_api_key="hunter2")
    for text in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
        assert "hunter2" not in text


def test_secret_stands_in_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "http://:hunter2@queue")
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert str(refused.value) == (
        "설정 SCOREWATCH_BROKER_URL: 값(비밀이어서 표시하지 않음)은 쓸 수 없습니다. "
        "redis://, rediss://, redis+socket:// 중 하나로 시작해야 합니다. [wrong-setting]"
    )
    assert refused.value.__context__ is None


def test_traceback_of_a_wrong_secret_does_not_show_it(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from config.load import load_settings; load_settings()"],
        env={**os.environ, "SCOREWATCH_BROKER_URL": "http://:hunter2@queue"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 1
    assert b"wrong-setting" in run.stderr
    assert b"hunter2" not in run.stderr


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["scorewatch.toml", ".env"])
def test_a_pipe_in_place_of_a_settings_file_is_named(name: str) -> None:
    os.mkfifo(name)
    with pytest.raises(SettingsError, match="not a regular file"):
        load_settings()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(
            {"PRICE_INPUT": "0.15", "PRICE_OUTPUT": "0.6"},
            "judge_price_input, judge_price_output 설정이 있지만 judge_currency 설정이 없습니다",
            id="price-without-currency",
        ),
        pytest.param(
            {"CURRENCY": "USD"},
            "judge_currency 설정이 있지만 judge_price_input, judge_price_output 설정이 없습니다",
            id="currency-without-price",
        ),
        pytest.param(
            {"PRICE_INPUT": "0.15", "CURRENCY": "USD"},
            "judge_price_input, judge_currency 설정이 있지만 judge_price_output 설정이 없습니다",
            id="one-price",
        ),
        pytest.param({"BUDGET": "5 USD"}, "judge_budget(5 USD)이 금액이면", id="money-without-price"),
        pytest.param(
            {"PRICE_INPUT": "200", "PRICE_OUTPUT": "800", "CURRENCY": "krw", "BUDGET": "5 USD"},
            "judge_budget(5 USD)의 통화가 judge_currency(KRW)와 다릅니다",
            id="other-currency",
        ),
    ],
)
def test_a_price_a_currency_and_a_budget_belong_together(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], said: str
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"SCOREWATCH_JUDGE_{name}", value)
    assert said in refusal()
    assert "[conflicting-settings]" in refusal()


@pytest.mark.parametrize("budget", ["5", "-5 USD", "5 dollars", "1e3 tokens", "5 USD tokens", "nan USD", "5,5 USD"])
def test_a_budget_has_an_amount_and_a_unit(monkeypatch: pytest.MonkeyPatch, budget: str) -> None:
    monkeypatch.setenv("SCOREWATCH_JUDGE_BUDGET", budget)
    assert "5 USD나 2000000 tokens처럼 수와 단위를 적으세요. [wrong-setting]" in refusal()


def test_a_budget_of_tokens_needs_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_JUDGE_BUDGET", "2000000Tokens")
    assert load_settings().judge_limit == (2_000_000.0, "tokens", None)
