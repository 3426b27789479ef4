"""Publishing: what is written and where, the mark last."""

import json
from pathlib import Path

import pytest

from reporting.runs.publish import Outcome
from reporting.store import status_of_set, verify_set
from scoring import InputError, Problem
from tests.reporting.publishing import (
    CHARTS,
    leftovers,
    publish_problem,
    report_tree,
    tree,
    two_rounds,
    write,
    write_problem,
)
from tests.reporting.results import SHA, make_item, make_part, make_rubric

# What is written


def test_report_is_complete_and_verified(tmp_path: Path) -> None:
    published = write(tmp_path, two_rounds())
    assert published.outcome is Outcome.WRITTEN
    assert set(tree(tmp_path / "s")) == {
        "report.md",
        "report.html",
        "report.json",
        "items.csv",
        "queries.csv",
        "status.json",
        "rounds/1-1/track-1.md",
        "rounds/2-1/track-3.md",
        *(f"charts/{name}.svg" for name in CHARTS),
    }
    assert published.files[-2:] == ("report.json", "status.json")
    assert verify_set(tmp_path, "s")
    assert leftovers(tmp_path) == []
    assert (tmp_path / ".scorewatch/.gitignore").read_text() == "*\n"


def test_report_json_marks_every_sibling(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    files = json.loads((tmp_path / "s/report.json").read_bytes())["files"]
    assert set(files) == set(report_tree(tmp_path / "s")) - {"report.json", "status.json"}
    for name, mark in files.items():
        assert mark["size"] == len(tree(tmp_path / "s")[name])


def test_two_folders_get_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a", two_rounds())
    write(tmp_path / "b", two_rounds(), strict=True)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_same_key_is_nothing_to_do(tmp_path: Path) -> None:
    write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert write(tmp_path).outcome is Outcome.UNCHANGED
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert write(tmp_path, force=True).outcome is Outcome.WRITTEN


@pytest.mark.parametrize(
    "name", ["report.md", "report.html", "charts/metrics.svg", "rounds/1-1/track-1.md", "report.json", "status.json"]
)
@pytest.mark.parametrize("damage", ["missing", "longer", "same-size", "symlink"])
def test_damage_is_seen_and_healed(tmp_path: Path, name: str, damage: str) -> None:
    write(tmp_path)
    whole = tree(tmp_path / "s")
    path = tmp_path / "s" / name
    if damage == "missing":
        path.unlink()
    elif damage == "longer":
        path.write_bytes(whole[name] + b"{")
    elif damage == "same-size":
        path.write_bytes(bytes([whole[name][0] ^ 1]) + whole[name][1:])
    else:
        (tmp_path / "elsewhere").write_bytes(whole[name])
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
    if (name, damage) != ("status.json", "symlink"):
        assert not verify_set(tmp_path, "s")
        assert write(tmp_path).outcome is Outcome.WRITTEN
    assert tree(tmp_path / "s") == whole
    assert verify_set(tmp_path, "s")


def test_shallow_check_looks_at_sizes_only(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "s/report.md"
    path.write_bytes(b"x" * path.stat().st_size)
    assert verify_set(tmp_path, "s", deep=False)
    assert not verify_set(tmp_path, "s")


def test_problem_replaces_a_report_and_the_other_way_round(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    (tmp_path / "s/notes.md").write_text("mine")
    (tmp_path / "s/rounds/1-1/mine.md").write_text("mine")
    write(tmp_path, name="s/nested")
    nested = tree(tmp_path / "s/nested")
    assert write_problem(tmp_path).outcome is Outcome.WRITTEN
    mine = {"notes.md", "rounds/1-1/mine.md", *(f"nested/{name}" for name in nested)}
    assert set(report_tree(tmp_path / "s")) == {"problem.md", "problem.html", "status.json"} | mine
    assert not (tmp_path / "s/charts").exists()
    assert not (tmp_path / "s/rounds/2-1").exists()
    assert verify_set(tmp_path, "s")
    assert write_problem(tmp_path).outcome is Outcome.UNCHANGED
    write(tmp_path)
    assert not {"problem.md", "problem.html"} & set(tree(tmp_path / "s"))
    assert tree(tmp_path / "s/nested") == nested
    assert verify_set(tmp_path, "s")


def test_stale_pages_are_removed(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    write(tmp_path, key="k2")
    assert [name for name in tree(tmp_path / "s") if name.startswith("rounds")] == ["rounds/1-1/track-1.md"]
    assert not (tmp_path / "s/rounds/2-1").exists()


def test_problem_md_stands_beside_the_report_when_one_of_several_files_was_refused(tmp_path: Path) -> None:
    from scoring.results import merge

    rubric = make_rubric()
    refused = make_part(refused=True, problems=(Problem(code="empty-file"),))
    result = merge([("a.csv", make_part(make_item())), ("b.csv", refused)], rubric)
    write(tmp_path, result)
    assert "b.csv" in (tmp_path / "s/problem.md").read_text(encoding="utf-8")
    assert "problem.md" in json.loads((tmp_path / "s/report.json").read_bytes())["files"]
    status = status_of_set(tmp_path, "s")
    assert status is not None
    assert (status.state, status.errors) == ("report", 1)
    assert [(finding.code, finding.severity, finding.count) for finding in status.findings] == [
        ("empty-file", "refused", 1)
    ]


def test_a_newer_engines_report_stays(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "s/status.json"
    status = json.loads(path.read_bytes())
    path.write_text(json.dumps({**status, "engine_version": 99, "format_version": 9, "new": []}))
    before = tree(tmp_path)
    assert write(tmp_path, key="k2").outcome is Outcome.NEWER_ENGINE
    assert write_problem(tmp_path).outcome is Outcome.NEWER_ENGINE
    assert tree(tmp_path) == before


# status.json


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"format_version": 99}', b"null"])
def test_a_status_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    assert status_of_set(tmp_path, "s") is None
    write(tmp_path)
    (tmp_path / "s/status.json").write_bytes(content)
    assert status_of_set(tmp_path, "s") is None
    assert not verify_set(tmp_path, "s")


def test_status_says_what_an_index_needs(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    status = status_of_set(tmp_path, "s")
    assert status is not None
    assert status.headline is not None
    headline = status.headline
    assert (headline.n, headline.answered, headline.answered_rate, headline.passed) == (2, 2, 1.0, None)
    assert status.headline.metrics == {
        "intent": 5.0, "consistency": None, "accuracy": 5.0, "stability": 5.0, "latency": 5.0
    }  # fmt: skip
    assert status.inputs == {"resume_agent_a.csv": SHA}
    assert (status.set, status.key, status.state, status.judge) == ("s", "k1", "report", "none")


# Where it is written


@pytest.mark.parametrize(
    "name", ["..", "../x", "a/../../x", "/abs", "", "a//b", ".", ".scorewatch", "a/.b", "a\\b", "a\0b"]
)
def test_hostile_set_names_are_refused(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(InputError) as caught:
        write(out, name=name)
    assert caught.value.problems[0].code == "output-outside"
    assert not verify_set(out, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", ["s", "s/rounds"])
def test_a_link_that_leaves_the_output_is_refused(tmp_path: Path, link: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = out / link
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    with pytest.raises(InputError):
        write(out)
    assert list(elsewhere.iterdir()) == []


def test_a_link_on_the_way_to_a_set_may_lead_within_the_output_alone(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (out / "real").mkdir(parents=True)
    elsewhere.mkdir()
    (out / "away").symlink_to(elsewhere)
    (out / "near").symlink_to(out / "real")
    (out / "itself").symlink_to(out)
    for name in ("away/s", "itself", "near/../.."):
        with pytest.raises(InputError):
            write(out, name=name)
    write(out, name="near/s")
    assert verify_set(out, "real/s")
    assert list(elsewhere.iterdir()) == []


def test_a_linked_output_folder_and_a_linked_file_are_fine(tmp_path: Path) -> None:
    (tmp_path / "real/s").mkdir(parents=True)
    (tmp_path / "out").symlink_to(tmp_path / "real")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "real/s/report.md").symlink_to(tmp_path / "precious")
    write(tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "mine"
    assert verify_set(tmp_path / "out", "s")


@pytest.mark.parametrize("name", ["한글 이름/프로필", "a%20b#?", "x" * 255, "[링크](javascript:1)"])
def test_odd_names_are_fine(tmp_path: Path, name: str) -> None:
    write(tmp_path, name=name)
    assert verify_set(tmp_path, name)
    assert (tmp_path / name / "report.md").is_file()


def test_a_set_of_very_many_inputs_settles(tmp_path: Path) -> None:
    inputs = [(f"{number:06}{'가' * 80}.csv", SHA) for number in range(40_000)]
    publish_problem(
        [Problem(code="header-only")],
        inputs=inputs,
        set_name="s",
        key="k1",
        out=tmp_path,
        profile="p",
        rubric_digest="d",
    )
    status = status_of_set(tmp_path, "s")
    assert status is not None
    assert (status.key, len(status.inputs)) == ("k1", len(inputs))
    assert verify_set(tmp_path, "s")


def test_what_is_too_large_for_a_status_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "s/status.json"
    path.parent.mkdir()
    with path.open("wb") as stream:
        stream.truncate(4 << 30)  # takes no room
    assert status_of_set(tmp_path, "s") is None
