"""English documents of the shipped profiles: the same rules as the Korean ones, under other titles."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from config.rubrics_in_force import SHIPPED_FOLDER, load_rubrics, profile_named, shipped_rubrics
from scoring import RubricError
from scoring.rubric import Rubric, VerdictRule, normalise_header
from scoring.rubric.document import parse_rubric
from tests.inner import Vocabulary
from tests.paths import ROOT

HANGUL = re.compile("[\uac00-\ud7a3\u3131-\u318e]")
PROFILES = [rubric.profile for rubric in shipped_rubrics()]
TRANSLATED = [path.stem for path in sorted((SHIPPED_FOLDER / "en").glob("*.md"))]
# Titles without a spelling in English among those of the Korean documents, whose digests are to stay.
ENGLISH_TITLES = {"executed at", "LLM model", "LLM criteria (JSON)"}
SEEDS = ("000.txt", "002.txt")


def both(profile: str) -> tuple[Rubric, Rubric]:
    return profile_named(profile, shipped_rubrics("ko")), profile_named(profile, shipped_rubrics("en"))


def without_names(rule: VerdictRule | None, *, numbered: bool) -> VerdictRule | None:
    """A rule without what its levels mean, and where they are known by number, without their names."""
    if rule is None:
        return None
    levels = tuple(replace(level, criteria="", name="" if numbered else level.name) for level in rule.levels)
    return replace(rule, levels=levels, other_names={})


def rules(rubric: Rubric) -> Rubric:
    """Everything that scores: the rubric without titles, meanings, criteria and words by which tables are read."""
    return replace(
        rubric,
        title="",
        columns=tuple(replace(column, title="", aliases=()) for column in rubric.columns),
        metrics=tuple(replace(metric, title="") for metric in rubric.metrics),
        latency_classes=tuple(replace(entry, title="") for entry in rubric.latency_classes),
        tracks=tuple(replace(track, meaning="") for track in rubric.tracks),
        verdict=without_names(rubric.verdict, numbered=False),
        rubrics=without_names(rubric.rubrics, numbered=True),
        vocabulary=Vocabulary(),
        scores_as="",
    )


def shown(rubric: Rubric) -> Iterator[str]:
    """Every text of a document that a report can show, but words that score."""
    yield rubric.title
    yield from (column.title for column in rubric.columns)
    yield from (metric.title for metric in rubric.metrics)
    yield from (entry.title for entry in rubric.latency_classes)
    yield from (track.meaning for track in rubric.tracks)
    for rule in (rubric.verdict, rubric.rubrics):
        for level in rule.levels if rule is not None else ():
            yield from (level.name, level.criteria)


def spellings(rubric: Rubric) -> dict[str, str]:
    return {
        normalise_header(spelling): column.name
        for column in rubric.columns
        for spelling in (column.title, *column.aliases)
    }


def understood(text: str, base: Rubric) -> Rubric | list[tuple[str, int | None]]:
    """The rules of a document of tables over `base`; codes and lines of what is wrong with it."""
    try:
        return rules(parse_rubric(text, source="rules.md", base=base))
    except RubricError as refused:
        return [(problem.code, problem.line) for problem in refused.problems]


@pytest.mark.parametrize("profile", TRANSLATED)
def test_english_document_scores_as_the_korean_one(profile: str) -> None:
    korean, english = both(profile)
    assert rules(korean) == rules(english)
    assert (korean.scores_as, english.scores_as) == ("", korean.digest)
    assert korean.digest != english.digest


@pytest.mark.parametrize("profile", TRANSLATED)
def test_english_document_reads_the_same_headers(profile: str) -> None:
    korean, english = map(spellings, both(profile))
    assert korean.items() <= english.items()
    assert english.keys() - korean.keys() <= set(map(normalise_header, ENGLISH_TITLES))


@pytest.mark.parametrize("profile", PROFILES)
def test_english_reports_have_english_titles(profile: str) -> None:
    assert [text for text in shown(profile_named(profile, shipped_rubrics("en"))) if HANGUL.search(text)] == []


@pytest.mark.parametrize("profile", TRANSLATED)
@pytest.mark.parametrize("source", [*SEEDS, "ko"])
def test_tables_in_korean_are_read_over_the_english_document(profile: str, source: str) -> None:
    korean, english = both(profile)
    if source == "ko":
        text = (SHIPPED_FOLDER / f"{profile}.md").read_text(encoding="utf-8").split("\n---\n")[1]
    else:
        text = (ROOT / "tests/seeds" / source).read_text(encoding="utf-8")
    assert understood(text, english) == understood(text, korean)


def test_levels_are_known_by_their_korean_names_too() -> None:
    korean, english = (rubric.rubrics for rubric in both("rubrics-score"))
    assert korean is not None
    assert english is not None
    for level in korean.levels:
        found = english.level(level.name)
        assert found is not None
        assert found.points == level.points
    laid_over = "| Level | Name | Criteria |\n| --- | --- | --- |\n| 1 | 좋음 | bad |\n| 0 | low | worse |\n"
    own = parse_rubric(laid_over, source="levels.md", base=both("rubrics-score")[1]).rubrics
    assert own is not None
    assert own.other_names == {}
    assert own.level("좋음") == own.levels[0]
    assert own.level("보통") is None


def test_another_name_of_a_level_that_is_not_there_is_refused() -> None:
    text = (SHIPPED_FOLDER / "en/rubrics-score.md").read_text(encoding="utf-8")
    with pytest.raises(RubricError) as refused:
        parse_rubric(text.replace("아주 좋음: 5", "아주 좋음: 6"), source="levels.md")
    (problem,) = refused.value.problems
    line = text[: text.index("아주 좋음: 5")].count("\n") + 1
    assert (problem.code, problem.line, problem.found) == ("rubric-level-unknown", line, "6")


def test_a_folder_may_hold_documents_of_one_language(tmp_path: Path) -> None:
    shipped = (SHIPPED_FOLDER / "resume-agent.md").read_text(encoding="utf-8")
    (tmp_path / "own.md").write_text(shipped.replace("max_rounds: 50", "max_rounds: 40"), encoding="utf-8")
    for language in ("ko", "en"):  # a document of the folder is used in every language
        assert profile_named("resume-agent", load_rubrics(tmp_path, language=language)).max_rounds == 40
    (tmp_path / "en").mkdir()
    (tmp_path / "en/own.md").write_text(shipped.replace("max_rounds: 50", "max_rounds: 30"), encoding="utf-8")
    assert profile_named("resume-agent", load_rubrics(tmp_path, language="ko")).max_rounds == 40
    english = profile_named("resume-agent", load_rubrics(tmp_path, language="en"))
    assert (english.max_rounds, english.scores_as) == (30, "")  # it scores otherwise
