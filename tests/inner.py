"""Inner names that tests outside of their package need. A move of one of them touches this module alone."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from cli.process_exit import EXIT_INTERRUPTED, EXIT_TERMINATED
    from cli.process_exit import EXIT_FAILED, EXIT_PROBLEMS, EXIT_UNDECIDABLE, EXIT_USAGE
    from cli.rubric import rubric_page, value_lines
    from cli.service.processes import FINISH_SECONDS
    from cli.service.saved_snapshot import SNAPSHOT_NAME, read_snapshot, save_snapshot
    from config.rubrics_in_force import SHIPPED_FOLDER
    from reporting.comparison.data import schema
    from reporting.data.items_csv import header
    from reporting.data.embedding import BUDGET_BYTES, clean_lines
    from reporting.document.report.consistency import consistency_blocks
    from reporting.pack import without_dead_links
    from reporting.summary.gates import MOST_LINES
    from reporting.runs.read import read_reported
    from reporting.store.gate import GATE_JSON
    from reporting.store.history import first_published
    from reporting.store.set_folders import VERDICTS
    from reporting.store.status import FORMAT_VERSION
    from reporting.wording.findings import first_places
    from scoring.checks.checks import Fault
    from scoring.comparison.asked import asked_of
    from scoring.findings import FindingLog
    from scoring.gate.rules import COUNTS, SHARES, Operator
    from scoring.items.quantities import read_amount
    from scoring.known.failures import fits
    from scoring.items.rounds_and_tracks import read_named_track, track_names
    from scoring.items.spool.items import CHUNK_ITEMS
    from scoring.judging.verdicts import levels_digest, request_hasher
    from scoring.problems import SEVERITIES
    from scoring.reading.readers import EXTENSIONS
    from scoring.reading.spreadsheet import cell_text
    from scoring.results.losses import find_losses
    from scoring.rubric.document.front_matter import is_declaration, keys_of
    from scoring.rubric.document.read import read_rubric
    from scoring.rubric.document.schema import FrontMatter
    from scoring.rubric.model import Vocabulary
    from scoring.rubric.rules import MetricInfo
    from scoring.rubric.written import HIGHEST, ONE_OR_MORE, Made
    from scoring.statistics.distributions import NORMAL, t_quantile
    from scoring.statistics.intervals import wilson
    from watcher.plan import LEAST_TASKS, MOST
    from watcher.settle import Hint
    from workers.broker.condition import broker_folder, running_url
    from workers.broker.embedded import SERVER_NAMES, bundled_server, socket_url
    from workers.broker.server import redis_client
    from workers.celery_settings import SOFT_SHUTDOWN_SECONDS
    from workers.jobs.workplace import note_reading
    from workers.judge.job import ITEMS_PER_TASK
    from workers.processes.child import command_line
    from workers.processes.state_folder import StateHeldError
else:
    __getattr__ = door(__name__)
