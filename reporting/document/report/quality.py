"""The section of data quality: where the rows went, what was odd, what is wrong."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import NamedTuple

import msgspec

from reporting.document.blocks import (
    BREAK,
    SPACE,
    Block,
    Coded,
    Each,
    Heading,
    Html,
    Item,
    Items,
    Markdown,
    Paragraph,
    Strong,
    Text,
    in_line,
    linked,
    listing,
    titled,
)
from reporting.document.html_renderer import html
from reporting.document.problem import near_rows
from reporting.document.tables import Table, table
from reporting.wording import (
    CHECKLIST,
    LABEL_CHARS,
    MAX_PLACES,
    NONE,
    count,
    count_name,
    describe,
    describe_finding,
    diagnosis,
    excerpt,
    hidden_places,
    items_fragment,
    items_link,
    joined,
    key_of,
    link,
    numbers_of,
    place_text,
    places_in_files,
    query_fragment,
    row_link,
    row_text,
    some_names,
)
from scoring import Finding, Problem, Severity
from scoring.results import InputSummary, Insights, SetResult, checklist_lines
from texts import Texts

MAX_INPUTS = 50
MAX_ERROR_PLACES = 100
MAX_NOTE_PLACES = 5
NAME_CHARS = 120
HASH_CHARS = 12
_PAYLOAD = "payload:"
_RESTORED = "restored-date"
_FOUND_AS = {  # counts that a finding of another code counts as well
    "double-encoded": "json-in-json",
    "track-unassigned": "track-unknown",
    "field-type:responseTimeSec": "seconds-unusable",
}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 (BOM)",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "cp949": "CP949",
    "xlsx": "XLSX",
}
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon"}
_ROW_TITLES = (
    "quality.data-rows",
    "changes.items",
    "quality.duplicates",
    "quality.blank",
    "quality.unusable",
)


_Row = tuple[str, int | None]  # of a file


class Quality(NamedTuple):
    """What a reader must know of the inputs before trusting the figures.

    refused: inputs without figures. found: how many findings there are, with links to where they are described; that
    there is none where there is none. lines: the section without its table. inputs: what became of the rows of each
    input, then how it was read.
    """

    refused: Sequence[str]
    found: str
    lines: Sequence[Block]
    inputs: Table

    @property
    def rows(self) -> Table:
        """What became of the rows of each input."""
        return self.inputs.columns(range(len(_ROW_TITLES) + 1))

    @property
    def files(self) -> Table:
        """How each input was read."""
        return self.inputs.columns((0, *range(len(_ROW_TITLES) + 1, len(self.inputs.titles))))


def quality_of(result: SetResult, insights: Insights, t: Texts) -> Quality:
    """The section and what the summary says of it.

    Its table: per input and in total, rows = items + duplicates + blank + unusable ones. Then what was counted besides,
    only what there is: restored rounds and what to check about them, invalid payloads by diagnosis, everything else
    that no finding counts.
    """
    rows = _rows_of_items(result)
    findings = [found if len(result.inputs) > 1 else _of_one_file(found) for found in result.findings]
    blocks: list[Block] = []
    if lines := list(_lines(result, insights, t)):
        blocks.append(Items(lines))
    told = list(chain.from_iterable(_finding(found, rows, t) for found in findings if found.code != CHECKLIST))
    if told:
        blocks += [Heading(3, t("report.look-at"), "findings-of-data"), Items(told)]
    refused = [excerpt(entry.name, NAME_CHARS) for entry in result.inputs if entry.refused]
    unticked = sum(not is_fine for _, is_fine in checklist_lines(result))
    return Quality(refused, _found(findings, unticked, t), blocks, _row_table(result, t))


def quality_blocks(found: Quality, shown: Table, t: Texts) -> list[Block]:
    """The section. shown: the inputs, with or without how they were read."""
    table_of_rows = listing(shown, t("report.quality"), t, more="quality.files-in-total")
    return [Paragraph(t("quality.sum")), *table_of_rows, *found.lines]


def _found(findings: Sequence[Finding], unticked: int, t: Texts) -> str:
    """How much there is to look at in the data and in the checklist, with links to where it is described."""
    data, errors = numbers_of(findings)
    told = []
    if data:
        key = "quality.found-errors" if errors else "quality.found"
        told.append(link(t(key, n=count(data), errors=count(errors)), "#findings-of-data"))
    if unticked:
        told.append(link(t("quality.unticked", n=count(unticked)), "#checklist"))
    return joined(told, " · ") or t("brief-none")


def _of_one_file(finding: Finding) -> Finding:
    """Without the name of the file, which the table above names. Of a file that was refused, its problems name it."""
    if finding.severity is Severity.REFUSED:
        return finding
    return msgspec.structs.replace(finding, places=tuple(replace(place, source="") for place in finding.places))


def _lines(result: SetResult, insights: Insights, t: Texts) -> Iterator[Text]:
    restored = result.counts.get(_RESTORED, 0)
    if restored:
        labels = ", ".join(excerpt(label, LABEL_CHARS) for label in result.restored_rounds[:MAX_INPUTS])
        yield titled(t("quality.restored"), f"{t.counted('rows', count(restored))} ({labels})")
    if result.extra_columns:
        yield titled(t("quality.extra"), some_names(result.extra_columns, t))
    if _may_be_swapped(result.restored_rounds):
        yield titled(t("check.look"), t("quality.swap"))
    for title, counted in (
        (t("quality.payloads"), [(diagnosis(code, t), n) for code, n in insights.payloads.items()]),
        (t("quality.counts"), _other_counts(result, t)),
    ):
        if counted:
            yield titled(title, ", ".join(t("quality.counted", name=name, n=count(n)) for name, n in counted))


def _finding(finding: Finding, rows: Container[_Row], t: Texts) -> Iterator[Item]:
    """A finding with its first places, each with its rows.

    Notes show few places: what was left out has to be found again, the rest only to be understood. Where one line has
    room for the places, they are in it.
    """
    if finding.severity is Severity.REFUSED:
        yield from (_said(describe(place, t.language), (), t, is_error=True) for place in finding.places)
        return
    is_error = finding.severity is Severity.ERROR
    listed = places_in_files(finding)
    shown = listed[: MAX_ERROR_PLACES if is_error else MAX_NOTE_PLACES]
    more = hidden_places(finding, len(shown))
    around = [near_rows(place, t) for place in shown]
    fits = len(shown) <= MAX_PLACES and not more and not any(around)
    text = describe_finding(finding, t.language, with_places=fits)
    places: list[Text | Item] = []
    if shown and not fits:
        places += _places(list(zip(shown, around, strict=True)), rows, t)
        places += [t("quality.more", n=count(more))] if more else []
    yield _said(text, places, t, is_error=is_error, href=_href(finding, rows))


def _places(found: Sequence[tuple[Problem, Block | None]], rows: Container[_Row], t: Texts) -> Iterator[Item]:
    """Each place with the rows around it; those without any that say the same but for their row are one line."""

    def alike(one: tuple[Problem, Block | None]) -> Problem | str:
        place, near = one
        return place if near is not None or place.row is None else place_text(replace(place, row=None), t)

    for _, together in groupby(found, alike):
        texts: list[Text] = []
        nears: list[Block] = []
        for place, near in together:
            text = row_text(place, t) if texts else place_text(place, t)
            texts.append(linked(_place_in_words(place, text, rows)))
            nears += [] if near is None else [near]
        yield Item(in_line(texts, Markdown(", ")), [BREAK, *nears])


def _said(text: str, places: Sequence[Text | Item], t: Texts, *, is_error: bool, href: str = "") -> Item:
    """href: what leads to the items in whose rows it was found, "" where it is about none."""
    mark: Text = (Strong(t("quality.error")), SPACE) if is_error else ""
    items = html(' <a class="noprint" href="{}">{}</a>', href, t("quality.items")) if href else Html("")
    return Item((mark, Coded(text), Each("", items)), [Items(places)] if places else [])


def _href(finding: Finding, rows: Container[_Row]) -> str:
    """What leads to the items in whose rows it was found, "" where it is about none."""
    has_items = any(_row(place) in rows for place in places_in_files(finding))
    return f"#{items_fragment(finding=finding.code)}" if has_items else ""


def _place_in_words(place: Problem, text: str, rows: Container[_Row]) -> str:
    """A place that leads to the item of its row, or of a row that does not count to its query. text: what it says."""
    if place.row is not None and _row(place) in rows:
        return row_link(text, place.row, place.source)
    query_id = place.values.get("query", "")
    return link(text, f"#{query_fragment(query_id)}") if query_id else text


def _row(place: Problem) -> _Row:
    return place.source, place.row


def _rows_of_items(result: SetResult) -> set[_Row]:
    """Rows that are named by findings and that items come from, with the file where there are several."""
    named = {place.row for finding in result.findings for place in finding.places}
    names = [entry.name if len(result.inputs) > 1 else "" for entry in result.inputs]
    items = zip(result.sources, result.table.rows, strict=True)
    return {(names[source], row) for source, row in items if row in named} if named else set()


def _row_table(result: SetResult, t: Texts) -> Table:
    rows = [[excerpt(entry.name, NAME_CHARS), *_row_cells(entry, t)] for entry in result.inputs[:MAX_INPUTS]]
    if len(result.inputs) > 1:
        read = [entry for entry in result.inputs if not entry.refused]
        figures = zip(*(_row_counts(entry) for entry in read), strict=True)
        rows.append([t("quality.total"), *(count(sum(column)) for column in figures), "", "", ""])
    titles = [
        t("problem.file"),
        *(f">{t(key)}" for key in _ROW_TITLES),
        t("quality.encoding"),
        f">{t('table.bytes')}",
        t("problem.digest", chars=str(HASH_CHARS)),
    ]
    return table(titles, rows, total=len(rows) + max(len(result.inputs) - MAX_INPUTS, 0))


def _row_counts(entry: InputSummary) -> tuple[int, int, int, int, int]:
    return entry.rows, entry.items, entry.duplicates, entry.blank_rows, entry.unusable_rows


def _row_cells(entry: InputSummary, t: Texts) -> list[str]:
    content = [count(entry.size), entry.sha256[:HASH_CHARS]]
    if entry.refused:
        return [*[NONE] * len(_ROW_TITLES), t("quality.not-read"), *content]
    encoding = _ENCODINGS.get(entry.encoding, entry.encoding)
    if entry.sheet:
        encoding += t("quality.sheet", name=excerpt(entry.sheet, LABEL_CHARS))
    if entry.delimiter:
        encoding += f", {_delimiter(entry.delimiter, t)}"
    rows, items, *others = map(count, _row_counts(entry))
    return [rows, items_link(items, file=key_of(entry.name)), *others, encoding, *content]


def _delimiter(mark: str, t: Texts) -> str:
    return t(f"delimiter.{_DELIMITERS[mark]}") if mark in _DELIMITERS else mark


def _other_counts(result: SetResult, t: Texts) -> list[tuple[str, int]]:
    """What no other line and no finding has counted."""
    found = {finding.code: finding.count for finding in result.findings}
    return [
        (count_name(code, t), n)
        for code, n in sorted(result.counts.items())
        if not code.startswith(_PAYLOAD) and code != _RESTORED and found.get(_FOUND_AS.get(code, code)) != n
    ]


def _may_be_swapped(labels: tuple[str, ...]) -> bool:
    """Excel set to day-first dates swaps room and repeat: visible only when all rooms are 1 and repeats differ."""
    pairs = [label.split("/") for label in labels]
    return len(pairs) > 1 and all(len(pair) == 2 and pair[0] == "1" for pair in pairs)
