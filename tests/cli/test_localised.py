"""Which language a command speaks, and that it speaks no other."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.commands import COMMANDS
from cli.localised import spoken
from cli.main import main
from tests.cli.place import HEADER, rows
from tests.inner import SHIPPED_FOLDER

HANGUL = re.compile("[\uac00-\ud7a3]")
PLACES = [
    *([name] for name in COMMANDS),
    *(["rubric", name] for name in ("list", "check", "show")),
]
SAYS = ["up", "watch", "score", "status", "retry", "prompt"]

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    monkeypatch.delenv("SCOREWATCH_LANGUAGE", raising=False)

    def ran(*arguments: object) -> tuple[int, str]:
        code = main(list(map(str, arguments)))
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return ran


@pytest.mark.parametrize("place", [[], *PLACES], ids=" ".join)
def test_help_is_in_one_language(run: Run, place: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, korean = run(*place, "--help")
    assert code == 0
    assert korean.startswith("사용법: scorewatch ")
    assert not re.search(r"Usage|Options|OPTIONS|Commands|COMMAND|Show|Exit", korean)
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "EN")
    code, english = run(*place, "--help")
    assert code == 0
    assert english.startswith("Usage: scorewatch ")
    assert not HANGUL.search(english)
    assert len(english.splitlines()) >= len(PLACES) or place


@pytest.mark.parametrize(
    ("arguments", "korean", "english"),
    [
        (["score"], "FILE|FOLDER…를 적어 주세요.", "FILE|FOLDER… is missing."),
        (
            ["scroe"],
            "'scroe' 명령은 없습니다. 'score'를 뜻하셨나요?",
            "There is no command 'scroe'. Did you mean 'score'?",
        ),
        (
            ["rubric", "ls"],
            "'ls' 명령은 없습니다. 'list'를 뜻하셨나요?",
            "There is no command 'ls'. Did you mean 'list'?",
        ),
        (["--config", "x"], "명령을 적어 주세요.", "A command is missing."),
        (
            ["up", "--workers", "0"],
            "--workers에 적은 값을 쓸 수 없습니다. 1 이상 10000 이하의 정수를 적으세요.",
            "The value of --workers cannot be used. Use a whole number from 1 to 10000.",
        ),
        (
            ["up", "--drain-timeout", "x"],
            "--drain-timeout에 적은 값을 쓸 수 없습니다. 0 이상의 수를 적으세요.",
            "The value of --drain-timeout cannot be used. Use a number of 0 or more.",
        ),
        (
            ["up", "--drain-timeout", "5"],
            "--drain-timeout은 --drain과 함께 씁니다.",
            "--drain-timeout needs --drain.",
        ),
        (
            ["compare", "", "b"],
            "경로가 비어 있습니다. 파일이나 폴더를 적으세요.",
            "The path is empty. Give a file or a folder.",
        ),
        (
            ["up", "--worker", "1"],
            "'--worker' 옵션은 없습니다. '--workers'를 뜻하셨나요?",
            "There is no option '--worker'. Did you mean '--workers'?",
        ),
        (["score", "a", "--out"], "--out 뒤에 값을 적어야 합니다.", "--out needs a value."),
        (["score", "a", "--json=x"], "--json 옵션에는 값을 적지 않습니다.", "--json takes no value."),
        (["status", "x"], "필요 없는 인자가 있습니다: x", "Unexpected arguments: x"),
        (["score", "no.csv"], "no.csv: 파일이나 폴더가 없습니다.", "no.csv: there is no such file or folder."),
        (
            ["score", "/dev/null"],
            "/dev/null: 일반 파일도 폴더도 아닙니다. 내용을 파일로 저장한 뒤 그 파일을 적으세요.",
            "/dev/null: neither a regular file nor a folder. Save its content to a file and give that.",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_are_in_one_language(
    run: Run, arguments: list[str], korean: str, english: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = run(*arguments)
    assert code == 2
    assert said.startswith(f"오류: {korean}\n사용법: ")
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    code, said = run(*arguments)
    assert code == 2
    assert said.startswith(f"Error: {english}\nUsage: ")
    assert not HANGUL.search(said)


@pytest.mark.parametrize("name", SAYS)
def test_unknown_language_is_refused_with_those_there_are(run: Run, name: str) -> None:
    code, said = run(name, "--language", "fr")
    assert code == 2
    assert said.startswith("오류: --language에 적은 값을 쓸 수 없습니다. ko, en 중 하나를 적으세요.\n")


def test_unknown_language_of_the_settings_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "fr")
    code, said = run("status")
    assert (code, said) == (
        2,
        "설정 SCOREWATCH_LANGUAGE: 'fr'은 쓸 수 없습니다. ko, en 중 하나를 적으세요. [wrong-setting]\n",
    )


@pytest.mark.parametrize(
    ("arguments", "environment", "settings", "is_english"),
    [
        pytest.param([], "", "", False, id="default"),
        pytest.param(["--language", "en"], "", "", True, id="option"),
        pytest.param([], "en", "", True, id="environment"),
        pytest.param([], "", 'language = "en"', True, id="file"),
        pytest.param(["--language=ko"], "en", 'language = "en"', False, id="option-wins"),
        pytest.param([], "ko", 'language = "en"', False, id="environment-wins-over-file"),
    ],
)
def test_option_wins_over_environment_over_file(
    run: Run,
    *,
    arguments: list[str],
    environment: str,
    settings: str,
    is_english: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", environment)
    if settings:
        Path("scorewatch.toml").write_text(settings)
    for places in (["status", *arguments], [*arguments, "status"]):
        assert run(*places)[1].startswith("Sets: 0\n" if is_english else "세트 0개\n")


def test_language_ends_with_the_command(run: Run) -> None:
    run("status", "--language", "en")
    assert spoken().language == "ko"
    assert run("status")[1].startswith("세트 0개\n")


def test_score_in_english_says_and_writes_english(run: Run) -> None:
    Path("in").mkdir()
    Path("in/resume_agent_a.csv").write_text(rows("Q1") + "too,short\r\n", encoding="utf-8")
    Path("in/resume_agent_b.csv").write_text(HEADER + "\r\n", encoding="utf-8")
    Path("in/other.csv").write_text("x\n", encoding="utf-8")
    code, said = run("score", "in", "--out", "out", "--language", "en")
    assert code == 1
    assert not HANGUL.search(said)
    assert said.splitlines() == [
        "✗ resume_agent_a 1 of 2 rows could not be used. Do not use these scores.",
        "✗ resume_agent_b unreadable: a header and no data (export the results)",
        "– other.csv not scored: no profile takes this name",
        "Where the problems are and what to do is shown by -v, and in the reports.",
        "Index: out/index.html",
    ]
    assert run("score", "in", "--quiet", "--language", "en")[1].splitlines() == [
        (
            "resume_agent_a: Rows left out because their number of cells differs from the header: 1. "
            "Where: resume_agent_a.csv row 3 'too | short'. "
            "Check for a missing or extra comma or quotation mark. [cell-count]"
        ),
        (
            "resume_agent_b: resume_agent_b.csv: There is no data below the header. "
            "Check that this is the file with the results and put it in again. [header-only]"
        ),
    ]
    problem = Path("out/resume_agent_b/problem.md").read_text(encoding="utf-8")
    assert problem.startswith("# File that could not be read: resume_agent_b\n")
    assert not HANGUL.search(problem)
    english = run("score", "in", "--json", "--language", "en")[1], run("score", "in", "--json")[1]
    keys = [re.findall(r'"key": "(\w+)"', text) for text in english]
    assert len(keys[0]) == 2
    assert set(keys[0]).isdisjoint(keys[1])
    assert run("status", "--language", "en")[0] == 0


def test_status_and_retry_in_english(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in").mkdir()
    Path("in/resume_agent_b.csv").write_text(HEADER + "\r\n", encoding="utf-8")
    monkeypatch.setenv("SCOREWATCH_OUT", "out")
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    run("score", "in", "--out", "out")
    code, said = run("status")
    assert code == 1
    assert said.startswith("Sets: 1, Unreadable: 1\nThe watcher is not running.\n")
    assert not HANGUL.search(said)
    Path(".scorewatch").mkdir()
    assert run("retry", "resume_agent_b") == (0, "Scoring again: resume_agent_b\n")
    code, said = run("retry", "nobody")
    assert (code, said.splitlines()[0]) == (2, "Error: No such set: nobody")


def test_rubric_check_in_english_leaves_only_the_words_of_the_document(run: Run) -> None:
    document = SHIPPED_FOLDER / "resume-agent.md"
    words = set(re.findall("[\uac00-\ud7a3]+", document.read_text(encoding="utf-8")))
    for command in (["check", document], ["show", document], ["list"]):
        code, said = run("rubric", *command, "--language", "en")
        assert code == 0
        if command[0] != "list":
            assert set(HANGUL.findall(said)) <= set("".join(words))
    Path("wrong.md").write_text("## x\n", encoding="utf-8")
    code, said = run("rubric", "check", "wrong.md", "--language", "en")
    assert code == 1
    assert said.startswith("wrong.md: problems: 1\n  wrong.md")
    assert not HANGUL.search(said)
