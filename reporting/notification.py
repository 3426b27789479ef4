"""The body of a notification about a settled set: JSON, with a `text` that Slack and similar services show."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from reporting.store.status import Headline, State, StatusFile
from reporting.view.headline import headline_pieces
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean, count, excerpt, score
from reporting.wording.findings import counted
from reporting.wording.names import metric_word, shown_names
from scoring.judging.verdicts import JudgeState
from scoring.sets.names import shown

FORMAT_VERSION = 2
_NAME_CHARS = 200
_FINDING_CHARS = 500
_MAX_FINDINGS = 5  # in the text


def told_as(key: str, judge: JudgeState) -> str:
    """Identity of a notification: a second one is sent when the judge is done with the report."""
    return key if judge in {JudgeState.NONE, JudgeState.PENDING} else f"{key}+judge"


def notification(status: StatusFile, *, previous: Headline | None, path: str, t: Texts) -> bytes:
    """UTF-8 JSON about one settled set.

    previous: figures of the version before, None when there was none or it had none. path: of the report or problem
    file. The keys are described in docs/operations.md, Notifications.
    """
    content = {
        "format_version": FORMAT_VERSION,
        "text": _text(status, previous, path, t),
        "set": shown(status.set),
        "state": status.state.value,
        "profile": status.profile,
        "key": status.key,
        "judge": status.judge.value,
        "items": status.headline.n if status.headline else None,
        "answered": status.headline.answered if status.headline else None,
        "passed": status.headline.passed if status.headline else None,
        "assessed": status.headline.assessed if status.headline else None,
        "metrics": _metrics(status.headline, previous),
        "errors": status.errors,
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity.value,
                "count": finding.count,
                "text": clean(finding.text),
            }
            for finding in status.findings
        ],
        "path": shown(path),
    }
    return msgspec.json.encode(content)


def _metrics(headline: Headline | None, previous: Headline | None) -> dict[str, Any]:
    """Value, value before, the difference and the interval, full precision; None where there is none."""
    if headline is None:
        return {}
    found = {}
    for name, value in headline.metrics.items():
        before = previous.metrics.get(name) if previous is not None else None
        change = value - before if value is not None and before is not None else None
        found[name] = {"value": value, "previous": before, "change": change, "interval": headline.intervals.get(name)}
    return found


def _text(status: StatusFile, previous: Headline | None, path: str, t: Texts) -> str:
    name = excerpt(shown(status.set), _NAME_CHARS)
    lines = []
    if status.headline is None or status.state is State.PROBLEM:
        lines.append(t("notification.refused", name=name, profile=status.profile))
    else:
        figures = status.headline
        pieces = [t.counted("items", count(figures.n)), *headline_pieces(figures, t)]
        lines.append(t("notification.report", name=name, profile=status.profile, headline=", ".join(pieces)))
        lines.append(
            " · ".join(
                f"{metric_word(metric, t)} {score(figures.metrics.get(metric))}{_change(metric, figures, previous)}"
                for metric in shown_names(figures.metrics)
            )
        )
    if status.judge is JudgeState.PENDING:
        lines.append(t("notification.judge-pending"))
    elif status.judge is JudgeState.INCOMPLETE:
        lines.append(t("notification.judge-incomplete"))
    if status.findings:
        lines.append(f"{t('report.look-at')}: {counted(status.findings, t)}")
        lines += [f"- {excerpt(finding.text, _FINDING_CHARS)}" for finding in status.findings[:_MAX_FINDINGS]]
    lines.append(clean(shown(path)))
    # Escape the three characters that Slack interprets, so that no cell can make a link or mention a person.
    return "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _change(metric: str, headline: Headline, previous: Headline | None) -> str:
    """Difference of the values as they are shown, so that the text adds up."""
    value = headline.metrics.get(metric)
    before = previous.metrics.get(metric) if previous is not None else None
    if value is None or before is None:
        return ""
    return f" ({Decimal(score(value)) - Decimal(score(before)):+})"
