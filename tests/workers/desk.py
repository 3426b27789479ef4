"""One planned set of one file, and the place where it is worked on."""

import hashlib
from pathlib import Path

from config import profile_named, shipped_rubrics
from reporting.store import Destination
from scoring.items import ENGINE_VERSION
from scoring.sets import Plan, PlannedInput
from tests.cli.place import rows
from watcher import stat_of
from workers.jobs.attempts import Strikes
from workers.jobs.score_and_report import assemble
from workers.jobs.work_area import WorkArea
from workers.jobs.workplace import Workplace

NAME = "resume_agent_a"


class Desk:
    """One planned set and the place where it is worked on."""

    def __init__(self, root: Path) -> None:
        rubric = self.rubric = profile_named("resume-agent", shipped_rubrics())
        file = root / "in" / f"{NAME}.csv"
        file.parent.mkdir()
        file.write_text(rows("Q1"), encoding="utf-8")
        area = WorkArea(root / "out")
        area.prepare()
        area.write_rubric(rubric)
        self.place = Workplace(
            watch=root / "in",
            reports=Destination(out=root / "out", language="en"),
            area=area,
            strikes=Strikes(None),
            time_limit_seconds=60.0,
        )
        stat = file.stat()
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.plan = Plan(
            set_name=NAME,
            key="c" * 64,
            rubric_digest=rubric.digest,
            engine_version=ENGINE_VERSION,
            language="en",
            inputs=(PlannedInput(file.name, file.name, digest, *stat_of(stat).times),),
        )

    def assemble(self) -> bool:
        return assemble(self.place, self.plan, score_missing=True).is_published

    @property
    def standing(self) -> int:
        """Strikes that stand."""
        return self.place.strikes.take(NAME, self.plan.key) - 1
