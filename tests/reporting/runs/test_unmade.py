"""The page in the place of a comparison that is not made yet."""

from pathlib import Path

import pytest

from reporting.report import report_set
from reporting.runs.compare import compare_missing
from reporting.store import BASELINE_JSON, COMPARE_HTML, Destination
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.sets import SetId
from tests.paths import ROOT
from tests.reporting.results import make_rubric

CASE = ROOT / "tests/cases/one_round"


def _part() -> tuple[str, Part]:
    (path,) = CASE.glob("*.csv")
    with path.open("rb") as stream:
        return path.name, score_file(stream, name=path.name, rubric=make_rubric())


@pytest.mark.parametrize(
    ("language", "said", "top"),
    [("ko", "비교를 아직 만들지 않았습니다", "../../index.html"), ("en", "has not been made yet", "../../index.html")],
)
def test_the_link_of_a_new_report_leads_to_a_page_until_the_comparison_is_made(
    tmp_path: Path, language: str, said: str, top: str
) -> None:
    destination = Destination(out=tmp_path, language=language)
    report_set([_part()], make_rubric(), destination, SetId("a/b", "k1"))
    page = tmp_path / "a/b" / COMPARE_HTML
    text = page.read_text(encoding="utf-8")
    assert said in text
    assert f'href="{top}"' in text
    assert not (page.parent / BASELINE_JSON).exists()  # so the comparison is still asked for
    assert compare_missing(Destination(out=tmp_path, language=language)) == (1, [])
    made = page.read_bytes()
    assert said.encode() not in made
    report_set([_part()], make_rubric(), destination, SetId("a/b", "k2"))
    assert page.read_bytes() == made  # the earlier comparison stays until the next one


def test_a_report_whose_writer_died_before_the_page_gets_it_with_the_next_try(tmp_path: Path) -> None:
    destination = Destination(out=tmp_path, language="ko")
    report_set([_part()], make_rubric(), destination, SetId("a", "k"))
    page = tmp_path / "a" / COMPARE_HTML
    page.unlink()
    report_set([_part()], make_rubric(), destination, SetId("a", "k"))
    assert page.is_file()
