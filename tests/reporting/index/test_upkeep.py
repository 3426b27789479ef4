"""An index that is kept up to date has the bytes of one that is written from nothing, whatever has changed before."""

from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from reporting.index import write as index_write
from reporting.index.page import markdown_row
from reporting.index.write import Index, write_index
from reporting.runs import Baselines
from reporting.store import STATUS_JSON, KnownSets
from tests.reporting.index.folders import Folder, a_status, write_status


def asked(baselines: Baselines) -> list[object]:
    return list(baselines.missing())


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_it_is_as_written_from_nothing(tmp_path: Path, seed: int) -> None:
    folder = Folder(tmp_path, seed)
    known = KnownSets(tmp_path)
    index = Index(known, language="ko", patterns={"resume-agent": ["resume_agent*.csv"]})
    baselines = Baselines(known, language="ko")
    index.write()
    for _ in range(25):
        changed = [folder.change() for _ in range(folder.random.choice([1, 1, 1, 2, 7]))]
        if folder.random.random() < 0.1:
            known.look()
        elif folder.random.random() < 0.2:
            known.look_at_changed()
            known.look_at(changed)
        else:
            known.look_at(changed)
        index.write(unclaimed=["x.csv"])
        assert not index.is_behind
        again = write_index(tmp_path, unclaimed=["x.csv"], patterns={"resume-agent": ["resume_agent*.csv"]})
        assert not again, changed  # not a byte would change
        fresh = KnownSets(tmp_path)
        fresh.look()
        assert asked(baselines) == asked(Baselines(fresh, language="ko"))
    assert not (tmp_path.parent / "evil.html").exists()


def test_one_more_set_draws_its_own_row_and_its_profile_alone(tmp_path: Path) -> None:
    status = a_status(tmp_path)
    for number in range(60):
        profile = "url-agent" if number % 2 else "resume-agent"
        write_status(
            tmp_path, msgspec.structs.replace(status, set=f"s{number:02}_2603{number % 27 + 1:02}", profile=profile)
        )
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    index.write()
    others = (tmp_path / "trend-url-agent.html").stat()
    write_status(tmp_path, msgspec.structs.replace(status, set="new_270101"))
    known.look_at(["new_270101"])
    assert index.is_behind
    with patch.object(index_write, "markdown_row", wraps=markdown_row) as drawn:
        assert index.write()
    names = [call.args[0].entry.set_name for call in drawn.call_args_list]
    assert sorted(names) == ["first", "new_270101"]  # the first one has no date, so that it is the last run
    assert (tmp_path / "trend-url-agent.html").stat() == others


def test_a_trend_that_somebody_removed_is_written_again(tmp_path: Path) -> None:
    a_status(tmp_path)
    index = Index(KnownSets(tmp_path), language="ko")
    index.write()
    page = tmp_path / "trend-resume-agent.html"
    before = page.read_bytes()
    page.unlink()
    assert index.write()
    assert page.read_bytes() == before
    page.write_bytes(b"mine")
    assert index.write()
    assert page.read_bytes() == before
    assert not index.write()


def test_an_index_that_could_not_be_written_is_whole_the_next_time(tmp_path: Path) -> None:
    status = a_status(tmp_path)
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    index.write()
    write_status(tmp_path, msgspec.structs.replace(status, set="second", inputs={"b.csv": "b"}))
    known.look_at(["second"])
    full = OSError(28, "No space left on device")
    with patch.object(index_write, "write_atomic", side_effect=full), pytest.raises(OSError, match="No space"):
        index.write()
    assert index.write()
    assert "second" in (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "second" in (tmp_path / "trend-resume-agent.csv").read_text(encoding="utf-8")
    assert not write_index(tmp_path)


def test_links_and_hidden_folders_are_not_looked_at_by_name_either(tmp_path: Path) -> None:
    a_status(tmp_path)
    known = KnownSets(tmp_path)
    known.look()
    (tmp_path / "link").symlink_to(tmp_path / "first")
    for name in (".hidden", "first/history/1"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / STATUS_JSON).write_bytes((tmp_path / "first" / STATUS_JSON).read_bytes())
    known.look_at(["link", ".hidden", "first/history/1", "../out", "gone"])
    assert list(known.entries) == ["first"]
