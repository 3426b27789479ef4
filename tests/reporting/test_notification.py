"""Bodies of notifications, and of which kinds a set is."""

import json
from typing import Any

import msgspec
import pytest

from reporting.notifications import Against, Notice, notification
from reporting.store.gate import GateFile
from reporting.store.status import FORMAT_VERSION, Headline, ShownFinding, State, StatusFile
from scoring import Severity
from scoring.gate import GateResult, GateState, RuleResult
from scoring.judging import JudgeState
from scoring.statistics import Interval
from texts import texts

EN = texts("en")
HOSTILE = "<!channel> [x](http://evil) <at>all</at> & *b*"
FINDING = ShownFinding("rows-differ", Severity.ERROR, 1, HOSTILE)
NOTE = ShownFinding("rows-equal", Severity.NOTE, 1, "a note")


def _status(**changes: Any) -> StatusFile:
    headline = Headline(
        n=4,
        answered=3,
        answered_rate=0.75,
        metrics={"intent": 4.25, "total": 3.5},
        queries=2,
        intervals={"intent": None, "total": None},
        answered_interval=Interval(0.3, 0.95),
        pass_interval=None,
    )
    values: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "set": "방/a 1",
        "state": State.REPORT,
        "key": "k",
        "profile": "resume-agent",
        "engine_version": 1,
        "rubric_digest": "d",
        "headline": headline,
        "findings": (),
        "inputs": {},
        "files": {},
    }
    return StatusFile(**{**values, **changes})


def _gate(state: GateState = GateState.FAILED) -> GateFile:
    rules = (
        RuleResult(rule="intent >= 4.5", state=state, reason="no-value", facts={"name": HOSTILE}),
        RuleResult(rule="rounds >= 1", state=GateState.PASSED, reason="no-baseline"),
    )
    return GateFile(set="방/a 1", key="k", judge_digest="", rules="r", result=GateResult(state, rules))


def _body(notice: Notice, form: str = "json") -> dict[str, Any]:
    made: dict[str, Any] = json.loads(notification(notice, EN, form=form))
    return made


def _notice(**values: Any) -> Notice:
    return Notice(**{"status": _status(), **values})


WORSE = Against("run_1", ("intent", "total"), again=("intent",))


@pytest.mark.parametrize(
    ("values", "events"),
    [
        ({}, ("every-set",)),
        ({"status": _status(findings=(NOTE,))}, ("every-set",)),
        ({"status": _status(findings=(FINDING,))}, ("every-set", "problems")),
        ({"status": _status(state=State.PROBLEM, headline=None)}, ("every-set", "problems")),
        ({"status": _status(judge=JudgeState.INCOMPLETE)}, ("every-set", "problems")),
        ({"gate": _gate()}, ("every-set", "gate-failed")),
        ({"gate": _gate(GateState.UNDECIDABLE)}, ("every-set",)),
        ({"gate": _gate(GateState.PASSED)}, ("every-set",)),
        ({"against": WORSE}, ("every-set", "worse")),
        ({"against": WORSE, "gate": _gate(), "status": _status(judge=JudgeState.PENDING)}, ("every-set",)),
        ({"gate": _gate(), "status": _status(judge=JudgeState.DONE)}, ("every-set", "gate-failed")),
        ({"against": Against("run_1", ())}, ("every-set",)),
        ({"against": Against("run_1", ("intent",))}, ("every-set",)),  # once may be chance
        ({"against": Against("run_1", (), again=("intent",))}, ("every-set", "worse")),
    ],
)
def test_kinds_of_a_notification(values: dict[str, Any], events: tuple[str, ...]) -> None:
    assert _notice(**values).events == events


def test_text_says_total_gate_and_what_is_worse() -> None:
    body = _body(_notice(gate=_gate(), against=WORSE, public_url="https://reports.example/agents/"))
    assert body["text"].splitlines() == [
        "방/a 1: 4 items, Weighted total 3.50, answered 3/4 = 75.0% (30.0–95.0%) (resume-agent)",
        "Intent 4.25",
        "Gate: failed",
        "- intent >= 4.5: failed, " + HOSTILE
        + " has no value",
        "Two runs in a row are worse than the baseline: Intent",
        "Worse than run_1: Intent, Weighted total",
        "https://reports.example/agents/%EB%B0%A9/a%201/summary.html",
    ]  # fmt: skip
    assert (body["total"], body["gate"]["state"], len(body["gate"]["rules"])) == (3.5, "failed", 2)
    assert body["events"] == ["every-set", "worse", "gate-failed"]
    assert body["worse"] == {"baseline": "run_1", "metrics": ["intent", "total"], "again": ["intent"]}
    assert body["url"] == "https://reports.example/agents/%EB%B0%A9/a%201/summary.html"


def test_without_gate_baseline_and_address_nothing_is_said_of_them() -> None:
    body = _body(_notice())
    assert (body["gate"], body["worse"], body["url"]) == (None, None, "")
    assert body["text"].splitlines()[-1] == "Intent 4.25"


