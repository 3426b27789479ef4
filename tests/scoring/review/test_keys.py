"""The key of a set has its grades, and nothing of the files that they come from."""

from msgspec.structs import replace

from scoring.review import digest_of
from scoring.sets import ReportBasis
from tests.scoring.files import resume_rubric
from tests.scoring.review_files import grade, key_of, week

WEEK = week()
BASIS = ReportBasis.of(resume_rubric(), language="ko")
INPUTS = [("a.csv", "0" * 64)]
ONE = grade(key_of(WEEK, "Q-1"), "1", comment="틀림", cause="검색")


def test_without_grades_the_key_is_that_of_before() -> None:
    assert BASIS.key(INPUTS, []) == BASIS.key(INPUTS)
    assert digest_of([]) == ""


def test_neither_name_nor_place_nor_order_nor_copies_count() -> None:
    other = grade(key_of(WEEK, "Q-2"), "2")
    moved = [
        replace(other, file="x.xlsx", row=99, column="y", sha256="1", modified="2"),
        ONE,
        replace(ONE, file="copy"),
    ]
    assert BASIS.key(INPUTS, moved) == BASIS.key(INPUTS, [ONE, other]) != BASIS.key(INPUTS)


def test_whatever_a_report_shows_of_a_grade_counts() -> None:
    others = [
        replace(ONE, grade="2"),
        replace(ONE, comment=""),
        replace(ONE, cause="다른 원인"),
        replace(ONE, reviewer="이검수"),
        replace(ONE, decides=True),
        replace(ONE, check="a=b"),
        replace(ONE, key=ONE.key._replace(query_id="Q-9")),
        replace(ONE, key=ONE.key._replace(round="2/1")),
        replace(ONE, key=ONE.key._replace(text_hash="0" * 16)),
    ]
    digests = {digest_of([one]) for one in (ONE, *others)}
    assert len(digests) == 1 + len(others)


def test_the_name_of_the_set_does_not_count() -> None:
    """A set that was renamed has the same grades."""
    assert digest_of([replace(ONE, key=ONE.key._replace(set_name="another"))]) == digest_of([ONE])
