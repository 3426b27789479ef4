"""Rules of a gate as text: every form of the grammar, and every error with its column."""

from contextlib import suppress
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.gate.grammar import MOST_CHARACTERS, RuleError, parse_rule
from scoring.gate.rules import EVERYTHING, EveryQuery, Limit, NotWorse, Operator, Rule, RuleSet, Scope, Unit, Value

SCALES = MappingProxyType({"intent": 5.0, "consistency": 5.0, "latency": 5.0, "latency.multi": 5.0, "total": 5.0})
MEASURES = ("measure.cost", "measure.net-gain")
TRACK_3, TRAVEL = Scope("track", "3"), Scope("category", "여행")


def _limit(scope: Scope, name: str, unit: Unit, operator: Operator, limit: float) -> dict[str, Any]:
    return {"scope": scope, "value": Value(name, unit), "operator": operator, "limit": limit}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass_rate >= 0.85", _limit(EVERYTHING, "pass_rate", Unit.SHARE, Operator.AT_LEAST, 0.85)),
        ("pass_rate >= 85%", _limit(EVERYTHING, "pass_rate", Unit.SHARE, Operator.AT_LEAST, 0.85)),
        ("answered_rate ≥ 99.5 %", _limit(EVERYTHING, "answered_rate", Unit.SHARE, Operator.AT_LEAST, 0.995)),
        ("intent>=4", _limit(EVERYTHING, "intent", Unit.POINTS, Operator.AT_LEAST, 4.0)),
        ("  Intent  >  4.0 ", _limit(EVERYTHING, "intent", Unit.POINTS, Operator.ABOVE, 4.0)),
        ("total >= 3.5", _limit(EVERYTHING, "total", Unit.POINTS, Operator.AT_LEAST, 3.5)),
        ("latency.multi >= 3", _limit(EVERYTHING, "latency.multi", Unit.POINTS, Operator.AT_LEAST, 3.0)),
        ("latency p95 <= 60", _limit(EVERYTHING, "latency p95", Unit.SECONDS, Operator.AT_MOST, 60.0)),
        ("latency.multi mean < 20", _limit(EVERYTHING, "latency.multi mean", Unit.SECONDS, Operator.BELOW, 20.0)),
        ("unreadable == 0", _limit(EVERYTHING, "unreadable", Unit.COUNT, Operator.EQUAL, 0.0)),
        ("judged >= 0.95", _limit(EVERYTHING, "judged", Unit.SHARE, Operator.AT_LEAST, 0.95)),
        ("rounds >= 2", _limit(EVERYTHING, "rounds", Unit.COUNT, Operator.AT_LEAST, 2.0)),
        ("track 3: intent >= 3.0", _limit(TRACK_3, "intent", Unit.POINTS, Operator.AT_LEAST, 3.0)),
        ("track 미지정: items <= 0", _limit(Scope("track", "unassigned"), "items", Unit.COUNT, Operator.AT_MOST, 0.0)),
        ("category unassigned: items <= 0", _limit(Scope("category", ""), "items", Unit.COUNT, Operator.AT_MOST, 0.0)),
        (
            'slice 언어 "en": answered_rate >= 0.8',
            _limit(Scope("slice", "en", "언어"), "answered_rate", Unit.SHARE, Operator.AT_LEAST, 0.8),
        ),
        (
            'slice "Model Name" unassigned: items <= 3',
            _limit(Scope("slice", "", "modelname"), "items", Unit.COUNT, Operator.AT_MOST, 3.0),
        ),
        ('category "여행": intent >= 3', _limit(TRAVEL, "intent", Unit.POINTS, Operator.AT_LEAST, 3.0)),
        ("category '\u1112\u1161\u11ab': intent >= 3", _limit(Scope("category", "한"), "intent", Unit.POINTS,
                                                                Operator.AT_LEAST, 3.0)),
    ],
)  # fmt: skip
def test_limits(text: str, expected: dict[str, Any]) -> None:
    assert parse_rule(text, SCALES) == Limit(text=text.strip(), **expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("measure.cost sum <= 5", _limit(EVERYTHING, "measure.cost sum", Unit.MEASURE, Operator.AT_MOST, 5.0)),
        ("Measure.Cost P95 < 0.02", _limit(EVERYTHING, "measure.cost p95", Unit.MEASURE, Operator.BELOW, 0.02)),
        ("measure.cost per_answered <= 1", _limit(EVERYTHING, "measure.cost per_answered", Unit.MEASURE,
                                                  Operator.AT_MOST, 1.0)),
        ("measure.net-gain mean >= -2.5", _limit(EVERYTHING, "measure.net-gain mean", Unit.MEASURE,
                                                 Operator.AT_LEAST, -2.5)),
        ("measure.cost sum <= 5000000000000", _limit(EVERYTHING, "measure.cost sum", Unit.MEASURE,
                                                     Operator.AT_MOST, 5e12)),
        ("track 3: measure.cost max <= 1", _limit(TRACK_3, "measure.cost max", Unit.MEASURE, Operator.AT_MOST, 1.0)),
    ],
)  # fmt: skip
def test_limits_of_measures(text: str, expected: dict[str, Any]) -> None:
    assert parse_rule(text, SCALES, MEASURES) == Limit(text=text, **expected)


