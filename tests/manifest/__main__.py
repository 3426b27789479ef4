"""`python -m tests.manifest accept` writes what is accepted anew; `outputs FOLDER` writes every output as a file."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.manifest.cases import cases
from tests.manifest.record import LANGUAGES, lines_of, outputs_of, write_manifest, write_outputs
from tests.manifest.surface import surface, write_surface


def main(arguments: list[str]) -> None:
    """Accept, or write outputs."""
    folder = None
    if arguments[:1] == ["outputs"] and len(arguments) == 2:
        folder = Path(arguments[1]).absolute()
    elif arguments != ["accept"]:
        sys.exit(__doc__)
    for language in LANGUAGES:
        lines: dict[str, str] = {}
        for case, steps in cases().items():
            outputs = outputs_of(steps, language)
            lines |= lines_of(case, outputs)
            if folder is not None:
                write_outputs(folder / language / case, outputs)
        if folder is None:
            write_manifest(language, lines)
    if folder is None:
        write_surface(surface())


if __name__ == "__main__":
    main(sys.argv[1:])
