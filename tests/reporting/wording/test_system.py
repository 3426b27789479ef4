import errno
import os

import pytest

from reporting.wording.problems import describe, in_words, reason_of
from scoring import Problem
from scoring.reading import NotRegularError
from texts import texts

KO, EN = texts("ko"), texts("en")
USUAL = ("ENOENT", "EACCES", "ENOSPC", "EISDIR", "ENOTDIR", "EEXIST", "EROFS", "EIO", "ENAMETOOLONG")


@pytest.mark.parametrize("name", USUAL)
def test_the_usual_reasons_are_in_the_language_of_the_page(name: str) -> None:
    code = getattr(errno, name)
    error = OSError(code, os.strerror(code), "폴더/a.csv")
    assert reason_of(error, KO) == f"{KO(f'system.{name}')}: 폴더/a.csv"
    assert reason_of(error, EN) == f"{os.strerror(code)}: 폴더/a.csv"


def test_every_entry_is_a_reason_of_the_system() -> None:
    names = KO.starting("system.").keys() - {"not-regular"}
    assert [name for name in names if not hasattr(errno, name)] == []


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        pytest.param("No space left on device", "디스크에 남은 공간이 없음", id="alone"),
        pytest.param("out/a: No space left on device", "out/a: 디스크에 남은 공간이 없음", id="behind-a-path"),
        pytest.param("Read-only file system: /out", "읽기 전용 파일 시스템: /out", id="in-front-of-a-path"),
        pytest.param("읽을 수 없습니다(Is a directory).", "읽을 수 없습니다(파일이 아니라 폴더임).", id="in-brackets"),
        pytest.param("[Errno 13] Permission denied: 'x'", "[Errno 13] 권한이 없음: 'x'", id="with-its-number"),
        pytest.param("Too many open files in system", "시스템 전체에 열린 파일이 너무 많음", id="one-within-another"),
        pytest.param("out/File exists.csv", "out/File exists.csv", id="part-of-a-name"),
        pytest.param("my No such file or directory", "my No such file or directory", id="end-of-a-name"),
        pytest.param("Level 2 halted", "Level 2 halted", id="not-in-the-table"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_only_whole_reasons_are_translated(reason: str, shown: str) -> None:
    assert in_words(reason, KO) == shown


def test_a_problem_says_the_reason_in_its_language() -> None:
    problem = Problem(code="unreadable", source="a.csv", values={"reason": os.strerror(errno.EACCES)})
    assert "(권한이 없음)" in describe(problem, "ko")
    assert "(Permission denied)" in describe(problem, "en")


def test_what_is_no_file_is_named() -> None:
    assert reason_of(NotRegularError("pipe"), KO) == "일반 파일이 아님: pipe"
