"""The bytes of every rubric that is read from a shipped document, and from a seed over its shipped one.

A digest tells whether two reports were scored alike: code that reads documents may change, what it reads may not.
"""

from hashlib import sha256

import pytest

from scoring.rubric.document.read import parse_rubric
from scoring.rubric.model import encode_rubric
from tests.inner import SHIPPED_FOLDER
from tests.scoring.documents import BASE, SEED_000, SEED_002

PINNED = {
    "atif.md": "5c2a64c96b01225c",
    "bfcl.md": "0ea948fa8a6ddeb5",
    "deepeval.md": "8422ad5676be6ede",
    "en/h-recruit.md": "9cf6f8f2bfd9acf8",
    "en/move-agent.md": "f668eb34769ed9c5",
    "en/plan-agent.md": "53f051ea84b4dc0f",
    "en/resume-agent.md": "bcde5d688b7ddc8e",
    "en/rubrics-score.md": "9616fbcebe9f9e05",
    "h-recruit.md": "2e91fc80812abd02",
    "helm.md": "e07b4377b3c6da6c",
    "inspect.md": "445c856af876cb36",
    "langfuse.md": "b936b14dc88e921a",
    "lm-eval.md": "59665bd9782ac3c9",
    "move-agent.md": "9cb2a7c713389d6f",
    "openai-evals-api.md": "a00894cd8710cc3a",
    "openai-evals.md": "6deb58fc140ae606",
    "phoenix.md": "0ad2daaa72eadcd1",
    "plan-agent.md": "c0d81c6a0cbf44d8",
    "promptfoo.md": "e9ae95ea072b1e1b",
    "ragas.md": "b54dcf79ea4c71e1",
    "resume-agent.md": "b414ecfe30098ea5",
    "rubrics-score-en.md": "a622cd25c6d21fa3",
    "rubrics-score-ru.md": "bac7058cdebd93ee",
    "rubrics-score.md": "b6217f3067e061f7",
    "000.txt": "a8509a332b94750e",
    "002.txt": "c560a52e52a93f51",
}


def _read(name: str) -> bytes:
    seeds = {"000.txt": SEED_000, "002.txt": SEED_002}
    text = seeds.get(name) or (SHIPPED_FOLDER / name).read_text(encoding="utf-8")
    return encode_rubric(parse_rubric(text, source=name, base=BASE if name in seeds else None))


def test_every_document_is_pinned() -> None:
    shipped = {path.relative_to(SHIPPED_FOLDER).as_posix() for path in SHIPPED_FOLDER.rglob("*.md")}
    assert shipped | {"000.txt", "002.txt"} == set(PINNED)


@pytest.mark.parametrize("name", sorted(PINNED))
def test_a_document_is_read_as_it_was(name: str) -> None:
    assert sha256(_read(name)).hexdigest()[:16] == PINNED[name]
