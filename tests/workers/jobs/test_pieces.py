"""A large input in pieces: asked for, scored in any order and by several workers, joined once, whatever happens."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoring import TransientError
from scoring import pieces as scoring_pieces
from scoring.items import score_file
from scoring.sets import PlannedInput
from tests.scoring.files import csv_text
from tests.scoring.test_same_as_one_piece import many_rows, stored
from tests.workers.desk import NAME, Desk
from watcher import stat_of
from workers.jobs import pieces
from workers.jobs import score_and_report as scoring
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError
from workers.jobs.pieces import LargeInput
from workers.jobs.score_and_report import score_input
from workers.jobs.workplace import BeingScoredError, alone_at, part_id_of

PIECES = 5


class LargeDesk:
    """A desk whose file is scored in PIECES pieces."""

    def __init__(self, root: Path) -> None:
        desk = Desk(root)
        self.file = root / "in" / f"{NAME}.csv"
        self.write(csv_text(many_rows()).encode())
        size = self.file.stat().st_size
        self.place = replace(desk.place, least_cut_bytes=1_000, piece_bytes=-(-size // PIECES))
        self.plan = msgspec.structs.replace(desk.plan, inputs=(self.planned,))
        self.rubric = desk.rubric
        self.parts = root / "out/.scorewatch/parts"

    def write(self, data: bytes) -> None:
        self.file.write_bytes(data)

    @property
    def planned(self) -> PlannedInput:
        digest = hashlib.sha256(self.file.read_bytes()).hexdigest()
        return PlannedInput(self.file.name, self.file.name, digest, *stat_of(self.file.stat()).times)

    @property
    def large(self) -> LargeInput:
        return LargeInput(self.place, self.plan, self.plan.inputs[0])

    def asked(self) -> list[int]:
        numbers: list[int] = []
        self.large.ask(numbers.append)
        return numbers

    def score(self) -> bytes:
        return stored(score_input(self.place, self.plan, self.plan.inputs[0]))

    def whole(self) -> bytes:
        with self.file.open("rb") as stream:
            return stored(score_file(stream, name=self.file.name, rubric=self.rubric))


@pytest.fixture
def desk(tmp_path: Path) -> LargeDesk:
    return LargeDesk(tmp_path)


@pytest.fixture
def no_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("scored in one piece")

    monkeypatch.setattr(scoring, "score_file", never)


@pytest.mark.usefixtures("no_one_piece")
def test_the_last_piece_joins_them_all(desk: LargeDesk) -> None:
    assert desk.asked() == list(range(PIECES))
    assert [desk.large.score(number) for number in (3, 0, 4, 2)] == [False] * 4
    assert desk.asked() == [1]
    assert desk.large.score(1)
    assert desk.asked() == []
    assert desk.score() == desk.whole()
    assert [path.name for path in desk.parts.iterdir()] == [part_id_of(desk.plan, desk.plan.inputs[0]).file_name]


def test_a_piece_is_scored_once_however_often_it_is_asked_for(desk: LargeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.asked()
    scored: list[int] = []
    score_piece: Callable[..., Any] = scoring_pieces.score_piece

    def noted(*arguments: Any, **named: Any) -> Any:
        scored.append(named["number"])
        return score_piece(*arguments, **named)

    monkeypatch.setattr(pieces, "score_piece", noted)
    for number in (0, 0, 1, 2, 3, 3):
        assert not desk.large.score(number)
    assert desk.large.score(4)
    assert desk.large.score(2)  # comes late
    desk.score()
    assert desk.large.score(1)  # after the part is stored
    assert scored == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("no_one_piece")
def test_one_task_does_all_that_is_missing(desk: LargeDesk) -> None:
    desk.asked()
    desk.large.score(2)
    assert desk.score() == desk.whole()


def test_pieces_of_others_are_left_to_them(desk: LargeDesk) -> None:
    desk.asked()
    sha256 = desk.plan.inputs[0].sha256
    with alone_at(desk.place, desk.plan.set_name, f"{sha256[:16]}-1"):
        with pytest.raises(BeingScoredError):
            desk.large.score(1)
        with pytest.raises(BeingScoredError):
            desk.score()
        assert desk.asked() == [1]
    assert desk.large.score(1)


def test_a_file_that_changes_meanwhile_is_named(desk: LargeDesk) -> None:
    desk.asked()
    desk.large.score(0)
    changed = desk.file.read_bytes().replace("지원자".encode(), "응시자".encode())
    desk.write(changed)
    for work in (lambda: desk.large.score(1), desk.score):
        with pytest.raises(GiveUpError, match="changed"):
            work()
    assert desk.place.area.read_part(part_id_of(desk.plan, desk.plan.inputs[0])) is None


def test_a_file_that_grows_meanwhile_is_named(desk: LargeDesk) -> None:
    desk.asked()
    with desk.file.open("ab") as file:
        file.write(csv_text(many_rows(1), header=()).encode())
    for number in range(PIECES - 1):
        assert not desk.large.score(number)
    with pytest.raises(GiveUpError, match="changed"):
        desk.large.score(PIECES - 1)


def test_a_file_that_changed_before_it_is_cut_is_named(desk: LargeDesk) -> None:
    desk.write(desk.file.read_bytes() + b"\n")
    with pytest.raises(GiveUpError, match="changed"):
        desk.asked()


def test_a_file_that_is_gone_is_named(desk: LargeDesk) -> None:
    desk.asked()
    desk.file.unlink()
    with pytest.raises(GiveUpError, match="vanished"):
        desk.large.score(1)


@pytest.mark.usefixtures("no_one_piece")
def test_a_damaged_piece_is_scored_again(desk: LargeDesk) -> None:
    desk.asked()
    for number in range(PIECES):
        desk.large.score(number)
    damaged = next(path for path in desk.parts.iterdir() if path.name.endswith("piece-2"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(GiveUpError, match="no-part"):
        desk.score()
    assert desk.asked() == [2]
    assert desk.score() == desk.whole()


def test_what_cannot_be_joined_is_scored_in_one_piece(desk: LargeDesk) -> None:
    desk.write(csv_text([*many_rows(), ["broken", "row"]]).encode() + b'"open')
    desk.plan = msgspec.structs.replace(desk.plan, inputs=(desk.planned,))
    numbers = desk.asked()
    assert not desk.large.score(0)
    assert desk.large.score(max(numbers))
    assert desk.asked() == []
    assert desk.large.score(0)  # any other piece ends the work too while the part is missing
    assert desk.score() == desk.whole()
    assert list(desk.parts.iterdir()) == []  # neither pieces, nor the part of such a small file


def test_the_death_of_workers_at_a_piece_leads_to_a_process_of_its_own(
    desk: LargeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.asked()
    asked = []

    def alone(*_: object, **named: Any) -> object:
        asked.append(named["strikes"])
        with desk.file.open("rb") as stream:
            return score_file(stream, name=desk.file.name, rubric=desk.rubric)

    monkeypatch.setattr(scoring, "score_alone", alone)
    for _ in range(LIMIT - 1):
        desk.place.strikes.take(desk.plan.set_name, f"{desk.plan.inputs[0].sha256}-2")
    assert desk.large.score(2)
    assert desk.score() == desk.whole()
    assert asked == [LIMIT - 1]


def test_pieces_that_can_never_be_joined_lead_to_a_process_of_its_own(
    desk: LargeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More memory than there is, a death, a bug: the file is named in the end, and not tried for ever."""
    asked = []

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    def alone(*_: object, **named: Any) -> object:
        asked.append(named["strikes"])
        with desk.file.open("rb") as stream:
            return score_file(stream, name=desk.file.name, rubric=desk.rubric)

    monkeypatch.setattr(pieces, "join_pieces", fail)
    monkeypatch.setattr(scoring, "score_alone", alone)
    for _ in range(LIMIT - 1):
        with pytest.raises(MemoryError):
            desk.score()
    assert desk.score() == desk.whole()
    assert asked == [LIMIT - 1]


