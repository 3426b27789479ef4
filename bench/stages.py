"""Where the CPU time of one file goes inside a pool child: read, score, part, merge, render, write.

Runs what the two tasks run, in this process, stage after stage. The floor is reading the file and decoding its
payloads alone (`bench.floor`).
"""

import csv
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

from bench.floor import read_payloads
from config import claiming, load_rubrics
from reporting.runs import publish_report
from reporting.store import Destination, FileMark, Staging
from scoring.items import score_file
from scoring.results import merge
from scoring.rubric import Rubric
from scoring.sets import SetId
from workers.jobs import WorkArea
from workers.jobs.work_area import PartId

_CELL_CHARACTERS = 1 << 28


class Stopwatch:
    """CPU seconds of this process by stage; stages may nest, and time counts for the innermost."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside as `name`."""
        self._turn()
        self._open.append(name)
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def _turn(self) -> None:
        now = time.process_time()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now


def measure_stages(paths: Sequence[Path], out: Path) -> dict[str, float]:
    """Median CPU seconds per file and stage, "floor" among them. out: a folder to publish into."""
    csv.field_size_limit(_CELL_CHARACTERS)
    claims = partial(claiming, rubrics=load_rubrics(None))
    area = WorkArea(out)
    area.prepare()
    found: dict[str, list[float]] = defaultdict(list)
    for path in paths:
        watch = Stopwatch()
        _run(watch, path, out, area, claims(path.name))
        for name, seconds in watch.seconds.items():
            found[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def _run(watch: Stopwatch, path: Path, out: Path, area: WorkArea, rubric: Rubric | None) -> None:
    assert rubric is not None, f"{path}: no rubric claims it"
    with watch.stage("floor"), path.open("rb", buffering=1 << 20) as stream:
        sum(1 for _ in read_payloads(stream))
    with watch.stage("parse and score"), path.open("rb") as stream:
        part = score_file(stream, name=str(path), rubric=rubric)
    part_id = PartId(part.sha256, rubric.digest, path.suffix)
    with watch.stage("part"):
        area.write_part(part_id, part)
        stored = area.read_part(part_id)
    assert stored is not None
    with watch.stage("merge"):
        result = merge([(path.name, stored)], rubric)
    write, place = Staging.write, Staging.place

    def write_rendered(files: Staging, name: str, chunks: Iterable[bytes]) -> FileMark:
        rendered = list(chunks)  # they are made as they are written
        with watch.stage("write"):
            return write(files, name, rendered)

    def place_timed(files: Staging, name: str, folder: Path) -> None:
        with watch.stage("write"):
            place(files, name, folder)

    with (
        mock.patch.object(Staging, "write", write_rendered),
        mock.patch.object(Staging, "place", place_timed),
        watch.stage("render"),
    ):
        publish_report(result, SetId(path.stem, part.sha256), Destination(out=out, language="ko"))
