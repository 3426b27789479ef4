"""Which rubric documents are in force, and which of them claims a file."""

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from msgspec.structs import replace

from config import rubrics_in_force
from config import rubrics_in_force as rubric_store
from config.rubrics_in_force import (
    cached_rubric,
    claiming,
    load_rubrics,
    packed_patterns,
    profile_named,
    read_document,
    shipped_rubrics,
)
from scoring import RubricError
from scoring.rubric.document import parse_rubric
from tests.paths import ROOT

SHIPPED = rubric_store.SHIPPED_FOLDER / "resume-agent.md"


SCORES = ["rubrics-score-en", "rubrics-score-ru", "rubrics-score"]  # by file name
TOOLS = ["openai-evals-api", "openai-evals", "phoenix"]
PROFILES = [
    *("atif", "bfcl", "deepeval", "h-recruit", "helm", "inspect", "langfuse", "lm-eval", "move-agent", *TOOLS),
    *("plan-agent", "promptfoo", "ragas", "resume-agent", *SCORES),
]


def codes(error: RubricError) -> list[tuple[str, str, str]]:
    return [(problem.code, problem.source, problem.found) for problem in error.problems]


def write(folder: Path, name: str, *edits: tuple[str, str]) -> Path:
    text = SHIPPED.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "is_claimed"),
    [
        pytest.param("resume_agent_260101.csv", True, id="csv"),  # scoring §2
        pytest.param("resume_agent_.tsv", True, id="tsv"),
        pytest.param("resume_agent_a.xlsx", True, id="xlsx"),
        pytest.param("RESUME_AGENT_A.CSV", True, id="any-case"),
        pytest.param("1월/둘째/resume_agent_a.csv", True, id="in-a-folder"),
        pytest.param(unicodedata.normalize("NFD", "resume_agent_회차.csv"), True, id="nfd"),
        pytest.param("resume_agent_\udcb0\udca1.csv", True, id="name-that-is-not-utf-8"),
        pytest.param("resume_agent.csv", False, id="no-underscore"),
        pytest.param("~$resume_agent_a.xlsx", False, id="excel-lock-file"),
        pytest.param("resume_agent_a.csv.part", False, id="partial-download"),
        pytest.param("resume_agent_a.csv/other.csv", False, id="folder-name-does-not-count"),
        pytest.param("other_agent_a.csv", False, id="other-profile"),
        pytest.param("", False, id="empty"),
    ],
)
def test_file_is_claimed_by_its_name(name: str, is_claimed: bool) -> None:
    rubric = claiming(name, shipped_rubrics())
    assert (rubric is not None) is is_claimed
    assert rubric is None or rubric.profile == "resume-agent"


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("h_recruit_a.csv", "h-recruit"),
        ("plan_agent_a.xlsx", "plan-agent"),
        ("url_agent_a.tsv", "move-agent"),
        ("resume_agent_a.csv", "resume-agent"),
        ("rubrics_score_a.csv", "rubrics-score"),
        ("rubrics_score_eval.tsv", "rubrics-score"),
        ("rubrics_score_en.csv", "rubrics-score"),
        ("rubrics_score_en_a.csv", "rubrics-score-en"),
        ("Rubrics_Score_RU_a.xlsx", "rubrics-score-ru"),
    ],
)
def test_every_shipped_profile_claims_its_files(name: str, profile: str) -> None:
    rubric = claiming(name, shipped_rubrics())
    assert rubric is not None
    assert rubric.profile == profile
    assert [one.profile for one in shipped_rubrics()] == PROFILES


def test_pattern_in_another_normal_form_claims_too() -> None:
    rubric = profile_named("resume-agent", shipped_rubrics())
    hangul = replace(rubric, files=(unicodedata.normalize("NFD", "회차_*.csv"),))
    assert claiming("회차_1.csv", [hangul]) is hangul


def test_packed_file_is_claimed_by_a_pattern_that_names_its_extension() -> None:
    rubric = profile_named("resume-agent", shipped_rubrics())
    wide = replace(rubric, files=("run_*", "!run_x*"))
    packed = replace(rubric, files=("run_*.json.gz", "run_*.zip", "!run_x*"))
    for name in ("run_a.json.gz", "RUN_A.ZIP"):
        assert claiming(name, [wide]) is None
        assert claiming(name, [packed]) is packed
    assert claiming("run_x.zip", [packed]) is None
    assert packed_patterns([wide, packed]) == ("run_*.json.gz", "run_*.zip")


def test_two_documents_that_claim_one_file_are_both_named() -> None:
    rubric = profile_named("resume-agent", shipped_rubrics())
    other = replace(rubric, profile="other", files=("*.csv",))
    with pytest.raises(RubricError) as refused:
        claiming("1월/resume_agent_a.csv", [rubric, other])
    (problem,) = refused.value.problems
    assert (problem.code, problem.source) == ("rubric-claimed-twice", "1월/resume_agent_a.csv")
    assert problem.values == {"profiles": "resume-agent, other"}


def test_own_document_adds_a_profile_or_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    write(tmp_path, "다른.md", ("profile: resume-agent", "profile: my-agent"), ("resume_agent_*", "my_agent_*"))
    write(tmp_path, "같은.MD", ("max_rounds: 50", "max_rounds: 9"))
    write(tmp_path, ".숨김.md", ("scale: 5", "scale: x"))
    (tmp_path / "읽지 않음.txt").write_text("---\n", encoding="utf-8")
    rubrics = load_rubrics(tmp_path)
    assert [rubric.profile for rubric in rubrics] == [*PROFILES, "my-agent"]
    assert [profile_named(name, rubrics).max_rounds for name in ("resume-agent", "my-agent")] == [9, 50]
    assert load_rubrics() == shipped_rubrics()
    assert claiming("my_agent_1.csv", rubrics) == profile_named("my-agent", rubrics)


