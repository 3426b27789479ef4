"""`scorewatch rubric`: what is in force, what was understood, what is wrong, and nothing that steers a terminal."""

import json
import re
from pathlib import Path

import pytest

from cli import main as entry
from cli.main import main
from config import profile_named, shipped_rubrics
from tests.inner import SHIPPED_FOLDER
from tests.paths import ROOT

SEEDS = ROOT / "tests" / "seeds"
SHIPPED = SHIPPED_FOLDER / "resume-agent.md"
RESUME = profile_named("resume-agent", shipped_rubrics())
PROFILES = [rubric.profile for rubric in shipped_rubrics()]
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def run_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(entry, "_use_utf8", lambda: None)  # pytest holds the streams


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["rubric", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_list_names_profile_files_and_digest(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in shown.splitlines()] == [rubric.profile for rubric in shipped_rubrics()]
    assert (
        "resume-agent  지원자 관리 에이전트  [resume_agent_*.csv, resume_agent_*.tsv, resume_agent_*.xlsx]"
        f"  {RESUME.digest[:12]}\n"
    ) in shown
    code, shown = run(capsys, "list", "--json")
    assert code == 0
    assert {entry["profile"]: entry for entry in json.loads(shown)}["resume-agent"] == {
        "profile": "resume-agent",
        "title": "지원자 관리 에이전트",
        "files": list(RESUME.files),
        "digest": RESUME.digest,
    }


def test_check_shows_tables_with_lines_and_what_was_not_used(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "check", "--profile", "resume-agent", SEEDS / "000.txt")
    assert code == 0
    lines = shown.splitlines()
    assert lines[0].startswith(f"{SEEDS / '000.txt'}: 이상 없음. 지원자 관리 에이전트(resume-agent) ")
    assert lines[1] == "  판: 26-02-25"
    assert "    3번째 줄 'description': 머리말에서 읽지 않는 이름" in lines
    assert "    62~69번째 줄 응답 속도(단일 도구): latencySec <= 5 → 5 · 5 < latencySec <= 8 → 4" in shown
    assert "    37~46번째 줄 '정확성 (pass ratio)': 응답 시간이 아닌 값의 구간" in lines
    assert lines[-3:] == ["  이 문서에 없어 resume-agent 값을 그대로 쓰는 표", "    의도 충족", "    안정성"]


@pytest.mark.parametrize("argument", [("check", SHIPPED_FOLDER / "promptfoo.md"), ("show", "promptfoo")])
def test_the_column_that_names_agents_is_shown(
    capsys: pytest.CaptureFixture[str], argument: tuple[str, str | Path]
) -> None:
    said = "  Agents: llm_model ('Provider') names the agent that answered. Several of them in one set are a finding.\n"
    assert said in run(capsys, *argument, "--language", "en")[1]
    assert "에이전트(agents): llm_model 항목('Provider')" in run(capsys, *argument, "--language", "ko")[1]
    assert "agents" not in run(capsys, "show", "resume-agent", "--language", "ko")[1]


def test_check_lists_every_line_that_nothing_reads(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "check", SEEDS / "002.txt")
    assert code == 0
    assert (
        "    67~68번째 줄 '2) 라벨링 규칙(LLM 점수가 비어있을 때 사용)': 상태나 구간과 점수로 된 목록이 아님\n" in shown
    )
    assert "      68번째 줄 '키워드 포함: 선택, 선택해 주세요, " in shown
    assert "Track 1: 단일 필터" not in shown  # read
    assert re.search(
        r"^  사람만 읽는 설명: 9, 16, .*\b74, .*번째 줄$", shown, flags=re.MULTILINE
    )  # the order of statuses
    code, shown = run(capsys, "check", "--language", "en", SEEDS / "004.txt")
    assert (code, "Tables and lists not read" in shown) == (0, True)


def test_seed_000_is_read_whole_for_its_profile(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "check", SEEDS / "000.txt")
    assert code == 0
    assert "이상 없음. H.채용 에이전트(h-recruit) " in shown
    for line in (
        "    26~33번째 줄 의도 충족: PERFECT → 5 · GOOD → 4 · PARTIAL → 3 · WEAK → 2 · RELATED_BUT_WRONG → 1",
        "    37~46번째 줄 정확성: 실행 오류/타임아웃/JSON 파싱 실패 → 0",
        "    62~69번째 줄 응답 속도(기본): latencySec <= 5 → 5",
        "    73~80번째 줄 응답 속도(다중 도구): latencySec <= 20 → 5",
        "    84~87번째 줄 안정성: 에러 없음 + 파싱 성공 + 응답 존재 → 5 · 에러/타임아웃/파싱 실패/응답 부재 → 0",
        "    91~97번째 줄 종합 점수: 의도 충족 (1번) → 20 · 일관성 (2번) → 10 · 정확성 (3번) → 30",
        (
            "    50~58번째 줄 '일관성 (반복 실행 재현성)': 상태나 구간과 점수로 된 표가 아님\n"
            "      52번째 줄 '평가 조건'\n"
        ),
    ):
        assert line in shown
    assert "값을 그대로 쓰는 표" not in shown  # nothing is missing


def test_seed_004_is_read_as_levels(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "check", SEEDS / "004.txt")
    assert code == 0
    assert shown.splitlines()[:3] == [
        f"{SEEDS / '004.txt'}: 이상 없음. 등급 루브릭, 1~5의 5등급",
        "  읽은 표: 18~24번째 줄",
        "    5 Отлично (1.00): Полный, точный, хорошо структурированный, с примерами",
    ]
    assert "    4 Хорошо (0.75): " in shown
    code, shown = run(capsys, "check", "--json", SEEDS / "004.txt")
    (entry,) = json.loads(shown)["files"]
    assert [level["level"] for level in entry["levels"]] == [5, 4, 3, 2, 1]


def test_check_of_several_documents_names_every_problem(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = tmp_path / "틀림.md"
    text = SHIPPED.read_text(encoding="utf-8").replace("| 5~8초 | 4 |", "| 6~8초 | 4 |").replace("[3]", "[2]")
    wrong.write_text(text, encoding="utf-8")
    band = text.split("\n").index("| 6~8초 | 4 |") + 1
    track = next(at for at, line in enumerate(text.split("\n"), start=1) if "tracks: [2]" in line)
    code, shown = run(capsys, "check", wrong, SHIPPED, tmp_path / "없음.md")
    assert code == 1
    assert f"{wrong}: 문제 2건\n" in shown
    assert (
        f"  {wrong} {track}번째 줄: Track 2가 'single' 등급에도 있습니다. "
        "한 등급에만 남기세요. [rubric-track-twice]\n" in shown
    )
    assert f"  {wrong} {band}번째 줄: 구간 '6~8초' 앞에서 5부터 6까지의 값이 어느 구간에도 들지 않습니다." in shown
    assert f"{SHIPPED}: 이상 없음." in shown
    assert "[rubric-not-readable]" in shown


def test_check_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = tmp_path / "a.md"
    wrong.write_text("## 단일\n- <= 3초: 7\n- > 3초: 0\n", encoding="utf-8")
    code, shown = run(capsys, "check", "--json", SEEDS / "002.txt", wrong)
    assert code == 1
    good, bad = json.loads(shown)["files"]
    assert (good["ok"], good["edition"], good["kept"]) == (True, "", [])
    assert {unused["reason"] for unused in good["ignored"]} == {"list", "front-matter"}
    assert good["prose"][:2] == [[9, 9], [16, 16]]
    assert good["understood"][2] == {
        "role": "stability",
        "line": 92,
        "last_line": 93,
        "rows": [["ok/partial", 5.0], ["error/empty", 0.0]],
    }
    assert bad["ok"] is False
    assert [(problem["code"], problem["line"], problem["found"]) for problem in bad["problems"]] == [
        ("rubric-points-range", 2, "7")
    ]
    assert "0에서 5 사이로 고치세요" in bad["problems"][0]["text"]


def test_profile_names_the_base_of_tables(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "check", "--profile", "resume-agent", SEEDS / "002.txt")
    assert code == 0
    code, shown = run(capsys, "check", "--profile", "nope", SEEDS / "002.txt")
    assert code == 2
    assert (
        "'nope' 프로필이 없습니다. 있는 프로필: atif, bfcl, deepeval, h-recruit, helm, inspect, langfuse, lm-eval, "
        in shown
    )


def test_show_prints_the_values_in_force(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "show", "resume-agent")
    assert code == 0
    assert "    질의 = query, question, queryText (question, 필수)\n" in shown
    assert "    의도 충족: error 0 · empty 0 · partial 4 · ok 5\n" in shown
    assert "  응답 속도(복수 도구): Track 3\n    <= 20초: 5 · > 20, <= 30초: 4" in shown
    assert "    느린 문항: 60초 이상\n" in shown
    assert "    빈칸으로 보는 말: nan, none, null, <na>, nat\n" in shown
    assert "    오류 아님: -, ., /, 없음, 없습니다, 오류 없음, " in shown
    assert "  Track\n    Track 1: 단일 필터 전수 테스트 (단일 도구)\n" in shown
    code, of_seed = run(capsys, "show", SEEDS / "002.txt")
    differing = {line.split(":")[0] for line in set(shown.splitlines()) ^ set(of_seed.splitlines())}
    assert (code, differing) == (0, {"  다이제스트", "  문서", "    Track 1", "    Track 2", "    Track 3"})
    code, shown = run(capsys, "show", "resume-agent", "--json")
    assert json.loads(shown)["rubric"]["max_rounds"] == 50
    code, shown = run(capsys, "show", "nope")
    assert (code, "[rubric-profile-unknown]" in shown) == (2, True)


def test_conditions_of_a_document_are_shown_with_what_they_leave_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    condition = "where: { type: [match, error], status: { not: [pending, skipped] } }\n"
    text = (SHIPPED_FOLDER / "openai-evals.md").read_text(encoding="utf-8")
    document = tmp_path / "own.md"
    document.write_text(re.sub("^where:.*\n", condition, text, flags=re.MULTILINE), encoding="utf-8")
    code, shown = run(capsys, "show", document)
    assert code == 0
    assert "고르는 조건: status: not pending, skipped; type: match, error\n" in shown


def test_own_folder_is_an_option_and_a_setting(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SHIPPED.read_text(encoding="utf-8").replace("profile: resume-agent", "profile: mine")
    folder = tmp_path / "루브릭"
    folder.mkdir()
    (folder / "mine.md").write_text(text.replace("resume_agent_", "mine_"), encoding="utf-8")
    code, shown = run(capsys, "list", "--rubrics", folder)
    assert (code, [line.split()[0] for line in shown.splitlines()]) == (0, [*PROFILES, "mine"])
    monkeypatch.setenv("SCOREWATCH_RUBRICS", str(folder))
    assert run(capsys, "list") == (code, shown)


def test_a_folder_that_is_not_there_is_an_error_of_the_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "/nope")
    code, shown = run(capsys, "list")
    assert (code, "[rubric-folder-missing]" in shown) == (2, True)


def test_nothing_of_a_document_steers_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hostile = "\x1b]0;x\x07\x1b[2J\u202e\u2066\x9b\u200f"
    path = tmp_path / "적대.md"
    text = SHIPPED.read_text(encoding="utf-8")
    text = text.replace("## 문항 상태", f"## 문항 상태{hostile}").replace("5~8초 |", f"5~8초{hostile} |")
    path.write_text(text.replace("`partial` | 4", f"`partial{hostile}` | 4"), encoding="utf-8")
    for option in ("--json", "--profile=resume-agent"):
        code, shown = run(capsys, "check", option, path)
        assert code == 1
        assert not STEERING.search(shown)
    path.write_text(text.replace(f"5~8초{hostile}", "5~8초"), encoding="utf-8")
    code, shown = run(capsys, "check", path)
    assert (code, STEERING.search(shown)) == (0, None)
    assert "문항 상태" in shown


def test_show_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, page = run(capsys, "show", "--html", "--profile", "resume-agent", SEEDS / "000.txt")
    assert code == 0
    assert page.startswith("<!DOCTYPE html>")
    assert "<h2>응답 속도(단일 도구) (62~69번째 줄)</h2>" in page
    assert '>latencySec &lt;= 5</td><td class="r">5</td>' in page
    assert "쓰지 않은 표" in page
    assert "실패를 인정하는 말: 문제가 발생" in page
    assert "default-src &#39;none&#39;" in page
    code, page = run(capsys, "show", "--html", "resume-agent")
    assert code == 0
    assert "쓰지 않은 표" not in page


def test_show_tells_what_a_judge_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    code, page = run(capsys, "show", "--html", "rubrics-score")
    assert code == 0
    level = '<td class="r">4</td><td class="n">좋음</td><td class="r">0.75</td>'
    assert f'{level}<td class="q">정확하고 잘 정리되어 있으나 작은 것이 빠졌습니다</td>' in page
    assert "실패를 인정하는 말" not in page  # it has none
    code, page = run(capsys, "show", "--html", "h-recruit")
    assert code == 0
    assert '>PERFECT</td><td class="r">5.00</td>' in page


def test_page_calls_weights_by_their_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, page = run(capsys, "show", "--html", SHIPPED_FOLDER / "h-recruit.md")
    assert code == 0
    weights = page.split("<h2>종합 점수 (")[1].split("<h2>")[0]
    assert '<th scope="col" class="n">지표</th><th scope="col" class="r">가중치</th>' in weights


def test_show_levels_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, page = run(capsys, "show", "--html", SEEDS / "004.txt")
    assert code == 0
    assert "등급 루브릭" in page
    assert '>Хорошо</td><td class="r">0.75</td>' in page


def test_show_prints_a_rubric_of_levels(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = run(capsys, "show", SEEDS / "004.txt")
    assert code == 0
    assert "    4 Хорошо (0.75): " in shown


def edited(tmp_path: Path, old: str, new: str) -> Path:
    document = tmp_path / "edited.md"
    text = (SEEDS / "002.txt").read_text("utf-8")
    assert old in text
    document.write_text(text.replace(old, new), "utf-8")
    return document


ORDER = "`error` > `empty` > `partial` > `ok`"


def test_check_shows_lines_of_rules_that_were_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    document = edited(tmp_path, ORDER, "`partial` > `ok` > `error` > `empty`")
    code, shown = run(capsys, "check", "--strict", "--language", "en", document)
    assert code == 0
    assert "Lines of rules that were read\n    line 74 '상태 우선순위: partial > ok > error > empty'\n" in shown


def test_strict_check_fails_for_a_rule_that_was_not_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    document = edited(tmp_path, ORDER, "`partial` 먼저")
    for strict, expected in (([], 0), (["--strict"], 1)):
        code, shown = run(capsys, "check", *strict, "--language", "en", document)
        assert code == expected
        assert "Lines that look like rules and were not read" in shown
        assert "line 74 '상태 우선순위: partial 먼저'" in shown
    code, shown = run(capsys, "check", "--strict", "--json", document)
    (entry,) = json.loads(shown)["files"]
    assert (code, entry["ok"], entry["rules"]) == (1, True, [])
    assert [rule["line"] for rule in entry["rules_not_read"]] == [74]
    assert run(capsys, "check", "--strict", SEEDS / "000.txt", SEEDS / "002.txt", SEEDS / "004.txt")[0] == 0
