"""Every output of every case is the accepted one: files, what is printed, exit codes. See docs/tests.md."""

from __future__ import annotations

import pytest

from tests.manifest.cases import cases
from tests.manifest.record import HAS_EXACT_DIGITS, accepted_of, differences, lines_of, outputs_of, read_manifest
from tests.manifest.run import as_process

CASES = cases()
MANIFESTS = {language: read_manifest(language) for language in ("ko", "en")}
HOW = (
    "The outputs are in tests/actual_manifest. `make manifest-before COMMIT=main` writes those of a commit, after which"
    " this test shows what differs in them. `make manifest-accept` takes all over."
)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_outputs_are_the_accepted_ones(language: str, case: str) -> None:
    found = differences(case, outputs_of(CASES[case], language), accepted_of(case, MANIFESTS[language]), language)
    assert not found, "\n".join([f"{language}: {len(found)} lines", *found, HOW])


@pytest.mark.slow
def test_real_processes_do_the_same() -> None:
    found = lines_of("sample", outputs_of(CASES["sample"], "ko", as_process))
    accepted = accepted_of("sample", MANIFESTS["ko"])
    if not HAS_EXACT_DIGITS:
        found, accepted = ({name: mark.partition(":")[0] for name, mark in one.items()} for one in (found, accepted))
    assert found == accepted


@pytest.mark.parametrize("language", MANIFESTS)
def test_no_line_is_of_a_case_that_is_gone(language: str) -> None:
    of_cases = {name for case in CASES for name in accepted_of(case, MANIFESTS[language])}
    assert MANIFESTS[language].keys() == of_cases
