"""The live screen, drawn into a buffer."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from cli.screen import set_line
from cli.service.lines import reading_line
from cli.service.live_screen import REFRESH_SECONDS, Screen
from reporting.store import IndexEntry, StatusFile, status_of_set
from tests.inner import note_reading
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result
from texts import texts
from watcher import Snapshot
from workers.broker import BrokerFault, FaultKind


def drawn(snapshot: Snapshot, fault: BrokerFault | None = None) -> str:
    buffer = io.StringIO()
    screen = Screen(Path("docs/reports"), Console(file=buffer, width=100, force_terminal=False))
    screen._history.append((0.0, snapshot.settled))
    with screen._live.console.capture() as capture:
        screen._live.console.print(screen._draw(snapshot, fault))
    return capture.get()


def test_counts_and_places_are_shown() -> None:
    text = drawn(Snapshot(sets=12, settled=7, asked=3, problems=1, settling=2, queue_depth=4, unclaimed=("x.csv",)))
    for part in ("세트", "12", "끝남", "7", "대기", "2", "docs/reports"):
        assert part in text


def test_sets_with_a_judge_are_counted_only_where_there_are_some() -> None:
    assert "평가 모델" not in drawn(Snapshot(sets=9, settled=9))
    text = drawn(Snapshot(sets=9, settled=4, asked=1, judging=3))
    shown = [part for line in text.splitlines() if "평가" in line for part in line.split("  ") if part]
    assert shown == ["평가 모델", "3"]


def test_a_queue_that_cannot_be_used_is_shown_with_the_sets_that_wait() -> None:
    fault = BrokerFault(FaultKind.READ_ONLY, "You can't write against a read only replica.\x1b[2J")
    text = drawn(Snapshot(sets=12, settled=3, judging=2), fault)
    assert "큐가 읽기만 허락합니다(You can't write against a read only replica" in text
    assert "기다리는 세트: 7" in text.replace("\n", " ").replace("  ", " ")
    assert "\x1b" not in text


def test_troubles_are_shown_without_control_characters() -> None:
    text = drawn(Snapshot(troubles={"a\x1b[2J\u202eb": "storage: 가득 참"}, degraded="watch:empty"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "storage: 가득 참" in text
    assert "보고서 폴더의 공간, 할당량, 권한을 확인하세요." in text.replace("\n", " ")
    assert "watch:empty" in text


def test_a_folder_of_reports_that_cannot_be_written_to_is_shown() -> None:
    text = drawn(Snapshot(unwritable="Read-only file system: /r\x1b"))
    assert "보고서 폴더에 쓸 수 없습니다: 읽기 전용 파일 시스템: /r." in text


def _status(out: Path, name: str) -> StatusFile:
    publish_report(make_result(), set_name=name, key="k", out=out)
    status = status_of_set(out, name)
    assert status is not None
    return status


def test_a_set_that_settled_stays_above_the_figures_and_its_name_is_plain_text(tmp_path: Path) -> None:
    buffer = io.StringIO()
    name = "[red]x[/red]"
    with Screen(tmp_path, Console(file=buffer, width=40, force_terminal=True)) as screen:
        screen.say(set_line(IndexEntry(name, _status(tmp_path, name)), texts("ko")))
        screen.show(lambda: Snapshot(sets=1))
    text = buffer.getvalue()
    assert f"✓\x1b[0m {name} 1문항 응답 성공 100.0%" in text
    assert text.index(name) < text.index("세트")


def test_a_large_file_shows_its_name_percentage_and_time_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.jobs.workplace.LARGE_BYTES", 1000)
    now = 1000.0
    monkeypatch.setattr("time.time", lambda: now)
    screen = Screen(tmp_path, Console(file=io.StringIO(), width=100))
    with note_reading(tmp_path, "방", "방/%5Bbig%5D.csv", 4000) as progress:
        assert progress is not None
        now = 1030.0
        progress(1000)
        (line,) = [reading_line(reading, texts("en")) for reading in screen._readings(Snapshot(asked=1))]
        assert line == "방/[big].csv: 25% read, 1:30 left"
        assert screen._readings(Snapshot()) == []
        now = 1200.0
        assert screen._readings(Snapshot(asked=1)) == []  # its worker was killed
    assert list((tmp_path / ".scorewatch/readings").iterdir()) == []
    with note_reading(tmp_path, "방", "small.csv", 999) as progress:
        assert progress is None


def test_english_screen_has_no_hangul(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.service.live_screen.spoken", lambda: texts("en"))
    text = drawn(Snapshot(sets=12, settled=7, asked=3, troubles={"b": "storage: full"}, degraded="x"))
    assert not re.search("[\uac00-\ud7a3]", text)
    for part in ("sets", "12", "done", "7", "Retrying: b (storage: full)", "Warning: x", "Ctrl-C"):
        assert part in text


def test_snapshots_are_taken_only_to_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[float] = []
    now = 0.0

    def take() -> Snapshot:
        taken.append(now)
        return Snapshot()

    monkeypatch.setattr("cli.service.live_screen.time.monotonic", lambda: now)
    with Screen(Path("out"), Console(file=io.StringIO(), force_terminal=True)) as screen:
        for turn in range(9):
            now = turn * REFRESH_SECONDS / 4
            screen.show(take)
    assert taken == [0.0, REFRESH_SECONDS, 2 * REFRESH_SECONDS]
