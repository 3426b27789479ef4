"""The service under files that ask for much: refused with a number, or set aside, and the others go on."""

from pathlib import Path

import pytest

from config import Settings
from tests import attacks
from tests.faults.harness import Up, wait_for
from tests.inner import running_url
from workers import make_app

pytestmark = pytest.mark.slow
MEGABYTES = 640
FINE = "Query ID,방/반복,응답,Raw JSON,accuracyChecks\nQ-1,1/1,답,{},\n".encode()


def _limit_of(pid: int) -> int:
    lines = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()
    found = next(line.split()[3] for line in lines if line.startswith("Max address space"))
    return -1 if found == "unlimited" else int(found)


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="reads the limits of processes")
def test_small_files_of_huge_cost_are_refused_and_the_others_scored(tmp_path: Path) -> None:
    with Up(tmp_path, WORKERS="2", LANGUAGE="en", MEMORY_LIMIT_MEGABYTES=str(MEGABYTES)) as up:
        assert up.process is not None
        for pid in (up.pid_of("worker"), *up.pool_pids()):
            wait_for(lambda pid=pid: _limit_of(pid) == MEGABYTES << 20, "the limit of a worker")  # type: ignore[misc]
        (up.watch / "h_recruit_checks.csv").write_bytes(attacks.many_checks())
        (up.watch / "h_recruit_text.xlsx").write_bytes(attacks.repeated_string())
        large = b'Q-2,1/1,"' + "가".encode() * (60 << 20) + b'",{},\n'
        (up.watch / "h_recruit_memory.csv").write_bytes(FINE + large)
        (up.watch / "h_recruit_fine.csv").write_bytes(FINE)
        found = {}
        for name in ("h_recruit_checks", "h_recruit_text.xlsx", "h_recruit_memory", "h_recruit_fine"):
            up.wait_settled(name)
            status = up.status(name)
            assert status is not None
            found[name] = (status["state"], status["findings"][0]["code"])
            if name == "h_recruit_memory":
                assert "memory limit reached" in status["findings"][0]["text"]
        assert up.stop() == 0
    assert found == {
        "h_recruit_checks": ("problem", "comparisons-too-many"),
        "h_recruit_text.xlsx": ("problem", "text-too-large"),
        "h_recruit_memory": ("problem", "poisoned"),
        "h_recruit_fine": ("report", "payload-unknown-fields"),
    }


def test_workers_obey_no_remote_command(tmp_path: Path) -> None:
    for allowed in ("false", "true"):
        home = tmp_path / allowed
        with Up(home, REMOTE_CONTROL=allowed) as up:
            up.pool_pids()
            url = running_url(up.state)
            assert url is not None
            app = make_app(Settings(watch=up.watch, out=up.out, state=up.state), url)
            (up.watch / "h_recruit_fine.csv").write_bytes(FINE)
            up.wait_settled("h_recruit_fine")
            answers = app.control.ping(timeout=3)
            assert bool(answers) is (allowed == "true")
            app.close()
            assert up.stop() == 0
