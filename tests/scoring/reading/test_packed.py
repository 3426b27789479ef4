"""Packed files: what is in a zip, a gz and a log of Inspect, and which of them are refused by a sentence."""

import gzip
import hashlib
import io
import json
import sys
import zipfile

import pytest

from reporting.wording import describe
from scoring.items.spool import Part
from scoring.reading import packed
from scoring.rubric import Rubric
from tests.scoring.files import score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines

RUBRIC = answers_rubric()
LINES = lines(answer(), answer(id="Q-2"))
_ZSTANDARD = 93  # the number of this way to pack in a zip


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def shown(value: object) -> str:
    """The id of a case, the same in every process: packed bytes hold a time."""
    return value if isinstance(value, str) else "file"


def score(data: bytes, name: str, rubric: Rubric = RUBRIC) -> Part:
    return score_bytes(data, name, rubric)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("answers_x.jsonl.gz", gzip.compress(LINES)),
        ("answers_x.zip", zipped(("answers.jsonl", LINES))),
        ("answers_x.zip", zipped(("run/", b""), ("run/answers.jsonl", LINES), ("__MACOSX/run/._answers.jsonl", b"x"))),
        ("answers_x.JSON.GZ", gzip.compress(json.dumps([answer(), answer(id="Q-2")]).encode())),
        ("answers_x.csv.gz", gzip.compress(b"id,question,answer,level\nQ-1,a,b,1\nQ-2,a,c,0\n")),
    ],
    ids=shown,
)
def test_what_is_packed_is_read_as_it_is_and_known_by_the_bytes_of_the_file(name: str, data: bytes) -> None:
    part = score(data, name)
    assert [item.query_id for item in part.items] == ["Q-1", "Q-2"]
    assert (part.sha256, part.size) == (hashlib.sha256(data).hexdigest(), len(data))


def _protected() -> bytes:
    data = bytearray(zipped(("a.jsonl", LINES), method=zipfile.ZIP_STORED))
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + at] |= 1
    return bytes(data)


def _of_method(method: int) -> bytes:
    data = bytearray(zipped(("a.jsonl", LINES), method=zipfile.ZIP_STORED))
    for sign, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(sign) + at] = method
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "code", "english", "korean"),
    [
        ("a.jsonl.gz", gzip.compress(LINES)[:-9], "packed-unreadable", "cannot be read (damaged file)", "손상됨"),
        ("a.zip", zipped(("a.jsonl", LINES))[:-30], "packed-unreadable", "(damaged file)", "손상됨"),
        ("a.zip", b"id,answer\n", "packed-unreadable", "(damaged file)", "손상됨"),
        ("a.zip", _protected(), "packed-unreadable", "(protected by a password)", "암호가 걸린 파일"),
        ("a.zip", _of_method(12), "packed-unreadable", "(packed in a way that is not", "지원하지 않는 압축 방식"),
        ("a.zip", _of_method(14), "packed-unreadable", "(packed in a way that is not", "지원하지 않는 압축 방식"),
        ("a.zip", _of_method(97), "packed-unreadable", "(packed in a way that is not", "지원하지 않는 압축 방식"),
        (
            "a.zip",
            zipped(("a.jsonl", LINES), ("b.jsonl", LINES)),
            "packed-several",
            "There are 2 files",
            "2개 있습니다",
        ),
        ("a.zip", zipped(), "packed-several", "There are 0 files", "0개 있습니다"),
        ("a.zip", zipped(("../../a.jsonl", LINES)), "packed-outside", "'../../a.jsonl'", "폴더 밖을 가리키는"),
        ("a.zip", zipped(("/etc/a.jsonl", LINES)), "packed-outside", "'/etc/a.jsonl'", "폴더 밖을 가리키는"),
        ("a.zip", zipped(("C:\\a.jsonl", LINES)), "packed-outside", "leads out of its folder", "폴더 밖을 가리키는"),
        ("a.zip", zipped(("a.zip", zipped(("a.jsonl", LINES)))), "unknown-extension", "a.zip", "a.zip"),
        ("a.gz", gzip.compress(LINES), "unknown-extension", "'a'", "'a'"),
        ("a.eval", zipped(("samples/a.json", b"{}")), "packed-unreadable", "no log of Inspect", "Inspect 로그가 아님"),
        ("a.eval", zipped(("_journal/start.json", b"{}")), "packed-unreadable", "not ended", "끝나지 않은 실행"),
    ],
    ids=shown,
)
def test_packed_file_that_is_not_read_is_refused_by_a_sentence(
    name: str, data: bytes, code: str, english: str, korean: str
) -> None:
    part = score(data, name)
    (problem,) = part.problems
    assert (part.refused, problem.code, len(part.items), part.size) == (True, code, 0, len(data))
    assert english in describe(problem, "en")
    assert korean in describe(problem)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.zip", "a.eval"])
def test_file_that_unpacks_without_end_is_refused_before_it_is_unpacked(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "PACKED_LIMIT", 5 << 20)
    bomb = b" " * (6 << 20)
    data = gzip.compress(bomb) if name.endswith("gz") else zipped(("header.json", b"{}"), ("samples/1.json", bomb))
    data = zipped(("a.jsonl", bomb)) if name.endswith("zip") else data
    (problem,) = score(data, name).problems
    assert (problem.code, problem.values) == ("packed-too-large", {"limit": "5"})
    assert "larger than 5 MB" in describe(problem, "en")
    assert "한도 5MB를 넘습니다" in describe(problem)
    monkeypatch.setattr(packed, "MAX_MEMBERS", 1)
    assert score(zipped(("a", b""), ("b", b"")), "a.zip").problems[0].code == "packed-too-large"


def test_log_of_inspect_is_read_as_its_json_log() -> None:
    rubric = answers_rubric(keys="records: samples\n", question="^.eval.model")
    samples = [(f"samples/{name}.json", json.dumps(answer(id=name)).encode()) for name in ("b", "a")]
    header = json.dumps({"version": 2, "eval": {"model": "m"}}).encode()
    part = score(zipped(*samples, ("summaries.json", b"[]"), ("header.json", header)), "x.eval", rubric)
    assert [(item.query_id, item.question) for item in part.items] == [("b", "m"), ("a", "m")]
    cut = score(zipped(("header.json", header), ("samples/a.json", b'{"id": "a", "ans')), "x.eval", rubric)
    assert [problem.code for problem in cut.problems] == ["record-cut"]
    assert score(zipped(("header.json", b"{}")), "x.eval", rubric).problems[0].code == "no-records"


def test_log_that_is_packed_by_zstandard_is_read_as_any_other() -> None:
    why = "Zstandard is in Python 3.14, for older ones in backports.zstd, which is no dependency"
    zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", reason=why)
    archives = zipfile if sys.version_info >= (3, 14) else zstd.zipfile
    members = (("samples/a.json", b'{"id": "a", "answer": "x"}'), ("header.json", b'{"version": 2}'))
    packed_so = io.BytesIO()
    with archives.ZipFile(packed_so, "w", compression=_ZSTANDARD) as archive:
        for name, data in members:
            archive.writestr(name, data)
    rubric = answers_rubric(keys="records: samples\n")
    assert zipfile.ZipFile(packed_so).infolist()[0].compress_type == _ZSTANDARD
    read = [score(data, "x.eval", rubric) for data in (packed_so.getvalue(), zipped(*members))]
    assert [[(item.query_id, item.response) for item in part.items] for part in read] == [[("a", "x")]] * 2
