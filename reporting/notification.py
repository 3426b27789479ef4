"""The body of a notification about a settled set: JSON, with a `text` that Slack and its kin show as it is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from reporting import words
from reporting.display import NONE, clean, count, excerpt, percent, score
from reporting.status_json import Headline, State, StatusFile
from scoring.set_names import shown

FORMAT_VERSION = 1
_NAME_CHARS = 200
_PROBLEM_CHARS = 500


def notification(status: StatusFile, *, previous: Headline | None, path: str) -> bytes:
    """UTF-8 JSON about one settled set.

    previous: figures of the version before, None when there was none or it had none. path: of the report or problem
    file. The keys are described in docs/operations.md, Notifications.
    """
    content = {
        "format_version": FORMAT_VERSION,
        "text": _text(status, previous, path),
        "set": shown(status.set),
        "state": status.state.value,
        "profile": status.profile,
        "key": status.key,
        "items": status.headline.n if status.headline else None,
        "passed": status.headline.passed if status.headline else None,
        "metrics": _metrics(status.headline, previous),
        "problems": {
            "count": status.problems.count,
            "errors": status.problems.errors,
            "first": [{"code": problem.code, "text": clean(problem.text)} for problem in status.problems.first],
        },
        "path": shown(path),
    }
    return msgspec.json.encode(content)


def _metrics(headline: Headline | None, previous: Headline | None) -> dict[str, Any]:
    """Value, value before and the difference, full precision; None where there is none."""
    if headline is None:
        return {}
    found = {}
    for name, value in headline.metrics.items():
        before = previous.metrics.get(name) if previous is not None else None
        change = value - before if value is not None and before is not None else None
        found[name] = {"value": value, "previous": before, "change": change}
    return found


def _text(status: StatusFile, previous: Headline | None, path: str) -> str:
    name = excerpt(shown(status.set), _NAME_CHARS)
    lines = []
    if status.headline is None or status.state is State.PROBLEM:
        lines.append(f"{name}: 읽지 못했습니다 ({status.profile})")
    else:
        figures = status.headline
        rate = percent(figures.passed, figures.n) if figures.n else NONE
        lines.append(f"{name}: {count(figures.n)}문항 중 {count(figures.passed)}문항 통과 ({rate}, {status.profile})")
        lines.append(
            " · ".join(
                f"{title} {score(figures.metrics.get(metric))}{_change(metric, figures, previous)}"
                for metric, title in words.METRICS.items()
            )
        )
    if status.problems.count:
        lines.append(f"문제 {count(status.problems.count)}건")
        lines += [f"- {excerpt(problem.text, _PROBLEM_CHARS)}" for problem in status.problems.first]
    lines.append(clean(shown(path)))
    # The three characters that Slack gives a meaning; without them no cell can make a link or call a person.
    return "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _change(metric: str, headline: Headline, previous: Headline | None) -> str:
    """Difference of the values as they are shown, so that the text adds up."""
    value = headline.metrics.get(metric)
    before = previous.metrics.get(metric) if previous is not None else None
    if value is None or before is None:
        return ""
    return f" ({Decimal(score(value)) - Decimal(score(before)):+})"
