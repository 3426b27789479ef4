"""Work that a worker does once before it forks, so that no child has to do it during a task."""

import csv
import gc
import io
import tempfile
from pathlib import Path

import msgspec
import structlog

from config import shipped_rubrics
from reporting.runs import publish_report
from reporting.store import Destination
from scoring.items import score_file
from scoring.results import merge
from scoring.rubric import Rubric
from scoring.sets import SetId

# A task creates many objects that live until its report is written, and few cycles: with Python's default threshold
# (700), the collector would traverse all of them a hundred times per file.
GC_THRESHOLDS = (50_000, 20, 50)
_ALWAYS = {"run_id": "run", "query_id": "Q1", "track": "Track 1", "question": "?", "category": "a/b"}
_ITEMS = (
    {"round": "1/1", "response": "!", "raw_json": '{"assistantMessage": "!", "responseTimeSec": 4}', "llm_score": "3"},
    {"round": "1/2", "error": "timeout"},
    {"round": "2/1", "response": "!"},
)

_log = structlog.get_logger()


def warm_up(language: str) -> None:
    """Import, compile and cache what every report needs. language: of the reports."""
    try:
        with tempfile.TemporaryDirectory(prefix="scorewatch-warm-") as folder:
            for rubric in shipped_rubrics(language):
                _make_report(msgspec.structs.replace(rubric, records=None), language, Path(folder))
    except Exception as error:  # noqa: BLE001 -- what fails here fails again in a task, where it is reported
        _log.warning("not warmed up", reason=f"{type(error).__name__}: {error}")
    gc.collect()
    gc.freeze()  # children neither traverse nor copy what exists now
    gc.set_threshold(*GC_THRESHOLDS)


def _make_report(rubric: Rubric, language: str, folder: Path) -> None:
    text = io.StringIO()
    rows = csv.DictWriter(text, [column.name for column in rubric.columns], restval="", extrasaction="ignore")
    rows.writerow({column.name: column.title for column in rubric.columns})
    rows.writerows({**_ALWAYS, "item_id": number, **item} for number, item in enumerate(_ITEMS))
    part = score_file(io.BytesIO(text.getvalue().encode()), name="sample.csv", rubric=rubric)
    result = merge([("sample.csv", part)], rubric)
    publish_report(result, SetId(rubric.profile, "0" * 64), Destination(out=folder, language=language))
