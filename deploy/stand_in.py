"""Build the Dockerfile and run docker-compose.yml, both unchanged, where their base images cannot be pulled.

    python3 deploy/stand_in.py [--keep]

Needs root, an engine that answers (`docker info`), Docker Compose, and debootstrap for bases that the engine does not
have. Such a base gets a stand-in under its own tag: a minimal Debian with its Python 3.11 and its Redis 7.0. A base
that was pulled before is taken as it is. Then everything is built and started, with two workers, the judge (a stub of
the tests beside it) and Flower, and each statement of the pages about containers is tried: a line for each, exit code
1 at the first that does not hold, 77 where this machine cannot do it. At the end all of it is removed again; `--keep`
leaves the stand-ins of the bases for the next time.

Never push what is built here: `stand_in_images.py` says why. DEBIAN_MIRROR names another mirror for debootstrap.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from images import ROOT
from stand_in_images import (
    DEBIAN,
    OURS,
    PROJECT,
    CannotError,
    WrongError,
    build,
    check_machine,
    compose_command,
    docker,
    make_stand_ins,
    missing_bases,
    output,
    say,
    succeeds,
    timed,
)

STUB = f"{PROJECT}-stub"
CONTAINERS = {"valkey": 1, "watcher": 1, "worker": 2, "judge": 1, "flower": 1}
UNPRIVILEGED = ("watcher", "worker", "judge", "flower")
SAMPLE = ROOT / "docs" / "test-result" / "resume_agent_sample.csv"
# Ends with 1 when a module was needed that reads the sources.
LIST_RUBRICS = """
import sys
from cli.main import main
main(["rubric", "list"])
sys.exit(bool({"texts.sources", "markdown_it", "yaml"} & set(sys.modules)))
"""
FLOWER = "http://127.0.0.1:5555"
HEALTHY_SECONDS = 300
DOWN_SECONDS = 30
CANNOT = 77


class Service:
    """The containers of docker-compose.yml, as a project of its own beside others of this machine."""

    def __init__(self, compose: list[str | Path], folder: Path) -> None:
        self.results = folder / "results"
        self.reports = folder / "reports"
        self.results.mkdir()
        self.reports.mkdir()
        self.reports.chmod(0o777)
        folder.chmod(0o755)
        self.password = f"me:{secrets.token_hex(12)}"
        self.key = secrets.token_hex(12)
        self._variables = {
            "VALKEY_PASSWORD": secrets.token_hex(12),
            "FLOWER_BASIC_AUTH": self.password,
            "REMOTE_CONTROL": "true",
            "RESULTS_DIR": str(self.results),
            "REPORTS_DIR": str(self.reports),
            "JUDGE_BASE_URL": f"http://{STUB}:8000/v1",
            "JUDGE_MODEL": "stub",
            "JUDGE_API_KEY": self.key,
        }
        files: list[str | Path] = [
            "--project-name",
            PROJECT,
            "--env-file",
            os.devnull,
            "--file",
            ROOT / "docker-compose.yml",
        ]
        self._command: list[str | Path] = [*compose, *files, "--profile", "judge", "--profile", "flower"]

    def compose(self, *arguments: str) -> str:
        """What Docker Compose prints."""
        return output(*self._command, *arguments, env={**os.environ, **self._variables})

    def up(self) -> None:
        """Start everything, the stub of a judge first, and wait until all are healthy."""
        self.compose("up", "--no-build", "--no-start", "--scale", "worker=2")
        self._start_stub()
        self.compose(
            "up", "--no-build", "--detach", "--scale", "worker=2", "--wait", "--wait-timeout", str(HEALTHY_SECONDS)
        )

    def _start_stub(self) -> None:
        """The endpoint of the tests in a container of its own, where only the judge and the watcher can reach it."""
        stub = ["python", "-m", "tests.judge.stub", "--log=/tmp/requests", "--host=0.0.0.0", "--port=8000"]
        mounts = ["--volume", f"{ROOT / 'tests'}:/stub/tests:ro", "--workdir=/stub", "--tmpfs=/tmp", "--read-only"]
        network = ["--network", f"{PROJECT}_outside", "--env=PYTHONDONTWRITEBYTECODE=1", "--entrypoint="]
        docker("run", "--detach", "--init", "--name", STUB, *network, *mounts, "scorewatch", *stub, f"--key={self.key}")

    def containers(self, service: str) -> list[str]:
        """The ids of the containers of one service."""
        return self.compose("ps", "--all", "--quiet", service).split()

    def status(self, name: str) -> dict[str, Any]:
        """status.json of a set; empty while there is none."""
        path = self.reports / name / "status.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return found

    def drop(self, name: str) -> None:
        """Put the sample into the watched folder under a name, complete from the start."""
        part = self.results / f"{name}.csv.part"
        shutil.copy(SAMPLE, part)
        part.chmod(0o644)
        part.rename(self.results / f"{name}.csv")

    def is_done(self, name: str, judge: str) -> bool:
        """Whether a set has its report, in this state of its verdicts."""
        status = self.status(name)
        return (status.get("state"), status.get("judge")) == ("report", judge)

    def remove(self) -> None:
        """Everything that was started, and the volumes."""
        succeeds("docker", "rm", "--force", STUB)
        self.compose("down", "--volumes", "--timeout", "1")


def expect(holds: bool, what: str) -> None:
    """Say a statement that holds. Raises WrongError when it does not."""
    if not holds:
        raise WrongError(f"not so: {what}")
    say(what)


def until(holds: Callable[[], bool], what: str, seconds: int = HEALTHY_SECONDS) -> None:
    """Wait for a statement to hold. Raises WrongError when it does not in time."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > seconds:
            raise WrongError(f"not within {seconds} s: {what}")
        time.sleep(0.5)
    say(f"{what} ({time.monotonic() - start:.1f} s)")


