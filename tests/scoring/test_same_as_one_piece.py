"""A file that is scored in pieces gives the same bytes as in one (docs/performance.md#one-huge-file)."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
import pytest

from config import shipped_rubrics
from scoring.items.file_scorer import score_file
from scoring.items.part import KEPT_PAYLOADS
from scoring.items.spool import part_file
from scoring.items.spool.items import Items
from scoring.items.spool.part_file import Part, encode_stored
from scoring.pieces import (
    Head,
    Piece,
    hash_spans,
    join_pieces,
    open_piece,
    plan_pieces,
    score_piece,
)
from scoring.problems import InputError
from scoring.results.merging import merge
from scoring.rubric.model import Rubric
from tests.reporting.publishing import publish_report
from tests.scoring.files import HEADER, counted, csv_text, payload, places, resume_rubric, row
from tests.scoring.random_files import random_file
from tests.scoring.reading.records.files import answers_rubric
from tests.scoring.results.test_scores import document, rubric_of

PIECES = 7
FAST_SEEDS = 10
SEEDS = [*range(FAST_SEEDS), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FAST_SEEDS, 40))]


def in_pieces(data: bytes, *, name: str, rubric: Rubric, pieces: int = PIECES) -> tuple[Part | None, int]:
    """(the joined part, or None; number of pieces, 0 when the file is not cut)."""
    stream = io.BytesIO(data)
    plan = plan_pieces(stream, name=name, rubric=rubric, least_bytes=0, piece_bytes=-(-len(data) // pieces) or 1)
    if plan is None:
        return None, 0
    found = []
    for number in reversed(range(len(plan.spans))):  # in any order
        spool = part_file.SpoolSpace(TemporaryFile)
        piece = score_piece(io.BytesIO(data), name=name, rubric=rubric, plan=plan, number=number, space=spool)
        found.append(open_piece(io.BytesIO(b"".join(encode_stored(piece)))))
    hashes = hash_spans(stream, plan)
    part = join_pieces(stream, found[::-1], name=name, rubric=rubric, plan=plan, hashes=hashes)
    return part, len(plan.spans)


def stored(part: Part) -> bytes:
    """The bytes of a part; its items in memory, since those in files have chunks of other sizes."""
    return b"".join(encode_stored(msgspec.structs.replace(part, items=Items.of(part.items))))


def in_one(data: bytes, *, name: str, rubric: Rubric) -> Part:
    return score_file(io.BytesIO(data), name=name, rubric=rubric)


def joined(data: bytes, rubric: Rubric, *, name: str = "resume_agent_x.csv", pieces: int = PIECES) -> Part:
    part, count = in_pieces(data, name=name, rubric=rubric, pieces=pieces)
    assert count > 1
    assert part is not None
    return part


def folder_of(part: Part, rubric: Rubric, out: Path) -> dict[str, bytes]:
    """The files of the report of one file, by path."""
    try:
        result = merge([("x.csv", part)], rubric)
    except InputError as error:  # too many rounds
        return {"problems": repr(error.problems).encode()}
    publish_report(result, set_name="set", key="0" * 64, out=out, language="ko")
    folder = out / "set"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", SEEDS)
def test_random_files_give_the_same_part(seed: int) -> None:
    name, data, rubric = random_file(seed)
    whole = in_one(data, name=name, rubric=rubric)
    for pieces in (2, PIECES):
        part, _ = in_pieces(data, name=name, rubric=rubric, pieces=pieces)
        assert part is None or stored(part) == stored(whole)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_random_files_give_the_same_report(seed: int, tmp_path: Path) -> None:
    name, data, rubric = random_file(seed)
    part, _ = in_pieces(data, name=name, rubric=rubric)
    if part is not None:
        whole = in_one(data, name=name, rubric=rubric)
        assert folder_of(part, rubric, tmp_path / "many") == folder_of(whole, rubric, tmp_path / "one")


@pytest.mark.slow
def test_most_random_files_are_cut_and_joined() -> None:
    """So that the tests above compare something: files of each encoding, and findings that need more than a row."""
    found: Counter[str] = Counter()
    for seed in range(40):
        name, data, rubric = random_file(seed)
        part, _ = in_pieces(data, name=name, rubric=rubric)
        if part is not None:
            found.update([part.encoding, "joined"])
            found.update(finding.code for finding in part.findings)
            found["around"] += any(place.around for place in places(part))
            found["duplicates"] += part.duplicates > 0
    assert found["joined"] > 24
    wanted = "utf-8 utf-8-sig cp949 around duplicates cell-with-rows repeated-header total-row short-row cell-count"
    more = "id-rounded damaged-text invisible-characters path-never-found"
    assert all(found[name] for name in (*wanted.split(), *more.split())), found


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_random_files_give_the_same_part_when_items_are_in_files(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_file, "SPILL_ITEMS", 10)
    name, data, rubric = random_file(seed)
    part, _ = in_pieces(data, name=name, rubric=rubric)
    assert part is None or stored(part) == stored(in_one(data, name=name, rubric=rubric))


def many_rows(count: int = 60, **cells: str) -> list[list[str]]:
    return [row(Item_ID=f"i{number}", Query_ID=f"Q{number}", **cells) for number in range(count)]


def test_rows_around_come_from_the_neighbouring_pieces() -> None:
    """Each row is a piece of its own: the row before and the one after are in others."""
    rows = [row(Item_ID=f"i{number}", Query_ID="" if number in {3, 4, 7} else f"Q{number}") for number in range(9)]
    data = csv_text(rows).encode()
    part = joined(data, resume_rubric(), pieces=len(rows))
    assert stored(part) == stored(in_one(data, name="resume_agent_x.csv", rubric=resume_rubric()))
    shown = [[number for number, _ in place.around] for place in places(part) if place.code == "no-query-id"]
    assert shown == [[1, 4, 5, 6], [1, 5, 6, 7], [1, 8, 9, 10]]


@pytest.mark.parametrize("number", [199, 200, 201])
def test_rows_around_do_not_depend_on_how_many_rows_are_read_at_once(number: int) -> None:
    """Rows are read in batches of 200, of which each piece has its own."""
    rows = many_rows(400)
    rows[number] = row(Item_ID="x", Query_ID="")
    data = csv_text(rows).encode()
    whole = in_one(data, name="resume_agent_x.csv", rubric=resume_rubric())
    (place,) = (place for place in places(whole) if place.code == "no-query-id")
    assert [shown for shown, _ in place.around] == [1, number + 1, number + 2, number + 3]
    assert stored(joined(data, resume_rubric(), pieces=3)) == stored(whole)


def test_rows_without_a_query_id_are_numbered_as_in_one_piece() -> None:
    rubric = next(one for one in shipped_rubrics() if one.profile == "rubrics-score")
    data = csv_text([[f"답 {number}"] for number in range(50)], header=["응답"]).encode()
    part = joined(data, rubric, name="rubrics_score_x.csv")
    assert [item.query_id for item in part.items] == [f"R{number}" for number in range(2, 52)]


def test_what_replaced_rows_hold_is_counted_in_no_way() -> None:
    long = [row(Query_ID="Q", Raw_JSON=payload("가" * 9_000)) for _ in range(60)]  # more than is read at once
    rows = many_rows(30, Track="#REF!", 응답="????", LLM_점수="8")
    data = csv_text([*long, *rows, *rows, *many_rows(30, Track="복합")]).encode()
    part = joined(data, resume_rubric())
    assert stored(part) == stored(in_one(data, name="resume_agent_x.csv", rubric=resume_rubric()))
    assert counted(part) == {"rows-differ": 60, "track-unknown": 30}


def test_scores_of_a_map_are_those_of_the_first_records_of_the_file() -> None:
    """Later pieces begin with other keys; none of them is a score."""
    rubric = rubric_of(document("\n  - { payload: s.* }\n", columns="  - { name: raw_json, title: raw }\n"))
    keys = ["a,b" if at < 200 else "c,b" for at in range(400)]
    cells = (json.dumps({"s": dict.fromkeys(of.split(","), 1)}).replace('"', '""') for of in keys)
    data = "id,output,raw\n" + "".join(f'q{at},yes,"{one}"\n' for at, one in enumerate(cells))
    part = joined(data.encode(), rubric, name="x.csv")
    assert part.score_keys == ("a", "b")
    assert stored(part) == stored(in_one(data.encode(), name="x.csv", rubric=rubric))
    assert [one.count for one in part.findings if one.code == "score-key-unused"] == [200]


def test_the_first_payloads_of_the_file_are_kept_and_no_others() -> None:
    data = csv_text(many_rows(200, Raw_JSON=payload("가" * 9_000))).encode()
    part = joined(data, resume_rubric())
    kept = [bool(item.payload) for item in part.items]
    assert sum(kept) == KEPT_PAYLOADS // part.items[0].payload_size
    assert kept == sorted(kept, reverse=True)


def test_a_header_that_goes_on_in_the_next_piece_is_no_piece() -> None:
    data = csv_text([["text", "int"] * (len(HEADER) // 2)] * 30 + many_rows(5)).encode()
    assert in_pieces(data, name="resume_agent_x.csv", rubric=resume_rubric())[0] is None


def test_cells_that_look_like_records_make_no_wrong_cut() -> None:
    """Lines of a quoted cell have as many cells as the header, for longer than a cut is looked at."""
    lines = "\n".join([",".join("x" * len(HEADER))] * 40)
    data = csv_text(many_rows(30, 응답=f"a\n{lines}\nb")).encode()
    part, count = in_pieces(data, name="resume_agent_x.csv", rubric=resume_rubric())
    assert count == PIECES
    assert part is None


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("resume_agent_x.csv", b"\n".join([csv_text(many_rows()).encode(), b'a,"b']), id="open-quote"),
        pytest.param("resume_agent_x.csv", csv_text(many_rows()).encode() + b"\xff\xff\n", id="not-utf-8"),
        pytest.param("resume_agent_x.csv", csv_text(many_rows()).encode() + b'"a"b"\n', id="bad-quoting"),
        pytest.param("resume_agent_x.csv", csv_text([[""] * len(HEADER)] * 60).encode(), id="nothing-usable"),
    ],
)
def test_what_refuses_a_file_is_left_to_one_piece(name: str, data: bytes) -> None:
    assert in_pieces(data, name=name, rubric=resume_rubric()) == (None, PIECES)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("resume_agent_x.csv", csv_text(many_rows()).encode("utf-16"), id="utf-16"),
        pytest.param("resume_agent_x.csv", csv_text(many_rows()).replace("\r\n", "\r").encode(), id="lone-cr"),
        pytest.param("resume_agent_x.json", b'[{"a": 1}]' * 50, id="json"),
        pytest.param("resume_agent_x.csv", b"no header\n" * 50, id="no-header"),
        pytest.param("resume_agent_x.csv", b"", id="empty"),
    ],
)
def test_what_cannot_be_cut_is_not(name: str, data: bytes) -> None:
    piece_bytes = len(data) // PIECES or 1
    stream = io.BytesIO(data)
    assert plan_pieces(stream, name=name, rubric=resume_rubric(), least_bytes=0, piece_bytes=piece_bytes) is None


@pytest.mark.parametrize("name", ["resume_agent_x.xlsx", "resume_agent_x.json", "resume_agent_x.JSONL"])
def test_what_is_read_as_a_whole_is_not_opened_to_be_cut(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.reading.open_table", None)
    assert plan_pieces(io.BytesIO(b"{}"), name=name, rubric=resume_rubric(), least_bytes=0) is None


def test_blank_lines_are_not_read_again_and_again_for_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    reader = csv.reader

    def counted(lines: Iterable[str], **named: Any) -> Any:
        def each() -> Iterator[str]:
            nonlocal read
            for line in lines:
                read += 1
                yield line

        return reader(each(), **named)

    data = csv_text(many_rows(20)).encode() + b"\n" * 300_000
    monkeypatch.setattr(csv, "reader", counted)
    plan = plan_pieces(
        io.BytesIO(data), name="resume_agent_x.csv", rubric=resume_rubric(), least_bytes=0, piece_bytes=200_000
    )
    assert plan is None
    assert read < 10_000


def test_small_files_are_not_cut() -> None:
    data = csv_text(many_rows()).encode()
    assert plan_pieces(io.BytesIO(data), name="resume_agent_x.csv", rubric=resume_rubric()) is None


def test_pieces_of_other_bytes_are_not_joined() -> None:
    """The file changed while its pieces were made."""
    rubric, name = resume_rubric(), "resume_agent_x.csv"
    old, new = (csv_text(many_rows(응답=answer)).encode() for answer in ("가나다", "라마바"))
    plan = plan_pieces(io.BytesIO(old), name=name, rubric=rubric, least_bytes=0, piece_bytes=-(-len(old) // PIECES))
    assert plan is not None
    numbers = range(len(plan.spans))
    pieces = [
        score_piece(io.BytesIO(new if number == 3 else old), name=name, rubric=rubric, plan=plan, number=number)
        for number in numbers
    ]
    for data in (old, new):
        hashes = hash_spans(io.BytesIO(data), plan)
        assert join_pieces(io.BytesIO(data), pieces, name=name, rubric=rubric, plan=plan, hashes=hashes) is None


def test_pieces_are_scored_twice_with_the_same_bytes() -> None:
    name, data, rubric = random_file(3)
    plan = plan_pieces(io.BytesIO(data), name=name, rubric=rubric, least_bytes=0, piece_bytes=len(data) // PIECES)
    assert plan is not None
    for number in range(len(plan.spans)):
        once, again = (
            b"".join(encode_stored(score_piece(io.BytesIO(data), name=name, rubric=rubric, plan=plan, number=number)))
            for _ in range(2)
        )
        assert once == again


def test_hashes_are_those_of_the_file_and_of_its_spans() -> None:
    data = csv_text(many_rows()).encode()
    plan = plan_pieces(
        io.BytesIO(data), name="resume_agent_x.csv", rubric=resume_rubric(), least_bytes=0, piece_bytes=len(data) // 5
    )
    assert plan is not None
    hashes = hash_spans(io.BytesIO(data), plan)
    assert hashes.whole == (sha256(data).hexdigest(), len(data))
    spans = [data[span.start : span.end] for span in plan.spans]
    assert b"".join(spans) == data
    assert hashes.spans == tuple(sha256(span).hexdigest() for span in spans)


def test_a_piece_of_another_engine_is_none() -> None:
    piece = Piece(sha256="", head=Head("", "", ()), read=None, engine_version=0)
    with pytest.raises(msgspec.ValidationError, match="piece of engine 0"):
        open_piece(io.BytesIO(b"".join(encode_stored(piece))))


def test_rows_that_are_not_asked_for_are_counted_over_all_pieces() -> None:
    text = "id,answer,level,kind\n" + "".join(f"Q-{n},Answer {n},1,{'test' if n % 3 else 'none'}\n" for n in range(90))
    rubric = answers_rubric(keys="where: { kind: test }\n")
    part = joined(text.encode(), rubric, name="answers_x.csv")
    assert stored(part) == stored(in_one(text.encode(), name="answers_x.csv", rubric=rubric))
    assert (len(part.items), part.rows, counted(part)) == (60, 60, {"records-not-selected": 30})
