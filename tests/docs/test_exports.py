"""The page about files of other tools: a section for each, with commands that name what there is, in both languages."""

import re

import pytest

from config import claiming, shipped_rubrics
from tests.paths import ROOT

TOOLS = {
    "promptfoo": ("promptfoo",),
    "Inspect": ("inspect",),
    "Langfuse": ("langfuse",),
    "Phoenix": ("phoenix",),
    "OpenAI evals": ("openai-evals", "openai-evals-api"),
    "DeepEval": ("deepeval",),
    "Ragas": ("ragas",),
    "lm-evaluation-harness": ("lm-eval",),
    "HELM": ("helm",),
    "BFCL": ("bfcl",),
    "ATIF": ("atif",),
}
FOLDER = "docs/test-result/RUN"
FILE_OF = {FOLDER: "atif_x.json", "samples_TASK_TIME.jsonl": "samples_x_2026-03-02T09-00-00.jsonl"}


@pytest.mark.parametrize("page", ["exports.md", "exports.ko.md"])
def test_each_tool_has_how_to_export_and_two_ways_to_score(page: str) -> None:
    _, *sections = (ROOT / "docs" / page).read_text(encoding="utf-8").split("\n## ")
    assert [section.split("\n")[0].partition(" 궤적")[0].removesuffix(" trajectories") for section in sections] == [
        *TOOLS
    ]
    for section, profiles in zip(sections, TOOLS.values(), strict=True):
        blocks = re.findall(r"```console\n(.*?)```", section, flags=re.DOTALL)
        assert len(blocks) == len(profiles)
        for block, profile in zip(blocks, profiles, strict=True):
            export, by_name, by_profile = block.splitlines()
            assert export.startswith("$ ")
            target = by_name.removeprefix("$ scorewatch score ").partition(" --out")[0]
            name = FILE_OF.get(target, FILE_OF.get(target.rpartition("/")[2], target.rpartition("/")[2]))
            rubric = claiming(name, shipped_rubrics())
            assert rubric is not None, name
            assert rubric.profile == profile
            assert f" --rubric {profile} --out" in by_profile
            assert f"(../config/rubrics/{profile}.md)" in section