def inspected(container: str) -> dict[str, Any]:
    """All that the engine knows about a container."""
    found: dict[str, Any] = json.loads(docker("inspect", container))[0]
    return found


def is_healthy(container: str) -> bool:
    """Whether a container runs and its health check says so."""
    state = inspected(container)["State"]
    return (state["Running"], state["Health"]["Status"]) == (True, "healthy")


def is_restarted(container: str) -> bool:
    """Whether the engine has started a container again since it was made."""
    return int(inspected(container)["RestartCount"]) > 0


def check_containers(service: Service) -> None:
    """All are there and healthy, none can write to its root, ours run as 10001 without any capability."""
    for name, count in CONTAINERS.items():
        found = service.containers(name)
        expect(len(found) == count and all(map(is_healthy, found)), f"{name}: {count} healthy")
        for container in found:
            refused = not succeeds("docker", "exec", container, "touch", "/probe")
            expect(inspected(container)["HostConfig"]["ReadonlyRootfs"] and refused, f"{name}: its root is read-only")
            if name in UNPRIVILEGED:
                expect(docker("exec", container, "id", "-u").strip() == "10001", f"{name}: user 10001")
            process = docker("exec", container, "cat", "/proc/1/status")
            rights = dict(line.split(":\t", 1) for line in process.splitlines() if ":\t" in line)
            expect(
                int(rights["CapEff"], 16) == 0 and rights["NoNewPrivs"] == "1", f"{name}: no capability, none to gain"
            )


def check_image() -> None:
    """It runs alone, and what the build compiled is used: a start reads neither the sources of texts nor rubrics."""
    run = ["run", "--rm", "--read-only", "--network=none"]
    say(f"image: {docker(*run, 'scorewatch', '--version').strip()}")
    docker(*run, "--entrypoint=", "scorewatch", "python", "-c", LIST_RUBRICS)
    say("image: runs with a read-only root and no network, from compiled texts and rubrics")


