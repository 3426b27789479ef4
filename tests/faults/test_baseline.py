"""The comparison beside every report of the service, on real processes."""

import json
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bench.make_csv import write_file
from reporting.runs import Baselines
from reporting.store import BASELINE_JSON, COMPARE_HTML, STATUS_JSON, KnownSets, remove_pin, write_pin
from tests.faults.harness import Up, wait_for
from tests.reporting.comparison.published import published_key
from tests.watcher.receiver import Receiver

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

PROFILE = "resume-agent"
FIRST, SECOND, THIRD = NAMES = ("resume_agent_260301", "resume_agent_260308", "resume_agent_260315")
ROWS = 60


def _write(up: Up, name: str, *, worse: int = 0) -> None:
    """The file of a run, with a blank line at its end for each run before: equal files would be one run."""
    path = up.out.parent / f"{name}.csv"
    write_file(path, ROWS, rounds=2, seed=3, worse=worse)
    with path.open("ab") as file:
        file.write(b"\r\n" * NAMES.index(name))
    path.replace(up.watch / path.name)


def _mark(up: Up, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((up.out / name / BASELINE_JSON).read_bytes())
    except FileNotFoundError:
        return {}
    return found


def _index(up: Up) -> str:
    return (up.out / "index.md").read_text(encoding="utf-8")


def _key(up: Up, name: str) -> str:
    found: str = (up.status(name) or {}).get("key", "")
    return found


def _is_current(up: Up) -> bool:
    """Does every report have the comparison that a look at the folders asks for?"""
    known = KnownSets(up.out)
    known.look()
    return bool(known.entries) and not Baselines(known, language="ko").missing()


def _assert_whole(up: Up) -> None:
    """Every commit mark that is there belongs to whole pages."""
    for mark in up.out.glob(f"*/{BASELINE_JSON}"):
        assert (mark.parent / COMPARE_HTML).is_file()
        if json.loads(mark.read_bytes())["verdicts"]:
            assert published_key(mark.parent) is not None


def test_every_report_gets_its_comparison_and_follows_the_folders(tmp_path: Path) -> None:
    up = Up(tmp_path)
    _write(up, FIRST)
    _write(up, SECOND)
    _write(up, THIRD, worse=12)
    with up:
        wait_for(lambda: all(_mark(up, name) for name in NAMES) and _is_current(up), "comparisons")
        assert [_mark(up, name)["baseline"] for name in NAMES] == ["", FIRST, SECOND]
        assert _mark(up, THIRD)["verdicts"]["answered"] == "worse"
        wait_for(lambda: "▽" in _index(up), "the verdict in the index")
        report = (up.out / THIRD / "report.json").read_bytes()
        key = _key(up, SECOND)
        _write(up, SECOND, worse=12)  # the baseline changes
        wait_for(lambda: _key(up, SECOND) not in {"", key} and _is_current(up), "the comparison made again")
        assert _mark(up, THIRD)["verdicts"]["answered"] == "same"
        assert (up.out / THIRD / "report.json").read_bytes() == report
        write_pin(up.out, PROFILE, FIRST)
        wait_for(lambda: _mark(up, THIRD).get("origin") == "pinned", "the pin to be used")
        (up.watch / f"{FIRST}.csv").unlink()
        shutil.rmtree(up.out / FIRST)
        wait_for(lambda: _mark(up, THIRD).get("origin") == "pin-gone", "the loss of the pin to be said")
        remove_pin(up.out, PROFILE)
        wait_for(lambda: _mark(up, THIRD).get("baseline") == SECOND, "the nearest run")
        (up.watch / f"{SECOND}.csv").unlink()
        shutil.rmtree(up.out / SECOND)
        wait_for(lambda: _mark(up, THIRD).get("origin") == "first", "the deleted baseline to be let go")
        assert not (up.out / SECOND).exists()
        up.stop()
    _assert_whole(up)


def test_kill_of_everything_while_comparing_leaves_whole_comparisons(tmp_path: Path) -> None:
    up = Up(tmp_path)
    _write(up, FIRST)
    with up:
        for round_number in range(4):
            for name in NAMES:
                _write(up, name, worse=round_number * 2)
            wait_for((up.out / THIRD / STATUS_JSON).exists, "a report")
            pids = (*up.pool_pids(), up.pid_of("worker"))
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _assert_whole(up)
        wait_for(lambda: all(_mark(up, name) for name in NAMES) and _is_current(up), "comparisons after kills")
        up.stop()
    _assert_whole(up)


def test_both_sides_changing_at_once_end_in_the_comparison_of_what_is_there(tmp_path: Path) -> None:
    up = Up(tmp_path)
    with up:
        for worse in (0, 12, 3, 12):
            _write(up, FIRST, worse=worse)
            _write(up, SECOND, worse=12 - worse)
        keys = {}

        def is_settled() -> bool:
            keys.update({name: _key(up, name) for name in (FIRST, SECOND)})
            return all(keys.values()) and _is_current(up) and _mark(up, SECOND).get("key") == keys[SECOND]

        wait_for(is_settled, "the last comparison")
        up.stop()
    mark = _mark(up, SECOND)
    assert (mark["key"], mark["baseline_key"]) == (keys[SECOND], keys[FIRST])
    assert _is_current(up)
    with Up(tmp_path, "--drain") as last:
        assert last.wait() == 0
    assert _mark(up, SECOND)["key"] == _key(up, SECOND)
    assert _mark(up, SECOND)["verdicts"]["answered"] == "better"


def test_a_notification_waits_for_the_comparison(tmp_path: Path) -> None:
    """Worse once is told to nobody; the second time it is, against the baseline of the run before."""
    receiver = Receiver()
    try:
        settings = {"WEBHOOK_URL": receiver.url, "WEBHOOK_EVENTS": "worse"}
        for name in NAMES:
            assert receiver.received == []
            up = Up(tmp_path, "--drain", **settings)
            _write(up, name, worse=0 if name == FIRST else 12)
            with up:
                assert up.wait() == 0
        ((_, body),) = receiver.received
        assert body["set"] == THIRD
        assert (body["worse"]["baseline"], body["worse"]["metrics"]) == (SECOND, [])  # against it nothing changed
        assert "answered" in body["worse"]["again"]
    finally:
        receiver.end()
