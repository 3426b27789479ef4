"""Results as JSON and CSV."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.data.embedding import MAX_ITEMS, READ_ITEMS, PageItems, copies_among, embed, script_json
    from reporting.data.facets import FAILS, MIXED, PERSON, PRESET, REVIEWED, SLOW, Facet, counted, facet, several
    from reporting.data.facets import slow_title
    from reporting.data.health_json import Health, decode_health, encode_health, merge_health
    from reporting.data.item_rules import answer_rule
    from reporting.data.items_csv import cell, encode_items, lines_of
    from reporting.data.items_csv_rows import ItemsFileError, ReadSlice, decoded_lines, item_cells, item_places
    from reporting.data.items_csv_rows import items_of, read_items
    from reporting.data.items_in_html import embed_items, embedded_items, review_columns
    from reporting.data.page_filter import AddressError, PageData
    from reporting.data.page_review import ItemKeys, Side, csv_title, disagreeing, sheet_titles
    from reporting.data.queries_csv import encode_queries
    from reporting.data.records import Record, Value, item_records, query_records
    from reporting.data.report_json import Report, build_report, finding_entry
    from reporting.data.workbook import HINT_LIMIT, Cell, Column, Sheet, write_workbook
else:
    __getattr__ = door(__name__)