def check_sample(service: Service) -> None:
    """The sample becomes a report; under a name whose rubric asks a judge, the judge completes it with its key."""
    service.drop("resume_agent_sample")
    until(lambda: service.is_done("resume_agent_sample", "none"), "the sample is scored")
    service.drop("h_recruit_sample")
    until(lambda: service.is_done("h_recruit_sample", "done"), "the sample is judged")
    asked = docker("exec", STUB, "wc", "-l", "/tmp/requests").split()[0]  # noqa: S108 -- in its container
    say(f"the judge was asked {asked} times; its key was the right one, or it would have been refused")


def flower_answer(password: str) -> tuple[int, Any]:
    """Status and content of Flower's list of workers, asked with a password; none with an empty one."""
    request = urllib.request.Request(f"{FLOWER}/api/workers?refresh=1")  # noqa: S310 -- this machine
    if password:
        request.add_header("Authorization", "Basic " + base64.b64encode(password.encode()).decode())
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None
    except OSError as error:
        raise WrongError(f"Flower does not answer: {error}") from error


def check_flower(service: Service) -> None:
    """Flower lets nobody in without its password, and shows the workers to who has it."""
    expect(flower_answer("")[0] == 401, "Flower: 401 without a password")
    expect(flower_answer("me:wrong")[0] == 401, "Flower: 401 with a wrong password")
    status, workers = flower_answer(service.password)
    expect(status == 200 and len(workers) == CONTAINERS["worker"], "Flower: both workers with its password")


def check_kill(service: Service) -> None:
    """Every container comes back after kill -9 of all its processes, and the next file is scored."""
    victims = [(name, container) for name in CONTAINERS for container in service.containers(name)]
    service.drop("h_recruit_meanwhile")
    for _, container in victims:
        # All but itself and the first process, which ends when its child is gone. `docker kill` would mean: stay down.
        succeeds("docker", "exec", container, "sh", "-c", "kill -KILL -1")
    for name, container in victims:
        until(partial(is_restarted, container), f"{name}: started again after kill -9")
    for name, container in victims:
        until(partial(is_healthy, container), f"{name}: healthy again")
    until(
        lambda: service.is_done("h_recruit_meanwhile", "done"), "the file of just before the kill is scored and judged"
    )


def check_down(service: Service) -> None:
    """All containers end by themselves, soon."""
    docker("rm", "--force", STUB)
    start = time.monotonic()
    service.compose("down", "--volumes")
    seconds = time.monotonic() - start
    expect(seconds <= DOWN_SECONDS, f"down in {seconds:.1f} s")


def run_service(service: Service) -> None:
    """Start, check, stop; whatever happens, nothing stays behind."""
    try:
        with timed("everything up and healthy"):
            service.up()
        check_containers(service)
        check_sample(service)
        check_flower(service)
        check_kill(service)
        check_down(service)
    except WrongError:
        sys.stderr.write(service.compose("logs", "--tail", "20")[-6000:])
        raise
    finally:
        service.remove()


def run(*, keep: bool) -> None:
    """Everything, in a folder of its own. Raises CannotError and WrongError."""
    check_machine()
    compose = compose_command()
    missing = missing_bases()
    try:
        with tempfile.TemporaryDirectory(prefix=PROJECT) as name:
            if missing:
                make_stand_ins(missing, Path(name))
            build()
            check_image()
            run_service(Service(compose, Path(name)))
    finally:
        for image in (*OURS, *(() if keep else (*missing, DEBIAN))):
            succeeds("docker", "rmi", "--force", image)
        # What a stage of the build left behind without a name: the label is that of the base.
        succeeds("docker", "image", "prune", "--force", f"--filter=label={PROJECT}")


def main() -> int:
    """Exit code 0, or 1 with what does not hold, or 77 with what this machine lacks."""
    try:
        run(keep="--keep" in sys.argv[1:])
    except CannotError as error:
        sys.stderr.write(f"cannot be run here: {error}\n")
        return CANNOT
    except WrongError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
