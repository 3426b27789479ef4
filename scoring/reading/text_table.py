"""What every table in a text file says of its bytes."""

from __future__ import annotations

from scoring.reading.byte_signs import ByteSigns
from scoring.reading.text_source import TextSource


class TextTable:
    """A table whose rows come from a text source. `drain` or the last row ends the reading."""

    _source: TextSource

    @property
    def sha256(self) -> str:
        """Hex digest of all bytes read so far."""
        return self._source.meter.hash.hexdigest()

    @property
    def size(self) -> int:
        """Bytes read so far; of a span, the offset in the file up to which it is read."""
        return self._source.meter.size

    @property
    def signs(self) -> ByteSigns:
        """What the bytes read so far give a reason to look for."""
        return self._source.meter.signs

    @property
    def has_end_mark(self) -> bool:
        """Does a DOS end-of-file sign follow the last line? It is withheld from the rows."""
        return self._source.meter.has_withheld

    def drain(self) -> None:
        """Read on to the end of the file, so that hash and size are those of the whole."""
        self._source.meter.allows_nul = True
        self._source.meter.drain()
