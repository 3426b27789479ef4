"""Slugs of the code have words in every language."""

import re

import pytest

from reporting.wording.names import count_name
from tests.paths import ROOT
from texts import LANGUAGES, texts

COUNTED = re.compile(r"counts(?:\[|\.note\([a-z_.]+, )\"([a-z-]+)\"")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_count_of_data_quality_has_a_name(language: str) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "scoring").rglob("*.py")]
    codes = {code for source in sources for code in COUNTED.findall(source)}
    assert {"end-mark", "restored-date", "seconds-missing"} <= codes
    assert {code for code in codes if count_name(code, texts(language)) == code} == set()
