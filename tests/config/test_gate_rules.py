"""The table [gate]: where it is read, which rules a profile has, and what is wrong in it."""

from pathlib import Path

import pytest

from config.gate_rules import load_gate
from config.load import load_settings
from config.rubrics_in_force import shipped_rubrics
from config.start import SettingsError
from scoring.gate import GateRules

pytestmark = pytest.mark.usefixtures("clean_surroundings")


def _load(text: str, *, language: str = "en") -> GateRules:
    Path("gate.toml").write_text(text, encoding="utf-8")
    return load_gate(Path("gate.toml"), shipped_rubrics(), language=language)


def _refusal(text: str, *, language: str = "en") -> list[str]:
    with pytest.raises(SettingsError) as refused:
        _load(text, language=language)
    return list(refused.value.messages)


def _texts(rules: GateRules, profile: str) -> list[str]:
    found = rules.of(profile)
    return [] if found is None else [rule.text for rule in found.rules]


def test_rules_of_a_profile_take_the_place_of_those_for_all() -> None:
    rules = _load(
        """
        [gate]
        rules = ["unreadable <= 0"]
        confident = true
        [gate.resume-agent]
        rules = ["intent >= 4.0", "track 3: intent >= 3.0"]
        [gate.h-recruit]
        confident = false
        [gate.move-agent]
        rules = []
        """
    )
    assert _texts(rules, "plan-agent") == ["unreadable <= 0"]
    assert _texts(rules, "resume-agent") == ["intent >= 4.0", "track 3: intent >= 3.0"]
    assert _texts(rules, "h-recruit") == ["unreadable <= 0"]
    assert rules.of("move-agent") is None
    confident = {name: found.confident for name in ("resume-agent", "h-recruit") if (found := rules.of(name))}
    assert confident == {"resume-agent": True, "h-recruit": False}
    assert rules


def test_digest_changes_with_the_rules_and_their_strictness() -> None:
    found = [
        _load(text).of("resume-agent")
        for text in (
            '[gate]\nrules = ["intent >= 4.0"]',
            '[gate.resume-agent]\nrules = ["intent >= 4.0"]',
            '[gate]\nrules = ["intent >= 4.1"]',
            '[gate]\nrules = ["intent >= 4.0"]\nconfident = true',
        )
    ]
    digests = [one.digest for one in found if one is not None]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_settings_file_may_hold_the_table() -> None:
    Path("scorewatch.toml").write_text('workers = 3\n[gate]\nrules = ["intent >= 4.0"]\n')
    assert load_settings().workers == 3
    assert _texts(load_gate(None, shipped_rubrics()), "resume-agent") == ["intent >= 4.0"]


def test_settings_file_that_is_named_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("scorewatch.toml").write_text('[gate]\nrules = ["intent >= 4.0"]\n')
    Path("other.toml").write_text('[gate]\nrules = ["intent >= 2.0"]\n')
    monkeypatch.setenv("SCOREWATCH_CONFIG", "other.toml")
    assert _texts(load_gate(None, shipped_rubrics()), "resume-agent") == ["intent >= 2.0"]


def test_without_a_table_there_are_no_rules() -> None:
    assert not load_gate(None, shipped_rubrics())
    Path("scorewatch.toml").write_text("workers = 3\n")
    assert not load_gate(None, shipped_rubrics())


def test_wrong_rule_is_named_with_file_number_text_column_and_what_fits() -> None:
    assert _refusal('[gate.resume-agent]\nrules = ["pass_rate >= 0.85", "intnt >= 4.0"]') == [
        (
            "Gate: gate.toml [gate.resume-agent], rule 2 'intnt >= 4.0', column 1: There is no 'intnt'. Possible "
            "names: intent, consistency, accuracy, latency, stability, pass_rate, answered_rate, judged, unreadable, "
            "items, queries, rounds, …. Did you mean intent? [gate-rule]"
        )
    ]


def test_wrong_rule_is_named_in_korean() -> None:
    assert _refusal('[gate]\nrules = ["pass_rate >= 85"]', language="ko") == [
        (
            "게이트 규칙: gate.toml [gate]의 1번째 규칙 'pass_rate >= 85', 14번째 글자: 비율은 0에서 1 사이"
            "(또는 0 %에서 100 %)입니다. 적힌 값: 85. 85 %를 뜻하셨나요? [gate-rule]"
        )
    ]


def test_everything_that_is_wrong_is_named_at_once() -> None:
    messages = _refusal(
        """
        [gate]
        rules = ["intent >=", "rubrics >= 4"]
        confidence = true
        [gate.resume-agnet]
        rules = []
        [gate.h-recruit]
        rules = "intent >= 3"
        [gate.move-agent]
        rules = ["rubrics >= 0.5"]
        confident = "yes"
        """
    )
    assert messages == [
        (
            "Gate: gate.toml [gate]: There is no 'confidence' here. Possible names: rules, confident. "
            "Did you mean confident? [gate-rule]"
        ),
        (
            "Gate: gate.toml [gate], rule 1 'intent >=', column 10: The rule ends here. Expected next: a number. "
            "[gate-rule]"
        ),
        "Gate: gate.toml [gate], rule 2 'rubrics >= 4', column 12: rubrics goes up to 1. Found: 4. [gate-rule]",
        *messages[3:7],
    ]
    assert "Did you mean resume-agent?" in messages[3]
    assert "[gate.h-recruit]: rules must be a list" in messages[4]
    assert "[gate.move-agent]: confident must be true or false, not 'yes'." in messages[5]
    assert "[gate.move-agent], rule 1 'rubrics >= 0.5', column 1: There is no 'rubrics'." in messages[6]
    assert len(messages) == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gate = 3", "[gate]: This is not a table."),
        ("", "it is empty. Write the rules in the table [gate]."),
        ("rules = []", "must contain only the table [gate]. Other names: rules"),
        ("[gate", "this is not TOML"),
        ("[gate]\nrules = " + "[" * 3000 + "]" * 3000, "this is not TOML"),
        ("[gate]\nrules = [" + "1" * 5000 + "]", "this is not TOML"),
        ("[gate]\nrules = [" + '"intent >= 4",' * 201 + "]", "There are 201 rules; at most 200 are allowed."),
        ("[gate]\nrules = [3]", "rules must be a list"),
    ],
)
def test_what_is_no_table_of_rules_is_refused(text: str, expected: str) -> None:
    (message,) = _refusal(text)
    assert expected in message


def test_file_that_is_not_there_or_no_text_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"\[missing-settings-file\]"):
        load_gate(Path("absent.toml"), shipped_rubrics())
    Path("gate.toml").write_bytes(b"[gate]\n# \xff\n")
    with pytest.raises(SettingsError, match=r"not UTF-8, byte 9.*\[unreadable-settings-file\]"):
        load_gate(Path("gate.toml"), shipped_rubrics(), language="en")
