"""The sample: the committed file is the generated one, and everything odd in it is a note."""

from pathlib import Path

import pytest

from bench.sample import SAMPLE, sample_rows, write_sample
from cli.main import main
from scoring import Finding, Severity
from scoring.results import SetResult
from tests.paths import ROOT
from tests.scoring.files import score_shipped


@pytest.fixture(scope="module")
def result() -> SetResult:
    return score_shipped(ROOT / SAMPLE)


@pytest.fixture(scope="module")
def findings(result: SetResult) -> tuple[Finding, ...]:
    return result.findings


def test_committed_sample_is_the_generated_one(tmp_path: Path) -> None:
    written = tmp_path / "sample.csv"
    write_sample(written)
    assert (ROOT / SAMPLE).read_bytes() == written.read_bytes()
    assert written.stat().st_size < 1_000_000


def test_sample_has_three_rounds_whose_answers_differ(result: SetResult) -> None:
    assert [entry.label for entry in result.rounds] == ["1/1", "2/1", "3/1"]
    messages: dict[str, set[str]] = {}
    for row in sample_rows():
        messages.setdefault(row["Query ID"], set()).add(row["응답"])
    assert sum(len(texts) > 1 for texts in messages.values()) > 70


@pytest.mark.parametrize(
    "code",
    [
        "recorded-out-of-range", "recorded-not-a-number", "seconds-unusable", "seconds-zero", "track-unknown",
        "invisible-characters", "two-questions", "damaged-text", "json-in-json", "payload-unknown-fields", "attempts",
        "rows-equal",
    ],
)  # fmt: skip
def test_sample_shows_each_common_thing_to_look_at(code: str, findings: tuple[Finding, ...]) -> None:
    assert code in {finding.code for finding in findings}


def test_nothing_in_the_sample_costs_a_row_or_the_exit_code(
    findings: tuple[Finding, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert {finding.severity for finding in findings} == {Severity.NOTE}
    assert main(["score", str(ROOT / SAMPLE)]) == 0
    assert "resume_agent_sample" in capsys.readouterr().out
