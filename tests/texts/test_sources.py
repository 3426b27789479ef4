"""What is wrong in a file of texts is named with file and key, before anything is said."""

from pathlib import Path

import pytest

from texts.sources import Sources, TextsError, read_sources

GOOD = '[greeting.day]\nko = "안녕, {name}"\nen = "Hello, {name}"\n'
RECORD = """\
[empty-file]
severity = "refused"
what.ko = "비었음"
what.en = "Empty"
fix.ko = "채우세요"
fix.en = "Fill it"
fact.zip.ko = "압축"
fact.zip.en = "archive"
"""


def _read(folder: Path, greetings: str = GOOD, problems: str = RECORD) -> Sources:
    (folder / "greetings.toml").write_text(greetings, encoding="utf-8")
    (folder / "problems.toml").write_text(problems, encoding="utf-8")
    (folder / "words.toml").write_text('[files]\nignored = ["*.tmp"]\n', encoding="utf-8")
    return read_sources(folder)


def test_texts_of_all_files_have_their_keys_and_a_code_those_of_its_kinds(tmp_path: Path) -> None:
    assert _read(tmp_path) == Sources(
        texts={
            "ko": {
                "greeting.day": "안녕, {name}",
                "what.empty-file": "비었음",
                "fix.empty-file": "채우세요",
                "fact.empty-file.zip": "압축",
            },
            "en": {
                "greeting.day": "Hello, {name}",
                "what.empty-file": "Empty",
                "fix.empty-file": "Fill it",
                "fact.empty-file.zip": "archive",
            },
        },
        codes={"empty-file": {"severity": "refused"}},
        words={"files": {"ignored": ["*.tmp"]}},
    )


def test_a_text_may_have_texts_below_it(tmp_path: Path) -> None:
    read = _read(tmp_path, '[chart]\nko = "그림"\nen = "Chart"\n[chart.scale]\nko = "눈금"\nen = "Scale"\n')
    assert [key for key in read.texts["en"] if key.startswith("chart")] == ["chart", "chart.scale"]


@pytest.mark.parametrize(
    ("greetings", "problems", "message"),
    [
        pytest.param(
            '[a.b]\nko = "가"\n',
            RECORD,
            "greetings.toml [a.b]: there has to be one line for each of ko, en, not ko",
            id="language-missing",
        ),
        pytest.param(
            '[a.b]\nko = "가"\nen = "a"\nfr = "a"\n',
            RECORD,
            "greetings.toml [a.b]: there has to be one line for each of ko, en, not ko, en, fr",
            id="language-too-many",
        ),
        pytest.param(
            '[a.b]\nko = "가"\nen = ""\n', RECORD, "greetings.toml [a.b]: a text is empty, or none at all", id="empty"
        ),
        pytest.param(
            '[a.b]\nko = "가"\nen = 3\n', RECORD, "greetings.toml [a.b]: a text is empty, or none at all", id="number"
        ),
        pytest.param(
            '[a.b]\nko = "{n}개"\nen = "{count} of {n}"\n',
            RECORD,
            "greetings.toml [a.b]: the names in braces are not the same in every language",
            id="names",
        ),
        pytest.param(
            '[fix.empty-file]\nko = "가"\nen = "a"\n',
            RECORD,
            "problems.toml [empty-file] fix: the key fix.empty-file is in greetings.toml [fix.empty-file] already",
            id="key-in-two-files",
        ),
        pytest.param(
            GOOD,
            RECORD.replace("fix.ko", "place.ko").replace("fix.en", "place.en"),
            "problems.toml [empty-file]: missing or wrong: fix",
            id="refusal-without-remedy",
        ),
        pytest.param(
            GOOD,
            RECORD.replace("refused", "note"),
            "problems.toml [empty-file]: missing or wrong: finding, brief",
            id="note-without-its-sentences",
        ),
        pytest.param(
            GOOD,
            RECORD.replace("refused", "fatal"),
            "problems.toml [empty-file]: missing or wrong: severity",
            id="no-such-severity",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, greetings: str, problems: str, message: str) -> None:
    with pytest.raises(TextsError) as caught:
        _read(tmp_path, greetings, problems)
    assert str(caught.value) == message


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match=r"greetings\.toml: .*\(at line 2, column 6\)"):
        _read(tmp_path, "[a]\nko = \n")
