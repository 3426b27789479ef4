"""`scorewatch compare A B C …`: the page of a ranking, what is written where, and what is refused."""

import json
import re

import pytest

from tests.cli.commands.test_compare import _rows
from tests.cli.place import AsMade, Place, tree
from tests.reporting.seen import Seen

NAMES = ("resume_agent_260301", "resume_agent_260308", "resume_agent_260315")
HOSTILE = "=<script>alert(1)</script>"


@pytest.fixture
def three(place: Place, as_made: AsMade) -> Place:
    """Three published sets; the last one fails seven of its twelve queries."""
    return as_made(place, _make)


def _make(place: Place) -> None:
    for name, broken in zip(NAMES, (0, 1, 7), strict=True):
        place.file(f"docs/test-result/{name}.csv", _rows(broken=broken).replace(",기대,", f",{HOSTILE},"))
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet").code == 0


def test_runs_are_ranked_on_a_page_in_the_folder_of_reports(three: Place) -> None:
    before = tree(three.root / "docs/reports")
    ran = three.run("compare", *NAMES, "--language", "en")
    assert (ran.code, ran.err) == (0, "")
    told, *ranks, written = ran.out.splitlines()
    assert told == (
        "Answer rate tells no first one apart: over 12 queries that all have, the ranks of these runs overlap: "
        "resume_agent_260301, resume_agent_260308."
    )
    assert ranks == [
        "  1–2 resume_agent_260301 100.0%",
        "  1–3 resume_agent_260308 91.7%",
        "  2–3 resume_agent_260315 41.7%",
    ]
    assert written == "Comparison: docs/reports/ranking.html"
    after = tree(three.root / "docs/reports")
    assert after.keys() - before.keys() == {"ranking.html", "ranking.md", "ranking.json"}
    assert {name: after[name] for name in before} == before
    assert three.run("compare", *NAMES, "--language", "en").out == ran.out
    assert tree(three.root / "docs/reports") == after

    page = after["ranking.html"].decode()
    seen = Seen(page)
    assert "alert(1)" not in "".join(one for one in page.split("<script") if one.startswith(">alert"))
    assert HOSTILE not in page
    hrefs = {attributes.get("href") or "" for tag, attributes in seen.tags if tag == "a"}
    assert {f"{name}/report.html" for name in NAMES} <= {href.partition("#")[0] for href in hrefs}
    found = json.loads(after["ranking.json"])
    assert [one["rank"] for one in found["runs"]] == [[1, 2], [1, 3], [2, 3]]
    assert [(one["win"], one["tie"], one["loss"]) for one in found["pairs"]] == [(0, 11, 1), (0, 5, 7), (0, 6, 6)]


def test_two_runs_are_compared_and_one_is_too_few(three: Place) -> None:
    assert "ranking" not in three.run("compare", *NAMES[:2]).out
    assert three.run("compare", NAMES[0]).code == three.run("compare").code == 2


def test_what_is_refused(three: Place) -> None:
    for arguments, said in (
        ([*NAMES, "--margin", "0.3"], "--margin is for two runs"),
        ([NAMES[0]] * 21, "At most 20 runs can be compared at once, not 21"),
        ([*NAMES, "nothing_there"], "nothing_there"),
    ):
        ran = three.run("compare", *arguments, "--language", "en")
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_files_are_ranked_on_the_screen_and_rounds_that_differ_have_no_rank(three: Place) -> None:
    twice = _rows() + _rows(label="2/1").partition("\r\n")[2]
    three.file("resume_agent_b.csv", twice.replace(",기대,", f",{HOSTILE},"))
    files = [f"docs/test-result/{NAMES[0]}.csv", f"docs/test-result/{NAMES[1]}.csv", "resume_agent_b.csv"]
    before = tree(three.root)
    ran = three.run("compare", *files, "--language", "en")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Answer rate has no rank. ‘resume_agent_260301’ and ‘resume_agent_b’ were not made")
    assert "rounds 1, 2. 1 more pairs differ likewise." in ran.out
    assert tree(three.root) == before
    assert json.loads(three.run("compare", *files, "--json").out)["runs"][0]["rank"] is None


def test_runs_without_a_shared_query(three: Place) -> None:
    for name in ("x", "y"):
        three.file(f"resume_agent_{name}.csv", re.sub(r",Q(\d)", rf",{name}\1", _rows()))
    ran = three.run("compare", NAMES[0], "resume_agent_x.csv", "resume_agent_y.csv", "--language", "en")
    assert (ran.code, ran.out) == (4, "")
    assert "no query with a value in all runs" in ran.err
