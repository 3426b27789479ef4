"""What people say of a run: files beside the inputs, and columns."""

import pytest

from scoring.sets import RunInfo, differing, group_into_sets, info_of_columns, read_run_info, run_files


def test_a_file_says_what_the_run_was() -> None:
    text = '\ufeffname = "주간  3"\nprompt = \'v4\'\nnote = """두\n줄"""\nmodel = " "\n'
    info, problems = read_run_info(text.encode(), "a.run.toml")
    assert (info, problems) == (RunInfo(name="주간 3", prompt="v4", note="두 줄"), ())


def test_a_file_in_cp949_is_read() -> None:
    assert read_run_info('name = "주간"'.encode("cp949"), "a")[0] == RunInfo(name="주간")


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ('prompt = "v4"\nmodell = "m"\n', "run-info-key", 2, "modell"),
        ('"model" = "m"\nagent_version = 4.10\n', "run-info-no-text", 2, "agent_version"),
        ("[name]\na = 1\n", "run-info-no-text", 1, "name"),
        ('\nurl = "javascript:alert(1)"', "run-info-url", 2, "url"),
        (f'note = "{"가" * 501}"', "run-info-long", 1, "note"),
        ('name = "a"\nprompt = v4\n', "run-info-unreadable", 2, None),
        ('name = "a"\nname = "b"\n', "run-info-unreadable", 2, None),
        (f"name = {'[' * 5000}", "run-info-unreadable", None, None),
        ("# " + "x" * 70_000, "run-info-large", None, None),
    ],
)
def test_what_says_nothing_is_named_with_its_line(text: str, code: str, line: int | None, column: str | None) -> None:
    _, problems = read_run_info(text.encode(), "a.csv.run.toml")
    assert [(one.code, one.line, one.column, one.source) for one in problems] == [
        (code, line, column, "a.csv.run.toml")
    ]


def test_other_lines_count_beside_a_bad_one() -> None:
    info, problems = read_run_info(b'prompt = "v4"\nversion = "2"\nmodel = "m"', "a")
    assert info == RunInfo(prompt="v4", model="m")
    assert [one.values["likely"] for one in problems] == ["agent_version"]


def test_columns_say_it_in_every_row_or_in_one() -> None:
    titles = ["메모", "Run.Prompt", "run.model", "model"]
    rows = [["x", "", "m1", "y"], ["x", "v3", "m1", "y"], ["x", "v4 ", "", "y"]]
    assert info_of_columns(titles, rows) == RunInfo(prompt="v3, v4", model="m1")
    assert info_of_columns(["run.note"], [[str(at)] for at in range(9)]).note == "0, 1, 2, 3, 4, …"
    assert info_of_columns(["prompt", "run.other"], [["a", "b"]]) == RunInfo()


def test_a_file_speaks_of_its_folder_or_of_one_file() -> None:
    assert run_files(["w/a.csv", "w/b.csv"]) == ["w/run.toml", "w/a.csv.run.toml", "w/b.csv.run.toml"]
    assert run_files(["a.csv"]) == ["a.csv.run.toml"]
    assert RunInfo(prompt="v4").over(RunInfo(prompt="v3", model="m")) == RunInfo(prompt="v4", model="m")


def test_what_was_run_differs_where_both_sides_say_it() -> None:
    before, after = RunInfo(prompt="v3", model="m", name="a"), RunInfo(prompt="v4", commit="c", model="m", name="b")
    assert differing(before, after) == [("prompt", "v3", "v4")]


def test_no_profile_claims_such_a_file() -> None:
    paths = ["run.toml", "w/run.toml", "a.csv.run.toml", "a.csv"]
    found = group_into_sets(paths, lambda _: "any")
    assert [one.inputs for one in found.sets] == [("a.csv",)]
    assert set(found.unclaimed) == {*paths} - {"a.csv"}
