"""The files of a large input that is scored in pieces: a sheet with the cuts, and the scored pieces."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import msgspec

from scoring.pieces.score_pieces import Piece, PiecePlan, SpanHashes, encode_piece, open_piece
from scoring.reading.regular_file import open_named, read_named
from workers.jobs.work_area import PartId, WorkArea


class PieceSheet(msgspec.Struct, frozen=True, kw_only=True):
    """How an input is scored. pieces, hashes: None for one piece. strikes: as `LargeInput.part`."""

    pieces: PiecePlan | None = None
    hashes: SpanHashes | None = None
    strikes: int = 0


class PieceFiles:
    """The files of one part in the work area. Writers raise OSError as those of `WorkArea`; readers return None."""

    def __init__(self, area: WorkArea, part_id: PartId) -> None:
        self._area = area
        self._sheet = area.file_beside(part_id, "sheet")
        self._piece = partial(area.file_beside, part_id)

    def read_sheet(self) -> PieceSheet | None:
        """The sheet, None when it is missing or damaged."""
        with suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(read_named(self._sheet), type=PieceSheet)
        return None

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
        self._area.write(self._piece(f"piece-{number}"), partial(encode_piece, piece))

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
