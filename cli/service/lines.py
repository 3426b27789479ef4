"""Lines for people: what is tried again, being read, or wrong with the queue, and what to do."""

from reporting.store import Reading
from reporting.wording import clean, excerpt, in_words
from scoring.sets import shown, unescape_path
from texts import Texts
from workers.broker import BrokerFault

NAME_CHARS = 60


def trouble_line(key: str, name: str, reason: str, t: Texts) -> str:
    """What is tried again or cannot be read, why, and what to do. key: of the text with `name` and `reason`."""
    kind = clean(reason).partition(":")[0]
    line = t(key, name=excerpt(name, NAME_CHARS), reason=in_words(clean(reason), t))
    return f"{line}. {t.named('remedy', kind) or t('remedy.unread')}"


def reading_line(reading: Reading, t: Texts) -> str:
    """`big.csv 45 %, 12초 남음`."""
    name = excerpt(shown(unescape_path(reading.path)), NAME_CHARS)
    if reading.seconds_left is None:
        return t("console.reading-begun", name=name, percent=str(reading.percent))
    return t("console.reading", name=name, percent=str(reading.percent), left=time_left(reading.seconds_left))


def time_left(seconds: float) -> str:
    """`0:12`, `1:02:03`: minutes and seconds, hours where there are some."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def describe_fault(fault: BrokerFault, waiting: int | None, t: Texts) -> tuple[str, str]:
    """What is wrong and what to do, and the number of sets that wait; None when that is not known."""
    sets = t("queue.unknown") if waiting is None else str(waiting)
    reason = in_words(clean(fault.reason).rstrip("."), t)
    return t(f"queue.{fault.kind}", reason=reason), t("queue.waiting", n=sets)
