"""The plan of a set: its key, its judge, and its way through JSON."""

import os

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import profile_named, shipped_rubrics
from scoring.items import ENGINE_VERSION
from scoring.judging import PROMPT_VERSION, JudgeIdentity
from scoring.sets.plan import Plan, PlannedInput, ReportBasis, escape_path, plan_set, set_key, unescape_path
from tests.examples import examples
from tests.inner import levels_digest

INPUT = PlannedInput("%EB%B0%A9/a.csv", "a.csv", "a" * 64, 3, 4, 5)


def plan(profile: str, judge: JudgeIdentity | None) -> Plan:
    rubric = profile_named(profile, shipped_rubrics())
    return plan_set("방/p", [INPUT], ReportBasis.of(rubric, language="ko", judge=judge))


@pytest.mark.parametrize(
    ("judge", "counted"),
    [
        pytest.param(None, {}, id="no-judge"),
        pytest.param(JudgeIdentity(model="m"), {"judge.model": "m", "judge.votes": "1"}, id="judge"),
        pytest.param(
            JudgeIdentity(model="m", votes=3, compare=True),
            {"judge.model": "m", "judge.votes": "3", "judge.compare": "yes"},
            id="votes-and-comparison",
        ),
    ],
)
def test_key_counts_the_rubric_the_language_and_the_judge(judge: JudgeIdentity | None, counted: dict[str, str]) -> None:
    rubric = profile_named("h-recruit", shipped_rubrics())
    if judge is not None:
        counted |= {"judge.prompt": PROMPT_VERSION, "judge.levels": ",".join(map(levels_digest, rubric.judged))}
    found = plan("h-recruit", judge)
    assert found.judge == judge
    assert found.key == set_key(
        [("a.csv", "a" * 64)],
        rubric_digest=rubric.digest,
        engine_version=ENGINE_VERSION,
        report_settings={"language": "ko", **counted},
    )


def test_a_judge_without_a_rule_to_judge_changes_nothing() -> None:
    assert plan("resume-agent", JudgeIdentity(model="m")) == plan("resume-agent", None)


def test_a_plan_is_the_same_after_json() -> None:
    found = plan("h-recruit", JudgeIdentity(model="m", votes=3))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Plan) == found


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
@settings(max_examples=examples(200))
def test_escaped_paths_keep_their_bytes(name: bytes) -> None:
    escaped = escape_path(os.fsdecode(name))
    assert escaped.isascii()
    assert os.fsencode(unescape_path(escaped)) == name
