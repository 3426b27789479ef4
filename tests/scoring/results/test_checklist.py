"""Lines of the checklist that are not ticked are a finding, where their expectation is declared."""

from typing import Any

import pytest

from scoring.findings import Finding
from scoring.results.checklist import checklist_lines
from scoring.results.model import SetResult
from tests.reporting.results import make_item, make_result


def unticked(result: SetResult) -> list[str]:
    return [place.values["item"] for finding in result.findings for place in finding.places]


def even(*tracks: int, **changes: Any) -> SetResult:
    """Two rounds of the same queries, one per track."""
    items = [
        make_item(10 * number + track, query_id=f"Q{track}", track=track, round=f"{number}/1")
        for number in (1, 2)
        for track in tracks
    ]
    return make_result(*items, **changes)


def test_even_set_has_nothing_to_look_at() -> None:
    result = even(1, 2, 3)
    assert all(is_fine for _, is_fine in checklist_lines(result))
    assert [name for name, _ in checklist_lines(result)] == ["tracks", "payloads", "recorded", "pairs", "slow.multi"]
    assert result.findings == ()


def test_tracks_without_a_declared_number_are_no_finding() -> None:
    result = even(1, 2)
    assert dict(checklist_lines(result))["tracks"] is False
    assert result.findings == ()


def test_one_round_is_no_finding() -> None:
    result = make_result(make_item(2))
    assert dict(checklist_lines(result))["pairs"] is False
    assert result.findings == ()


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"counts": {"payload:truncated": 1}}, ["payloads"]),
        ({"counts": {"recorded-zero-on-pass": 2}}, ["recorded"]),
        ({"counts": {"payload:truncated": 1, "recorded-contradicts-failure": 1}}, ["payloads", "recorded"]),
        ({"counts": {"restored-date": 1}}, []),
    ],
)
def test_counted_lines_are_unticked(changes: dict[str, Any], names: list[str]) -> None:
    assert unticked(even(1, 2, 3, **changes)) == names


def test_missing_and_slow_items_are_unticked() -> None:
    items = [
        make_item(2, query_id="A"),
        make_item(3, query_id="A", round="2/1"),
        make_item(4, query_id="B", track=3, seconds=60.0),
    ]
    result = make_result(*items)
    assert unticked(result) == ["pairs", "slow"]
    (finding,) = result.findings
    assert isinstance(finding, Finding)
    assert (finding.code, finding.severity, finding.count) == ("checklist-unticked", "note", 2)
    assert not result.has_errors
