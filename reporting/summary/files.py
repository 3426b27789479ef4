"""Writes the front page of a set beside its report: whole or absent, after its comparison and its gate.

It may be written again and again, on any machine: what `summary.json` names is what the pages were made from, so that
a look at the small files of a set finds one that is outdated.
"""

import hashlib
from dataclasses import replace

import msgspec

from reporting.document import html_page, markdown_page
from reporting.runs import RoundsApart, UnreadableRunError, place_files
from reporting.store import (
    REPORT_XLSX,
    STATUS,
    SUMMARY_HEAD,
    SUMMARY_HTML,
    SUMMARY_JSON,
    SUMMARY_MD,
    TICKETS_CSV,
    Destination,
    FileMark,
    KnownDigests,
    KnownSets,
    StatusFile,
    SummaryFile,
    baseline_of,
    encode_json,
    known_of,
    read_apart,
    read_baseline,
    read_gate,
    run_info_in,
    run_key,
    set_folder,
    summary_key,
)
from reporting.summary.facts import Facts, facts_of_folder
from reporting.summary.known import tickets_files
from reporting.summary.page import earlier_page, summary_page, unmade_page
from reporting.summary.plan import MOST_ITEMS, plan_of
from reporting.summary.verdict import verdict_text
from scoring import InputError, Problem, TransientError, refused
from scoring.items import ENGINE_VERSION
from scoring.sets import shown
from texts import Texts, texts

_MARKS = (REPORT_XLSX, TICKETS_CSV, SUMMARY_JSON)  # a workbook and tickets of before go, too


def write_summary(set_name: str, destination: Destination) -> bool:
    """Write the front page of a set, unless it is there already. False when the report is gone or another by now.

    Raises InputError for a name that leads out of the destination, TransientError when the file system refuses.
    """
    folder = set_folder(destination.out, set_name)
    status = STATUS.read(folder)
    if status is None:
        return False
    mark, gate = read_baseline(folder, status), read_gate(folder, status)
    baseline = None if mark is None else baseline_of(mark)
    language, public_url = destination.language, destination.public_url
    told = run_info_in(folder)
    lines = known_of(folder, status.set, status.profile)
    known_digest = "" if lines is None else lines.digest
    apart = next((group for group in read_apart(destination.out) if set_name in group), ())
    key = summary_key(
        status,
        baseline,
        gate,
        language=language,
        public_url=public_url,
        xlsx=destination.xlsx,
        told=told.digest,
        again=() if mark is None else mark.worse_again,
        known=known_digest,
        apart=apart,
    )
    known = SUMMARY_HEAD.read(folder)
    if known is not None and known.key == key and (folder / SUMMARY_HTML).exists():
        return True
    t = texts(language)
    try:
        facts = facts_of_folder(destination.out, status, mark, gate, public_url=public_url, t=t)
        facts = replace(facts, told=told, apart=apart)
        if facts.report is not None and facts.report.headline.n <= MOST_ITEMS:
            facts = replace(facts, plan=plan_of(folder, facts.report, facts.leading))
        page = summary_page(facts, t)
        beside = _workbook(facts, destination, t) | tickets_files(facts, t)
        verdict = "" if facts.report is None else verdict_text(facts, t)
        failures = _failures(facts)
    except (UnreadableRunError, OSError, ValueError):
        if status.engine_version >= ENGINE_VERSION:
            return False
        page, beside, verdict = earlier_page(set_name, status.engine_version, t), {}, ""
        failures = msgspec.UNSET
    pages = beside | {
        SUMMARY_HTML: bytes(html_page(page, t)),
        SUMMARY_MD: markdown_page(page).encode(errors="replace"),
    }
    content = SummaryFile(
        key=key,
        set=status.set,
        run=run_key(status.key, status.judge_digest),
        baseline="" if baseline is None else baseline.key,
        rules="" if gate is None else gate.rules,
        known=known_digest or msgspec.UNSET,
        failures=failures,
        public_url=public_url,
        language=language,
        engine_version=ENGINE_VERSION,
        verdict=verdict,
        files={name: FileMark(len(data), hashlib.sha256(data).hexdigest()) for name, data in pages.items()},
    )
    files = {**pages, SUMMARY_JSON: encode_json(content)}
    return place_files(files, folder, destination, marks=_MARKS, is_wanted=lambda: STATUS.read(folder) == status)


def _failures(facts: Facts) -> tuple[int, int] | msgspec.UnsetType:
    """Queries that fail without a ticket, and known."""
    known = facts.known
    return msgspec.UNSET if known is None or not known.lines.is_readable else (len(known.new), len(known.known))


def _workbook(facts: Facts, destination: Destination, t: Texts) -> dict[str, bytes]:
    """report.xlsx of a set that has a report, where it is asked for."""
    if not destination.xlsx or facts.report is None:
        return {}
    from reporting.summary.workbook import workbook_bytes  # most reports have none

    folder = set_folder(destination.out, facts.set_name)
    return {REPORT_XLSX: workbook_bytes(facts, folder, destination.out, t)}


def announce_summary(set_name: str, destination: Destination, status: StatusFile) -> None:
    """Say that the front page is to come, where there is none of this version of the report.

    Raises TransientError when the file system refuses.
    """
    folder = destination.out / set_name
    known = SUMMARY_HEAD.read(folder)
    if known is not None and known.run == run_key(status.key, status.judge_digest):
        return
    t = texts(destination.language)
    page = unmade_page(set_name, t)
    files = {SUMMARY_HTML: bytes(html_page(page, t)), SUMMARY_MD: markdown_page(page).encode(errors="replace")}
    place_files(files, folder, destination, marks=_MARKS)


def summarise_missing(destination: Destination, known: KnownSets) -> list[Problem]:
    """Write every front page that is missing or outdated; what could not be written. known: the sets, up to date."""
    problems: list[Problem] = []
    written = []
    digests, apart = KnownDigests(destination.out), RoundsApart(known).keep()
    for name, packed in known.entries.items():
        entry = packed.unpack()
        mark = entry.compared if entry.compared is not None and entry.compared.is_about(entry.status) else None
        baseline = None if mark is None else baseline_of(mark)
        key = summary_key(
            entry.status,
            baseline,
            entry.gate,
            language=destination.language,
            public_url=destination.public_url,
            xlsx=destination.xlsx,
            told=entry.told.digest,
            again=() if mark is None else mark.worse_again,
            known=digests[entry.status.profile],
            apart=apart.get(name, ()),
        )
        if entry.summary == key:
            continue
        try:
            write_summary(name, destination)
        except InputError as error:
            problems += error.problems
        except TransientError as error:
            problems.append(refused("not-written", source=shown(f"{name}/{SUMMARY_HTML}"), reason=str(error)))
        written.append(name)
    known.look_at(written)
    return problems
