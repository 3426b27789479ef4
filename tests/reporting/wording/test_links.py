"""Texts that lead to items: as text the same, links quoted, joined and filled into texts of the catalogue."""

from functools import partial

import pytest

from reporting.wording.links import (
    Linked,
    Piece,
    filled,
    items_link,
    joined,
    key_of,
    pieces_of,
    query_link,
    query_links,
    row_link,
    with_more,
)
from texts import texts


def test_a_linked_text_is_a_text() -> None:
    shown = query_link("Q-1", 60)
    assert shown == "Q-1"
    assert pieces_of(shown) == (Piece("Q-1", "#query=Q-1"),)
    assert pieces_of("Q-1") == (Piece("Q-1"),)


@pytest.mark.parametrize(
    ("query_id", "href"),
    [
        ("a&b #1", "#query=a%26b%20%231"),
        ("1/2+3", "#query=1/2%2B3"),
        ('"><b>', "#query=%22%3E%3Cb%3E"),
        ("\ud800\u202e가", "#query=%EF%BF%BD%EA%B0%80"),
        ("x" * 500, "#query=" + "x" * 119 + "%E2%80%A6"),
    ],
)
def test_what_a_query_is_called_is_quoted(query_id: str, href: str) -> None:
    assert pieces_of(query_link(query_id, 600))[0].href == href


@pytest.mark.parametrize("text", ["", "0", "—"])
def test_what_counts_nothing_leads_nowhere(text: str) -> None:
    assert type(items_link(text, status="ok")) is str


def test_filters_are_named_in_their_order_and_all_items_where_there_are_none() -> None:
    assert pieces_of(items_link("3", track="", status="ok", round="1/1"))[0].href == "#status=ok&round=1/1"
    assert pieces_of(items_link("3", track=""))[0].href == "#all=1"


def test_names_of_filters_are_the_same_clean_keys() -> None:
    assert pieces_of(items_link("3", track=" easy\u202e "))[0].href == "#track=easy"


def test_rows_are_named_with_their_file_where_there_are_several() -> None:
    assert pieces_of(row_link("4행", 4))[0].href == "#at=4"
    assert pieces_of(row_link("4행", 4, "가 b.csv"))[0].href == "#at=4&in=%EA%B0%80%20b.csv"


def test_joined_texts_keep_their_links() -> None:
    shown = query_links(["A", "B"], 60)
    assert shown == "A, B"
    assert [piece.href for piece in pieces_of(shown)] == ["#query=A", "", "#query=B"]
    assert type(joined(["a", "b"], ", ")) is str
    assert with_more(shown, 3, texts()) == "A, B 외 3개"
    assert [piece.href for piece in pieces_of(with_more(shown, 3, texts())) if piece.href] == ["#query=A", "#query=B"]
    assert with_more(shown, 0, texts()) is shown


def test_values_of_a_text_keep_their_links() -> None:
    shown = filled(partial(texts(), "names.more"), names=items_link("5", status="ok"), n="2")
    assert shown == texts()("names.more", names="5", n="2")
    assert isinstance(shown, Linked)
    assert shown.pieces[0] == Piece("5", "#status=ok")


def test_a_name_from_a_file_is_a_clean_key() -> None:
    assert key_of(" a\n\u202eb ") == "a ⏎ b"
    assert key_of("") == "-"