def test_a_measure_that_is_not_to_be_worse() -> None:
    text = "measure.cost not worse than baseline by 0.5"
    expected = NotWorse(text=text, scope=EVERYTHING, name="measure.cost", margin=0.5)
    assert parse_rule(text, SCALES, MEASURES) == expected


@pytest.mark.parametrize(
    ("text", "code", "column", "found", "likely"),
    [
        ("measure.cos sum <= 5", "unknown", 1, "measure.cos", "measure.cost"),
        ("measure.cost <= 5", "expected", 14, "<=", ""),
        ("measure.cost p96 <= 5", "unknown", 14, "p96", "p95"),
        ("measure.cost sum <= 5 %", "percent", 23, "%", ""),
        ("measure.cost sum <= 1" + "0" * 19, "large", 21, "1" + "0" * 19, ""),
        ("measure.cost sum not worse than baseline", "unknown", 1, "measure.cost", "measure.cost"),
        ("measure.cost not worse than baseline by -1", "character", 41, "-", ""),
        ("measure.cost sum <= --1", "character", 22, "-", ""),
        ("track -3: measure.cost sum <= 1", "character", 7, "-", ""),
    ],
)
def test_errors_of_rules_about_measures(text: str, code: str, column: int, found: str, likely: str) -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule(text, SCALES, MEASURES)
    error = raised.value
    assert (error.code, error.column, error.found, error.likely) == (code, column, found, likely)


def test_a_measure_is_known_only_where_a_profile_has_it() -> None:
    with pytest.raises(RuleError, match="unknown"):
        parse_rule("measure.cost sum <= 5", SCALES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("every query passes >= 2 of 3", {"scope": EVERYTHING, "passes": 2, "of": 3}),
        ("track 3: every query passes >= 1 of 1", {"scope": TRACK_3, "passes": 1, "of": 1}),
    ],
)
def test_every_query(text: str, expected: dict[str, Any]) -> None:
    assert parse_rule(text, SCALES) == EveryQuery(text=text, **expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not worse than baseline", {"scope": EVERYTHING, "name": "", "margin": None}),
        ("not worse than baseline by 0.2", {"scope": EVERYTHING, "name": "", "margin": 0.2}),
        ("intent not worse than baseline", {"scope": EVERYTHING, "name": "intent", "margin": None}),
        ("latency not worse than baseline by 0.1", {"scope": EVERYTHING, "name": "latency", "margin": 0.1}),
        ("pass_rate not worse than baseline by 5 %", {"scope": EVERYTHING, "name": "pass_rate", "margin": 0.05}),
        ("track 3: intent not worse than baseline", {"scope": TRACK_3, "name": "intent", "margin": None}),
    ],
)
def test_not_worse(text: str, expected: dict[str, Any]) -> None:
    assert parse_rule(text, SCALES) == NotWorse(text=text, **expected)


