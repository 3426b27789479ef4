"""Which files make up which set, and what the sets are called."""

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.problems import Problem
from scoring.sets.grouping import Clash, Grouping, InputSet, group_into_sets, named_set, place_of, told_apart
from scoring.sets.names import (
    COMPONENT_BYTES,
    conflict_original,
    fold,
    is_accepted,
    is_browser_copy,
    is_ignored,
    is_system_folder,
    safe_component,
    shown,
)

NFD = unicodedata.normalize("NFD", "한글")
NFC = unicodedata.normalize("NFC", "한글")


def profile_of(name: str) -> str | None:
    """Stand-in for the rubric documents: by prefix."""
    return {"r": "resume-agent", "h": "h-recruit"}.get(fold(name)[:1])


def group(*paths: str) -> Grouping:
    return group_into_sets(paths, lambda _: "p")


def only_name(path: str) -> str:
    (plan,) = group(path).sets
    return plan.name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        pytest.param("a.csv", "a", id="csv-loses-its-ending"),
        pytest.param("a.CSV", "a", id="case-of-the-ending-ignored"),
        pytest.param("a.xlsx", "a.xlsx", id="xlsx-keeps-it"),
        pytest.param("a.tsv", "a.tsv", id="tsv-keeps-it"),
        pytest.param("a.b.csv", "a.b", id="only-the-last-ending"),
        pytest.param(f"{NFD}.csv", NFC, id="nfc"),
        pytest.param("index.csv", "index_", id="index"),
        pytest.param("Index.xlsx", "Index.xlsx_", id="index-with-ending"),
        pytest.param("report.md.csv", "report.md_", id="report"),
        pytest.param("compare.csv", "compare_", id="name-of-a-comparison"),
        pytest.param("report-3.csv", "report-3", id="only-the-whole-stem-is-reserved"),
        pytest.param("x/1.csv", "x/p", id="folder"),
        pytest.param("x/y/1.csv", "x/y/p", id="folder-in-folder"),
        pytest.param("rounds/history/1.csv", "rounds_/history_/p", id="reserved-folders"),
        pytest.param("items.csv", "items_", id="items"),
        pytest.param("items.csv.csv", "items.csv_", id="items.csv"),
        pytest.param("status.json/1.csv", "status.json_/p", id="status.json"),
        pytest.param("..csv", "_.", id="nothing-but-an-ending"),
        pytest.param("...csv", "_..", id="no-way-up"),
        pytest.param(".csv", "_", id="empty-name"),
        pytest.param(".scorewatch/1.csv", "_.scorewatch/p", id="work-area"),
        pytest.param("a\\b.csv", "a%5Cb", id="backslash"),
        pytest.param("a\nb\u202e.csv", "a%0Ab%E2%80%AE", id="control-and-bidi"),
        pytest.param(os.fsdecode("결과".encode("cp949")) + ".csv", "결과", id="cp949-name"),
        pytest.param("a\udcffb.csv", "a%FFb", id="neither-utf8-nor-cp949"),
    ],
)
def test_set_name(path: str, name: str) -> None:
    assert only_name(path) == name


def test_files_of_a_folder_are_one_set_per_profile() -> None:
    grouping = group_into_sets(["t/r2.csv", "t/h.csv", "t/r1.csv", "t/x.csv", "r.csv"], profile_of)
    assert grouping.sets == (
        InputSet(name="r", profile="resume-agent", inputs=("r.csv",), names=("r.csv",)),
        InputSet(name="t/h-recruit", profile="h-recruit", inputs=("t/h.csv",), names=("h.csv",)),
        InputSet(
            name="t/resume-agent", profile="resume-agent", inputs=("t/r1.csv", "t/r2.csv"), names=("r1.csv", "r2.csv")
        ),
    )
    assert grouping.unclaimed == ("t/x.csv",)
    assert grouping.clashes == ()


def in_doubt(name: str) -> str | Problem | None:
    return Problem(code="rubric-claimed-twice", source=name) if name.startswith("both") else profile_of(name)


