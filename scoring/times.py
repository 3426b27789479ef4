"""Reads times as programs and spreadsheets write them (docs/compare.md#order-of-runs).

Wall clocks are compared as written: an offset is shown and not applied. A time before there was any such agent is what
an exporter without a clock writes, and is none.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice

from scoring.text import is_blank, normalise, number

_LAST_PLACEHOLDER_YEAR = 1970  # 1, 1899, 1900 and 1970 stand for "no time"
_LAST_YEAR = 2199
_UNIX = datetime(1970, 1, 1)  # noqa: DTZ001 -- a wall clock
_EXCEL = datetime(1899, 12, 30)  # noqa: DTZ001
_SERIALS = range(30_000, 110_000)  # days, 1982 to 2201
_DIGITS_PER_SECOND = {10: 1, 13: 1_000, 16: 1_000_000}  # digits of an epoch time -> units of a second
_MONTHS = 12
_NOON = 12

_CLOCK = (
    r"(?:[T ]+ *(?:(?P<before>오전|오후|AM|PM) *)?(?P<hour>\d{1,2})"
    r"(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"|시(?: *(?P<minute_word>\d{1,2})분)?(?: *(?P<second_word>\d{1,2})초)?)"
    r" *(?P<after>AM|PM)?)? *(?:Z|UTC|GMT|KST|[+-]\d{2}:?\d{2})?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4}) *[-/.년] *(?P<month>\d{1,2}) *[-/.월] *(?P<day>\d{1,2}) *[.일]?" + _CLOCK,
    re.ASCII | re.IGNORECASE,
)
_YEAR_LAST = re.compile(
    r"(?P<one>\d{1,2})(?P<sign>[-/.])(?P<other>\d{1,2})(?P=sign)(?P<year>\d{4})" + _CLOCK, re.ASCII | re.IGNORECASE
)
_MONTHS_IN_ENGLISH = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH_NAMED = (  # `08-Mar-2026`, `March 8, 2026`
    re.compile(r"(?P<day>\d{1,2})[- ](?P<month>[A-Za-z]{3,9})[- ](?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<month>[A-Za-z]{3,9}) +(?P<day>\d{1,2}),? +(?P<year>\d{4})", re.ASCII),
)


def read_times(texts: Iterable[str]) -> dict[str, datetime | None]:
    """The time that each text of a column says; None for a text that is none, blank ones are left out.

    `3/1/2026` is read where the column shows which part is the month: a part above 12 is no month.
    """
    found, unsure = _read(texts)
    day_first = any(int(match["one"]) > _MONTHS for match in unsure.values())
    month_first = any(int(match["other"]) > _MONTHS for match in unsure.values())
    return found | _read_unsure(unsure, is_day_first=day_first) if day_first is not month_first else found


def deciding(texts: Iterable[str]) -> set[str]:
    """Of very many texts the few by which a column is read: the first and the last time, one that is none."""
    found, unsure = _read(texts)
    kept = _ends(found)
    for is_day_first in (True, False):
        kept |= _ends(_read_unsure(unsure, is_day_first=is_day_first))
    for part in ("one", "other"):  # shows which part is the month
        kept |= set(islice((text for text, match in unsure.items() if int(match[part]) > _MONTHS), 1))
    return kept | set(islice((text for text, time in found.items() if time is None and text not in unsure), 1))


def _ends(found: Mapping[str, datetime | None]) -> set[str]:
    """The texts of the first and the last time; of several, those that are first and last as texts."""
    times = [(time, text) for text, time in found.items() if time is not None]
    if not times:
        return set()
    first, last = min(times)[0], max(times)[0]
    return {
        min((text for time, text in times if time == first), key=_shown),
        max((text for time, text in times if time == last), key=_shown),
    }


def _shown(text: str) -> tuple[str, str]:
    return normalise(text), text


def _read(texts: Iterable[str]) -> tuple[dict[str, datetime | None], dict[str, re.Match[str]]]:
    """The time of each text, and those that end with a year, which are None so far."""
    found: dict[str, datetime | None] = {}
    unsure: dict[str, re.Match[str]] = {}
    for text in texts:
        if is_blank(text):
            continue
        time = _iso(text)
        if time is None:
            shown = normalise(text)
            time = _year_first(_with_number(shown)) or _counted(shown)
            match = None if time is not None else _YEAR_LAST.fullmatch(shown)
            if match is not None:
                unsure[text] = match
        found[text] = time
    return found, unsure


def _read_unsure(unsure: Mapping[str, re.Match[str]], *, is_day_first: bool) -> dict[str, datetime | None]:
    day, month = ("one", "other") if is_day_first else ("other", "one")
    return {text: _time_of(match, int(match[month]), int(match[day])) for text, match in unsure.items()}


def _iso(text: str) -> datetime | None:
    """The usual export needs no further look at its texts."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return _plausible(time if time.tzinfo is None else time.replace(tzinfo=None))


def _with_number(text: str) -> str:
    """`2026-3-8` for a date at the start that names its month in English; other texts as they are."""
    for named in _MONTH_NAMED:
        if (match := named.match(text)) is not None:
            name = match["month"].lower()
            for month, whole in enumerate(_MONTHS_IN_ENGLISH, start=1):
                if name in {whole, whole[:3]}:
                    return f"{match['year']}-{month}-{match['day']}{text[match.end() :]}"
    return text


def _year_first(text: str) -> datetime | None:
    match = _YEAR_FIRST.fullmatch(text)
    return None if match is None else _time_of(match, int(match["month"]), int(match["day"]))


def _time_of(match: re.Match[str], month: int, day: int) -> datetime | None:
    hour = int(match["hour"] or 0)
    half = (match["before"] or match["after"] or "").upper()
    if half and hour in range(1, _NOON + 1):
        hour = hour % _NOON + (_NOON if half in {"오후", "PM"} else 0)
    minute = int(match["minute"] or match["minute_word"] or 0)
    second = int(match["second"] or match["second_word"] or 0)
    try:
        return _plausible(datetime(int(match["year"]), month, day, hour, minute, second))  # noqa: DTZ001
    except ValueError:
        return None


def _counted(text: str) -> datetime | None:
    """Seconds, milliseconds or microseconds since 1970, or the days of a spreadsheet."""
    value = number(text)
    if value is None:
        return None
    whole = text.partition(".")[0]
    per_second = _DIGITS_PER_SECOND.get(len(whole))
    if per_second is not None:
        return _plausible(_UNIX + timedelta(seconds=value / per_second))
    return _plausible(_EXCEL + timedelta(seconds=round(value * 86_400))) if int(value) in _SERIALS else None


def _plausible(time: datetime) -> datetime | None:
    return time if _LAST_PLACEHOLDER_YEAR < time.year <= _LAST_YEAR else None
