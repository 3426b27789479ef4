"""`bench.pieces` measures what `scorewatch score` does with a large file."""

from functools import partial
from pathlib import Path

import pytest

from bench import pieces
from bench.make_csv import write_file
from scoring import pieces as scoring_pieces


def test_stages_add_up_to_the_wall_time_of_two_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "resume_agent_x.csv"
    write_file(path, 200)
    small = partial(scoring_pieces.plan_pieces, least_bytes=1_000, piece_bytes=-(-path.stat().st_size // 4))
    monkeypatch.setattr(pieces, "plan_pieces", small)
    found = pieces.stages(path)
    assert [stage.name for stage in found if stage.on == pieces.ALL] == ["hash", "4 pieces"]
    made = [pieces.Stage("b", 4.0, pieces.ALL), pieces.Stage("pages", 1.0)]
    *_, one, two = pieces.stage_lines(made)
    assert one == "| one core | 5.00 s | |"
    assert two == "| 2 idle cores: wall | 3.00 s | 1.67 times as fast |"


def test_a_file_that_is_not_cut_is_named(tmp_path: Path) -> None:
    path = tmp_path / "resume_agent_x.csv"
    write_file(path, 20)
    with pytest.raises(ValueError, match="not scored in pieces"):
        pieces.stages(path)
