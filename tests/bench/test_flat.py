"""The benchmark of the watcher's memory runs, and finds it level."""

from pathlib import Path

import pytest

from bench import flat


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_memory_is_level_over_publications_into_few_names(tmp_path: Path) -> None:
    assert flat.run(tmp_path / "world", 1500, say=False) < flat.MOST_GROWTH_MB
