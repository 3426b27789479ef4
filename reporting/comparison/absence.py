"""A report that is compared with nothing: why, in `compare.json` and in words."""

import hashlib
import json

import msgspec

from reporting.comparison.run_table import DIGEST_DIGITS
from reporting.document import (
    DOT,
    Each,
    Link,
    OnlyMarkdown,
    Page,
    Paragraph,
    Strong,
    banner,
    head,
    html,
    in_line,
    page_address,
)
from reporting.store import CHANGES_HTML, FileMark
from reporting.wording import excerpt
from scoring.comparison import Baseline, Origin
from scoring.items import ENGINE_VERSION
from scoring.sets import shown
from texts import Texts

FORMAT_VERSION = 1
NO_SHARED, UNREADABLE = "no-shared", "unreadable"  # reasons besides the origins without a baseline
_FORMAT = "scorewatch-no-baseline-1"
_NAME_CHARS = 120


class Absence(msgspec.Struct, frozen=True, kw_only=True):
    """The content of compare.json where there is nothing to compare with.

    run: key of the run. origin, baseline: the choice of the baseline, "" without a name. reason: its slug. sentence:
    the same in words. files: size and hash of the pages beside.
    """

    format_version: int = FORMAT_VERSION
    key: str
    language: str
    engine_version: int
    set: str
    run: str
    origin: Origin
    baseline: str
    reason: str
    sentence: str
    files: dict[str, FileMark]


def absence_text(baseline: Baseline, reason: str, t: Texts) -> str:
    """Why there is no comparison, in a sentence."""
    return t(f"baseline.{reason}", name=excerpt(shown(baseline.name), _NAME_CHARS))


def absence_page(set_name: str, why: str, *, key: str, told: str = "", has_changes: bool = False, t: Texts) -> Page:
    """compare.md and compare.html where there is nothing to compare with. why: `absence_text`. key: `absence_key`.

    told: what stands above everything. has_changes: is there a page about an earlier version?
    """
    name, title = excerpt(shown(set_name), _NAME_CHARS), t("compare.title")
    line = t("compare.basis-line", key=key[:DIGEST_DIGITS], engine=str(ENGINE_VERSION))
    none = t("baseline.none")
    return Page(
        title=f"{title} · {name}",
        head=[*banner(told), *head(title, name, _ways(set_name, t, has_changes=has_changes))],
        blocks=[
            Paragraph(Each(Strong(none), none), "lead"),
            Paragraph(why),
            Paragraph(t("baseline.how"), "muted"),
            OnlyMarkdown([Paragraph(Link(t("compare.report"), "report.md")), Paragraph(line)]),
            html("<footer>{}</footer>\n", line),
        ],
    )


def unmade_page(set_name: str, t: Texts) -> Page:
    """compare.html in the place of a comparison that is not made yet."""
    name, title = excerpt(shown(set_name), _NAME_CHARS), t("compare.title")
    told = Paragraph(t("baseline.unmade"), "lead"), Paragraph(t("baseline.unmade-told"))
    return Page(title=f"{title} · {name}", head=head(title, name, _ways(set_name, t)), blocks=told)


def _ways(set_name: str, t: Texts, *, has_changes: bool = False) -> Paragraph:
    """The pages around."""
    index = f"{page_address(set_name, '').top}index.html"
    return Paragraph(
        in_line(
            [
                Link(t("nav.front"), "summary.html"),
                Link(t("compare.report"), "report.html"),
                *([Link(t("changes.title"), CHANGES_HTML)] if has_changes else []),
                Link(t("nav.index"), index),
            ],
            DOT,
        )
    )


def absence_key(
    set_name: str, run: str, baseline: Baseline, reason: str, *, language: str, has_changes: bool = False
) -> str:
    """SHA-256 (hex) over everything that the files depend on."""
    values = [_FORMAT, ENGINE_VERSION, set_name, run, *baseline, reason, language, *[CHANGES_HTML] * has_changes]
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()
