"""The live screen, drawn into a buffer."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from cli.service.live_screen import REFRESH_SECONDS, Screen
from reporting.wording.catalogue import texts
from watcher.snapshot import Snapshot
from workers.broker.faults import BrokerFault, FaultKind


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
    text = drawn(Snapshot(troubles={"a\x1b[2J\u202eb": "storage: 가득 참"}, degraded="watch:empty", last=("방/a",)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "storage: 가득 참" in text
    assert "watch:empty" in text
    assert "방/a" in text


def test_a_folder_of_reports_that_cannot_be_written_to_is_shown() -> None:
    text = drawn(Snapshot(unwritable="Read-only file system: /r\x1b"))
    assert "보고서 폴더에 쓸 수 없습니다: 읽기 전용 파일 시스템: /r." in text


def test_markup_in_names_is_plain_text() -> None:
    assert "[red]x[/red]" in drawn(Snapshot(last=("[red]x[/red]",)))


def test_english_screen_has_no_hangul(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.service.live_screen.spoken", lambda: texts("en"))
    text = drawn(Snapshot(sets=12, settled=7, asked=3, last=("a",), troubles={"b": "storage: full"}, degraded="x"))
    assert not re.search("[\uac00-\ud7a3]", text)
    for part in ("sets", "12", "done", "7", "Latest: a", "Trying again: b (storage: full)", "Attention: x", "Ctrl-C"):
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
