"""Walking the watched folder: what is an input and what is not."""

import os
import tracemalloc
from pathlib import Path

import pytest

from watcher.folder import InputFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def folder_of(root: Path, *, ignore: tuple[str, ...] = ()) -> InputFolder:
    return InputFolder(root, out=root.parent / "out", ignore=ignore)


def test_inputs_are_found_at_any_depth_with_their_stats(root: Path) -> None:
    (root / "a.csv").write_text("x")
    (root / "방/깊은").mkdir(parents=True)
    (root / "방/깊은/b.XLSX").write_text("xy")
    listing = folder_of(root).scan()
    assert {path: stat.size for path, stat in listing.files.items()} == {"a.csv": 1, "방/깊은/b.XLSX": 2}
    assert listing.files["a.csv"] == folder_of(root).look("a.csv")


@pytest.mark.parametrize(
    "name",
    [".a.csv", "~$a.xlsx", ".~lock.a.csv#", "a.csv.tmp", "a.csv.part", "a.csv.filepart", "a.csv.crdownload",
     "a.csv.swp", "a.csv~", "._a.csv", "Thumbs.db", "desktop.ini", ".a.csv.Xy12Zk", "a.txt", "a.csv.bak"],
)  # fmt: skip
def test_unfinished_and_foreign_names_are_passed_over(root: Path, name: str) -> None:
    (root / name).write_text("x")
    assert folder_of(root).scan().files == {}
    assert folder_of(root).relative(str(root / name)) is None


