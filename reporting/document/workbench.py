"""The workbench: a list of questions beside the answers of one of them, on the pages of a report and of a comparison.

The page carries its items as data, which its script (`templates/bench.js`) draws. Where no script runs, the answers
stand below each other.
"""

from typing import NamedTuple

from reporting.document.blocks import Block, Html, OnlyHtml, Strong
from reporting.document.html_renderer import fragment, html
from reporting.wording import count
from texts import Texts

SCRIPT = "bench.js"
SKIP = "#f-text"  # where the search is


class Embedded(NamedTuple):
    """The items of a page. json: for the script. shown of total: items in it. readable: markup without a script."""

    json: bytes = b""
    shown: int = 0
    total: int = 0
    readable: Html = Html("")


NOTHING = Embedded()


def workbench_of(items: Embedded, t: Texts) -> Block:
    """The list and the pane. What an address names and the page lacks is told above them."""
    cut = html(
        '<p id="cut">{} <a href="items.csv">items.csv</a></p>\n',
        Strong(t("items.cut", shown=count(items.shown), total=count(items.total))),
    )
    return OnlyHtml([*([cut] if items.shown < items.total else []), fragment("bench.html", t), items.readable])


def skip_link(t: Texts) -> Html:
    """The way to the search for who does not use a mouse."""
    return html('<a class="skip noprint" href="{}">{}</a>\n', SKIP, t("nav.skip-to-items"))
