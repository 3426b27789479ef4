"""What the processes of a service are given, and what they are not."""

import os
from pathlib import Path

import pytest

from cli.service.processes import Processes, worker_environment
from config import Settings, load_settings
from workers.processes import StateFolder

SECRETS = {"WEBHOOK_URL": "http://hooks.example/hunter2", "JUDGE_API_KEY": "hunter3"}


@pytest.fixture(autouse=True)
def _clean_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["env-file", "toml", "environment", "small-letters"])
def settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Secrets, as each place may hold them."""
    if request.param == "env-file":
        Path(".env").write_text("".join(f"SCOREWATCH_{name}={value}\n" for name, value in SECRETS.items()))
    elif request.param == "toml":
        Path("scorewatch.toml").write_text("".join(f'{name.lower()} = "{value}"\n' for name, value in SECRETS.items()))
    else:
        prefix = "SCOREWATCH_" if request.param == "environment" else "scorewatch_"
        for name, value in SECRETS.items():
            monkeypatch.setenv(prefix + (name if prefix.isupper() else name.lower()), value)
    return load_settings(settle_seconds=2.5, metrics_address="127.0.0.1:9464", ignore=("a*", "b*"))


def as_a_child(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """What a process with this environment, in the same folder, takes for its settings."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.mark.parametrize("is_judge", [False, True])
def test_workers_get_the_settings_without_secrets_that_they_do_not_need(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_judge: bool
) -> None:
    processes = Processes(settings, StateFolder(tmp_path / "state"))
    processes.broker_url = "redis://broker/0"
    environment = processes.environment(is_judge=is_judge)
    assert not any(SECRETS["WEBHOOK_URL"] in text for text in environment.values())
    assert any(SECRETS["JUDGE_API_KEY"] in text for text in environment.values()) is is_judge
    found = as_a_child(environment, monkeypatch)
    assert (found.settle_seconds, found.ignore, found.metrics_address) == (2.5, ("a*", "b*"), "127.0.0.1:0")
    assert found.webhook_url is None
    assert (found.judge_api_key is not None) is is_judge


def test_worker_keeps_its_own_address_of_metrics(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    found = as_a_child(worker_environment(settings, "redis://broker/0", has_judge_key=False), monkeypatch)
    assert (found.metrics_address, found.webhook_url, found.judge_api_key) == ("127.0.0.1:9464", None, None)


def test_what_is_not_set_is_not_set_in_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = Processes(load_settings(), StateFolder(tmp_path / "state"))
    processes.broker_url = "redis://broker/0"
    environment = processes.environment(is_judge=False)
    Path(".env").write_text("SCOREWATCH_METRICS_ADDRESS=0.0.0.0:1\n")  # written since
    assert as_a_child(environment, monkeypatch).metrics_address is None


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_address_of_a_worker_that_was_killed_is_removed(tmp_path: Path, how: str) -> None:
    settings = load_settings(state=tmp_path / "state")
    processes = Processes(settings, StateFolder(settings.state))
    for path in processes.address_files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("127.0.0.1:1\n")
    assert processes.address_files
    if how == "stop":
        processes.stop(finish_seconds=0.0)
    else:
        processes.kill()
    assert not [path for path in processes.address_files.values() if path.exists()]
