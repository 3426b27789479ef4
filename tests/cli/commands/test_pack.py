"""`scorewatch pack`: one version of a report as one file, the same bytes each time."""

import hashlib
import re
import zipfile
from pathlib import Path

import pytest

import reporting.pack
from reporting import ChangingError, pack_report
from tests.cli.place import AsMade, Place, rows
from tests.inner import without_dead_links
from tests.paths import ROOT

QUERIES = tuple(f"Q{number}" for number in range(12))
SET = "resume_agent_260308"


@pytest.fixture
def place_of_reports(place: Place, as_made: AsMade, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Two published sets of one profile, the later one with a workbook beside it."""
    monkeypatch.setattr(reporting.pack, "_PAUSES_SECONDS", (0.0, 0.0))
    return as_made(place, _make)


def _make(place: Place) -> None:
    for day in ("01", "08"):
        text = rows(*(f"{query}@1/1" for query in QUERIES)).replace("run-1", f"run-{day}")
        place.file(f"docs/test-result/resume_agent_2603{day}.csv", text)
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet", "--xlsx").code == 0


def folder_of(place: Place) -> Path:
    return place.root / "docs/reports" / SET


def test_what_is_packed_belongs_together_and_is_the_same_each_time(place_of_reports: Place) -> None:
    place = place_of_reports
    ran = place.run("pack", SET, "-o", "a.zip")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("묶었습니다: a.zip (파일 ")
    assert place.run("pack", SET, "-o", "b.zip").code == 0
    data = (place.root / "a.zip").read_bytes()
    assert data == (place.root / "b.zip").read_bytes()
    with zipfile.ZipFile(place.root / "a.zip") as archive:
        names = archive.namelist()
        content = {name: archive.read(name) for name in names}
        assert {(one.date_time, one.external_attr) for one in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0o644 << 16)
        }
    assert [name for name in names if not name.startswith("charts/")] == [
        "compare.html", "compare.md", "items.csv", "report.html", "report.md", "report.xlsx", "rubric.md",
        "summary.html", "summary.md", "SHA256SUMS",
    ]  # fmt: skip
    for name in ("items.csv", "report.xlsx"):
        assert content[name] == (folder_of(place) / name).read_bytes()
    lines = content["SHA256SUMS"].decode().splitlines()
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in content.items() if name != "SHA256SUMS"}
    assert b"profile: resume-agent" in content["rubric.md"]


def test_links_that_would_be_dead_are_none(place_of_reports: Place) -> None:
    place = place_of_reports
    assert place.run("pack", SET, "-o", "a.zip").code == 0
    with zipfile.ZipFile(place.root / "a.zip") as archive:
        names = set(archive.namelist())
        pages = {name: archive.read(name).decode() for name in names if name.endswith((".html", ".md"))}
    before = (folder_of(place) / "compare.html").read_text(encoding="utf-8")
    assert "../resume_agent_260301/" in before
    for name, page in pages.items():
        if name.endswith(".html"):
            markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
            found = re.findall(r'<a\b[^>]* (?:data-)?href="([^"#?]+)', markup)
        else:
            found = [one for one in re.findall(r"\]\(([^()#\s]+)", page) if name != "rubric.md"]
        assert {one for one in found if not one.startswith("http")} <= names, name
    assert '"pages":["","report.html"]' in pages["compare.html"]


@pytest.mark.parametrize(
    ("name", "page", "packed"),
    [
        ("a.html", '<a href="b.html#x">b</a><a class="n" href="../i">', '<a href="b.html#x">b</a><a class="n">'),
        ("a.html", '<script>"<a href=\\"z\\">"</script>', '<script>"<a href=\\"z\\">"</script>'),
        ("a.html", '<a href="#top"><a href="https://e.example/x">', '<a href="#top"><a href="https://e.example/x">'),
        ("a.html", '<a href="%62.html"><a data-href="../i">', '<a href="%62.html"><a>'),
        (
            "a.html",
            '<script>{"x":1,"pages":["../c.html","b.html"],"y":"\\"pages\\":[1]"}</script>',
            '<script>{"x":1,"pages":["","b.html"],"y":"\\"pages\\":[1]"}</script>',
        ),
        ("a.md", "[b](b.html) [i](../i.md) ![c](charts/c.svg) \\[x](y.md)", "[b](b.html) i c \\[x](y.md)"),
        ("charts/a.md", "[b](../b.html) [c](b.html)", "[b](../b.html) c"),
    ],
)
def test_a_link_is_dead_where_nothing_is(name: str, page: str, packed: str) -> None:
    assert without_dead_links(page.encode(), name, {"a.html", "b.html"}).decode() == packed


def test_a_report_that_is_being_rewritten_is_refused_or_whole(
    place_of_reports: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, folder = place_of_reports, folder_of(place_of_reports)
    whole = (folder / "items.csv").read_bytes()
    (folder / "items.csv").write_bytes(whole + b"x")
    ran = place.run("pack", SET, "-o", "a.zip")
    assert ran.code == 1
    assert "지금 다시 쓰는 중이라" in ran.err
    assert "[pack-changing]" in ran.err
    assert list(place.root.glob("*a.zip*")) == []
    # Whole at the second look.
    looks = []

    def sleep(_seconds: float) -> None:
        looks.append(0)
        if len(looks) == 2:
            (folder / "items.csv").write_bytes(whole)

    monkeypatch.setattr(reporting.pack.time, "sleep", sleep)
    assert place.run("pack", SET, "-o", "a.zip").code == 0
    assert len(looks) == 2


def test_another_version_while_it_is_packed_is_not_mixed_with_it(
    place_of_reports: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The small files change after everything was read."""
    folder, found = folder_of(place_of_reports), reporting.pack._marks
    seen = []

    def marks(of: Path) -> object:
        seen.append(0)
        return found(of) if len(seen) % 2 else {}

    monkeypatch.setattr(reporting.pack, "_marks", marks)
    with pytest.raises(ChangingError):
        pack_report(folder, tmp_path / "a.zip", {})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SET, "-o", f"docs/reports/{SET}/report.html"), "report.html"),
        ((SET, "-o", "docs/test-result/resume_agent_260301.csv"), "resume_agent_260301.csv"),
        ((SET, "-o", "docs/reports/index.html"), "index.html"),
        ((SET,), "-o"),
        (("-o", "a.zip"), SET),
        (("nothing", "-o", "a.zip"), "nothing"),
    ],
)
def test_usage_errors_write_nothing(place_of_reports: Place, arguments: tuple[str, ...], said: str) -> None:
    place = place_of_reports
    before = {path: path.read_bytes() for path in place.root.rglob("*") if path.is_file()}
    ran = place.run("pack", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert {path: path.read_bytes() for path in before if path.exists()} == before
    assert not (place.root / "a.zip").exists()


def test_a_set_without_a_report_and_a_folder_that_is_not_there(place_of_reports: Place) -> None:
    place = place_of_reports
    place.file("docs/test-result/resume_agent_bad.csv", "x\n")
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet").code == 1
    ran = place.run("pack", "resume_agent_bad", "-o", "a.zip", "--language", "en")
    assert ran.code == 1
    assert "[pack-no-report]" in ran.err
    ran = place.run("pack", SET, "-o", "none/a.zip", "--language", "en")
    assert ran.code == 1
    assert "No such file or directory" in ran.err
    assert place.run("pack", SET, "-o", "a.zip").code == 0
    with zipfile.ZipFile(place.root / "a.zip") as archive:
        assert "report.xlsx" not in archive.namelist()  # it is not asked for any more


def test_another_rubric_in_force_is_not_packed(place_of_reports: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of_reports
    document = (ROOT / "config/rubrics/resume-agent.md").read_text(encoding="utf-8")
    place.file("mine/resume-agent.md", document.replace("max_rounds: 50", "max_rounds: 49"))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "mine")
    ran = place.run("pack", SET, "-o", "a.zip")
    assert (ran.code, "루브릭 문서는 넣지 않았습니다." in ran.out) == (0, True)
    with zipfile.ZipFile(place.root / "a.zip") as archive:
        assert "rubric.md" not in archive.namelist()
