"""A line of a set: its width, what goes first, colours, and texts that want to break it."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from click import unstyle

from cli.screen import FOLDS, LEAST_NAME, WIDTH, Piece, cells, cut, fitted, held, is_cut, set_line, verdict_pieces
from reporting.store import IndexEntry, ToldFigure, status_of_set
from scoring.comparison import Verdict
from tests.cli.place import Place, rows
from texts import texts

KO, EN = texts("ko"), texts("en")
PIECES = [Piece("100문항"), Piece("응답 성공 83.0%"), Piece("(71–91)", goes=1), Piece("▼ 의도 충족 4.35→3.89", "red")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("a-1", 3, id="ascii"),
        pytest.param("가나", 4, id="hangul"),
        pytest.param("\u1112\u1161\u11ab", 2, id="hangul-in-letters"),
        pytest.param("e\u0301\u0301", 1, id="combining"),
        pytest.param("ａ", 2, id="full-width"),
        pytest.param("a\u200db", 2, id="zero-width"),
        pytest.param("✓▼→–…", 5, id="our-own-signs"),
        pytest.param("👍", 2, id="emoji"),
    ],
)
def test_cells_of_a_text(text: str, expected: int) -> None:
    assert cells(text) == expected


@pytest.mark.parametrize(
    "text", ["가" * 90, "a" * 500, "e\u0301" * 300, "a가" * 80, "\u202e\x1b[31m" * 50_000, "x\n" * 200]
)
@pytest.mark.parametrize("room", [LEAST_NAME, 33, 80])
def test_a_text_is_cut_in_its_middle(text: str, room: int) -> None:
    found = cut(text, room)
    assert cells(found) in {room, room - 1}
    assert found.isprintable()
    assert "…" in found


@pytest.mark.parametrize("length", range(1, 200, 7))
@pytest.mark.parametrize("letter", ["가", "a", "\x1b[2J", "e\u0301", "👍"])
def test_no_line_is_wider_than_a_terminal(letter: str, length: int) -> None:
    line = unstyle(fitted("✓", "green", letter * length, PIECES, time.time()))
    assert cells(line) <= WIDTH
    assert len(line.splitlines()) == 1
    assert "▼ 의도 충족 4.35→3.89" in line


def test_the_name_is_cut_first_and_then_the_interval_goes() -> None:
    lines = [unstyle(fitted("✓", "", "가" * 20, [*PIECES, Piece("x" * more)])) for more in (1, 20, 40)]
    assert "가" * 20 in lines[0]
    assert ("…" in lines[1], "(71–91)" in lines[1]) == (True, True)
    assert "(71–91)" not in lines[2]
    widths = [cells(line.split()[1]) for line in lines]
    assert all(before > after for before, after in pairwise(widths[:2]))
    assert widths[2] >= LEAST_NAME - 1


def test_a_reason_that_is_too_long_is_cut_at_its_end() -> None:
    line = fitted("✗", "", "a", [Piece("이유 " * 100)])
    assert cells(line) <= WIDTH
    assert line.startswith("✗ a 이유 이유")
    assert line.endswith("…")


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.WORSE, ["▽ 의도 충족 4.35→3.89", "새로 실패 5"]),
        (Verdict.BETTER, ["▲ 의도 충족 4.35→3.89", "새로 실패 5"]),
        (Verdict.CHANGED, ["↕ 의도 충족 4.35→3.89", "새로 실패 5"]),
        (Verdict.NOT_DISTINGUISHABLE, ["의도 충족 4.35→3.89", "우연일 수 있음", "새로 실패 5"]),
        (Verdict.SAME, ["채점만 달라짐", "새로 실패 5"]),
        (Verdict.NOT_COMPARABLE, ["의도 충족 4.35→3.89", "비교할 수 없음", "새로 실패 5"]),
        (Verdict.NO_VALUE, ["새로 실패 5"]),
    ],
)
def test_a_comparison_in_a_few_words(verdict: Verdict, expected: list[str]) -> None:
    told = ToldFigure(title="의도 충족", before="4.35", after="3.89", verdict=verdict)
    assert [piece.text for piece in verdict_pieces(told, 5, KO)] == expected
    assert list(verdict_pieces(None, 0, KO)) == []
    of_known = [next(iter(verdict_pieces(None, 5, KO, known=n))) for n in (0, 2, 5)]
    assert [(piece.text, piece.colour) for piece in of_known] == [
        ("새로 실패 5", "red"),
        ("새로 실패 5 (알려진 실패 2)", "red"),
        ("새로 실패 5 (알려진 실패 5)", "yellow"),
    ]


def test_a_value_that_did_not_change_is_not_told() -> None:
    told = ToldFigure(title="의도 충족", before="4.35", after="4.35", verdict=Verdict.SAME)
    assert [piece.text for piece in verdict_pieces(told, 0, KO)] == ["변화 없음"]


def test_what_is_worse_again_has_the_mark_of_the_index() -> None:
    told = ToldFigure(title="의도 충족", before="4.35", after="3.89", verdict=Verdict.WORSE)
    assert [piece.text for piece in verdict_pieces(told, 0, KO, is_again=True)] == ["▼ 의도 충족 4.35→3.89"]


def test_score_and_status_show_the_same_line(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [f"Q{number}" for number in range(20)]
    place.file("in/resume_agent_260301.csv", rows(*queries))
    place.file("in/resume_agent_260302.csv", rows(*queries).replace(",3명,,,", ",,Timeout,,", 9))
    place.file("in/resume_agent_260303.csv", "")
    place.file("in/3월4주.csv")
    monkeypatch.setenv("SCOREWATCH_OUT", "out")
    said = place.score("in", "--out", "out").out.splitlines()
    assert said[:4] == [
        "✓ resume_agent_260301 20문항 응답 성공 100.0% (84–100)",
        "✓ resume_agent_260302 20문항 ▽ 응답 성공률 100.0%→55.0% 새로 실패 9",
        "✗ resume_agent_260303 읽지 못함: 빈 파일 (내보내기가 끝난 파일로 바꾸세요)",
        "– 3월4주.csv 채점 안 함: 이름을 바꾸세요: resume_agent_… (열 14/14 일치)",
    ]
    status = place.run("status").out.splitlines()
    assert sorted(line[6:] for line in status if line[6:7] in {"✓", "✗"}) == sorted(said[:3])
    compared = place.json("in", "--out", "out")[1]["sets"][1]["compared"]
    assert (compared["told"]["verdict"], compared["now_fails"]) == ("worse", 9)


def test_lines_have_colours_on_a_terminal_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.file("resume_agent_a.csv")
    assert "\x1b" not in place.score(file).out
    monkeypatch.setattr("click._compat.isatty", lambda _: True)
    assert "\x1b[32m✓\x1b[0m" in place.score(file).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in place.score(file).out


def test_what_is_no_set_is_folded_between_words_and_cut_only_where_it_is_very_long() -> None:
    line = f"큐에 연결할 수 없습니다({'x' * 80}). 브로커가 실행 중인지, 주소가 맞는지 확인하세요."
    shown = held(line, verbose=False)
    assert shown.splitlines() == [
        f"큐에 연결할 수 없습니다({'x' * 80}).".rpartition(" ")[0],
        f"  없습니다({'x' * 80}).",
        "  브로커가 실행 중인지, 주소가 맞는지 확인하세요.",
    ]
    assert not is_cut(shown, line)
    long = "다시 시도: " + "a" * 1000 + " \x1b[31m소유자\x1b[0m를 확인하세요."
    told = held(long, verbose=False)
    assert (len(told.splitlines()), max(map(cells, told.splitlines()))) == (FOLDS, WIDTH)
    assert (told.startswith("다시 시도:\n  aa"), told.endswith("소유자를 확인하세요.")) == (True, True)
    assert is_cut(told, long)
    assert held(long, verbose=True) == long
    assert held("\x1b[31m짧음\x1b[0m", verbose=False) == "\x1b[31m짧음\x1b[0m"


def test_the_number_of_items_goes_last_and_never_a_word_of_the_gate() -> None:
    pieces = [Piece("100 items", goes=3), Piece("▼ Answer rate 96.1%→72.5%"), Piece("x" * 35), Piece("gate failed")]
    line = unstyle(fitted("✓", "", "resume_agent_260308", pieces))
    assert cells(line) <= WIDTH
    assert line.endswith(" gate failed")
    assert "items" not in line


def test_an_old_status_without_a_short_reason_is_told_by_its_code(place: Place) -> None:
    place.file("resume_agent_a.csv", "")
    place.score("resume_agent_a.csv", "--out", "out")
    path = place.root / "out/resume_agent_a/status.json"
    path.write_text(path.read_text("utf-8").replace('"short"', '"left"'), "utf-8")
    status = status_of_set(place.root / "out", "resume_agent_a")
    assert status is not None
    assert "읽지 못한 파일 1개 [empty-file]" in set_line(IndexEntry("resume_agent_a", status), KO)
    assert "files not read: 1 [empty-file]" in set_line(IndexEntry("resume_agent_a", status), EN)
