"""A notification about a settled set: of which kinds it is, and its body as JSON, for Slack or for Teams.

Cell text can make no link, mention or markup in a message for Slack or Teams. The text of the JSON body is plain text.
No message names a place on the machine that sends it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from reporting.comparison import metric_name
from reporting.document import headline_pieces
from reporting.gate import reason_text, rule_name, state_name
from reporting.store import SUMMARY_HTML, TOTAL, GateFile, Headline, State, StatusFile, link
from reporting.wording import clean, count, counted, excerpt, metric_word, score, shown_names
from scoring.gate import GateState
from scoring.judging import JudgeState
from scoring.sets import shown
from texts import Texts

FORMAT_VERSION = 2
EVERY_SET, PROBLEMS, WORSE, GATE_FAILED = "every-set", "problems", "worse", "gate-failed"
_NAME_CHARS = 200
_FINDING_CHARS = 500
_VERDICT_CHARS = 1000
_RULE_CHARS = 300
_MAX_FINDINGS = 5  # in the text; of rules that did not pass as many
_SLACK_CHARS = 3000  # of a section
_CARD_VERSION = "1.4"  # the newest that Teams shows everywhere


class Against(NamedTuple):
    """The verdict of a comparison with the baseline. worse: names of the metrics that are worse.

    again: of those that are worse again, against an earlier baseline.
    """

    baseline: str
    worse: tuple[str, ...]
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a notification is about.

    previous: figures of the version before, None when there was none or it had none. verdict: what the front page says
    first, "" while that is not known. public_url: web address of the output folder, "" when none is known. gate,
    against: None where nothing was decided or compared.
    """

    status: StatusFile
    previous: Headline | None = None
    verdict: str = ""
    public_url: str = ""
    gate: GateFile | None = None
    against: Against | None = None

    @property
    def events(self) -> tuple[str, ...]:
        """The kinds that it is of, in the order of the setting.

        While a judge is at work, the gate and the comparison may still end otherwise. What is worse once may be chance.
        """
        status = self.status
        is_problem = status.state is State.PROBLEM or status.errors > 0 or status.judge is JudgeState.INCOMPLETE
        holds = {
            EVERY_SET: True,
            PROBLEMS: is_problem,
            WORSE: status.is_final and self.against is not None and bool(self.against.again),
            GATE_FAILED: status.is_final and self.gate is not None and self.gate.result.state is GateState.FAILED,
        }
        return tuple(event for event, is_of in holds.items() if is_of)

    @property
    def url(self) -> str:
        """Of the front page; "" when no web address is known."""
        return f"{self.public_url.rstrip('/')}/{link(self.status.set, SUMMARY_HTML)}" if self.public_url else ""


def told_as(key: str, judge: JudgeState) -> str:
    """Identity of a notification: a second one is sent when the judge is done with the report."""
    return key if judge in {JudgeState.NONE, JudgeState.PENDING} else f"{key}+judge"


def notification(notice: Notice, t: Texts, *, form: str = "json") -> bytes:
    """UTF-8 JSON about one settled set. form: "json", "slack" or "teams".

    The keys are described in docs/operations.md, Notifications.
    """
    return msgspec.json.encode(_FORMS[form](notice, t))


def _json(notice: Notice, t: Texts) -> dict[str, Any]:
    status, headline, gate = notice.status, notice.status.headline, notice.gate
    rules = () if gate is None else gate.result.rules
    return {
        "format_version": FORMAT_VERSION,
        "text": "\n".join([*_lines(notice, t), *([notice.url] if notice.url else [])]),
        "events": notice.events,
        "set": shown(status.set),
        "state": status.state.value,
        "profile": status.profile,
        "key": status.key,
        "judge": status.judge.value,
        "items": headline.n if headline else None,
        "answered": headline.answered if headline else None,
        "passed": headline.passed if headline else None,
        "assessed": headline.assessed if headline else None,
        "total": headline.metrics.get(TOTAL) if headline else None,
        "metrics": _metrics(headline, notice.previous),
        "gate": None
        if gate is None
        else {
            "state": gate.result.state.value,
            "rules": [
                {"rule": clean(rule.rule), "state": rule.state.value, "reason": reason_text(rule, t)} for rule in rules
            ],
        },
        "worse": None if notice.against is None else _worse(notice.against),
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
        "verdict": clean(notice.verdict),
        "url": notice.url,
    }


