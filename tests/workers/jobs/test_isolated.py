"""The process for one file that may be hostile."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from tests.scoring.files import resume_rubric
from workers.jobs import isolated as alone


def test_a_file_that_may_be_hostile_is_read_where_no_secret_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}

    def refuse(*_: object, env: dict[str, str], **__: Any) -> None:
        given.update(env)
        raise OSError

    monkeypatch.setenv("SCOREWATCH_JUDGE_API_KEY", "sk-secret")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(OSError):  # noqa: PT011 -- raised above
        alone.score_alone(
            "a.csv",
            name="a.csv",
            rubric=resume_rubric(),
            sha256="0" * 64,
            size=1,
            strikes=3,
            seconds=1.0,
            megabytes=2048,
            out=tmp_path,
        )
    assert given["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT), "a folder of modules would hide those of the library"
    assert not [name for name in given if name.upper().startswith("SCOREWATCH_")]
