"""A comparison on disk: whole or absent, and linked to its reports wherever it is put."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reporting.comparison import comparison_key
from reporting.runs import compare as compare_files
from reporting.runs.compare import NAMES, page_of, publish_comparison
from reporting.runs.read import read_report, read_run, run_id
from reporting.store import Destination, staging, verify_set
from scoring import TransientError
from scoring.comparison import compare_runs
from tests.paths import ROOT
from tests.reporting.comparison.published import published_key
from tests.reporting.comparison.runs import items_of, worse_comparison
from tests.reporting.publishing import report_tree, write
from tests.reporting.results import make_result


def test_written_whole_beside_a_report_that_stays_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, name="after")
    before = report_tree(tmp_path / "after")
    files = publish_comparison(worse_comparison(), tmp_path / "after", Destination(out=tmp_path, language="ko"))
    assert {name: (tmp_path / "after" / name).read_bytes() for name in NAMES} == files
    assert published_key(tmp_path / "after") is not None
    assert verify_set(tmp_path, "after")
    assert {name: data for name, data in report_tree(tmp_path / "after").items() if name not in NAMES} == before
    write(tmp_path, name="after", force=True)
    assert published_key(tmp_path / "after") is not None  # publishing the report again leaves it alone


@pytest.mark.parametrize("failing", range(len(NAMES)))
def test_a_comparison_whose_renames_fail_is_absent(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_comparison(worse_comparison(), tmp_path, Destination(out=tmp_path, language="ko"))
    place = staging

    def broken(out: Path, *, strict: bool = False) -> object:
        manager = place(out, strict=strict)
        staged = manager.__enter__()
        inner = staged.place

        def fail(name: str, folder: Path) -> None:
            if name == NAMES[failing]:
                manager.__exit__(None, None, None)
                raise OSError(28, "No space left on device", str(folder))
            inner(name, folder)

        monkeypatch.setattr(staged, "place", fail)
        return _Entered(staged)

    monkeypatch.setattr(compare_files, "staging", broken)
    with pytest.raises(TransientError):
        publish_comparison(worse_comparison(), tmp_path, Destination(out=tmp_path, language="en"))
    assert published_key(tmp_path) is None
    assert not (tmp_path / "compare.json").exists()
    monkeypatch.undo()
    publish_comparison(worse_comparison(), tmp_path, Destination(out=tmp_path, language="en"))
    assert published_key(tmp_path) is not None


class _Entered:
    def __init__(self, value: object) -> None:
        self._value = value

    def __enter__(self) -> object:
        return self._value

    def __exit__(self, *_: object) -> None:
        pass


WRITER = """
import sys
from pathlib import Path
from reporting.runs.compare import publish_comparison
from reporting.store import Destination
from tests.reporting.comparison.runs import worse_comparison
folder = Path(sys.argv[1])
comparisons = worse_comparison(), worse_comparison(margin=0.5)
print("ready", flush=True)
while True:
    for comparison in comparisons:
        publish_comparison(comparison, folder, Destination(out=folder, language="ko"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(5))
def test_killed_at_any_moment_it_is_whole_or_absent(attempt: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(0.3 + 0.037 * attempt)
        assert writer.poll() is None
        os.kill(writer.pid, signal.SIGKILL)
    assert (published_key(tmp_path) is not None) is (tmp_path / "compare.json").exists()
    publish_comparison(worse_comparison(), tmp_path, Destination(out=tmp_path, language="ko"))
    assert published_key(tmp_path) is not None


def test_a_changed_page_is_no_whole_comparison(tmp_path: Path) -> None:
    assert published_key(tmp_path) is None
    publish_comparison(worse_comparison(), tmp_path, Destination(out=tmp_path, language="ko"))
    (tmp_path / "compare.md").write_text("x")
    assert published_key(tmp_path) is None


def test_links_are_relative_to_where_the_comparison_is(tmp_path: Path) -> None:
    folder = tmp_path / "reports/지원/after"
    assert page_of(folder, folder) == "report.html"
    assert page_of(tmp_path / "reports/before", folder) == "../../before/report.html"
    assert page_of(folder, tmp_path / "x") == "../reports/지원/after/report.html"
    assert page_of(None, folder) == ""


def test_the_key_is_known_without_reading_any_item(tmp_path: Path) -> None:
    write(tmp_path, make_result(*items_of(3)), name="before", key="k1")
    write(tmp_path, make_result(*items_of(3, broken=1)), name="after", key="k2")
    before, after = tmp_path / "before", tmp_path / "after"
    comparison = compare_runs(read_run(before), read_run(after))
    publish_comparison(comparison, after, Destination(out=tmp_path, language="ko"), reports=(before, after))
    ids = [run_id(read_report(folder)) for folder in (before, after)]
    pages = page_of(before, after), page_of(after, after)
    assert published_key(after) == comparison_key(*ids, margin=None, pages=pages, language="ko")
