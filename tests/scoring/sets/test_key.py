"""The key changes with everything a report depends on, and with nothing else."""

import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest

from scoring.problems import Problem
from scoring.sets.plan import refusal_key, set_key

INPUTS = [("한글.csv", "a" * 64), ("b.csv", "b" * 64)]


def key(inputs: list[tuple[str, str]] = INPUTS, **changes: Any) -> str:
    settings: Mapping[str, Any] = {
        "rubric_digest": "d",
        "engine_version": 1,
        "report_settings": {"language": "ko", "a": "b"},
    }
    return set_key(inputs, **{**settings, **changes})


def test_key_is_pinned() -> None:
    # A change here makes every report of every user be written again: only with a new engine version.
    assert key() == "7a7be8251103e40581f91da47426c1a5481da36dbf98f642850dac18fea378f8"


def test_key_ignores_order_and_normal_form() -> None:
    decomposed = [(unicodedata.normalize("NFD", name), sha256) for name, sha256 in reversed(INPUTS)]
    assert key(decomposed, report_settings={"a": "b", "language": "ko"}) == key()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(key([("한글.csv", "a" * 64), ("b.csv", "c" * 64)]), id="content"),
        pytest.param(key([("한글.csv", "b" * 64), ("b.csv", "a" * 64)]), id="which-file-has-which-content"),
        pytest.param(key([("한글.csv", "a" * 64), ("c.csv", "b" * 64)]), id="name"),
        pytest.param(key(INPUTS[:1]), id="file-removed"),
        pytest.param(key([*INPUTS, INPUTS[0]]), id="file-twice"),
        pytest.param(key(rubric_digest="e"), id="rubric"),
        pytest.param(key(engine_version=2), id="engine"),
        pytest.param(key(report_settings={"language": "en", "a": "b"}), id="setting"),
        pytest.param(key([("\udcff.csv", "a" * 64)]), id="name-that-is-no-text"),
    ],
)
def test_key_changes(other: str) -> None:
    assert other != key()
    assert len(other) == 64


def test_a_refusal_changes_with_what_is_wrong() -> None:
    common = {"rubric_digest": "d", "language": "ko"}
    clash, other = (
        Problem(code="name-clash", values={"first": "a.csv", "second": name}) for name in ("A.csv", "á.csv")
    )
    keys = {
        refusal_key(INPUTS, [clash], **common),
        refusal_key(INPUTS, [other], **common),
        refusal_key(INPUTS[:1], [clash], **common),
        set_key(INPUTS, rubric_digest="d", report_settings={"language": "ko"}),
    }
    assert len(keys) == 4