def test_problems_of_every_document_are_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ("scale: 5", "scale: x"))
    (tmp_path / "b.md").write_text("# 표만\n", encoding="utf-8")
    (tmp_path / "c.md").write_bytes("가".encode("cp949"))
    with pytest.raises(RubricError) as refused:
        load_rubrics(tmp_path)
    assert codes(refused.value) == [
        ("rubric-value-type", "a.md", "x"),
        ("rubric-no-profile", "b.md", ""),
        ("rubric-not-utf8", str(tmp_path / "c.md"), ""),
    ]


def test_one_profile_in_two_own_documents_names_both(tmp_path: Path) -> None:
    first, second = write(tmp_path, "a.md"), write(tmp_path, "b.md")
    with pytest.raises(RubricError) as refused:
        load_rubrics(tmp_path)
    assert codes(refused.value) == [("rubric-profile-twice", str(second), "resume-agent")]
    assert refused.value.problems[0].values == {"other": str(first)}


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    with pytest.raises(RubricError) as refused:
        load_rubrics(tmp_path)
    assert codes(refused.value) == [("rubric-not-readable", str(tmp_path), "")]
    assert refused.value.problems[0].values == {"reason": "Permission denied"}


def test_missing_folder_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RubricError) as refused:
        load_rubrics(tmp_path / "없음")
    assert codes(refused.value) == [("rubric-folder-missing", str(tmp_path / "없음"), "")]
    with pytest.raises(RubricError) as refused:
        read_document(tmp_path / "없음.md")
    assert codes(refused.value) == [("rubric-not-readable", str(tmp_path / "없음.md"), "")]
    huge = tmp_path / "huge.md"
    huge.write_bytes(b"a" * 1_100_000)
    with pytest.raises(RubricError) as refused:
        read_document(huge)
    assert codes(refused.value) == [("rubric-too-large", str(huge), "")]


def test_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(RubricError) as refused:
        profile_named("nope", shipped_rubrics())
    assert codes(refused.value) == [("rubric-profile-unknown", "", "nope")]
    assert refused.value.problems[0].values == {"known": ", ".join(PROFILES)}


@pytest.fixture
def shipped_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shipped document in a folder of its own, read once."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(rubric_store, "SHIPPED_FOLDER", tmp_path)
    path = write(tmp_path, "resume-agent.md")
    assert cached_rubric(path) is None
    shipped_rubrics.__wrapped__()
    return path


def test_cached_rubric_is_that_of_the_document(shipped_copy: Path) -> None:
    assert cached_rubric(shipped_copy) == parse_rubric(SHIPPED.read_text(encoding="utf-8"), source=SHIPPED.name)
    assert {path.name for path in shipped_copy.parent.iterdir()} == {"__pycache__", "resume-agent.md"}


def test_cached_rubric_of_another_document_is_not_used(shipped_copy: Path) -> None:
    write(shipped_copy.parent, shipped_copy.name, ("max_rounds: 50", "max_rounds: 49"))
    assert cached_rubric(shipped_copy) is None
    assert [rubric.max_rounds for rubric in shipped_rubrics.__wrapped__()] == [49]
    assert [rubric.max_rounds for rubric in map(cached_rubric, [shipped_copy]) if rubric] == [49]


def test_rubric_cached_by_other_code_is_not_used(shipped_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rubrics_in_force, "_code_digest", lambda: b"other code")
    assert cached_rubric(shipped_copy) is None


def test_damaged_cache_is_not_used(shipped_copy: Path) -> None:
    (file,) = shipped_copy.parent.glob("__pycache__/*")
    key, _, _ = file.read_bytes().partition(b"\n")
    file.write_bytes(key + b"\n{")
    assert cached_rubric(shipped_copy) is None
    file.write_bytes(b"")
    assert cached_rubric(shipped_copy) is None


@pytest.mark.parametrize("hindrance", ["no-bytecode", "closed-folder"])
def test_rubrics_are_read_where_no_cache_can_be_written(
    hindrance: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", hindrance == "no-bytecode")
    monkeypatch.setattr(rubric_store, "SHIPPED_FOLDER", tmp_path)
    path = write(tmp_path, "resume-agent.md")
    if hindrance == "closed-folder":
        (tmp_path / "__pycache__").write_bytes(b"")  # root may write to read-only folders
    assert [rubric.profile for rubric in shipped_rubrics.__wrapped__()] == ["resume-agent"]
    assert cached_rubric(path) is None


def test_start_with_shipped_documents_reads_no_markdown() -> None:
    run = [sys.executable, "-m", "config.rubrics_in_force"]
    subprocess.run(run, check=True, cwd=ROOT)
    program = (
        "import sys; from config.rubrics_in_force import shipped_rubrics; shipped_rubrics();"
        "print(sorted({'markdown_it', 'yaml', 'scoring.rubric.document.read'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.timeout(20)
def test_a_pipe_among_the_documents_is_a_problem_of_its_own(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(RubricError, match="not a regular file"):
        load_rubrics(tmp_path)
