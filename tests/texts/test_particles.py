"""Korean particles fit whatever stands before them: names, numbers, Latin letters, quotes, brackets, units."""

import re
import unicodedata
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from texts import fill, texts
from texts.particles import fitting

# What the texts are filled with in reports, messages and pages: (value, with 은/는, 이/가, 을/를, 과/와, 으로/로).
FORMS = ("은/는", "이/가", "을/를", "과/와", "으로/로")
CONSONANT, VOWEL, LIQUID = (
    ("은", "이", "을", "과", "으로"),
    ("는", "가", "를", "와", "로"),
    ("은", "이", "을", "과", "로"),
)
VALUES = {
    # Names of sets, files and profiles
    "3월1주": VOWEL,
    "resume_agent_3월1주": VOWEL,
    "resume_agent_3월1주 (2)": VOWEL,
    "resume_agent_3월1주(1).csv": VOWEL,
    "resume_agent_2차실행": CONSONANT,
    "3월 결과.xlsx": VOWEL,
    "runs.jsonl": LIQUID,
    "report.json": CONSONANT,
    "report.html": LIQUID,
    "scorewatch.toml": LIQUID,
    "resume-agent": VOWEL,
    "h-recruit": VOWEL,
    "rubrics-score": VOWEL,
    "openai-evals-api": VOWEL,
    # Metrics, statuses, tracks, rounds, categories
    "의도 충족": CONSONANT,
    "응답 속도": VOWEL,
    "응답 속도(다중 도구)": VOWEL,
    "정상": CONSONANT,
    "빈 응답": CONSONANT,
    "Track 1": LIQUID,
    "Track 2": VOWEL,
    "Track 3": CONSONANT,
    "1회차": VOWEL,
    "1회차 (1/1)": VOWEL,
    "2/1": LIQUID,
    "필터/학력": CONSONANT,
    # Columns and fields
    "Run ID": VOWEL,
    "Query ID": VOWEL,
    "Raw JSON": CONSONANT,
    "LLM": CONSONANT,
    "LLM 점수": VOWEL,
    "URL": LIQUID,
    "API": VOWEL,
    "HTML": LIQUID,
    "dataUIList": VOWEL,
    "assistantMessage": VOWEL,
    "responseTimeSec": CONSONANT,
    "actionType": CONSONANT,
    "intent": VOWEL,
    "total": LIQUID,
    "profile": LIQUID,
    "engine": CONSONANT,
    "column": CONSONANT,
    "error": VOWEL,
    "check": VOWEL,
    "track": CONSONANT,
    "timeout": CONSONANT,
    "SCOREWATCH_OUT": CONSONANT,
    "scorewatch up": CONSONANT,
    "k": VOWEL,
    "n": CONSONANT,
    # Numbers and units
    "0": CONSONANT,
    "1": LIQUID,
    "2": VOWEL,
    "3": CONSONANT,
    "4": VOWEL,
    "5": VOWEL,
    "6": CONSONANT,
    "7": LIQUID,
    "8": LIQUID,
    "9": VOWEL,
    "10": CONSONANT,
    "12": VOWEL,
    "300": CONSONANT,
    "1,234": VOWEL,
    "10,000": CONSONANT,
    "1,000,000,000,000": VOWEL,
    "4.35": VOWEL,
    "3.00": CONSONANT,
    "4.37 (3.99–4.62)": LIQUID,
    "−17.0": CONSONANT,
    "89.5%": VOWEL,
    "9.0%p": VOWEL,
    "5점": CONSONANT,
    "60초": VOWEL,
    "22건": CONSONANT,
    "247문항": CONSONANT,
    "83개": VOWEL,
    "12행": CONSONANT,
    "1칸": CONSONANT,
    "243쌍": CONSONANT,
    "512 MB": VOWEL,
    # Quotes, brackets, what is cut
    "‘1’": LIQUID,
    "'측정 안 됨'": CONSONANT,
    "“우수”": VOWEL,
    "`required: true`": VOWEL,
    "[report.json](report.json)": CONSONANT,
    "질의 4개 (적음 (10개 미만))": VOWEL,
    "(비어 있음)": CONSONANT,
    "긴 이름의 앞부분…": CONSONANT,
    "FILE…": LIQUID,
    "SET…": CONSONANT,
    "１２３": CONSONANT,
    "": VOWEL,
    "…": VOWEL,
}


@pytest.mark.parametrize(("value", "fits"), VALUES.items(), ids=range(len(VALUES)))
def test_each_value_gets_the_particle_that_it_is_read_with(value: str, fits: tuple[str, ...]) -> None:
    assert tuple(fitting(pair, value) for pair in FORMS) == fits
    assert tuple(fitting(pair, unicodedata.normalize("NFD", value)) for pair in FORMS) == fits


def test_a_particle_looks_through_the_quotes_of_a_text() -> None:
    told = "실행 '{name}'{을/를} 찾지 못했습니다. {other}{과/와} {name}{이/가} 다릅니다."
    assert fill(told, {"name": "3월", "other": "2월4주"}) == "실행 '3월'을 찾지 못했습니다. 2월4주와 3월이 다릅니다."


def test_a_value_with_particles_of_its_own_stays_as_it_is() -> None:
    assert fill("'{name}'{을/를} 봅니다", {"name": "{은/는} 을(를)"}) == "'{은/는} 을(를)'을 봅니다"


@given(st.text(max_size=400))
def test_any_text_gets_one_of_the_two_forms(value: str) -> None:
    assert fill("{value}{으로/로}", {"value": value}) in (f"{value}으로", f"{value}로")


def test_a_long_text_of_brackets_costs_little() -> None:
    assert fitting("을/를", ")" * 100_000) == "를"


def test_no_text_leaves_the_choice_to_its_reader_or_makes_it_itself() -> None:
    """A particle behind a value is named by both forms; one behind words of our own fits them."""
    both = re.compile(r"[은을이과]\([는를가와]\)|와\(과\)|\(으\)로")
    chosen = re.compile(r"(\{\w+\}|[’'`A-Za-z0-9%])(은|는|이|가|을|를|과|와|으로|로)(?=[ ,.:]|$)")
    quoted = re.compile(r"`[^`]*`\Z|'[^']*'\Z|‘[^’]*’\Z|\{\w+\}\Z")
    pairs = {form: pair for pair in FORMS for form in pair.split("/")}
    wrong = []
    for key, text in texts("ko").entries.items():
        wrong += [key] if both.search(text) else []
        for found in chosen.finditer(text):
            before = text[: found.start(2)]
            value = quoted.search(before)
            if (value and "{" in value[0]) or fitting(pairs[found[2]], before) != found[2]:
                wrong.append(key)
    assert wrong == []


def test_scripts_and_english_name_no_particle() -> None:
    def particles(text: str) -> list[str]:
        return [name for _, name, _, _ in Formatter().parse(text) if name and "/" in name]

    assert [key for key, text in texts("en").entries.items() if particles(text)] == []
    of_scripts = {key: text for key, text in texts("ko").entries.items() if key.startswith(("js.", "index-js."))}
    assert [key for key, text in of_scripts.items() if particles(text)] == []
    assert any(particles(text) for text in texts("ko").entries.values())
