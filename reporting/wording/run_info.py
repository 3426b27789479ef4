"""What people say of a run, as they read it. All of it is text: no address in it becomes a link."""

from reporting.wording.display import excerpt
from scoring.sets import RunInfo, differing
from texts import Texts

VALUE_CHARS = 120
NOTE_CHARS = 500  # as long as a note may be


def run_info_cells(info: RunInfo, t: Texts) -> list[tuple[str, str]]:
    """Title and value of everything that is said, in one order."""
    return [
        (_title(key, t).capitalize(), excerpt(value, NOTE_CHARS if key == "note" else VALUE_CHARS))
        for key, value in info.said.items()
    ]


def run_info_lines(info: RunInfo, t: Texts) -> list[str]:
    """`run name · prompt v4 · model m1`, and a line for the note; nothing where nothing is said."""
    cells = dict(run_info_cells(info, t))
    note = cells.pop(t("run-info.note"), "")
    facts = " · ".join(f"{title} {value}" for title, value in cells.items())
    return [line for line in (facts, f"{t('run-info.note')}: {note}" if note else "") if line]


def run_changes(before: RunInfo, after: RunInfo, t: Texts) -> list[str]:
    """`prompt v3 → v4` of everything that was run and is said to differ."""
    changes = differing(before, after)
    return [f"{_title(key, t)} {excerpt(old, VALUE_CHARS)} → {excerpt(new, VALUE_CHARS)}" for key, old, new in changes]


def _title(key: str, t: Texts) -> str:
    return t(f"run-info.{key.replace('_', '-')}")
