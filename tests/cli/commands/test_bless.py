"""`scorewatch bless`: pins, shows and clears; outdated comparisons are made at once."""

import json
import shutil

import pytest

from reporting.store import BASELINE_JSON, pin_path, read_pins
from tests.cli.place import AsMade, Place, rows

QUERIES = tuple(f"Q{number}" for number in range(12))


@pytest.fixture
def sets(place: Place, as_made: AsMade) -> Place:
    """Three published sets of one profile."""
    return as_made(place, _make)


def _make(place: Place) -> None:
    for day in ("01", "08", "15"):
        text = rows(*(f"{query}@1/1" for query in QUERIES)).replace("run-1", f"run-{day}")  # equal files are one run
        place.file(f"docs/test-result/resume_agent_2603{day}.csv", text)
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet").code == 0


def _baseline(place: Place, name: str) -> tuple[str, str]:
    found = json.loads((place.root / "docs/reports" / name / BASELINE_JSON).read_bytes())
    return found["origin"], found["baseline"]


def test_score_compares_with_the_nearest_earlier_run(sets: Place) -> None:
    assert _baseline(sets, "resume_agent_260301") == ("first", "")
    assert _baseline(sets, "resume_agent_260308") == ("earlier", "resume_agent_260301")
    assert _baseline(sets, "resume_agent_260315") == ("earlier", "resume_agent_260308")
    assert "resume_agent_260308, [compare.md](resume_agent_260315/compare.md)" in (
        sets.root / "docs/reports/index.md"
    ).read_text(encoding="utf-8")


def test_a_pin_is_set_shown_and_cleared(sets: Place) -> None:
    out = sets.root / "docs/reports"
    assert sets.run("bless", "--show", "--language", "en").out == "No baseline is pinned.\n"
    ran = sets.run("bless", "resume_agent_260301", "--language", "en")
    assert (ran.code, ran.out) == (
        0,
        "resume_agent_260301 is now the baseline of resume-agent.\nReports compared again: 3\n",
    )
    assert read_pins(out) == {"resume-agent": "resume_agent_260301"}
    assert _baseline(sets, "resume_agent_260315") == ("pinned", "resume_agent_260301")
    assert sets.run("bless", "--show").out == "resume-agent: resume_agent_260301\n"
    shutil.rmtree(out / "resume_agent_260301")
    assert "보고서 없음" in sets.run("bless", "--show").out
    cleared = sets.run("bless", "--clear", "resume-agent", "--language", "en")
    assert cleared.out == "resume-agent no longer has a pinned baseline.\nReports compared again: 2\n"
    assert not pin_path(out, "resume-agent").exists()
    assert _baseline(sets, "resume_agent_260315") == ("earlier", "resume_agent_260308")


def _gated(place: Place, name: str) -> tuple[str, str]:
    """The state of a gate, and the key of the run that it compares with."""
    found = json.loads((place.root / "docs/reports" / name / "gate.json").read_bytes())
    return found["result"]["state"], found["baseline"]


def test_gates_that_compare_with_the_baseline_are_decided_again(sets: Place) -> None:
    text = rows(*(f"{query}@1/1" for query in QUERIES)).replace("run-1", "run-22").replace(",3명,,,", ",,Timeout,,")
    sets.file("docs/test-result/resume_agent_260322.csv", text)
    sets.file("docs/test-result/resume_agent_260329.csv", text.replace("run-22", "run-29"))
    rules = sets.file("scorewatch.toml", '[gate]\nrules = ["not worse than baseline"]\n')
    ran = sets.score("docs/test-result", "--out", "docs/reports", "--gate", "--quiet")
    name = "resume_agent_260329"
    before = _gated(sets, name)
    assert (ran.code, before[0]) == (3, "passed")  # as bad as the run before it
    said = sets.run("bless", "resume_agent_260301").out.splitlines()
    assert said[1:] == ["다시 비교한 보고서 5개", "기준 실행이 바뀌어 게이트를 다시 판정한 세트 4개"]
    after = _gated(sets, name)
    assert after[0] == "failed"
    assert after[1] not in {"", before[1]}
    page = (sets.root / "docs/reports" / name / "summary.md").read_text(encoding="utf-8")
    assert "게이트 실패" in page
    rules.write_text('[gate]\nrules = ["not worse than baseline", "items >= 1"]\n', encoding="utf-8")
    said = sets.run("bless", "--clear", "resume-agent").out.splitlines()
    assert said[-1] == "다른 규칙으로 판정한 게이트 4개는 그대로입니다. scorewatch gate로 다시 판정하세요."
    assert _gated(sets, name) == after
    rules.write_text('[gate]\nrules = ["itms >= 1"]\n', encoding="utf-8")
    ran = sets.run("bless", "resume_agent_260308")
    assert "itms" in ran.err
    assert _gated(sets, name) == after


