"""What a front page says of failures that a team knows, and `tickets.csv`: those that no line of its file knows."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

import msgspec

from reporting.data import cell
from reporting.document import (
    COLON,
    DOT,
    SPACE,
    Block,
    Html,
    Items,
    Link,
    Markdown,
    OnlyHtml,
    Paragraph,
    Section,
    Text,
    html,
    in_line,
    titled,
)
from reporting.store import TICKETS_CSV
from reporting.summary.facts import Facts
from reporting.wording import clean, count, describe, excerpt, known_name, pattern_text, points, some_names
from scoring.items import UNANSWERED
from scoring.known import KNOWN_COLUMNS, Cause, KnownFailures, LineState, Resolution, Ticket, as_pattern
from scoring.sets import shown
from texts import Texts

COPYING = "known.js"  # summary.js, and what copies a line
MOST_TICKETS = 5
MOST_TOLD = 5  # lines to look at, and those that do not count
MOST_COPIED = 3
_TEXT_CHARS = 160
_IDS_CHARS = 8_000
_LABEL = "scorewatch"


def known_blocks(facts: Facts, t: Texts) -> list[Block]:
    """How many failures are known and by which tickets, the lines that ask for something; nothing without a file."""
    known = facts.known
    if known is None:
        return []
    told = [Paragraph(_told(known, t))] if known.lines.is_readable else []
    tickets: list[Text] = [_ticket(one, known, t) for one in known.tickets[:MOST_TICKETS]]
    look: list[Text] = [*_to_look_at(known, t)]
    profile = "" if facts.report is None else facts.report.profile
    copied = [OnlyHtml([_copied(known.causes[:MOST_COPIED], profile, t)])] if known.causes else []
    lists = [Items(one) for one in (tickets, look) if one]
    return [Section("known", t("known.title"), [*told, *lists, *copied])]


def known_lines(facts: Facts, t: Texts) -> list[Text]:
    """The same in one line of Markdown: the counts, the first line that asks for something, and how many more do."""
    known = facts.known
    if known is None:
        return []
    told: list[Text] = [_told(known, t)] if known.lines.is_readable else []
    return [titled(t("known.title"), in_line([*told, *_to_look_at(known, t, most=1)], DOT))]


def _to_look_at(known: KnownFailures, t: Texts, *, most: int = MOST_TOLD) -> list[str]:
    """Problems of the file and lines that ask for something, at most as many, and how many more there are."""
    look = [*(describe(problem, t.language) for problem in known.lines.problems), *_lines_to_look_at(known, t)]
    more = len(look) - most
    return [*look[:most], t("known.more", n=count(more))] if more > 0 else look


def _told(known: KnownFailures, t: Texts) -> Text:
    """`5 failing without a ticket · 12 known (HR-123: 8)`."""
    new, of_lines = t("known.new", n=count(len(known.new))), t("known.known", n=count(len(known.known)))
    named: list[Text] = [(_name(one, known, t), COLON, count(one.queries)) for one in known.tickets[:MOST_TICKETS]]
    if not named:
        return in_line([new, of_lines], DOT)
    named += ["…"] if len(known.tickets) > MOST_TICKETS else []
    return new, DOT, of_lines, SPACE, "(", in_line(named, Markdown(", ")), ")"


def _name(ticket: Ticket, known: KnownFailures, t: Texts) -> Text:
    """The ticket, as a link where an address is set."""
    if not ticket.name or not known.lines.ticket_url:
        return known_name(ticket.lines[0], t)
    address = known.lines.ticket_url.replace("{ticket}", quote(ticket.name, safe=""))
    return Link(known_name(ticket.lines[0], t), address)


def _ticket(ticket: Ticket, known: KnownFailures, t: Texts) -> Text:
    """`HR-123: 8 queries, 24 points; due 2026-03-31; Kim`."""
    queries, lost = t.counted("queries", count(ticket.queries)), t.counted("points", points(ticket.points))
    told = [t("known.lost", queries=queries, points=lost)]
    untils, owners, reasons = (
        sorted({getattr(line, name) for line in ticket.lines} - {""}) for name in ("until", "owner", "reason")
    )
    told += [t("known.until", until=untils[0])] if untils else []
    told += [some_names(names, t) for names in (owners, reasons) if names]
    return _name(ticket, known, t), COLON, "; ".join(told)


def _lines_to_look_at(known: KnownFailures, t: Texts) -> Iterator[str]:
    """Lines that are overdue, fixed, or about nothing of this set, in this order."""
    for state in (LineState.OVERDUE, LineState.FIXED, LineState.UNMATCHED):
        for line, found in zip(known.lines.lines, known.states, strict=True):
            if found is state:
                about = ", ".join(filter(None, (line.query_id, line.pattern, line.ticket)))
                values = {"file": clean(known.lines.name), "row": str(line.row), "about": excerpt(about, _TEXT_CHARS)}
                yield t(f"known.line.{state}", until=line.until, **values)


def _copied(causes: Sequence[Cause], profile: str, t: Texts) -> Html:
    """Failures that no line knows, each with a button that copies lines for them, where there is a script."""
    rows = "".join(
        html(
            '<li>{} <button type="button" hidden data-rows="{}">{}</button></li>\n',
            t("known.cause", cause=_cause_name(cause, t), queries=t.counted("queries", count(len(cause.query_ids)))),
            msgspec.json.encode(_lines_for(cause, profile)).decode(),
            t("known.copy"),
        )
        for cause in causes
    )
    told = html('<p class="muted small">{}</p>\n', t("known.unknown"))
    return Html(f'<div class="noprint">{told}<ul>{rows}</ul></div>\n')


def _lines_for(cause: Cause, profile: str) -> list[list[str]]:
    """The cells of lines for failures: of their error where they have one, else of each query."""
    filled = (
        [{"pattern": as_pattern(cause.text)}]
        if cause.text
        else [{"query_id": query_id} for query_id in cause.query_ids]
    )
    all_have = {"profile": profile, "resolution": Resolution.KNOWN.value}
    return [[(one | all_have).get(name, "") for name in KNOWN_COLUMNS] for one in filled]


def _cause_name(cause: Cause, t: Texts) -> str:
    if cause.text:
        return pattern_text(excerpt(cause.text, _TEXT_CHARS), t)
    if cause.status not in UNANSWERED:
        return t("known.answered")
    return t("known.without-error", status=t.named("status", cause.status) or excerpt(cause.status, _TEXT_CHARS))


def tickets_files(facts: Facts, t: Texts) -> dict[str, bytes]:
    """`tickets.csv` with a row for every kind of failure that no line knows; nothing without known.csv."""
    known, report = facts.known, facts.report
    if known is None or report is None:
        return {}
    rows = [["Summary", "Description", "Labels", "Query IDs"]]
    for cause in known.causes:
        ids = ", ".join(cause.query_ids)
        queries, items = len(cause.query_ids), t.counted("items", count(cause.items))
        told = {"queries": t.counted("queries", count(queries)), "items": items, "cause": _cause_name(cause, t)}
        rows.append(
            [
                f"{report.title}: {_cause_name(cause, t)}",
                t("known.ticket", set=shown(facts.set_name), **told),
                f"{_LABEL} {'-'.join(report.profile.split())}",
                ids[:_IDS_CHARS] + ("…" if len(ids) > _IDS_CHARS else ""),
            ]
        )
    text = "".join(",".join(f'"{cell(one)}"' for one in row) + "\r\n" for row in rows)
    return {TICKETS_CSV: text.encode("utf-8-sig", errors="replace")}
