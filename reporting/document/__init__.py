"""A page as a list of blocks, drawn in Markdown and HTML."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.document.blocks import (
        BLANK,
        BREAK,
        COLON,
        DOT,
        NEW_LINE,
        SPACE,
        Block,
        Charts,
        Coded,
        Details,
        Each,
        Heading,
        Html,
    )
    from reporting.document.blocks import Items, Link, Markdown, OnlyHtml, OnlyMarkdown, Page, Paragraph, Section
    from reporting.document.blocks import Strong, Text, in_line, meanings, titled, words_block
    from reporting.document.headline import all_pieces, headline_pieces, leading_figure, leading_metrics, measures_of
    from reporting.document.headline import pass_cell, sessions_text, share_title
    from reporting.document.html_renderer import (
        DATA_END,
        DATA_START,
        Pieces,
        banner,
        figure,
        fragment,
        head,
        html,
        html_page,
        large,
        struck,
    )
    from reporting.document.markdown import href, markdown_blocks, markdown_page, md, plain_text, table_head, table_row
    from reporting.document.markdown import table_rows
    from reporting.document.page_paths import page_address
    from reporting.document.problem import problem_page
    from reporting.document.rounds import render_round_pages
    from reporting.document.tables import Table, shown_groups, table, table_of
    from reporting.document.workbench import NOTHING, SCRIPT, Embedded, skip_link, workbench_of
else:
    __getattr__ = door(__name__)