def test_slack_gets_plain_text_and_a_link() -> None:
    body = _body(_notice(status=_status(findings=(FINDING,) * 9), public_url="https://r.example/a|b"), "slack")
    text, link = body["blocks"]
    assert (text["text"]["type"], HOSTILE in text["text"]["text"]) == ("plain_text", True)
    assert link["text"] == {
        "type": "mrkdwn",
        "text": "<https://r.example/a%7Cb/%EB%B0%A9/a%201/summary.html|Open the report>",
    }
    assert "<!channel>" not in body["text"]
    assert len(text["text"]["text"]) <= 3000
    assert len(_body(_notice(), "slack")["blocks"]) == 1


def test_teams_gets_an_adaptive_card_as_its_workflows_take_it() -> None:
    body = _body(_notice(gate=_gate(), public_url="https://r.example"), "teams")
    (attachment,) = body["attachments"]
    assert (body["type"], attachment["contentType"]) == ("message", "application/vnd.microsoft.card.adaptive")
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}  # TextBlock would read Markdown
    lines = [run["text"] for block in card["body"] for run in block["inlines"]]
    assert lines[0].startswith("방/a 1: 4 items, Weighted total 3.50")
    assert "Gate: failed" in lines
    assert card["actions"] == [
        {
            "type": "Action.OpenUrl",
            "title": "Open the report",
            "url": "https://r.example/%EB%B0%A9/a%201/summary.html",
        }
    ]
    assert "actions" not in _body(_notice(), "teams")["attachments"][0]["content"]


@pytest.mark.parametrize("form", ["json", "slack", "teams"])
def test_bodies_stay_below_what_receivers_take(form: str) -> None:
    """Teams takes 28 KB."""
    rules = tuple(
        RuleResult(rule="x" * 500, state=GateState.FAILED, reason="no-value", facts={"name": "y" * 5000})
        for _ in range(200)
    )
    gate = msgspec.structs.replace(_gate(), result=GateResult(GateState.FAILED, rules))
    notice = _notice(status=_status(set="가" * 300, findings=(FINDING,) * 40), gate=gate)
    if form != "json":  # which names everything
        assert len(notification(notice, EN, form=form)) < 20_000
    assert len(_body(notice, form)) >= 2


def test_the_verdict_stands_second_with_its_values_and_no_key_of_a_metric() -> None:
    verdict = "Worse than the previous run (run_1): Answer rate 92.0% → 83.0%."
    body = _body(_notice(verdict=verdict, against=Against("run_1", ("answered",)), public_url="https://r.example"))
    lines = body["text"].splitlines()
    assert (lines[1], lines[-1]) == (verdict, "https://r.example/%EB%B0%A9/a%201/summary.html")
    assert not any("answered" in line for line in lines[1:])
    assert "path" not in body


def test_figures_are_told_from_the_version_before_to_this_one() -> None:
    previous = msgspec.structs.replace(_status().headline, metrics={"intent": 4.5})  # type: ignore[type-var]
    assert "Intent 4.50 → 4.25" in _body(_notice(previous=previous))["text"]


def test_a_set_whose_figures_are_damaged_says_so_before_them() -> None:
    body = _body(_notice(status=_status(banner="250 of 300 rows could not be used.")))
    assert body["text"].splitlines()[1] == "250 of 300 rows could not be used."


MARKUP = "<img src=x onerror=alert(1)> [누르기](https://evil.example) =cmd|x \u202e\x1b[31m <!channel> @all "
LONG = MARKUP * 1200  # 100 KB


@pytest.mark.parametrize("form", ["json", "slack", "teams"])
def test_verdict_banner_and_name_of_any_size_stay_text_below_what_receivers_take(form: str) -> None:
    status = _status(set=MARKUP * 2, banner=LONG, findings=(ShownFinding("rows-differ", Severity.ERROR, 1, LONG),) * 9)
    notice = _notice(status=status, verdict=LONG, against=Against(LONG, ("intent",)), public_url="https://r.example")
    data = notification(notice, EN, form=form)
    body = json.loads(data)
    shown = json.dumps(body, ensure_ascii=False)
    assert not any(sign in shown for sign in ("\u202e", "\x1b", "\\u202e", "\\u001b"))
    if form == "slack":
        plain, link = body["blocks"]
        assert (plain["text"]["type"], len(plain["text"]["text"]) <= 3000) == ("plain_text", True)
        assert link["text"]["text"].startswith("<https://r.example/")
        assert link["text"]["text"].count("<") == 1
        assert "<!channel>" not in body["text"]
    elif form == "teams":
        card = body["attachments"][0]["content"]
        assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
        assert [action["type"] for action in card["actions"]] == ["Action.OpenUrl"]
    if form != "json":
        assert len(data) < 28_000
