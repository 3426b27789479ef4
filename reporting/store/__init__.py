"""The folder of a set: atomic writes, locks, history, verdicts."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.store.baselines import BASELINE, BaselineFile, ToldFigure, damaged_pins, keep_asked, pin_path
    from reporting.store.baselines import read_asked, read_baseline, read_pin, read_pins, remove_pin, write_pin
    from reporting.store.catalogue import KnownSets, affected, find_sets, read_set
    from reporting.store.counts import CountedSet, count_sets
    from reporting.store.forget import forget_set, is_of_reports, is_of_set
    from reporting.store.gate import GATE, GATE_JSON, GateFile, read_gate
    from reporting.store.history import Version, is_growth, keep_version, kept_versions, note_first_publication
    from reporting.store.history import versions_after
    from reporting.store.known import KNOWN_JSON, KnownDigests, keep_known, known_in, known_of
    from reporting.store.locks import LOCK_TIMEOUT_SECONDS, budget_lock, exclusive, is_same_file, judging_lock
    from reporting.store.locks import lock_path, set_lock, transient, try_lock
    from reporting.store.notes import READINGS, Reading, SourceMark, SourceState, clear_reading, keep_unused
    from reporting.store.notes import read_apart, read_readings, read_sources, read_unread, read_unused, source_text
    from reporting.store.notes import write_apart, write_reading, write_sources, write_unread
    from reporting.store.packed_entry import IndexEntry, Mark, PackedEntry
    from reporting.store.packed_rows import Chunks, Groups, PackedRows, joined
    from reporting.store.question_sheets import read_sheets, sheet_paths
    from reporting.store.reviews import REVIEWS, ReviewShelf, keep_reviews, may_be_named_so
    from reporting.store.run_info import RunInfoFile, digest_of_said, digest_of_sides, keep_run_info, read_run_files
    from reporting.store.run_info import run_info_in
    from reporting.store.set_folders import ASKED_FOLDER, BASELINE_JSON, CHANGES_HTML, CHANGES_MD, CHANGES_SVG, CHARTS
    from reporting.store.set_folders import COMPARE_HTML, COMPARE_JSON, COMPARE_MD, HISTORY, ITEMS_CSV, PROBLEM_HTML
    from reporting.store.set_folders import PROBLEM_MD, QUERIES_CSV, RANKING_HTML, RANKING_JSON, RANKING_MD
    from reporting.store.set_folders import REPORT_HTML, REPORT_MD, REPORT_XLSX, SUMMARY_HTML, SUMMARY_MD, TICKETS_CSV
    from reporting.store.set_folders import WORK_AREA, Destination, is_whole, link, remove_stale, set_folder
    from reporting.store.set_folders import status_of_set, verify_set, work_area
    from reporting.store.staged_files import Staging, open_spool, private_folder, staging, sweep, sweep_temporary
    from reporting.store.status import COMMIT_MARK, REPORT_FORMAT_VERSION, REPORT_JSON, STATUS, STATUS_HEAD
    from reporting.store.status import STATUS_JSON, TOTAL, FileMark, Headline, MeasuredHeadline, ShownFinding, State
    from reporting.store.status import StatusFile, StatusHead, headline_of, problem_status, report_status, run_key
    from reporting.store.stored_file import StoredFile, encode_json, published_schema, write_atomic
    from reporting.store.summary import SUMMARY_HEAD, SUMMARY_JSON, SummaryFile, baseline_of, read_summary
    from reporting.store.summary import read_verdict, summary_key
    from reporting.store.verdicts import INDEX_FOLDER, VerdictReader, append_verdicts, forget_failures, found_verdicts
    from reporting.store.verdicts import known_verdicts, note_verdicts, put_in_order, read_verdicts, spent_tokens
else:
    __getattr__ = door(__name__)
