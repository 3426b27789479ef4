"""`summary.json`: what the front page of a set was made from, and the commit mark of its pages.

The front page says what the report, its comparison and its gate say together, so it is made after all of them. It is no
part of the report. Its bytes are a function of `summary_key`, which can be told without reading a page: one look at the
small files of a set shows whether its front page is the one that would be made now.
"""

import hashlib
from pathlib import Path

import msgspec

from reporting.store.baselines import BaselineFile
from reporting.store.gate import GateFile
from reporting.store.status import FileMark, StatusFile, run_key
from reporting.store.stored_file import StoredFile
from scoring.comparison import Baseline
from scoring.items import ENGINE_VERSION

SUMMARY_JSON = "summary.json"
FORMAT_VERSION = 2


class SummaryFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `summary.json`.

    key: of everything below. run: key of the run, or of a set that was refused. baseline: key of the run that it was
    compared with, rules: digest of the rules of its gate; both "" without. known: digest of the known failures, absent
    without any. failures: queries that fail without a ticket, and known; absent without a file that can be read.
    verdict: what the page says first, "" for a set that was refused. files: size and hash of the pages.
    """

    format_version: int = FORMAT_VERSION
    key: str
    set: str
    run: str
    baseline: str
    rules: str
    known: str | msgspec.UnsetType = msgspec.UNSET
    failures: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET
    public_url: str
    language: str
    engine_version: int
    verdict: str
    files: dict[str, FileMark]


class SummaryHead(msgspec.Struct, frozen=True):
    """What a look at many sets needs of it."""

    format_version: int
    key: str
    run: str


SUMMARY = StoredFile(SummaryFile, SUMMARY_JSON, FORMAT_VERSION)
SUMMARY_HEAD = StoredFile(SummaryHead, SUMMARY_JSON, FORMAT_VERSION)


def summary_key(
    status: StatusFile,
    baseline: Baseline | None,
    gate: GateFile | None,
    *,
    language: str,
    public_url: str,
    xlsx: bool = False,
    told: str = "",
    again: tuple[str, ...] = (),
    known: str = "",
    apart: tuple[str, ...] = (),
) -> str:
    """Half a SHA-256 (hex) over everything that a front page depends on.

    baseline: what the report is compared with, None for a set without a report. gate: None where nothing was decided.
    xlsx: is there a workbook beside it? told: digest of what is said of the run, "" for nothing. again: metrics that
    are worse again. known: digest of the lines of known failures, "" without any. apart: the sets that
    look like the rounds of one run with it, itself included; none where it lies alone.
    """
    decided = None if gate is None else (gate.rules, gate.baseline, gate.uncompared)
    run = run_key(status.key, status.judge_digest)
    values = [ENGINE_VERSION, FORMAT_VERSION, status.set, run, baseline, decided, language, public_url]
    values += ["xlsx"] if xlsx else []
    values += [["run", told]] if told else []
    values += [["again", *again]] if again else []
    values += [["apart", *apart]] if apart else []
    of_gate = "" if gate is None else gate.known or ""
    values += ["known", "failures", known, of_gate] if known or of_gate else []
    return hashlib.sha256(msgspec.json.encode(values)).hexdigest()[:32]


def read_verdict(folder: Path, status: StatusFile) -> str:
    """What the front page says first of the run with this status; "" while there is none of it."""
    found = read_summary(folder, status)
    return "" if found is None else found.verdict


def read_summary(folder: Path, status: StatusFile) -> SummaryFile | None:
    """What was made of the run with this status; None while there is none of it."""
    found = SUMMARY.read(folder)
    return None if found is None or found.run != run_key(status.key, status.judge_digest) else found


def baseline_of(compared: BaselineFile) -> Baseline:
    """The baseline that a comparison beside a report names."""
    return Baseline(compared.origin, compared.baseline, compared.baseline_key)
