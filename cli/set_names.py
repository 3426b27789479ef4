"""Names of sets for those who typed none, or one that is none: what a command can act on, and the nearest ones."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from cli.localised import spoken
from cli.screen import cut
from reporting.store import IndexEntry, State, find_sets
from reporting.wording import count
from scoring.sets import fold

MOST_NAMED = 10
_NEAREST = 3
NAME_CELLS = 60


def known_sets(out: Path) -> list[IndexEntry]:
    """The sets in the folder of reports, the newest first; none where it cannot be read."""
    try:
        return sorted(find_sets(out), key=lambda entry: (-entry.published_ns, entry.set_name))
    except OSError:
        return []


def missing_set(usage: str, names: Sequence[str]) -> click.UsageError:
    """The error of a command without its SET. usage: what is to be typed. names: of the sets that it can act on."""
    t = spoken()
    shown = ", ".join(cut(name, NAME_CELLS) for name in names[:MOST_NAMED])
    more = [t("console.more", n=count(len(names) - MOST_NAMED))] if len(names) > MOST_NAMED else []
    hint = t("usage.sets", names=", ".join([shown, *more])) if names else t("usage.no-sets")
    return click.UsageError(f"{t('usage.missing-set', usage=usage)}\n{hint}")


def missing_report(usage: str, out: Path) -> click.UsageError:
    """`missing_set` of a command that acts on any report in this folder."""
    return missing_set(usage, [one.set_name for one in known_sets(out) if one.status.state is State.REPORT])


def unknown_set(said: str, name: str, names: Iterable[str]) -> click.UsageError:
    """The error of a name that is no set, with the nearest ones. said: what is wrong with it."""
    folded = {fold(known): known for known in names}
    close = difflib.get_close_matches(fold(name), folded, n=_NEAREST, cutoff=0.0)
    nearest = ", ".join(f"'{cut(folded[near], NAME_CELLS)}'" for near in close)
    hint = f"{'' if said.endswith('.') else '.'} {spoken()('compare.nearest', names=nearest)}" if nearest else ""
    return click.UsageError(said + hint)