def test_a_file_that_is_claimed_twice_is_refused_alone_and_blocks_no_other() -> None:
    grouping = group_into_sets(["both.csv", "t/both_a.xlsx", "t/both_b.csv", "t/r1.csv", "r.csv"], in_doubt)
    assert [plan.name for plan in grouping.sets] == ["r", "t/resume-agent"]
    assert [(clash.name, clash.paths, clash.problem.source) for clash in grouping.clashes] == [
        ("both", ("both.csv",), "both.csv"),
        ("t/both_a.xlsx", ("t/both_a.xlsx",), "t/both_a.xlsx"),
        ("t/both_b", ("t/both_b.csv",), "t/both_b.csv"),
    ]
    assert {clash.problem.code for clash in grouping.clashes} == {"rubric-claimed-twice"}


@pytest.mark.parametrize("paths", [("both.csv", "BOTH.csv"), ("t/both.csv", "t/BOTH.csv")])
def test_two_files_in_doubt_whose_refusals_would_share_a_name_clash(paths: tuple[str, ...]) -> None:
    grouping = group_into_sets(paths, lambda name: in_doubt(name.lower()))
    assert [clash.problem.code for clash in grouping.clashes] == ["name-clash"]
    assert grouping.clashes[0].paths == tuple(sorted(paths))


def test_inputs_are_in_the_order_of_their_nfc_names_and_keep_their_spelling() -> None:
    first, second = unicodedata.normalize("NFD", "가.csv"), "나.csv"
    (plan,) = group(f"x/{second}", f"x/{first}").sets
    assert plan.inputs == (f"x/{first}", f"x/{second}")
    assert plan.names == ("가.csv", "나.csv")


@pytest.mark.parametrize(
    ("paths", "code", "first", "second"),
    [
        pytest.param(("a.csv", "A.csv"), "name-clash", "A.csv", "a.csv", id="case"),
        pytest.param(
            (f"{NFC}.csv", f"{NFD}.csv"), "name-clash", f"{NFC}.csv (NFD)", f"{NFC}.csv (NFC)", id="normal-forms"
        ),
        pytest.param(("a.xlsx", "a.xlsx.csv"), "name-clash", "a.xlsx", "a.xlsx.csv", id="ending"),
        pytest.param(("index.csv", "index_.csv"), "name-clash", "index.csv", "index_.csv", id="reserved"),
        pytest.param(("T/1.csv", "t/2.csv", "t/3.csv"), "name-clash", "T/1.csv", "t/2.csv", id="folders"),
        pytest.param(
            (f"x/{NFC}.csv", f"x/{NFD}.csv", "x/1.csv"),
            "same-name-twice",
            f"x/{NFC}.csv (NFD)",
            f"x/{NFC}.csv (NFC)",
            id="within-a-set",
        ),
        pytest.param(
            (os.fsdecode("결과.csv".encode("cp949")), "결과.csv"),
            "name-clash",
            "결과.csv (NFC)",
            "결과.csv (CP949)",
            id="cp949",
        ),
    ],
)
def test_a_clash_names_both_and_scores_neither(paths: tuple[str, ...], code: str, first: str, second: str) -> None:
    grouping = group(*paths, "innocent.csv")
    (clash,) = grouping.clashes
    assert set(clash.paths) == set(paths)
    assert grouping.clashes == (clash,)
    assert clash.problem.code == code
    assert clash.problem.values == {
        "set": clash.name, "first": first, "second": second, "paths": f"{first}, {second}"
    }  # fmt: skip
    assert [plan.name for plan in grouping.sets] == ["innocent"]


def test_two_profiles_whose_names_differ_in_case_only_clash() -> None:
    grouping = group_into_sets(["x/a.csv", "x/b.csv"], lambda name: "P" if name == "a.csv" else "p")
    assert grouping.sets == ()
    assert grouping.clashes[0].paths == ("x/a.csv", "x/b.csv")


def test_a_flat_file_and_a_folder_of_its_name_are_two_sets() -> None:
    assert [plan.name for plan in group("foo.csv", "foo/1.csv").sets] == ["foo", "foo/p"]