@pytest.mark.parametrize(
    ("text", "code", "column", "found", "likely"),
    [
        ("", "expected", 1, "", ""),
        ("intnt >= 3", "unknown", 1, "intnt", "intent"),
        ("track 3: intnt >= 3", "unknown", 10, "intnt", "intent"),
        ("pass rate >= 0.8", "unknown", 1, "pass", "pass_rate"),
        ("intent => 3", "expected", 9, ">", ""),
        ("intent 3", "expected", 8, "3", ""),
        ("intent >=", "expected", 10, "", ""),
        ("intent >= -1", "character", 11, "-", ""),
        ("intent >= 4 5", "expected", 13, "5", ""),
        ("intent >= 40", "scale", 11, "40", ""),
        ("intent >= 80%", "percent", 13, "%", ""),
        ("pass_rate >= 85", "share", 14, "85", "85 %"),
        ("pass_rate >= 850 %", "share", 14, "850", ""),
        ("unreadable <= 0.5", "whole-number", 15, "0.5", ""),
        ("items >= 99999999999", "large", 10, "99999999999", ""),
        ("latency p96 <= 60", "unknown", 9, "p96", "p95"),
        ("track : intent >= 3", "expected", 7, ":", ""),
        ("track 3 intent >= 3", "expected", 9, "intent", ""),
        ("track 3: total >= 3", "whole-set", 1, "track", ""),
        ('category "여행 intent >= 3', "unclosed", 10, '"', ""),
        ("category 여행: intent >= 3", "expected", 10, "여행", ""),
        ('category "": intent >= 3', "nameless", 10, "", ""),
        ('category " ": intent >= 3', "nameless", 10, " ", ""),
        ("track '\u200b': intent >= 3", "nameless", 7, "\u200b", ""),
        ("slice 언어 en: items >= 3", "expected", 10, "en", ""),
        ('slice "언어": items >= 3', "expected", 11, ":", ""),
        ('slice "": items >= 3', "nameless", 7, "", ""),
        ('slice 언어 "en": rounds >= 3', "whole-set", 1, "slice", ""),
        ('slice 언어 "en": every query passes >= 1 of 2', "slice-limit", 1, "slice", ""),
        ('slice 언어 "en": failing queries <= 3', "slice-limit", 1, "slice", ""),
        ("not worse than baseline by 5.1", "margin", 28, "5.1", ""),
        ("track 3: not worse than baseline by 50", "margin", 37, "50", ""),
        ("intent not worse than baseline by 6", "scale", 35, "6", ""),
        ("pass_rate not worse than baseline by 120 %", "share", 38, "120", ""),
        ("every query passes 2 of 3", "expected", 20, "2", ""),
        ("every query passes <= 2 of 3", "expected", 20, "<=", ""),
        ("every query passes >= 2.5 of 3", "whole-number", 23, "2.5", ""),
        ("every query passes >= 4 of 3", "k-of-n", 23, "4", ""),
        ("every query passes >= 0 of 3", "k-of-n", 23, "0", ""),
        ("every qery passes >= 2 of 3", "expected", 7, "qery", "query"),
        ("not worse then baseline", "expected", 11, "then", "than"),
        ("unreadable not worse than baseline", "unknown", 1, "unreadable", ""),
        ("intent >= 3" + " " * MOST_CHARACTERS, "too-long", MOST_CHARACTERS + 1, "", ""),
    ],
)
def test_errors_name_the_column_and_what_was_meant(text: str, code: str, column: int, found: str, likely: str) -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule(text, SCALES)
    error = raised.value
    assert (error.code, error.column, error.found, error.likely) == (code, column, found, likely)


def test_error_lists_what_fits() -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule("intent is 3", SCALES)
    assert raised.value.fits == (">=", "<=", ">", "<", "=")


_WORDS = st.sampled_from(
    ["intent", "pass_rate", "track", "category", "slice", '"x"', "3", "0.5", ":", ">=", "%", "every", "query", "passes",
     "of", "not", "worse", "than", "baseline", "by", "latency", "p95", "unassigned", "2", "measure.cost", "sum", "-"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=12).map(" ".join)))
@example("intent >= ١")
@example("items >= 1" + "0" * 400)
@example('category "":intent>=0')
def test_any_text_gives_a_rule_or_an_error_with_a_column(text: str) -> None:
    with suppress(RuleError):
        rule: Rule = parse_rule(text, SCALES, MEASURES)
        assert rule.text == text.strip()
        return
    with pytest.raises(RuleError) as raised:
        parse_rule(text, SCALES, MEASURES)
    assert 1 <= raised.value.column <= max(len(text), 1) + 1


def test_known_failures_can_be_left_out() -> None:
    counted = parse_rule("Failing Queries except known <= 2", SCALES)
    assert isinstance(counted, Limit)
    assert (counted.value, counted.limit) == (Value("failing queries except known", Unit.COUNT), 2.0)
    every = parse_rule("track 1: every query passes >= 2 of 3 except known", SCALES)
    assert isinstance(every, EveryQuery)
    assert (every.passes, every.of, every.except_known) == (2, 3, True)
    assert RuleSet(rules=(counted,)).needs_known
    assert not RuleSet(rules=(parse_rule("failing queries <= 2", SCALES),)).needs_known


@pytest.mark.parametrize(
    ("rule", "column", "fits"),
    [
        ("failing <= 2", 9, ("queries",)),
        ("failing queries except <= 2", 24, ("known",)),
        ("every query passes >= 2 of 3 except new", 37, ("known",)),
        ("failing queries except known", 29, (">=", "<=", ">", "<", "=")),
    ],
)
def test_a_slip_in_leaving_out_known_failures_is_named(rule: str, column: int, fits: tuple[str, ...]) -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule(rule, SCALES)
    assert (raised.value.column, raised.value.fits) == (column, fits)
