"""One line a set, at most WIDTH cells of a terminal wide, as every command shows it; and what `--verbose` adds below.

There are three kinds: ✓ with the figures and the verdict against the baseline, ✗ for a set whose figures are none, with
what to do, and – for a file that is not scored, with the name to use. Where a line is too long the name is cut in its
middle, then the interval goes.
"""

from __future__ import annotations

import os
import shlex
import time
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from reporting.document import all_pieces, leading_figure, share_title
from reporting.store import IndexEntry, State
from reporting.wording import WORSE_AGAIN, brief_of_count, clean, count, describe, in_short, verdict_mark
from scoring import Problem
from scoring.gate import GateState
from scoring.judging import JudgeState
from scoring.sets import shown
from texts import Texts

if TYPE_CHECKING:
    from reporting.store import ToldFigure

WIDTH = 100
LEAST_NAME = 20  # cells of a name that is cut
FOLDS = 4  # lines of a line that is no set's
_LONG = 400  # characters from which on only both ends of a text are looked at
CUT = "…"
_INDENT = "  "
# By the value of a verdict: a look at sets without comparisons imports no statistics.
_VERDICTS = {"worse": "red", "better": "green", "changed": ""}
_UNFOUND = {"same": "line.same", "not-distinguishable": "line.chance", "not-comparable": "line.not-comparable"}


class Piece(NamedTuple):
    """A part of a line. colour: "" for that of the terminal. goes: when in a line that is too long, 0 for never."""

    text: str
    colour: str = ""
    goes: int = 0


def say(line: str, *, err: bool = False) -> None:
    """Print a line, in colours on a terminal alone, and nowhere where `NO_COLOR` is set."""
    click.echo(line, err=err, color=False if os.environ.get("NO_COLOR") else None)


def typed(path: Path) -> str:
    """A path as it is typed into a shell; one that begins with a dash is no option."""
    name = clean(str(path))
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def set_line(entry: IndexEntry, t: Texts, *, has_time: bool = False) -> str:
    """How a set came out. has_time: when, in front."""
    status, when = entry.status, entry.published_ns / 1e9 if has_time else None
    if status.state is State.PROBLEM:
        return bad_line(entry.set_name, t("line.unreadable", reason=_reason(entry, t)), when)
    if status.damaged:
        return bad_line(entry.set_name, clean(status.shown_banner) or t("line.damaged"), when)
    return fitted("✓", "green" if not status.errors else "yellow", entry.set_name, [*_figures(entry, t)], when)


def bad_line(name: str, reason: str, when: float | None = None) -> str:
    """A line of what cannot be used. reason: with what to do."""
    return fitted("✗", "red", name, [Piece(reason)], when)


def unscored_line(problem: Problem, t: Texts, when: float | None = None) -> str:
    """A file that is not scored for its name alone."""
    return passed_over_line(problem.source, in_short(problem, t) or t("line.no-profile"), t, when)


def passed_over_line(path: str, reason: str, t: Texts, when: float | None = None) -> str:
    """A file that is not scored. reason: with what to do."""
    return fitted("–", "yellow", path, [Piece(t("line.not-scored", reason=reason))], when)


def figure_details(entry: IndexEntry, t: Texts) -> Iterator[str]:
    """What a line leaves out of the figures: all of them, and what the comparison says."""
    status = entry.status
    if status.headline is not None:
        yield from all_pieces(status.headline, t)
    if entry.compared is not None and entry.compared.is_about(status):
        yield clean(entry.compared.sentence)
        yield from map(clean, entry.compared.notes)


def set_details(entry: IndexEntry, t: Texts) -> Iterator[str]:
    """All that a line leaves out, as the small files of a set have it."""
    yield from figure_details(entry, t)
    yield from (clean(finding.text) for finding in entry.status.findings)


def verdict_pieces(
    told: ToldFigure | None, now_fails: int, t: Texts, *, known: int = 0, is_again: bool = False
) -> Iterator[Piece]:
    """What a comparison says: the worst change or that there is none, and how many queries newly fail.

    known: how many of them are known. is_again: is the figure worse again?
    """
    if told is not None:
        figure = f"{cut(told.title, LEAST_NAME)} {told.before}→{told.after}"
        if told.verdict in _VERDICTS:
            yield Piece(f"{verdict_mark(told.verdict, is_again=is_again)} {figure}", _VERDICTS[told.verdict])
        elif told.verdict in _UNFOUND:
            if told.verdict != "same":  # its means may be others, of what was only graded anew
                yield Piece(figure, goes=2)
            is_graded_anew = told.verdict == "same" and told.before != told.after
            yield Piece(t("line.graded-anew" if is_graded_anew else _UNFOUND[told.verdict]))
    if now_fails:
        of_lines = f" ({t('known.known', n=count(known))})" if known else ""
        yield Piece(t("line.now-fails", n=count(now_fails)) + of_lines, "yellow" if known == now_fails else "red")