def test_a_clash_of_many_names_five_and_counts_the_rest() -> None:
    (clash,) = group(*(f"{name}.{ending}" for name in "aA" for ending in ("csv", "CSV", "Csv", "cSv"))).clashes
    assert clash.problem.values["paths"] == "A.CSV, A.Csv, A.cSv, A.csv, a.CSV, … (+3)"


@pytest.mark.parametrize("path", ["../a.csv", "x/../a.csv", "/etc/a.csv", "x//a.csv", "./a.csv"])
def test_a_path_that_leaves_the_folder_is_a_problem(path: str) -> None:
    (clash,) = group(path).clashes
    assert clash.problem.code == "unsafe-path"
    assert clash.paths == (path,)


def test_a_long_name_is_cut_at_a_character_and_stays_distinct() -> None:
    long = "가" * 84  # 252 bytes
    first, second = safe_component(long + "나다"), safe_component(long + "나라")
    assert first != second
    assert first.startswith("가" * 80)
    assert len(first.encode()) <= COMPONENT_BYTES
    assert safe_component(long + "abc") == long + "abc"  # exactly 255 bytes


def test_decomposed_names_are_measured_composed() -> None:
    assert safe_component(unicodedata.normalize("NFD", "각" * 80)) == "각" * 80


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.csv", "._a.csv", "~$a.xlsx", ".~lock.a.csv#", "a.csv.tmp", "a.part", "a.csv.filepart", "A.CRDOWNLOAD",
        "a.swp", "a.csv~", "Thumbs.db", "Desktop.INI", ".resume.csv.Xk3f9Q",
    ],
)  # fmt: skip
def test_unfinished_and_foreign_files_are_ignored(name: str) -> None:
    assert is_ignored(name)


def test_ignoring_can_be_extended_and_leaves_results_alone() -> None:
    assert not is_ignored("resume_agent_1.csv")
    assert not is_ignored("tmp.csv")
    assert is_ignored("Draft-1.csv", extra=("draft*",))


def test_accepted_endings_in_any_case() -> None:
    assert [is_accepted(name) for name in ("a.csv", "a.TSV", "a.XlsX", "a.xls", "a.txt", "csv")] == [True] * 3 + [
        False
    ] * 3


