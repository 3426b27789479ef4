"""What a worker does once, before it forks, so that no child does it with a file in its hands."""

from __future__ import annotations

import gc
import io
import tempfile
from pathlib import Path

import structlog

from config.rubric_store import shipped_rubrics
from reporting.publish import publish_report
from scoring.aggregate import merge
from scoring.score import score_file

# Tasks make many objects that live until their report is written, and hardly a cycle: Python's own threshold (700)
# has the collector walk over all of them a hundred times a file.
GC_THRESHOLDS = (50_000, 20, 50)
_SAMPLE = (
    "Query ID,Track,질의,방/반복,실행시각,응답,오류,Raw JSON\n"
    'Q1,Track 1,질문,1/1,2026-01-01 00:00:00,답,,"{""assistantMessage"": ""답""}"\n'
    "Q1,Track 1,질문,1/2,2026-01-01 00:01:00,,timeout,\n"
).encode()

_log = structlog.get_logger()


def warm_up() -> None:
    """Import, compile and cache what every report needs; what fails here fails again where it can be told."""
    try:
        with tempfile.TemporaryDirectory(prefix="scorewatch-warm-") as folder:
            for rubric in shipped_rubrics()[:1]:
                part = score_file(io.BytesIO(_SAMPLE), name="sample.csv", rubric=rubric)
                publish_report(merge([("sample.csv", part)], rubric), set_name="sample", key="0" * 64, out=Path(folder))
    except Exception as error:  # noqa: BLE001 -- a worker that starts cold is still a worker
        _log.warning("not warmed up", reason=f"{type(error).__name__}: {error}")
    gc.collect()
    gc.freeze()  # what is there now stays: children need not look at it, nor copy its pages
    gc.set_threshold(*GC_THRESHOLDS)
