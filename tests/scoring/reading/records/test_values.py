"""Every value is the cell that it is written as, and no name that is there twice goes unseen."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.record_layout import flat_reader
from scoring.reading.record_values import Record, UnreadableError, open_object, text_of
from tests.scoring.files import score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('"a\\n\\"b\\" \\u00e9"', 'a\n"b" é'),
        ("12345678901234567890123", "12345678901234567890123"),
        ("1.10", "1.10"),
        ("-0.0", "-0.0"),
        ("1E5", "1E5"),
        ("1e999", "1e999"),
        ("true", "true"),
        ("false", "false"),
        ("null", ""),
        ("NaN", ""),
        ("-Infinity", "-Infinity"),
        ('"\\ud800x"', "\ufffdx"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('{"b": 1.0, "a": [1]}', '{"b": 1.0, "a": [1]}'),
        ("[]", "[]"),
    ],
)
def test_value_is_a_cell_as_it_is_written(value: str, cell: str) -> None:
    record = Record(f'{{"x": 1, "v": {value}}}'.encode())
    assert text_of(record.fields["v"]) == cell
    part = score_bytes(lines(f'{{"id": {value}, "answer": "x", "v": 2}}'), "a.jsonl", answers_rubric())
    assert part.items[0].query_id == (cell or "R1")


@pytest.mark.parametrize(
    "written",
    [
        '{"a":1,"a":2}',
        '{"a":1,"b":"x","a":2}',
        '{"a": 1, "a": 2}',
        '{"a":1, "b":2,"a" :3}',
        '{"a":1,"b":2,"\\u0061":3}',
        '{"a":"\\u0022\\u0022","b":1,"a":"\\u0022\\u0022"}',
        '{"a":"\\u0022\\u0022","b":1,"b":2}',
        '{"a\\\\":1,"b":2,"a\\\\":3}',
        '{"a":{"c":1},"b":1,"a":{"c":2}}',
        '{"a":"x\\"","b":1,"a":""}',
    ],
)
def test_name_that_is_there_twice_is_found_however_it_is_written(written: str) -> None:
    assert open_object(written.encode()).twice
    names = list(json.loads(written))
    for nested in (frozenset[str](), frozenset(names)):
        reader = flat_reader(names, nested, names)
        assert reader is None or reader.cells(written.encode()) is None


NAMES = st.text(st.characters(codec="utf-8"), max_size=4)
SCALARS = st.one_of(
    st.text(max_size=8), st.text('"\\u0022', max_size=6), st.integers(), st.booleans(), st.none(), st.just(1.5)
)
SPACES = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :")])


@given(st.lists(st.tuples(NAMES, SCALARS), min_size=1, max_size=6), SPACES, st.booleans())
def test_fast_and_slow_reading_agree(pairs: list[tuple[str, object]], spaces: tuple[str, str], escaped: bool) -> None:
    comma, colon = spaces
    written = comma.join(
        f"{json.dumps(name, ensure_ascii=escaped)}{colon}{json.dumps(value, ensure_ascii=escaped)}"
        for name, value in pairs
    )
    data = f"{{{written}}}".encode(errors="surrogatepass")
    last = dict(pairs)
    fields = open_object(data)
    assert (not fields.twice) == (len(last) == len(pairs))
    names = list(last)
    reader = flat_reader(names, frozenset(), names)
    cells = None if reader is None else reader.cells(data)
    if fields.twice:
        assert cells is None
    elif cells is not None:
        assert cells == [text_of(fields.values[name]) for name in names]


def test_usual_records_are_read_in_one_step() -> None:
    names = ["a", "b", "c"]
    reader = flat_reader(names, frozenset({"c"}), ["c", None, "a", "b"])
    assert reader is not None
    assert reader.cells(b'{"b": 1.50, "a": "x \\"y\\"", "c": {"k": "v"}}\n') == ['{"k": "v"}', "", 'x "y"', "1.50"]
    assert reader.cells(b'{"a": null}') == ["", "", "", ""]
    for other in (
        b'{"d": 1}',
        b'{"a": [1]}',
        b"[1]",
        b'{"a": 1',
        b'{"a": "\xff"}',
        b"",
        b'{"c": ' + b"[" * 600 + b"]" * 600 + b"}",
    ):
        assert reader.cells(other) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": 1', "cut"),
        (b'{"a": "x', "cut"),
        (b'{"a": "x\\', "cut"),
        (b'{"a": [1, {"b": "}', "cut"),
        (b'{"a": 1}}', "invalid"),
        (b'{"a": 1} {"b": 2}', "invalid"),
        (b'{"a": 01}', "invalid"),
        (b"{'a': 1}", "python-dict"),
        (b"[1, 2]", "not-an-object"),
        (b"12", "not-an-object"),
        (b"null", "not-an-object"),
        (b"text", "invalid"),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}", "too-deep"),
    ],
)
def test_what_is_no_record_is_told_apart(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        Record(data)
    assert caught.value.reason == reason


def test_value_that_nests_too_deep_makes_the_record_unreadable() -> None:
    deep = f'{{"answer": {"[" * 501}{"]" * 501}}}'
    part = score_bytes(lines(answer(), deep, answer()), "a.jsonl", answers_rubric())
    assert [(place.row, place.values["reason"]) for finding in part.findings for place in finding.places] == [
        (2, "too-deep")
    ]
    assert len(part.items) == 2
