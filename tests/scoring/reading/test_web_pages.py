"""Web pages under the name of a result file are told by what they are."""

import pytest

from reporting.wording import describe
from tests.scoring.files import score_bytes

FORM = '<form action="/x"><input name="user"><input type="password" name="p"></form>'


@pytest.mark.parametrize("name", ["resume_agent_x.csv", "resume_agent_x.tsv", "resume_agent_x.xlsx"])
@pytest.mark.parametrize(
    ("page", "kind", "title"),
    [
        ("<!DOCTYPE html><html><body>로그인이 필요합니다</body></html>", "login", "—"),
        ("<html><head><title>Sign in to Export</title></head></html>", "login", "Sign in to Export"),
        (f"\n<!doctype HTML>\n<title>\n Portal </title><table><tr><td>{FORM}</table>", "login", "Portal"),
        ("<html><body onload='document.forms[0].submit()'><input name=SAMLRequest></html>", "login", "—"),
        ("<html><head><title>403 Forbidden</title></head><body><h1>nginx</h1></body></html>", "error", "403 Forbidden"),
        (
            "<html><head></head><body><h1>페이지를 찾을 수 없습니다</h1></body></html>",
            "error",
            "페이지를 찾을 수 없습니다",
        ),
        (
            "<?xml version='1.0'?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
            "error",
            "AccessDenied",
        ),
        ("<!DOCTYPE html><html><head><title>Results</title><script>app()</script></head></html>", "other", "Results"),
    ],
    ids=["korean", "title", "password in a table", "single sign-on", "status", "korean error", "storage", "other"],
)
def test_page_is_refused_by_what_it_is(page: str, kind: str, title: str, name: str) -> None:
    (problem,) = score_bytes(page.encode(), name).problems
    assert (problem.code, problem.values, problem.found) == ("web-page", {"kind": kind}, title)
    assert "Excel" not in describe(problem, "en")
    assert "export it again" in describe(problem, "en")


def test_page_in_an_older_encoding_is_read() -> None:
    page = "<html><head><title>로그인</title></head></html>".encode("cp949")
    (problem,) = score_bytes(page, "resume_agent_x.csv").problems
    assert (problem.code, problem.found) == ("web-page", "로그인")


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><table><tr><td>Query ID<td>login<tr><td>Q-1<td>x</table>",
        "<?xml version='1.0'?><Workbook></Workbook>",
    ],
)
def test_table_in_a_page_is_saved_again_from_excel(page: str) -> None:
    (problem,) = score_bytes(page.encode(), "resume_agent_x.csv").problems
    assert problem.code == "document-as-text"