def test_an_unexpected_failure_leaves_a_strike_and_a_fault_with_a_name_none(
    desk: LargeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.asked()
    work = f"{desk.plan.inputs[0].sha256}-1"

    def failing(error: Exception) -> Callable[..., None]:
        def fail(*_: object, **__: object) -> None:
            raise error

        return fail

    monkeypatch.setattr(pieces, "score_piece", failing(TransientError("disk full")))
    with pytest.raises(GiveUpError, match="storage: disk full"):
        desk.large.score(1)
    assert desk.place.strikes.known(desk.plan.set_name, [work]) == [0]
    monkeypatch.setattr(pieces, "score_piece", failing(MemoryError()))
    with pytest.raises(MemoryError):
        desk.large.score(1)
    assert desk.place.strikes.known(desk.plan.set_name, [work]) == [1]


def test_pieces_that_are_not_in_the_plan_are_refused(desk: LargeDesk) -> None:
    desk.asked()
    with pytest.raises(GiveUpError, match="no-plan"):
        desk.large.score(PIECES)


def test_small_files_are_not_asked_for_in_pieces(desk: LargeDesk) -> None:
    desk.place = replace(desk.place, least_cut_bytes=os.stat(desk.file).st_size + 1)  # noqa: PTH116
    assert desk.asked() == []
    assert desk.score() == desk.whole()


def test_a_work_area_that_was_removed_is_made_again(desk: LargeDesk) -> None:
    desk.asked()
    for path in desk.parts.iterdir():
        path.unlink()
    assert not desk.large.score(1)
    assert desk.asked() == list(range(PIECES))
