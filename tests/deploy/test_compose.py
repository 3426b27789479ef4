"""docker-compose.yml as Docker Compose itself reads it, and the Dockerfile against the repository."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis

from bench.documents import setting_rows
from tests.inner import SOFT_SHUTDOWN_SECONDS, bundled_server
from tests.paths import ROOT

PASSWORD = "c0ffee"
COMPOSE = Path(sys.executable).parent / "docker-compose"
OURS = ("watcher", "worker", "judge")
PROFILES = {"flower": ["flower"], "judge": ["judge"]}
EVERY = ("valkey", *OURS, "flower")


def _config(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMPOSE, "--profile", "flower", "--profile", "judge", *arguments, "config", "--format", "json"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    run = _config(VALKEY_PASSWORD=PASSWORD)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)["services"]
    return found


def _seconds(text: str) -> float:
    minutes, seconds = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", text).groups()  # type: ignore[union-attr]
    return int(minutes or 0) * 60 + int(seconds or 0)


def test_services_are_these(services: dict[str, Any]) -> None:
    assert set(services) == set(EVERY)
    assert {name: service["profiles"] for name, service in services.items() if "profiles" in service} == PROFILES


def test_nothing_starts_without_a_password() -> None:
    run = _config()
    assert run.returncode != 0
    assert "required variable VALKEY_PASSWORD is missing a value: set it to letters and digits" in run.stderr


@pytest.mark.parametrize("name", EVERY)
def test_every_service_is_hardened_and_watched_over(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert "/tmp" in service["tmpfs"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
    assert PASSWORD not in json.dumps([service.get("command"), service.get("entrypoint")])


@pytest.mark.parametrize("name", OURS)
def test_watcher_and_worker_run_as_nobody_special_and_only_read_the_results(
    services: dict[str, Any], name: str
) -> None:
    service = services[name]
    assert service["user"] == "10001:10001"
    mounts = {mount["target"]: mount for mount in service["volumes"]}
    assert mounts["/data/in"]["read_only"] is True
    assert mounts["/data/in"]["source"] == str(ROOT / "docs" / "test-result")
    assert mounts["/data/out"].get("read_only", False) is False
    assert mounts["/data/out"]["source"] == str(ROOT / "docs" / "reports")
    assert _seconds(service["stop_grace_period"]) > SOFT_SHUTDOWN_SECONDS
    assert service["environment"]["SCOREWATCH_BROKER_URL"] == f"redis://:{PASSWORD}@valkey:6379/0"


def test_worker_scales(services: dict[str, Any]) -> None:
    """Nothing that two containers could not both have: no fixed name, no published port."""
    assert "container_name" not in services["worker"]
    assert "ports" not in services["worker"]
    run = _config("--project-directory", str(ROOT), VALKEY_PASSWORD=PASSWORD, WORKERS="3", RUN_AS="1000:1000")
    worker = json.loads(run.stdout)["services"]["worker"]
    assert worker["command"] == ["worker", "--workers", "3"]
    assert worker["user"] == "1000:1000"


def test_the_judge_alone_has_its_key_and_reaches_it_and_the_watcher_knows_who_judges() -> None:
    given = {"JUDGE_BASE_URL": "https://judge/v1", "JUDGE_MODEL": "m", "JUDGE_API_KEY": "hunter2", "JUDGE_VOTES": "3"}
    run = _config(VALKEY_PASSWORD=PASSWORD, **given)
    services = json.loads(run.stdout)["services"]
    has_key = {name for name, service in services.items() if "hunter2" in json.dumps(service)}
    assert has_key == {"judge"}
    for name in ("watcher", "judge"):
        environment = services[name]["environment"]
        assert environment["SCOREWATCH_JUDGE_BASE_URL"] == "https://judge/v1"
        assert (environment["SCOREWATCH_JUDGE_MODEL"], environment["SCOREWATCH_JUDGE_VOTES"]) == ("m", "3")
    assert services["judge"]["command"] == ["worker", "--judge"]
    assert "outside" in services["judge"]["networks"]
    assert set(services["worker"]["networks"]) == {"queue"}


def test_every_judge_variable_is_a_setting(services: dict[str, Any]) -> None:
    known = {row.variable for row in setting_rows()}
    named = {name for service in services.values() for name in service.get("environment", {})}
    assert {name for name in named if name.startswith("SCOREWATCH_")} <= known


def test_only_flower_is_published_and_only_on_this_machine(services: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert [port["host_ip"] for port in published.pop("flower")] == ["127.0.0.1"]
    assert published == {}


@pytest.mark.parametrize("given", ["", f"me:{PASSWORD}"])
def test_flower_starts_with_a_password_of_its_own_alone(services: dict[str, Any], given: str, tmp_path: Path) -> None:
    """The very script of the file, with a stand-in for the program."""
    shell, flags, script = services["flower"]["entrypoint"]
    (tmp_path / "celery").write_text("#!/bin/sh\necho started\n", encoding="utf-8")
    (tmp_path / "celery").chmod(0o755)
    here = [shell, flags, script.replace("$$", "$")]
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "VALKEY_PASSWORD": PASSWORD}
    run = subprocess.run(here, env={**environment, "FLOWER_BASIC_AUTH": given}, capture_output=True, check=False)
    assert (run.returncode, run.stdout) == (2, b"")
    run = subprocess.run(here, env={**environment, "FLOWER_BASIC_AUTH": "me:own"}, capture_output=True, check=False)
    assert (run.returncode, run.stdout) == (0, b"started\n")
    assert services["flower"]["environment"]["FLOWER_BASIC_AUTH"] == ""


def test_remote_control_is_off_unless_it_is_asked_for(services: dict[str, Any]) -> None:
    assert services["worker"]["environment"]["SCOREWATCH_REMOTE_CONTROL"] == "false"
    assert "SCOREWATCH_REMOTE_CONTROL" not in services["judge"]["environment"]


def test_every_process_that_reads_inputs_has_a_memory_limit(services: dict[str, Any]) -> None:
    limits = {name: services[name]["environment"]["SCOREWATCH_MEMORY_LIMIT_MEGABYTES"] for name in OURS}
    assert limits == dict.fromkeys(OURS, "2048")


@pytest.mark.service
@pytest.mark.timeout(300)
def test_queue_starts_with_password_append_only_file_and_no_eviction(services: dict[str, Any], tmp_path: Path) -> None:
    """The very script of the file, run on the bundled server; only folder and port are this test's."""
    shell, flags, script = services["valkey"]["entrypoint"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    here = script.replace("$$", "$").replace("dir /data", f"dir {tmp_path}\nbind 127.0.0.1\nport {port}")
    assert str(port) in here
    server = bundled_server()
    assert server is not None
    environment = {"PATH": f"{server.path.parent}:{os.environ['PATH']}", **services["valkey"]["environment"]}
    with subprocess.Popen([shell, flags, here], env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            client = redis.Redis(port=port, password=PASSWORD, retry=_patient(), socket_timeout=5)
            assert client.ping()
            wanted = {"appendonly": "yes", "maxmemory-policy": "noeviction", "maxmemory": str(256 << 20), "save": ""}
            assert {name: client.config_get(name)[name] for name in wanted} == wanted
            assert (tmp_path / "appendonlydir").is_dir()
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(port=port).ping()
            client.close()
        finally:
            process.terminate()


def _patient() -> redis.retry.Retry:
    return redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), 200, supported_errors=(redis.ConnectionError,))