def _worse(against: Against) -> dict[str, Any]:
    return {"baseline": clean(against.baseline), "metrics": against.worse, "again": against.again}


def _slack(notice: Notice, t: Texts) -> dict[str, Any]:
    """A message of an incoming webhook: plain text, which Slack does not interpret, and a link."""
    text = "\n".join(_lines(notice, t))
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "plain_text", "text": text[:_SLACK_CHARS], "emoji": False}}
    ]
    if notice.url:
        target = notice.url.replace("|", "%7C").replace("<", "%3C").replace(">", "%3E")
        mark = f"<{target}|{_escaped(t('notification.open'))}>"
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": mark}})
    return {"text": _escaped(text), "blocks": blocks}


def _teams(notice: Notice, t: Texts) -> dict[str, Any]:
    """A message with an Adaptive Card, as the workflow "When a Teams webhook request is received" takes it.

    Text runs know no Markdown.
    """
    first, *rest = _lines(notice, t)
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": _CARD_VERSION,
        "body": [
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": first, "weight": "Bolder"}]},
            *({"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]} for line in rest),
        ],
    }
    if notice.url:
        card["actions"] = [{"type": "Action.OpenUrl", "title": t("notification.open"), "url": notice.url}]
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


_FORMS: Mapping[str, Callable[[Notice, Texts], dict[str, Any]]] = {"json": _json, "slack": _slack, "teams": _teams}


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


def _lines(notice: Notice, t: Texts) -> list[str]:
    """What people read, a line each, cleaned and not yet escaped."""
    status, previous = notice.status, notice.previous
    name = excerpt(shown(status.set), _NAME_CHARS)
    lines = []
    if status.headline is None or status.state is State.PROBLEM:
        lines.append(t("notification.refused", name=name, profile=status.profile))
    else:
        figures = status.headline
        pieces = [t.counted("items", count(figures.n)), *headline_pieces(figures, t)]
        lines.append(t("notification.report", name=name, profile=status.profile, headline=", ".join(pieces)))
        lines += [excerpt(text, _VERDICT_CHARS) for text in (status.shown_banner, notice.verdict) if text]
        lines.append(
            " · ".join(
                f"{metric_word(metric, t)} {_from_to(metric, figures, previous)}"
                for metric in shown_names(figures.metrics)
            )
        )
    lines += _verdict_lines(notice, t)
    if status.judge is JudgeState.PENDING:
        lines.append(t("notification.judge-pending"))
    elif status.judge is JudgeState.INCOMPLETE:
        lines.append(t("notification.judge-incomplete"))
    if status.findings:
        lines.append(f"{t('report.look-at')}: {counted(status.findings, t)}")
        lines += [f"- {excerpt(finding.text, _FINDING_CHARS)}" for finding in status.findings[:_MAX_FINDINGS]]
    return lines


def _verdict_lines(notice: Notice, t: Texts) -> list[str]:
    """The gate with the rules that did not pass, and what is worse than the baseline."""
    lines = []
    if notice.gate is not None:
        result = notice.gate.result
        lines.append(f"{t('gate.title')}: {t(f'gate.state.{result.state}')}")
        others = [rule for rule in result.rules if rule.state is not GateState.PASSED]
        lines += [
            f"- {excerpt(f'{rule_name(rule, t)}: {state_name(rule, t)}, {reason_text(rule, t)}', _RULE_CHARS)}"
            for rule in others[:_MAX_FINDINGS]
        ]
    if notice.against is not None and notice.against.again:
        lines.append(t("notification.again", names=", ".join(metric_name(name, t) for name in notice.against.again)))
    if not notice.verdict and notice.against is not None and notice.against.worse:
        names = ", ".join(metric_name(name, t) for name in notice.against.worse)
        baseline = excerpt(shown(notice.against.baseline), _NAME_CHARS)
        lines.append(t("notification.worse", baseline=baseline, names=names))
    return lines


def _escaped(text: str) -> str:
    """Without the three characters that Slack interprets, so that no cell can make a link or mention a person."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _from_to(metric: str, headline: Headline, previous: Headline | None) -> str:
    """`4.12 → 3.79`: the value of the version before, where it was another one, and of this one."""
    shown_value = score(headline.metrics.get(metric))
    before = previous.metrics.get(metric) if previous is not None else None
    if before is None or score(before) == shown_value:
        return shown_value
    return f"{score(before)} → {shown_value}"
