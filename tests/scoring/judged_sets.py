"""Sets with something for a judge, made in memory."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from config import profile_named, shipped_rubrics
from scoring.items.file_scorer import score_file
from scoring.items.part import Item
from scoring.items.spool.items import Items
from scoring.items.spool.part_file import Part
from scoring.judging.apply import judge_items
from scoring.judging.verdicts import JudgeIdentity, JudgeRequest, Judging, Verdict
from scoring.rubric.model import Rubric

SCORES = profile_named("rubrics-score", shipped_rubrics())
H = profile_named("h-recruit", shipped_rubrics())
IDENTITY = JudgeIdentity(model="judge-1")


def scores_part(rows: Sequence[dict[str, str]], rubric: Rubric = SCORES) -> Part:
    """A file of the profile rubrics-score; the keys of the first row are its header."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return score_file(io.BytesIO(stream.getvalue().encode()), name="a.csv", rubric=rubric)


def h_part(*payloads: dict[str, Any]) -> Part:
    """A file of h-recruit, a row per payload."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["Query ID", "방/반복", "질의", "LLM 점수", "Raw JSON"])
    for number, payload in enumerate(payloads, start=1):
        recorded = payload.pop("recorded", "")
        writer.writerow([f"Q{number}", "1/1", f"질의 {number}", recorded, json.dumps(payload, ensure_ascii=False)])
    return score_file(io.BytesIO(stream.getvalue().encode()), name="h.csv", rubric=H)


def requests_of(items: Sequence[Item], rubric: Rubric, identity: JudgeIdentity) -> tuple[JudgeRequest, ...]:
    """What a judge is asked of the items that has said nothing yet."""
    return judge_items(Items.of(items), rubric, Judging(identity=identity))[1].requests


def verdict(request: JudgeRequest, level: str, **more: Any) -> Verdict:
    """A verdict on a request."""
    return Verdict(hash=request.hash, level=level, **{"reason": "까닭", **more})


def judging(*verdicts: Verdict, identity: JudgeIdentity = IDENTITY) -> Judging:
    """A judge with these verdicts."""
    return Judging(identity=identity, verdicts={one.hash: one for one in verdicts})