def _dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_dockerfile_copies_every_package_and_the_locks_through_the_ignore_file() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", _dockerfile(), flags=re.MULTILINE)
    sources = {name for line in copied for name in line.split()}
    allowed = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), flags=re.MULTILINE))
    packages = {"texts", "scoring", "config", "reporting", "watcher", "workers", "cli", "scorewatch"}
    assert sources == allowed
    assert packages | {"requirements-judge.txt", "requirements-flower.txt", "pyproject.toml"} <= sources
    assert [name for name in sources if not (ROOT / name).exists()] == []


def test_dockerfile_installs_hashed_locks_only_and_does_not_end_as_root() -> None:
    installs = re.findall(r"pip install (.+?)(?: &&.*)?$", _dockerfile(), flags=re.MULTILINE)
    assert installs == [
        "--require-hashes -r requirements-judge.txt",
        "--no-deps --no-build-isolation .",
        "--require-hashes -r requirements-flower.txt",
    ]
    stages = re.findall(r"^FROM (\S+) AS (\S+)$", _dockerfile(), flags=re.MULTILINE)
    assert {name for _, name in stages} >= {"scorewatch", "flower"}
    assert stages[-1] == ("base", "scorewatch")
    assert re.search(r"^USER 10001:10001$", _dockerfile(), flags=re.MULTILINE)


def test_image_targets_of_compose_are_stages(services: dict[str, Any]) -> None:
    targets = {service["build"]["target"] for service in services.values() if "build" in service}
    assert targets == {"scorewatch", "flower"}
    assert targets <= {name for _, name in re.findall(r"^FROM (\S+) AS (\S+)$", _dockerfile(), flags=re.MULTILINE)}
