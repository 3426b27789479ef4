"""Makes file names readable, and names sets after files and folders (docs/scoring.md#sets).

A set's name is also the path of its report folder below the output folder, so it is
safe to create: no empty, hidden, reserved or over-long component, no control character, no way up.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase

from scoring.rubric import end_of_group
from scoring.text import UNSEEN
from texts import words

ACCEPTED_SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".json")
PACKED_SUFFIXES = (".zip", ".gz", ".eval")  # of files that are read where a document names them
RUN_TOML = "run.toml"  # what is said of the runs of a folder; `<file>.run.toml` of one file
KNOWN_NAMES = ("known.csv", "known.xlsx")  # of failures that a team knows
QUESTIONS = "questions-"  # before the profile that is asked
_SHEETS = (".csv", ".xlsx")
COMPONENT_BYTES = 255  # what common file systems take for one name

# Files and folders that a report folder or the output folder holds itself, by the name before its first dot.
_RESERVED_STEMS = frozenset(
    {"changes", "charts", "compare", "history", "index", "items", "problem", "report", "rounds", "status", "verdicts"},
)
_FILES = words("files")  # that are no inputs; hidden names (`.…`) are ignored before these are asked
# Copies that sync tools make when two machines changed a file: the tools' own patterns, which all hold a date.
_WORDS = "conflict|conflit|konflikt|конфликт|충돌|競合|冲突|衝突"
_CONFLICT_WORD = re.compile(_WORDS, re.IGNORECASE)
_CONFLICTS = re.compile(
    r"(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}(?:-[0-9A-Z]+)?"  # Syncthing
    r"|[_-]conflict-\d{8}-\d{6}"  # ownCloud
    rf"| ?\((?=[^()]*(?:{_WORDS}))[^()]*\d{{4}}-\d\d-\d\d[^()]*(?:\(\d+\))?\)"  # Dropbox, Nextcloud, OneDrive
    r"|_[^_]+_[a-z]{3}-\d\d-\d{4,6}-\d{4}_(?:case)?conflict"  # Synology Drive
    r")(?P<suffix>\.[^.]+)",
    re.IGNORECASE,
)
_BROWSER_COPY = re.compile(r".+?\([1-9]\d?\)\.[^.]+")
# Control, bidi and invisible characters, line and paragraph separators, the BOM, bytes that are no text.
_UNSHOWABLE = re.compile(f"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff{UNSEEN}]")


def is_ignored(name: str, extra: tuple[str, ...] = ()) -> bool:
    """Is a file or folder of this base name to be ignored?

    extra: further globs. Globs are compared case-folded and NFC.
    """
    folded = fold(name)
    if folded.startswith(".") or folded in _FILES["system-folders"]:
        return True
    return any(fnmatchcase(folded, fold(glob)) for glob in (*_FILES["ignored"], *extra))


def is_sheet(path: str) -> bool:
    """Does a file directly in the watched folder say something about the inputs there, so that it is none itself?"""
    return path.casefold() in KNOWN_NAMES or is_question_sheet(path)


def is_question_sheet(path: str) -> bool:
    """Is it a file directly in the watched folder that says what a profile is asked?"""
    folded = path.casefold()
    return folded.startswith(QUESTIONS) and folded.endswith(_SHEETS) and "/" not in path


def is_system_folder(name: str) -> bool:
    """Is it a folder in which a system, a NAS or a sync tool keeps files that were deleted or replaced?

    They are ignored, and listed, because what lies in them looks like inputs.
    """
    folded = fold(name)
    return folded in _FILES["system-folders"] or folded.startswith(_FILES["hidden-system-folders"])


def conflict_original(name: str) -> str | None:
    """The name of the file that a sync tool made this conflict copy of; None when it is not named like one."""
    folder, slash, base = unicodedata.normalize("NFC", name).rpartition("/")
    match = None if _CONFLICT_WORD.search(base) is None else _CONFLICTS.fullmatch(base)
    return None if match is None else f"{folder}{slash}{match['stem']}{match['suffix']}"


def is_browser_copy(name: str) -> bool:
    """Is it named like a second download of a file: `name (1).csv`?"""
    return _BROWSER_COPY.fullmatch(name.rpartition("/")[2]) is not None


def is_accepted(name: str, packed: Iterable[str] = ()) -> bool:
    """Does the name end like a file that is read? packed: patterns that name packed files."""
    if name.casefold().endswith(ACCEPTED_SUFFIXES) or is_run_file(name):
        return True
    return bool(packed) and names_packed(name) and any(fnmatchcase(fold(shown(name)), fold(one)) for one in packed)


def is_run_file(name: str) -> bool:
    """Does a file of this base name say what a run was?"""
    return name == RUN_TOML or name.endswith(f".{RUN_TOML}")


def is_reserved(name: str) -> bool:
    """Is it the base name of a file that stands beside inputs, so that no profile claims it?"""
    return is_run_file(name) or is_sheet(name)


def names_packed(name: str) -> bool:
    """Is it the name, or a pattern, of packed files?"""
    return name.casefold().endswith(PACKED_SUFFIXES)


def fold(name: str) -> str:
    """The form in which names are compared where case and normal form do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def shown(path: str) -> str:
    """A path (or a single name) as people see it: NFC, printable, each component for itself.

    Names that are not UTF-8 come with surrogate escapes; they are read as CP949 where that decodes, else
    their stray bytes are percent-escaped, as control and bidi characters are.
    """
    return path if path.isascii() and path.isprintable() else "/".join(map(_shown_component, path.split("/")))


