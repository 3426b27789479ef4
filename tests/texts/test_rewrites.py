"""The sentences that were rewritten for people who read a page once: they stay, and what they replace is gone."""

import re

import pytest

from tests.paths import ROOT
from texts import texts

SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "texts/data").glob("*.toml")))
README = (ROOT / "README.ko.md").read_text(encoding="utf-8")
KO = texts("ko")

REWRITES = {
    "what-is-done": (README, "폴더에 있는 파일만 보고 채점할 것을 정합니다.", "무엇을 할지는 폴더가 정합니다"),
    "no-profile": (README, "프로필에도 맞지 않는 파일은 채점하지 않습니다.", "맡는 프로필이 없는 파일"),
    "sets": (README, "파일 하나가 보고서 하나가 됩니다.", "바로 놓인 파일은 그 하나가 세트입니다"),
    "weakest": (SOURCES, "우연한 차이일 수 있습니다({queries}).", "가장 낮지만 구분되지 않음"),
    "lost": (SOURCES, "감점이 가장 큰 지표는 {metric}입니다(만점의 {share}).", "점수를 잃은 곳: "),
    "look-at-data": (SOURCES, "데이터에서 확인할 것 {n}건", "살펴볼 것: {"),
    "look-at-answers": (SOURCES, "‘실패했다’고 답했지만 성공으로 센 답변", "실패를 인정했지만 응답 성공으로 센"),
    "cells": (SOURCES, "응답 시간을 읽지 못한 행 {n}개", "쓰지 못한 응답 시간"),
    "tracks": (SOURCES, "Track을 읽지 못한 행 {n}개", "읽지 못한 Track {n}칸"),
    "nothing-found": (SOURCES, "데이터 점검에서 문제를 찾지 못했습니다.", "데이터 점검에서 걸린 것이 없음"),
    "chance": (SOURCES, "{far}까지 나빠졌을 가능성은 배제할 수 없습니다.", "검출할 수 있는 가장 작은 변화"),
    "baseline": (SOURCES, "같은 질의를 90% 이상 물은 실행 가운데 바로 앞의 것입니다.", "데이터 순서로 가장 가까운"),
    "now-fails": (SOURCES, "새로 실패", "이제 통과하지 못함"),
    "now-passes": (SOURCES, "새로 통과", "이제 모두 통과하는 질의"),
    "passes": (SOURCES, "모든 회차에 통과해야 통과한 질의로 봅니다.", "모든 문항이 통과해야"),
    "pinned": (SOURCES, "기준 실행을 고정했습니다: {name} ({profile})", "기준 실행으로 고정했습니다"),
    "argument": (SOURCES, "{을/를} 적어 주세요.", "인자를 적어야 합니다"),
    "recorded": (SOURCES, "기록된 LLM 점수 {value}", "LLM 점수 ‘{value}’{을/를}"),
    "missing-columns": (SOURCES, "이름이 다른 열이면 첫 행의 이름을 고치고", "빠진 열 이름을 넣거나"),
    "header": (SOURCES, "(제목, 빈 행)을 지우고 다시 넣으세요", "건너뛰지 않습니다"),
    "trend": (
        SOURCES,
        "세로 점선 앞뒤는 채점 조건이나 질의가 달라",
        "조건이 달라 바로 비교하기 어려울",
    ),
}


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewritten_sentence_stays(name: str) -> None:
    source, now, before = REWRITES[name]
    assert now in source
    assert before not in source


def test_no_text_and_no_page_shows_both_forms_of_a_particle() -> None:
    both = re.compile(r"을\(를\)|를\(을\)|이\(가\)|가\(이\)|은\(는\)|는\(은\)|와\(과\)|과\(와\)")
    pages = [ROOT / "README.ko.md", *sorted((ROOT / "docs").glob("*.ko.md")), *sorted((ROOT / "config").rglob("*.md"))]
    assert both.search(SOURCES) is None
    assert [page.name for page in pages if both.search(page.read_text(encoding="utf-8"))] == []


def test_what_is_said_of_a_problem_is_a_whole_sentence() -> None:
    endings = re.compile(r"(?:니다|세요|시오)(?:\s?\([^()]*\))*$")
    said = {
        key: text.removesuffix(".")
        for key, text in KO.entries.items()
        if re.fullmatch(r"(?:what|finding|fix)\.[a-z0-9-]+", key)
    }
    assert len(said) > 200
    heads = {
        key: text.partition(": ")[0].removesuffix(". 그 부근").removesuffix(". 있는 프로필")
        for key, text in said.items()
    }  # before a value
    assert [key for key in said if not endings.search(said[key]) and not endings.search(heads[key])] == []