def test_files_of_other_kinds_are_listed_apart_from_what_is_ignored_by_name(root: Path) -> None:
    for name in ("a.csv", "b.xls", "방/c.ZIP", "방/깊은/d", ".e.txt", "f.tmp", ".git/g.txt", "out/h.md", "draft.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (root / "link.txt").symlink_to(root / "b.xls")
    (root / "away.txt").symlink_to(__file__)
    os.mkfifo(root / "pipe.txt")
    listing = InputFolder(root, out=root / "out", ignore=("draft*",)).scan()
    assert sorted(listing.others) == ["away.txt (link)", "b.xls", "방/c.ZIP", "방/깊은/d"]
    assert set(listing.files) == {"a.csv"}


def test_packed_files_are_inputs_where_a_document_names_them(root: Path) -> None:
    for name in ("a.zip", "run_a.json.gz", "방/run_b.ZIP", "run_c.eval"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    folder = folder_of(root)
    assert folder.scan().files == {}
    assert folder.relative(str(root / "run_a.json.gz")) is None
    folder.use(("run_*.gz", "run_*.zip"))
    assert set(folder.scan().files) == {"run_a.json.gz", "방/run_b.ZIP"}
    assert folder.relative(str(root / "run_a.json.gz")) == "run_a.json.gz"
    folder.use(())
    assert folder.scan().files == {}


def test_folders_of_nas_and_sync_tools_are_not_walked_and_listed(root: Path) -> None:
    for name in ("#recycle", "방/@eaDir", "$RECYCLE.BIN", ".stversions", ".git"):
        (root / name).mkdir(parents=True)
        (root / name / "a.csv").write_text("x")
    (root / "__MACOSX").write_text("a file is no folder")
    folder = folder_of(root)
    listing = folder.scan()
    assert listing.files == {}
    assert sorted(listing.others) == ["#recycle/", "$RECYCLE.BIN/", ".stversions/", "방/@eaDir/"]
    assert folder.relative(str(root / "방/@eaDir/a.csv")) is None


def test_the_list_of_ignored_names_can_be_extended(root: Path) -> None:
    (root / "draft_a.csv").write_text("x")
    assert folder_of(root, ignore=("draft_*",)).scan().files == {}


def test_hidden_folders_and_the_output_folder_are_not_walked(root: Path) -> None:
    for name in (".git", "out"):
        (root / name).mkdir()
        (root / name / "a.csv").write_text("x")
    folder = InputFolder(root, out=root / "out")
    assert folder.scan().files == {}
    assert folder.relative(str(root / "out/a.csv")) is None
    assert folder.relative(str(root / ".git/a.csv")) is None
    (root / "outside").mkdir()
    (root / "outside/a.csv").write_text("x")  # only begins like the output folder
    assert folder.relative(str(root / "outside/a.csv")) == "outside/a.csv"
    assert set(folder.scan().files) == {"outside/a.csv"}


def test_events_under_the_real_path_of_a_linked_folder_are_its_own(root: Path) -> None:
    """As FSEvents names them: /tmp is a link to /private/tmp there."""
    linked = root.parent / "linked"
    linked.symlink_to(root)
    (root / "out").mkdir()
    folder = InputFolder(linked, out=linked / "out")
    assert folder.relative(str(root / "방/a.csv")) == "방/a.csv"
    assert folder.relative(str(linked / "방/a.csv")) == "방/a.csv"
    assert folder.relative(str(root / "out/a.csv")) is None
    assert folder.relative(f"{root}2/a.csv") is None
    assert folder.relative(str(root)) is None


def test_links_inside_are_inputs_and_links_outside_are_told(root: Path) -> None:
    (root / "a.csv").write_text("x")
    (root.parent / "secret.csv").write_text("x")
    (root.parent / "elsewhere").mkdir()
    (root / "inside.csv").symlink_to(root / "a.csv")
    (root / "outside.csv").symlink_to(root.parent / "secret.csv")
    (root / "folder").symlink_to(root.parent / "elsewhere")
    (root / "dangling.csv").symlink_to(root / "nothing.csv")
    os.mkfifo(root / "pipe.csv")
    os.link(root / "a.csv", root / "hard.csv")
    folder = folder_of(root)
    listing = folder.scan()
    assert set(listing.files) == {"a.csv", "inside.csv", "hard.csv"}
    assert set(listing.outside) == {"outside.csv", "folder"}
    assert set(listing.special) == {"dangling.csv", "pipe.csv"}
    assert folder.look("outside.csv") is None
    assert folder.look("dangling.csv") is None


def test_names_that_are_not_utf8_are_found_and_open(root: Path) -> None:
    name = os.fsdecode("회차.csv".encode("cp949"))
    (root / name).write_text("x")
    folder = folder_of(root)
    assert set(folder.scan().files) == {name}
    assert Path(folder.full(name)).read_text() == "x"
    assert folder.relative(f"{root}/{name}") == name


def test_a_missing_folder_is_told_and_not_an_empty_one(root: Path) -> None:
    root.rmdir()
    listing = folder_of(root).scan()
    assert listing.files == {}
    assert set(listing.unreadable) == {""}


def test_a_folder_that_cannot_be_listed_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "closed").mkdir()
    (root / "a.csv").write_text("x")
    real = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", closed)
    listing = folder_of(root).scan()
    assert set(listing.files) == {"a.csv"}
    assert listing.unreadable == {"closed": "Permission denied"}


def test_a_folder_named_like_a_file_is_no_input(root: Path) -> None:
    (root / "a.csv").mkdir()
    assert folder_of(root).scan().files == {}
    assert folder_of(root).look("a.csv") is None


def test_links_that_are_not_followed_are_named(root: Path) -> None:
    (root.parent / "else").mkdir()
    (root.parent / "else" / "notes.txt").write_text("x")
    (root / "sub").mkdir()
    (root / "sub" / "a.csv").write_text("x")
    (root / "again").symlink_to("sub")
    (root / "round").symlink_to(".")
    (root / "out-of-it").symlink_to(root.parent / "else")
    (root / "notes.txt").symlink_to(root.parent / "else" / "notes.txt")
    listing = folder_of(root).scan()
    assert sorted(listing.others) == ["again (link)", "notes.txt (link)", "out-of-it (link)", "round (link)"]
    assert list(listing.files) == ["sub/a.csv"]


def test_names_that_are_gone_are_forgotten(root: Path) -> None:
    """Names of temporary files are new each time, and a watcher runs for months."""
    folder = folder_of(root)
    for number in range(50):
        path = root / f".upload-{number}.part"
        path.touch()
        folder.scan()
        path.unlink()
    assert len(folder._kinds) + len(folder._kinds_before) <= 2


def test_a_scan_keeps_no_entry_of_a_file_that_it_has_seen(root: Path) -> None:
    for number in range(500):
        (root / f"resume_agent_{number:03}.csv").write_text("x")
    folder = folder_of(root)
    known = folder.scan().files.keys()  # what is kept of names is there
    tracemalloc.start()
    try:
        listing = folder.scan(known)
        taken, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(listing.files) == 500
    assert most - taken < 50_000  # entries with their stats: 400,000