def _figures(entry: IndexEntry, t: Texts) -> Iterator[Piece]:
    status, compared = entry.status, entry.compared
    told = None if compared is None or not compared.is_about(status) else compared.told
    # Over the shared queries a share may be another than over all items: a line tells it once, as it changed.
    is_share = status.headline is not None and told is not None and told.title == share_title(status.headline, t)
    is_found = told is not None and told.verdict in _VERDICTS
    if status.headline is not None:
        figure, interval = leading_figure(status.headline, t)
        yield Piece(t.counted("items", count(status.headline.n)), goes=3)
        if not (is_share and is_found):
            yield Piece(figure)
            if interval:
                yield Piece(f"({interval})", goes=1)
    if compared is not None and compared.is_about(status):
        is_again = told is not None and told.verdict == "worse" and compared.is_told_again
        if compared.worse_again and not is_again:
            # against what was before both, which says more than the change since the last run
            yield Piece(f"{WORSE_AGAIN} {t('line.again')}", "red")
            told = None if told is None or told.verdict in _UNFOUND else told
        pieces = verdict_pieces(told, compared.now_fails, t, known=compared.known_fails or 0, is_again=is_again)
        yield from (piece for piece in pieces if not (is_share and piece.goes))
    if entry.gate is not None and entry.gate.result.state is not GateState.PASSED:
        yield Piece(t("line.gate", state=t(f"gate.state.{entry.gate.result.state}")), "red")
    if status.judge in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        yield Piece(t(f"console.judge-{status.judge.value}"), "yellow")
    if status.errors:
        yield Piece(t("line.errors", n=count(status.errors)), "yellow")


def _reason(entry: IndexEntry, t: Texts) -> str:
    """Why a set has no report and what to do, of the first reason."""
    first, *others = entry.status.findings
    reason = clean(first.short) or brief_of_count(first.code, first.count, first.severity, t)
    more = first.count - 1 + sum(finding.count for finding in others)
    return t("line.more", reason=reason, n=count(more)) if more else reason


def problem_entry(problem: Problem, t: Texts) -> dict[str, object]:
    """A problem of no set, in the JSON of a command."""
    return {
        "code": problem.code,
        "severity": problem.severity,
        "source": problem.source,
        "row": problem.row,
        "column": problem.column,
        "text": describe(problem, t.language),
    }


def held(line: str, *, verbose: bool) -> str:
    """A line that is no set's, folded into at most FOLDS lines of WIDTH cells, without colours; verbose: as it is.

    What is longer is cut in the middle of its last line: its end says what to do.
    """
    plain = click.unstyle(line)
    if verbose or cells(plain) <= WIDTH:
        return line
    rest = clean(plain)
    folded: list[str] = []
    while cells(rest) > WIDTH - len(_INDENT) and len(folded) < FOLDS - 1:
        head = _start(rest, WIDTH - len(_INDENT))
        head = head[: head.rstrip().rfind(" ") + 1] or head  # between words where there are any
        folded.append(head.rstrip())
        rest = rest[len(head) :]
    return f"\n{_INDENT}".join([*folded, cut(rest, WIDTH - len(_INDENT))])


def is_cut(shown: str, line: str) -> bool:
    """Does a line leave out something as it is shown?"""
    return shown.count(CUT) > line.count(CUT)


def fitted(mark: str, colour: str, name: str, pieces: Sequence[Piece], when: float | None = None) -> str:
    """A line of at most WIDTH cells. when: seconds since the epoch, None for a line without a time."""
    clock = () if when is None else (Piece(_clock(when)),)
    name = _shortened(shown(name))
    least = min(cells(name), LEAST_NAME)
    kept, room = list(pieces), 0
    for going in range(1 + max((piece.goes for piece in pieces), default=0)):
        kept = [piece for piece in kept if not 0 < piece.goes <= going]
        room = WIDTH - 2 - sum(1 + cells(piece.text) for piece in (*clock, *kept))
        if room >= least:
            break
    parts, left = [], WIDTH
    for piece in (*clock, Piece(mark, colour), Piece(cut(name, max(room, least))), *kept):
        text = _cut_end(piece.text, left)
        left -= cells(text) + 1
        if text:
            parts.append(click.style(text, fg=piece.colour) if piece.colour else text)
    return " ".join(parts)


def _clock(when: float) -> str:
    """`12:53` of today, `11-28` of other days."""
    moment = time.localtime(when)
    is_today = time.strftime("%F", moment) == time.strftime("%F")
    return time.strftime("%H:%M" if is_today else "%m-%d", moment)


def _shortened(text: str) -> str:
    return clean(text if len(text) <= _LONG else f"{text[: _LONG // 2]}{CUT}{text[-_LONG // 2 :]}")


def cut(text: str, room: int) -> str:
    """The text on one line, cut in its middle where it takes more cells."""
    text = _shortened(text)
    if cells(text) <= room:
        return text
    head = _start(text, room // 2)
    tail = _start(text[::-1], room - 1 - cells(head))[::-1]
    return head + CUT + "".join(dropwhile(lambda char: not _cells(char), tail))  # no mark without its letter


def _cut_end(text: str, room: int) -> str:
    if cells(text) <= room:
        return text
    return _start(text, room - 1) + CUT if room > 0 else ""


def _start(text: str, room: int) -> str:
    """As much of a text as fits."""
    for at, char in enumerate(text):
        room -= _cells(char)
        if room < 0:
            return text[:at]
    return text


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"} or 0x1160 <= ord(char) <= 0x11FF:  # marks, vowels of Hangul
        return int(char == "\ufe0f")  # which makes a sign an emoji
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
