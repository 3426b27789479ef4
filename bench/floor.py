"""The floor: what reading the file and decoding the wanted payload fields costs at the very least.

    python -m bench.floor FILE

No guard, no scoring, no grouping: every product that reads these files through the csv module pays at least
this. Prints the number of rows.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

PAYLOAD_COLUMN = "Raw JSON"
_BOM = b"\xef\xbb\xbf"
_BUFFER_BYTES = 1 << 20
_CELL_CHARACTERS = 1 << 28


class UiItem(msgspec.Struct, gc=False):
    """An element of `dataUIList`: its presence is all that counts here."""

    uiValue: msgspec.Raw = msgspec.Raw()  # noqa: N815 -- field names of the payload


class Payload(msgspec.Struct, gc=False):
    """The payload fields that scoring needs."""

    assistantMessage: str | None = None  # noqa: N815
    dataUIList: list[UiItem] | None = None  # noqa: N815
    responseTimeSec: float | None = None  # noqa: N815
    error: str | None = None


def read_payloads(stream: BinaryIO) -> Iterator[Payload]:
    """Decode the payload of every row that has one. Raises on anything that is not a clean UTF-8 export."""
    if stream.read(len(_BOM)) != _BOM:
        stream.seek(0)
    rows = csv.reader(map(bytes.decode, stream))
    column = next(rows).index(PAYLOAD_COLUMN)
    decode = msgspec.json.Decoder(Payload).decode
    for row in rows:
        if row[column]:
            yield decode(row[column])


def main(arguments: Sequence[str]) -> int:
    """Read one file and print the number of payloads."""
    csv.field_size_limit(_CELL_CHARACTERS)
    with Path(arguments[0]).open("rb", buffering=_BUFFER_BYTES) as stream:
        print(sum(1 for _ in read_payloads(stream)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
