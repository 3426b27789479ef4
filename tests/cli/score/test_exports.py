"""Outputs of other tools become reports by `scorewatch score FILE`, in the watched folder as on the command line."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.place import Place
from tests.paths import ROOT

EXPORTS = ROOT / "tests" / "exports"
# Name of an export, its profile, passed and evaluated items.
SCORED = (
    ("promptfoo_v3.json", "promptfoo", 4, 6),
    ("inspect_v2.json", "inspect", 3, 6),
    ("langfuse_traces.jsonl", "langfuse", 2, 3),
    ("phoenix_experiment.json", "phoenix", 3, 6),
    ("openai_evals_match.jsonl", "openai-evals", 2, 3),
    ("openai_evals_api_page.json", "openai-evals-api", 1, 3),
    ("2026-03-02T09-00-00_desk_t1.eval", "inspect", 3, 6),
    ("deepeval_run.json", "deepeval", 1, 3),
    ("samples_desk_2026-03-02T09-00-00.123456.jsonl", "lm-eval", 3, 6),
    ("helm_predictions.json", "helm", 2, 3),
)


def _put(place: Place, name: str) -> Path:
    (place.root / "in").mkdir(exist_ok=True)
    return Path(shutil.copy(EXPORTS / name, place.root / "in" / name))


@pytest.mark.parametrize(("name", "profile", "passed", "evaluated"), SCORED)
def test_an_export_becomes_a_report(place: Place, name: str, profile: str, passed: int, evaluated: int) -> None:
    result = place.run("score", str(_put(place, name)), "--language", "en", "--out", str(place.root / "out"), "-v")
    assert result.code == 0, result.out
    assert f"passed {passed}/{evaluated}" in result.out
    folder = place.root / "out" / name
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["profile"] == profile
    assert "SW12" in (folder / "items.csv").read_text(encoding="utf-8")
    assert re.search("[가-힣]", (folder / "report.md").read_text(encoding="utf-8")) is None


def test_a_copy_of_a_document_scores_another_version(place: Place) -> None:
    text = (ROOT / "config" / "rubrics" / "openai-evals.md").read_text(encoding="utf-8")
    changed = text.replace("where: { type: [match, error] }", "where: { type: [match, metrics, error] }")
    assert changed != text
    document = place.file("graded.md", changed)
    file = _put(place, "openai_evals_graded.jsonl")
    assert place.run("score", str(file), "--language", "en", "--out", str(place.root / "out")).code == 1
    result = place.run(
        "score", str(file), "--rubric", str(document), "--language", "en", "--out", str(place.root / "out"), "-v"
    )
    assert (result.code, "passed 2/3" in result.out) == (0, True), result.out


def test_a_line_that_is_no_object_is_named_with_its_line(place: Place) -> None:
    file = _put(place, "openai_evals_match.jsonl")
    file.write_bytes(b"[1, 2]\n" + file.read_bytes())
    korean = place.run("score", str(file), "--out", str(place.root / "out"), "-v")
    assert korean.code == 1
    assert "1번째 줄" in (korean.out + korean.err)
    assert "[record-unreadable]" in (korean.out + korean.err)
    english = place.run("score", str(file), "--language", "en", "--out", str(place.root / "out"), "-v")
    assert "openai_evals_match.jsonl line 1" in (english.out + english.err)
