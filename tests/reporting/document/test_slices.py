"""The section about further columns: its lines, its links, and texts of a file that stay texts."""

from typing import Any

import msgspec

from reporting.data import embed_items
from scoring.results import SetResult, find_insights
from scoring.rubric import Status
from tests.reporting.results import make_item, make_result
from tests.reporting.shown import report_files, report_md
from texts import texts

FAILED: dict[str, Any] = {"intent": 0.0, "accuracy": 0.0, "stability": 0.0, "status": Status.ERROR, "error": "boom"}
HOSTILE = '"><script>alert(1)</script>|[x](http://evil) =1+1'


def _result(column: str, bad: str, good: str = "ko") -> SetResult:
    items = [make_item(at + 2, extra=(bad if at < 10 else good,), **(FAILED if at < 10 else {})) for at in range(40)]
    return make_result(*items, extra_columns=(column,))


def test_a_line_says_where_it_fails_and_leads_to_the_items() -> None:
    result = _result("언어", "en")
    for language, title, line in (
        ("ko", "어디서 실패하나", "언어=en: 응답 성공 0.0% (나머지 100.0%), 실패 10건 중 10건"),
        ("en", "Where it fails", "언어=en: Answered 0.0% (the rest 100.0%), 10 of 10 failures"),
    ):
        assert f"- {title}: {line}\n" in report_md(result, language=language)
        assert (
            f'<a href="#slice.%EC%96%B8%EC%96%B4=en">{line}</a>'
            in report_files(result, language=language)["report.html"]
        )


def test_a_file_without_further_columns_has_no_section() -> None:
    t = texts("ko")
    assert t("slices.title") not in report_md(make_result())


def test_texts_of_a_file_are_no_markup_and_no_link() -> None:
    result = _result(HOSTILE, HOSTILE + " b")
    assert "<script>alert" not in report_files(result)["report.html"]
    assert "<script>" not in report_md(result).replace("\\<", "")
    assert "[x](http" not in report_md(result)


def test_every_column_is_a_filter_with_the_values_of_its_table() -> None:
    result, t = _result("언어", "en"), texts("ko")
    data = msgspec.json.decode(embed_items(result, find_insights(result), t).json)
    (facet,) = [one for one in data["facets"] if one["name"] == "slice.언어"]
    assert (facet["title"], facet["keys"]) == ("언어", ["en", "ko"])