names = st.text(
    st.one_of(
        st.sampled_from("aAbßſ.가한\u1100\u1161_~\n\udcb0\udca1\udcff\u202e한"),
        st.characters(exclude_characters="/\0", exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=12,
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
listings = st.lists(st.one_of(paths, paths.map(lambda path: path + ".csv")), max_size=12)


@given(listings, st.randoms())
def test_order_of_paths_never_matters(listing: list[str], random: object) -> None:
    shuffled = sorted(listing, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert group_into_sets(shuffled, profile_of) == group_into_sets(listing, profile_of)


@given(listings)
def test_every_path_ends_in_exactly_one_place(listing: list[str]) -> None:
    claims = (None, "p", Problem(code="rubric-claimed-twice"))
    grouping = group_into_sets(listing, lambda name: claims[len(name) % 3])
    ends = [path for plan in grouping.sets for path in plan.inputs]
    ends += grouping.unclaimed
    ends += [path for clash in grouping.clashes for path in clash.paths]
    assert sorted(ends) == sorted(set(listing))


NEAR = ["a.csv", "A.CSV", "a_.csv", "index.csv", "index_.csv", "Index.csv", "a.tsv", "b/a.csv", "B/a.csv", "b/p/c.csv"]
COPIES = [".sync-conflict-20260302-101010", "_conflict-20260302-101010", " (B의 충돌 2026-03-02)"]
marks = st.lists(st.sampled_from(COPIES), max_size=2).map("".join)
copies = st.builds(lambda path, mark: f"{path[:-4]}{mark}{path[-4:]}", st.sampled_from(NEAR), marks)
near = st.lists(copies, max_size=12)


@given(st.one_of(listings, near))
def test_places_are_grouped_alone_as_together(listing: list[str]) -> None:
    places: dict[str, list[str]] = {}
    for path in listing:
        places.setdefault(place_of(path), []).append(path)
    alone, together = [group(*paths) for paths in places.values()], group(*listing)
    assert sorted((one for part in alone for one in part.sets), key=lambda one: one.name) == [*together.sets]
    assert sorted(path for part in alone for path in part.unclaimed) == sorted(together.unclaimed)
    assert sorted(path for part in alone for one in part.clashes for path in one.paths) == sorted(
        path for one in together.clashes for path in one.paths
    )
    assert len([one for part in alone for one in part.clashes]) == len(together.clashes)


@given(listings)
def test_names_are_safe_distinct_and_stable(listing: list[str]) -> None:
    grouping = group(*listing)
    assert len({fold(plan.name) for plan in grouping.sets}) == len(grouping.sets)
    for plan in grouping.sets:
        for part in plan.name.split("/"):
            assert part
            assert not part.startswith(".")
            assert "\\" not in part
            assert len(part.encode()) <= COMPONENT_BYTES
            assert unicodedata.is_normalized("NFC", part)
            assert shown(part) == part
        assert group(*plan.inputs).sets == (plan,)


def test_named_set_takes_files_from_anywhere() -> None:
    plan = named_set("7월/1차", ["/b/r2.csv", "/a/r1.csv", "/a/r1.csv"], "p")
    assert plan == InputSet(name="7월/1차", profile="p", inputs=("/a/r1.csv", "/b/r2.csv"), names=("r1.csv", "r2.csv"))


def test_named_set_tells_equal_base_names_apart_by_folder() -> None:
    plan = named_set("s", ["/x/2/r.csv", "/x/1/r.csv"], "p")
    assert isinstance(plan, InputSet)
    assert plan.names == ("1/r.csv", "2/r.csv")


def test_named_set_refuses_two_spellings_of_one_name() -> None:
    clash = named_set("s", [f"/x/{NFC}.csv", f"/x/{NFD}.csv"], "p")
    assert isinstance(clash, Clash)
    assert clash.problem.code == "same-name-twice"


@pytest.mark.parametrize("name", ["", "..", "a/../b", "/abs", "a//b", "."])
def test_named_set_refuses_names_that_leave_the_output(name: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        named_set(name, ["a.csv"], "p")


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        pytest.param("r1.sync-conflict-20260101-101010-ABCDEFG.csv", "r1.csv", id="syncthing"),
        pytest.param("r1.sync-conflict-20260101-101010.csv", "r1.csv", id="syncthing-before-0.14"),
        pytest.param("r1 (Kim's conflicted copy 2026-03-01).csv", "r1.csv", id="dropbox"),
        pytest.param("r1 (conflicted copy 2026-03-01 (1)).xlsx", "r1.xlsx", id="dropbox-second"),
        pytest.param("r1 (김철수의 충돌 사본 2026-03-01).csv", "r1.csv", id="dropbox-korean"),
        pytest.param("r1 (In Konflikt stehende Kopie von Kim 2026-03-01).csv", "r1.csv", id="dropbox-german"),
        pytest.param("r1 (conflicted copy 2026-03-01 101112).csv", "r1.csv", id="nextcloud"),
        pytest.param("r1 (conflicted copy kim 2026-03-01 101112).csv", "r1.csv", id="nextcloud-with-user"),
        pytest.param("r1_conflict-20260301-101112.csv", "r1.csv", id="owncloud"),
        pytest.param("r1 (SFConflict kim@example.com 2026-03-01-10-11-12).csv", "r1.csv", id="seafile"),
        pytest.param("r1_NAS_Mar-01-101112-2026_Conflict.csv", "r1.csv", id="synology-drive"),
        pytest.param("July/r1.sync-conflict-20260101-101010-ABCDEFG.csv", "July/r1.csv", id="in-a-folder"),
        pytest.param(f"{NFD} (conflicted copy 2026-03-01).csv", f"{NFC}.csv", id="nfd"),
        pytest.param("r1 (conflicted copy).csv", None, id="no-date"),
        pytest.param("r1 (2026-03-01).csv", None, id="a-date-alone"),
        pytest.param("r1-conflict.csv", None, id="a-word-alone"),
        pytest.param("conflict-20260301-101112.csv", None, id="nothing-before"),
        pytest.param("r1-DESKTOP-7F.csv", None, id="a-host-alone"),
    ],
)
def test_names_of_conflict_copies(copy: str, original: str | None) -> None:
    assert conflict_original(copy) == original


def test_a_conflict_copy_belongs_to_the_set_of_its_original() -> None:
    copy, second = "r1.sync-conflict-20260101-101010-ABCDEFG.csv", "r1_conflict-20260301-101112.csv"
    of_copy = "r1.sync-conflict-20260101-101010-ABCDEFG (conflicted copy 2026-03-01).csv"
    found = group_into_sets([copy, "r1.csv", "r2.csv", second, of_copy], profile_of)
    assert [(plan.name, set(plan.names)) for plan in found.sets] == [
        ("r1", {"r1.csv", copy, second, of_copy}),
        ("r2", {"r2.csv"}),
    ]
    assert (found.clashes, found.unclaimed) == ((), ())


def test_a_conflict_copy_takes_the_profile_of_its_original() -> None:
    found = group_into_sets(["July/r1.csv", "July/r1 (conflicted copy 2026-03-01).csv"], {"r1.csv": "p"}.get)
    assert [(plan.name, len(plan.inputs)) for plan in found.sets] == [("July/p", 2)]


def test_a_conflict_copy_alone_or_in_another_folder_is_a_set_of_its_own() -> None:
    copy = "r1.sync-conflict-20260101-101010-ABCDEFG"
    found = group_into_sets([f"{copy}.csv", "July/r1.csv"], profile_of)
    assert [plan.name for plan in found.sets] == ["July/resume-agent", copy]


def test_files_that_would_share_a_set_still_clash_with_a_copy_beside_them() -> None:
    copy = f"{NFC}_conflict-20260301-101112.csv"
    found = group(f"{NFC}.csv", f"{NFD}.csv", copy)
    (clash,) = found.clashes
    assert (found.sets, clash.problem.code, len(clash.paths)) == ((), "name-clash", 3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("r1 (1).csv", True, id="chrome"),
        pytest.param("r1(2).csv", True, id="firefox"),
        pytest.param("a/r1 (12).xlsx", True, id="in-a-folder"),
        pytest.param("r1 (2026).csv", False, id="a-year"),
        pytest.param("r1 (0).csv", False, id="zero"),
        pytest.param("(1).csv", False, id="nothing-before"),
        pytest.param("r1 (1) b.csv", False, id="in-the-middle"),
    ],
)
def test_names_of_second_downloads(name: str, expected: bool) -> None:
    assert is_browser_copy(name) is expected


@pytest.mark.parametrize(
    "name",
    ["#recycle", "@eaDir", "$RECYCLE.BIN", "lost+found", "System Volume Information", "__MACOSX", "~snapshot",
     "#snapshot", "@Recycle", ".snapshot", ".stversions", ".dropbox.cache", ".Trash-1000", ".Trashes",
     ".TemporaryItems"],
)  # fmt: skip
def test_folders_of_nas_and_sync_tools_are_ignored_and_known(name: str) -> None:
    assert (is_ignored(name), is_system_folder(name)) == (True, True)


def test_hidden_names_are_ignored_without_being_listed() -> None:
    assert [is_system_folder(name) for name in (".DS_Store", ".git", "~$a.xlsx", "#recycle2")] == [False] * 4


def test_paths_that_look_alike_are_never_equal() -> None:
    nfc, nfd = (unicodedata.normalize(form, "각각.csv") for form in ("NFC", "NFD"))
    half = nfc[0] + nfd[3:]
    assert told_apart(["a.csv", nfc, nfd, half]) == [
        "a.csv",
        "각각.csv (NFC)",
        "각각.csv (NFD)",
        "각각.csv (NFD 2)",
    ]
