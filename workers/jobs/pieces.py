"""A large input in pieces: planned once, scored by any worker, joined by the worker that finishes last.

Files in the work area say what is done, as for the parts of a set. A sheet has the cuts, and the hashes of the file and
of each piece: what is scored is held to them, so that a part is that of the planned content whatever happens to the
file meanwhile. A file that cannot be joined exactly is scored in one piece (docs/performance.md#one-huge-file).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO

import msgspec
import structlog

from reporting.store import StoredFile, clear_reading, open_spool
from scoring import Piece, PiecePlan, SpanHashes, hash_spans, join_pieces, open_piece, plan_pieces, score_piece
from scoring.items.spool import Part, SpoolSpace, encode_stored
from scoring.reading import open_named, open_regular
from scoring.sets import Plan, PlannedInput
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError, locate, reading, storing
from workers.jobs.work_area import PartId, WorkArea
from workers.jobs.workplace import BeingScoredError, Workplace, alone_at, load_rubric, note_piece, part_id_of

_log = structlog.get_logger()


class PieceSheet(msgspec.Struct, frozen=True, kw_only=True):
    """How an input is scored. pieces, hashes: None for one piece. strikes: as `LargeInput.part`."""

    pieces: PiecePlan | None = None
    hashes: SpanHashes | None = None
    strikes: int = 0


_SHEET = StoredFile(PieceSheet)


class PieceFiles:
    """The files of one part in the work area. Writers raise OSError as those of `WorkArea`; readers return None."""

    def __init__(self, area: WorkArea, part_id: PartId) -> None:
        self._area = area
        self._sheet = area.file_beside(part_id, "sheet")
        self._piece = partial(area.file_beside, part_id)

    def read_sheet(self) -> PieceSheet | None:
        """The sheet, None when it is missing or damaged."""
        return _SHEET.read_at(self._sheet)

    def write_sheet(self, sheet: PieceSheet) -> None:
        """Store the sheet."""
        self._area.write(self._sheet, msgspec.json.encode(sheet))

    def planned_at(self) -> float | None:
        """When the sheet was written, seconds since the epoch."""
        with suppress(OSError):
            return self._sheet.stat().st_mtime
        return None

    def has(self, number: int) -> bool:
        """Does the piece exist? It is not read, so it may be damaged."""
        return self._piece(f"piece-{number}").exists()

    def read(self, number: int) -> Piece | None:
        """The piece, None when it is missing or damaged."""
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
            return open_piece(open_named(self._piece(f"piece-{number}")))
        return None

    def write(self, number: int, piece: Piece) -> None:
        """Store a piece."""
        self._area.write(self._piece(f"piece-{number}"), partial(encode_stored, piece))

    def remove_piece(self, number: int) -> None:
        """Delete a piece, so that it is scored again."""
        with suppress(OSError):
            self._piece(f"piece-{number}").unlink(missing_ok=True)

    def remove_pieces(self, n: int) -> None:
        """Delete the first `n` pieces."""
        for number in range(n):
            self.remove_piece(number)

    def remove(self) -> None:
        """Delete all of them; without a sheet there are none."""
        sheet = self.read_sheet()
        if sheet is None:
            return
        self.remove_pieces(0 if sheet.pieces is None else len(sheet.pieces.spans))
        with suppress(OSError):
            self._sheet.unlink(missing_ok=True)


class LargeInput:
    """One input that may be scored in pieces. Its methods raise GiveUpError as `score_input` does."""

    def __init__(self, place: Workplace, plan: Plan, planned: PlannedInput) -> None:
        self._place = place
        self._plan = plan
        self._planned = planned
        self._part_id = part_id_of(plan, planned)
        self._files = PieceFiles(place.area, self._part_id)

    def ask(self, ask: Callable[[int], object]) -> bool:
        """Ask for the missing pieces, by number; False when there are none, and `score_input` does the rest."""
        if self._planned.size < self._place.least_cut_bytes or self._place.area.has_part(self._part_id):
            return False
        pieces = self._sheet().pieces
        missing = [] if pieces is None else [n for n in range(len(pieces.spans)) if not self._files.has(n)]
        for number in missing:
            ask(number)
        return bool(missing)

    def score(self, number: int) -> bool:
        """Score one piece that was asked for; True when `score_input` is to end the work on this input.

        Raises BeingScoredError when another process is scoring it.
        """
        if self._place.area.has_part(self._part_id):
            return True
        sheet = self._files.read_sheet()
        if sheet is None:  # the work area was removed, or cleaned up
            return False
        if sheet.pieces is None:
            return True
        if not 0 <= number < len(sheet.pieces.spans):
            raise GiveUpError("no-plan", f"piece {number}")
        self._score(sheet.pieces, sheet.hashes, number)
        return self._is_ready()

    def part(self) -> tuple[Part | None, int]:
        """The part, from all pieces, of which the missing ones are scored here; None for a file in one piece.

        Also the strikes of a piece that none has scored, or of pieces that none has joined, else 0. Raises
        BeingScoredError when others are at the last pieces.
        """
        if self._planned.size < self._place.least_cut_bytes:
            return None, 0
        sheet = self._sheet()
        for number in range(0 if sheet.pieces is None else len(sheet.pieces.spans)):
            with suppress(BeingScoredError):
                assert sheet.pieces is not None
                self._score(sheet.pieces, sheet.hashes, number)
            if self._is_in_one_piece():
                break
        if not self._is_ready():
            raise BeingScoredError
        with alone_at(self._place, self._plan.set_name, self._planned.sha256[:16]):
            sheet = self._files.read_sheet() or sheet
            return (None, sheet.strikes) if sheet.pieces is None else self._joined(sheet.pieces, sheet.hashes)

    def clear(self) -> None:
        """Delete what is needed no more: the part is stored."""
        if self._planned.size >= self._place.least_cut_bytes:
            self._files.remove()
            clear_reading(self._place.out, self._plan.set_name, self._planned.path)

    def _sheet(self) -> PieceSheet:
        """The stored sheet, made now if it does not exist."""
        sheet = self._files.read_sheet()
        if sheet is not None:
            return sheet
        rubric = load_rubric(self._place.area, self._plan.rubric_digest)
        with self._opened() as stream:
            pieces = plan_pieces(
                stream,
                name=self._planned.path,
                rubric=rubric,
                least_bytes=self._place.least_cut_bytes,
                piece_bytes=self._place.piece_bytes,
            )
            if pieces is None:
                return PieceSheet()
            hashes = hash_spans(stream, pieces)
        if hashes.whole.sha256 != self._planned.sha256:
            raise GiveUpError("changed", self._planned.path)
        sheet = PieceSheet(pieces=pieces, hashes=hashes)
        with storing():
            self._files.write_sheet(sheet)
        return sheet

    def _is_in_one_piece(self) -> bool:
        sheet = self._files.read_sheet()
        return sheet is None or sheet.pieces is None

    def _is_ready(self) -> bool:
        """Are all pieces scored, or is the file to be scored in one?"""
        sheet = self._files.read_sheet()
        return sheet is None or sheet.pieces is None or all(map(self._files.has, range(len(sheet.pieces.spans))))

    def _score(self, pieces: PiecePlan, hashes: SpanHashes | None, number: int) -> None:
        """Score a piece if it does not exist. Raises BeingScoredError when another process does."""
        if self._files.has(number):
            return
        work = f"{self._planned.sha256}-{number}"
        with alone_at(self._place, self._plan.set_name, f"{work[:16]}-{number}"):
            if self._files.has(number):
                return
            tries = self._place.strikes.take(self._plan.set_name, work)
            if tries >= LIMIT:
                self._place.strikes.clear(self._plan.set_name, work)
                self._leave_to_one_piece(pieces, strikes=tries)
                return
            with self._taking_strikes_back(work):
                piece = self._scored(pieces, number)
            if piece.read is None:
                self._leave_to_one_piece(pieces)
                return
            if hashes is None or piece.sha256 != hashes.spans[number]:
                raise GiveUpError("changed", self._planned.path)
            with storing():
                self._files.write(number, piece)

    def _scored(self, pieces: PiecePlan, number: int) -> Piece:
        place, planned = self._place, self._planned
        rubric = load_rubric(place.area, self._plan.rubric_digest)
        before = sum(
            (span.end or planned.size) - span.start for at, span in enumerate(pieces.spans) if self._files.has(at)
        )
        progress = note_piece(
            place.out,
            self._plan.set_name,
            planned.path,
            planned.size,
            before=before,
            started_at=self._files.planned_at(),
        )
        with self._opened() as stream:
            space = SpoolSpace(partial(open_spool, place.out))
            return score_piece(
                stream,
                name=planned.path,
                rubric=rubric,
                plan=pieces,
                number=number,
                progress=progress,
                space=space,
            )

    def _joined(self, pieces: PiecePlan, hashes: SpanHashes | None) -> tuple[Part | None, int]:
        """As `part`; it is stored."""
        part = self._place.area.read_part(self._part_id)
        if part is not None:  # another process was faster
            return part, 0
        work = self._planned.sha256
        tries = self._place.strikes.take(self._plan.set_name, work)
        if tries >= LIMIT:
            self._place.strikes.clear(self._plan.set_name, work)
            self._leave_to_one_piece(pieces, strikes=tries)
            return None, tries
        with self._taking_strikes_back(work):
            return self._join(pieces, hashes), 0

    def _join(self, pieces: PiecePlan, hashes: SpanHashes | None) -> Part | None:
        """Raises GiveUpError("no-part") for a damaged piece, which is deleted."""
        scored = []
        for number in range(len(pieces.spans)):
            piece = self._files.read(number)
            if piece is None:
                self._files.remove_piece(number)
                raise GiveUpError("no-part", f"piece {number}")
            scored.append(piece)
        rubric = load_rubric(self._place.area, self._plan.rubric_digest)
        assert hashes is not None
        with self._opened() as stream:
            part = join_pieces(stream, scored, name=self._planned.path, rubric=rubric, plan=pieces, hashes=hashes)
        if part is None:
            self._leave_to_one_piece(pieces)
            return None
        with storing():
            self._place.area.write_part(self._part_id, part)
        self.clear()
        return part

    @contextmanager
    def _taking_strikes_back(self, work: str) -> Iterator[None]:
        """Clear the strikes after a result, and after a fault that has a name."""
        try:
            yield
        except GiveUpError:
            self._place.strikes.clear(self._plan.set_name, work)
            raise
        self._place.strikes.clear(self._plan.set_name, work)

    def _leave_to_one_piece(self, pieces: PiecePlan, *, strikes: int = 0) -> None:
        _log.info("scored in one piece", path=self._planned.path, strikes=strikes)
        with storing():
            self._files.write_sheet(PieceSheet(strikes=strikes))
        self._files.remove_pieces(len(pieces.spans))

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file. What it raises, or the disk, is a reason to give up."""
        with reading(self._planned.path), open_regular(locate(self._place.watch, self._planned.path)) as stream:
            yield stream
