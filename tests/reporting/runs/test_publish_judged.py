"""A report whose judge is pending is completed in place: the same key, no step back, no version of its own."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from reporting.runs.publish import Outcome
from reporting.store import CHANGES_HTML, CHANGES_MD, append_verdicts, kept_versions, status_of_set, verify_set
from scoring.items import Item
from scoring.judging import JudgeFigures, JudgeState, Verdict
from tests.inner import VERDICTS
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result


def write(
    out: Path, state: JudgeState, digest: str, *items: Item, key: str = "k1", force: bool = False, history: int = 20
) -> Outcome:
    judge = JudgeFigures(state=state, metrics=(), digest=digest)
    result = replace(make_result(*items), judge=judge)
    return publish_report(result, set_name="s", key=key, out=out, force=force, history_versions=history).outcome


def test_status_says_how_far_the_judge_is(tmp_path: Path) -> None:
    write(tmp_path, JudgeState.PENDING, "d1")
    status = status_of_set(tmp_path, "s")
    assert status is not None
    assert (status.judge, status.judge_digest, status.is_final) == (JudgeState.PENDING, "d1", False)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        pytest.param(("pending", ""), ("pending", ""), Outcome.UNCHANGED, id="nothing-new"),
        pytest.param(("pending", ""), ("pending", "d1"), Outcome.WRITTEN, id="more-verdicts"),
        pytest.param(("pending", "d1"), ("done", "d2"), Outcome.WRITTEN, id="completed"),
        pytest.param(("pending", "d1"), ("done", "d1"), Outcome.WRITTEN, id="completed-by-giving-up-nothing"),
        pytest.param(("pending", ""), ("incomplete", ""), Outcome.WRITTEN, id="given-up"),
        pytest.param(("incomplete", "d1"), ("done", "d2"), Outcome.WRITTEN, id="graded-after-all"),
        pytest.param(("done", "d2"), ("done", "d2"), Outcome.UNCHANGED, id="done-again"),
        pytest.param(("done", "d2"), ("pending", "d1"), Outcome.UNCHANGED, id="late-pending-after-done"),
        pytest.param(("done", "d2"), ("incomplete", "d1"), Outcome.UNCHANGED, id="late-incomplete-after-done"),
        pytest.param(("incomplete", "d1"), ("pending", ""), Outcome.UNCHANGED, id="late-pending-after-incomplete"),
    ],
)
def test_the_same_key_is_written_again_only_when_the_judge_came_further(
    tmp_path: Path, before: tuple[str, str], after: tuple[str, str], outcome: Outcome
) -> None:
    write(tmp_path, JudgeState(before[0]), before[1])
    assert write(tmp_path, JudgeState(after[0]), after[1]) is outcome
    status = status_of_set(tmp_path, "s")
    assert status is not None
    stands = after if outcome is Outcome.WRITTEN else before
    assert (status.judge, status.judge_digest) == stands
    assert verify_set(tmp_path, "s")


def test_damage_and_force_write_an_earlier_stage_too(tmp_path: Path) -> None:
    write(tmp_path, JudgeState.DONE, "d1")
    assert write(tmp_path, JudgeState.PENDING, "", force=True) is Outcome.WRITTEN
    write(tmp_path, JudgeState.DONE, "d1")
    (tmp_path / "s/report.md").unlink()
    assert write(tmp_path, JudgeState.PENDING, "") is Outcome.WRITTEN


def test_completion_makes_no_version_and_compares_with_the_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    write(tmp_path, JudgeState.DONE, "d0", make_item(2, intent=1.0), key="k0")
    write(tmp_path, JudgeState.PENDING, "", make_item(2, intent=None), key="k1")
    assert "1.00 → 5.00" not in (folder / CHANGES_MD).read_text(encoding="utf-8")
    write(tmp_path, JudgeState.DONE, "d1", make_item(2, intent=5.0), key="k1")
    assert [(version.sequence, version.status.key) for version in kept_versions(folder)] == [(1, "k0")]
    for name in (CHANGES_MD, CHANGES_HTML):
        assert "1.00 → 5.00" in (folder / name).read_text(encoding="utf-8")


def test_completion_of_a_first_report_is_a_first_report(tmp_path: Path) -> None:
    write(tmp_path, JudgeState.PENDING, "")
    write(tmp_path, JudgeState.DONE, "d1")
    assert not (tmp_path / "s" / CHANGES_MD).exists()
    assert kept_versions(tmp_path / "s") == []


def test_completion_keeps_what_changed_where_no_version_is_kept(tmp_path: Path) -> None:
    write(tmp_path, JudgeState.DONE, "d0", make_item(2, intent=1.0), key="k0", history=0)
    write(tmp_path, JudgeState.PENDING, "", make_item(2, intent=2.0), key="k1", history=0)
    before = (tmp_path / "s" / CHANGES_MD).read_bytes()
    assert "1.00 → 2.00".encode() in before
    write(tmp_path, JudgeState.DONE, "d1", make_item(2, intent=5.0), key="k1", history=0)
    assert (tmp_path / "s" / CHANGES_MD).read_bytes() == before


def test_the_verdicts_lie_in_order_beside_a_completed_report(tmp_path: Path) -> None:
    verdicts = [Verdict(hash=name, level="1") for name in ("c", "a", "b")]
    append_verdicts(tmp_path, "s", [Verdict(hash="a", failure="timeout", tries=1), *verdicts])
    path = tmp_path / "s" / VERDICTS
    before = path.read_bytes()
    write(tmp_path, JudgeState.PENDING, "d1")
    assert path.read_bytes() == before
    write(tmp_path, JudgeState.DONE, "d2")
    assert path.read_bytes() == b"".join(b'{"hash":"%s","level":"1"}\n' % name for name in (b"a", b"b", b"c"))


def test_a_completed_report_without_a_verdict_makes_no_file(tmp_path: Path) -> None:
    write(tmp_path, JudgeState.DONE, "")
    assert not (tmp_path / "s" / VERDICTS).exists()
