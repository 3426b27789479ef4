"""A stored part is used only with the file that was joined to it when it was scored."""

from msgspec.structs import replace

from scoring.items.spool import Part
from tests.workers.desk import Desk
from workers.jobs.score_and_report import score_input
from workers.jobs.workplace import part_id_of


def test_part_of_another_joined_file_is_scored_again(desk: Desk) -> None:
    (planned,) = desk.plan.inputs
    stale = Part(sha256=planned.sha256, size=planned.size, rubric_digest=desk.rubric.digest, beside="a" * 64)
    desk.place.area.write_part(part_id_of(desk.plan, planned), stale)
    assert len(score_input(desk.place, desk.plan, planned).items) == 1
    with_other = replace(desk.plan, inputs=(planned, replace(planned, name="more.jsonl", sha256="a" * 64)))
    desk.place.area.write_part(part_id_of(desk.plan, planned), stale)
    assert len(score_input(desk.place, with_other, planned).items) == 0
