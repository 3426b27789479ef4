import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.results.item_table import fold


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("timeout after 60s", "timeout after ‹n›s", id="number-with-unit"),
        pytest.param("1,234건 중 30.5초 12:30:01", "‹n›건 중 ‹n›초 ‹n›", id="separators"),
        pytest.param("req_8f3a2: over 30.5 s", "req_‹id›: over ‹n› s", id="letters-mixed-with-digits"),
        pytest.param("id 123e4567-e89b-12d3-a456-426614174000!", "id ‹id›!", id="uuid"),
        pytest.param("at 0xDEADBEEF00 and cafe12345678", "at ‹id› and ‹id›", id="hex"),
        pytest.param("no '/usr/lib/x 1.py' or \"C:\\a\\b.txt\"", "no ‹path› or ‹path›", id="quoted-paths"),
        pytest.param("open /var/log/x/y.log failed", "open ‹path› failed", id="bare-path"),
        pytest.param("timed out (requestId=abcdef)", "timed out", id="request"),
        pytest.param("timed out (Request-ID: 8f3a2 b)", "timed out", id="request-in-other-words"),
        pytest.param("(requestId=8f3a2) timed out", "(requestId=‹id›) timed out", id="request-in-front"),
        pytest.param("(requestId=8f3a2)", "(requestId=‹id›)", id="request-alone"),
        pytest.param("timed out (requestId=" + "a" * 500, "timed out", id="request-cut"),
        pytest.param("GET https://a.example/b?c=1 failed", "GET ‹url› failed", id="address"),
        pytest.param("F-01 utf-8 HTTP500", "F-‹n› utf-‹n› HTTP‹n›", id="short-names-keep-their-letters"),
        pytest.param("defaced facade", "defaced facade", id="hex-letters-alone-are-words"),
        pytest.param("  여러\n줄\t오류  ", "여러 줄 오류", id="one-line"),
        pytest.param("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글", id="nfc"),
        pytest.param("가" * 161, "가" * 159 + "…", id="cut"),
        pytest.param("가" * 160, "가" * 160, id="just-fits"),
    ],
)
def test_fold_replaces_what_differs(text: str, pattern: str) -> None:
    assert fold(text) == pattern


@given(st.text(max_size=2000))
def test_fold_is_bounded_and_on_one_line(text: str) -> None:
    folded = fold(text)
    assert len(folded) <= 160
    assert len(folded.splitlines()) <= 1


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_fold_of_messages_that_differ_in_a_number_is_one(first: int, second: int) -> None:
    assert fold(f"응답 대기 {first}ms 초과") == fold(f"응답 대기 {second}ms 초과")