def safe_component(text: str) -> str:
    """One component of a set's name: `text` shown, with a `_` after a reserved and before a hidden name.

    At most COMPONENT_BYTES long; what is longer is cut at a character and gets a hash of the whole.
    """
    text = shown(text).replace("/", "%2F").replace("\\", "%5C")
    if text.casefold().split(".", 1)[0] in _RESERVED_STEMS:
        text += "_"
    return _fit(f"_{text}" if not text or text.startswith(".") else text)


def flat_set_name(base_name: str) -> str:
    """The set of a file directly in the watched folder: `a.csv` is `a`, `a.xlsx` stays `a.xlsx`."""
    text = shown(base_name)
    return safe_component(text[:-4] if text.casefold().endswith(".csv") else text)


def gathered_name(base_name: str, pattern: str) -> str:
    """The set of all files whose names have the same text up to the end of a pattern's group; "" where it takes none.

    base_name: shown. pattern: for a whole name without its extension; "" for none.
    """
    stem, dot, _ = base_name.rpartition(".")
    end = end_of_group(pattern, stem) if pattern and dot else None
    return "" if end is None else safe_component(stem[:end])


def folder_set_name(folder: str, profile: str) -> str:
    """The set of the files of one profile in a sub-folder: `<folder>/<profile>`."""
    return "/".join(safe_component(part) for part in (*folder.split("/"), profile))


def lone_set_name(path: str) -> str:
    """The set of a file that is refused before its profile counts: alone, also in a sub-folder."""
    folder, _, base = path.rpartition("/")
    return folder_set_name(folder, flat_set_name(base)) if folder else flat_set_name(base)


def _shown_component(raw: str) -> str:
    if any("\udc80" <= character <= "\udcff" for character in raw):
        with suppress(UnicodeError):
            raw = raw.encode("utf-8", "surrogateescape").decode("cp949")
    return _UNSHOWABLE.sub(_percent, unicodedata.normalize("NFC", raw))


def _percent(match: re.Match[str]) -> str:
    character = match[0]
    if "\udc80" <= character <= "\udcff":
        return f"%{ord(character) - 0xDC00:02X}"
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _fit(text: str) -> str:
    data = text.encode()
    if len(data) <= COMPONENT_BYTES:
        return text
    suffix = "-" + hashlib.sha256(data).hexdigest()[:8]
    return data[: COMPONENT_BYTES - len(suffix)].decode(errors="ignore") + suffix
