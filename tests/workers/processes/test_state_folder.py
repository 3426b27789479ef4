"""A claimed state folder stays claimed, whatever happens to its files."""

import shutil
from pathlib import Path

import pytest

from config import SettingsError
from texts import texts
from workers.processes.state_folder import LOCK_NAME, StateFolder, StateHeldError


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def test_a_folder_that_is_as_it_was_is_not_taken_again(folder: StateFolder) -> None:
    with folder:
        assert not folder.take_again()


@pytest.mark.parametrize("is_whole_folder", [True, False])
def test_a_wiped_folder_is_taken_again(folder: StateFolder, is_whole_folder: bool) -> None:
    with folder:
        if is_whole_folder:
            shutil.rmtree(folder.path)
        else:
            (folder.path / LOCK_NAME).unlink()
        assert folder.take_again()
        assert not folder.take_again()
        with pytest.raises(StateHeldError), StateFolder(folder.path):
            pass
    with StateFolder(folder.path):
        pass


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_folder_that_cannot_be_made_is_a_wrong_setting(tmp_path: Path, language: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError) as refused, StateFolder(tmp_path / "file" / "state", texts(language)):
        pass
    (message,) = refused.value.messages
    assert str(tmp_path / "file") in message
    assert "SCOREWATCH_STATE" in message
    assert "Errno" not in message


def test_a_lock_file_that_was_replaced_is_not_ours(folder: StateFolder) -> None:
    with folder:
        lock = folder.path / LOCK_NAME
        lock.rename(lock.with_suffix(".old"))
        lock.touch()
        assert folder.take_again()


def test_a_folder_that_another_one_took_is_told(folder: StateFolder) -> None:
    with folder:
        shutil.rmtree(folder.path)
        with StateFolder(folder.path):
            for _ in range(2):
                with pytest.raises(StateHeldError):
                    folder.take_again()
        assert folder.take_again()
