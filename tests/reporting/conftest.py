"""Fixtures of the tests of what is written."""

from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryFile

import pytest

from scoring.items.spool import SpoolSpace
from tests.reporting.document.reports import part_of


@pytest.fixture(params=["memory", "files"])
def items_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the items of the test's sets are: in memory, or all but five of each set in files."""
    if request.param == "files":
        monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", 5)
        monkeypatch.setattr("scoring.items.file_scorer.SpoolSpace", partial(SpoolSpace, TemporaryFile))
    part_of.cache_clear()
    yield request.param
    part_of.cache_clear()
