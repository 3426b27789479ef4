"""A pattern of a document puts files outside of folders together."""

import pytest

from scoring.sets import InputSet, group_into_sets, place_of

PATTERNS = {"p": r"run_(\d{6})(?:_r\d+)?", "q": r"q_(.+)_.*"}


def _profile(name: str) -> str:
    return "q" if name.startswith("q_") else "p"


def _sets(*paths: str) -> dict[str, tuple[str, ...]]:
    grouping = group_into_sets(paths, _profile, PATTERNS)
    assert grouping.clashes == ()
    return {one.name: one.inputs for one in grouping.sets}


def test_names_with_one_group_are_one_set_named_up_to_its_end() -> None:
    assert _sets("run_260301_r2.csv", "run_260301_r1.xlsx", "run_260301.csv", "run_260308_r1.csv", "other.csv") == {
        "run_260301": ("run_260301.csv", "run_260301_r1.xlsx", "run_260301_r2.csv"),
        "run_260308": ("run_260308_r1.csv",),
        "other": ("other.csv",),
    }


def test_the_whole_name_has_to_match_and_each_profile_has_its_own_pattern() -> None:
    names = ("run_260301_r1_final.csv", "xrun_260301_r1.csv", "q_가_1.csv", "q_가_2.csv")
    assert set(_sets(*names)) == {"run_260301_r1_final", "xrun_260301_r1", "q_가"}


def test_folders_are_as_they_were() -> None:
    assert set(_sets("w/run_260301_r1.csv", "w/run_260308_r1.csv", "run_260301_r1.csv")) == {"w/p", "run_260301"}


@pytest.mark.parametrize("other", ["run_260301/run_260301_r3.csv", "RUN_260301/run_260301_r3.csv"])
def test_a_folder_of_that_name_is_a_clash_of_all_its_files(other: str) -> None:
    grouping = group_into_sets(["run_260301_r1.csv", "run_260301_r2.csv", other], _profile, PATTERNS)
    (clash,) = grouping.clashes
    assert grouping.sets == ()
    assert set(clash.paths) == {"run_260301_r1.csv", "run_260301_r2.csv", other}
    assert (clash.problem.code, clash.name) == ("name-clash", min("run_260301", f"{other.partition('/')[0]}/p"))


def test_a_file_of_that_name_which_the_pattern_leaves_out_is_one_too() -> None:
    patterns = {"p": r"run_(\d{6})_r\d"}
    grouping = group_into_sets(["run_260301_r1.csv", "run_260301.csv"], _profile, patterns)
    assert [clash.name for clash in grouping.clashes] == ["run_260301"]


def test_a_conflict_copy_belongs_to_its_original() -> None:
    copy = "run_260301_r1 (conflicted copy 2026-03-01).csv"
    grouping = group_into_sets([copy, "run_260301_r1.csv", "run_260301_r2.csv"], _profile, PATTERNS)
    assert [one.name for one in grouping.sets] == ["run_260301"]
    assert set(grouping.sets[0].inputs) == {copy, "run_260301_r1.csv", "run_260301_r2.csv"}


def test_what_may_share_a_set_or_clash_has_one_place() -> None:
    paths = ["run_260301_r1.csv", "Run_260301/a.csv", "run_260301.csv", "run_260301_r2 (충돌 2026-03-01).csv"]
    assert {place_of(path, _profile, PATTERNS) for path in paths[:3]} == {"run_260301"}
    assert place_of("run_260301_r1.csv") == "run_260301_r1"


def test_a_set_says_that_it_was_put_together() -> None:
    found: dict[str, InputSet] = {
        one.name: one for one in group_into_sets(["run_260301.csv", "a.csv"], _profile, PATTERNS).sets
    }
    assert {name: one.is_gathered for name, one in found.items()} == {"run_260301": True, "a": False}
