"""Groups of a comparison whose tracks are texts: in the order of the document."""

from scoring.comparison.run import Basis
from scoring.rubric import Rubric, TrackId, place_of
from tests.scoring.files import resume_rubric
from tests.scoring.results.test_text_tracks import rubric


def order(tracks: list[TrackId | None], of: Rubric) -> list[TrackId | None]:
    listed = Basis.of(of).tracks
    return sorted(tracks, key=lambda track: place_of(track, listed))


def test_basis_of_a_report_knows_the_order_of_text_tracks() -> None:
    found: list[TrackId | None] = [None, "alpha", 12, 7, "Very Hard", "easy"]
    assert order(found, rubric()) == ["easy", "Very Hard", 7, 12, "alpha", None]
    assert order([None, 12, 7], resume_rubric()) == [7, 12, None]


def test_numbers_leave_the_basis_as_it_was() -> None:
    assert Basis.of(resume_rubric()).tracks == ()