def test_with_several_pins_one_is_named(sets: Place) -> None:
    sets.run("bless", "resume_agent_260301")
    pin = pin_path(sets.root / "docs/reports", "resume-agent")
    other = pin.with_name("baseline-h-recruit.json")
    other.write_text(pin.read_text(encoding="utf-8").replace("resume-agent", "h-recruit"), encoding="utf-8")
    ran = sets.run("bless", "--clear", "--language", "en")
    assert ran.code == 2
    assert "Give the profile whose pin to remove: h-recruit, resume-agent" in ran.err
    assert sets.run("bless", "--clear", "h-recruit").code == 0
    assert sets.run("bless", "--clear").code == 0
    assert read_pins(sets.root / "docs/reports") == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param((), "Name a set: scorewatch bless SET", id="no-set"),
        pytest.param(("resume_agent_260302",), "Nearest sets: 'resume_agent_260308'", id="unknown"),
        pytest.param(("--show", "x"), "--show takes no other argument", id="show-with-a-set"),
        pytest.param(("--clear",), "No baseline is pinned", id="nothing-to-clear"),
    ],
)
def test_wrong_usage_ends_with_2(sets: Place, arguments: tuple[str, ...], said: str) -> None:
    ran = sets.run("bless", *arguments, "--language", "en")
    assert ran.code == 2
    assert said in ran.err


def test_a_set_that_could_not_be_read_is_no_baseline(sets: Place) -> None:
    sets.file("docs/test-result/resume_agent_260322.csv", "\x00")
    sets.score("docs/test-result", "--out", "docs/reports", "--quiet")
    ran = sets.run("bless", "resume_agent_260322", "--language", "en")
    assert ran.code == 2
    assert "could not be read" in ran.err


def test_a_gate_of_score_compares_with_the_baseline(sets: Place) -> None:
    worse = rows(*(f"{query}@1/1" for query in QUERIES)).replace("3명,,,,,", "3명,Timeout after 60000ms,,,,")
    sets.file("docs/test-result/resume_agent_260322.csv", worse)
    sets.file("gate.toml", '[gate]\nrules = ["not worse than baseline"]\n')
    ran = sets.run(
        "score",
        "docs/test-result/resume_agent_260322.csv",
        "--out",
        "docs/reports",
        "--gate",
        "--gate-file",
        "gate.toml",
        "--language",
        "en",
    )
    assert ran.code == 3
    assert "resume_agent_260322 failed: not worse than baseline (worse than resume_agent_260315: " in ran.out
    again = sets.run("gate", "resume_agent_260322", "--gate-file", "gate.toml", "--language", "en")
    assert again.code == 3


def test_a_damaged_pin_is_named_until_it_is_cleared(sets: Place) -> None:
    out = sets.root / "docs/reports"
    pin_path(out, "resume-agent").write_text("<<<<<<< HEAD", encoding="utf-8")
    ran = sets.run("bless", "--show", "--language", "en")
    assert (ran.code, "the pin in baseline-resume-agent.json cannot be read" in ran.out) == (1, True)
    assert sets.run("bless", "--clear", "resume-agent").code == 0
    assert not pin_path(out, "resume-agent").exists()
    assert sets.run("bless", "--show").code == 0
