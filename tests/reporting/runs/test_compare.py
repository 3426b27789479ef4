"""The comparison beside every report: chosen, whole or absent, redone when either side changes."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporting.index import write_index
from reporting.runs.baselines import BaselineAsk, Baselines
from reporting.runs.compare import compare_missing, compare_with_baseline, publish_comparison
from reporting.runs.gate import evaluate_folder, keep_gate
from reporting.store import (
    ASKED_FOLDER,
    BASELINE,
    BASELINE_JSON,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    STATUS,
    WORK_AREA,
    BaselineFile,
    Destination,
    KnownSets,
    Staging,
    StatusFile,
    keep_known,
    read_baseline,
    read_pins,
    remove_pin,
    write_pin,
)
from scoring import Problem
from scoring.comparison import Difference, Origin, Verdict
from scoring.gate import GateRules, GateState, RuleSet, parse_rule
from scoring.items import Item
from scoring.known import KnownLine, KnownLines, Resolution
from tests.inner import first_published, schema
from tests.reporting.comparison.runs import items_of, worse_comparison
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import SHA, make_result, make_rubric, sha_of

LANGUAGE = "ko"
EVIL = " <img src=x onerror=alert(1)> [링크](javascript:alert(1)) |"
NAMES = (COMPARE_HTML, COMPARE_MD, COMPARE_JSON, BASELINE_JSON)


def publish(out: Path, name: str, *items: Item, key: str = "", **more: Any) -> Path:
    rubric = make_rubric(**more)
    result = make_result(*items, rubric=rubric, sha256=sha_of(name))
    return publish_report(result, set_name=name, key=key or f"k-{name}", out=out).folder


def missing(out: Path) -> list[BaselineAsk]:
    known = KnownSets(out)
    known.look()
    asks = Baselines(known, language=LANGUAGE).missing()
    return [ask for ask in asks if not ask.is_met(known.entries[ask.set_name].unpack().compared, LANGUAGE)]


def origin_of(ask: BaselineAsk) -> Origin:
    assert ask.baseline is not None
    return ask.baseline.origin


def compare(out: Path) -> list[str]:
    """Make what is missing; names of the sets that were compared."""
    names = [ask.set_name for ask in missing(out)]
    made, problems = compare_missing(Destination(out=out, language=LANGUAGE))
    assert (made, problems) == (len(names), [])
    return names


def mark_of(out: Path, name: str) -> BaselineFile:
    found = BASELINE.read(out / name)
    assert found is not None
    return found


def status_of(folder: Path) -> StatusFile:
    status = STATUS.read(folder)
    assert status is not None
    return status


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published")
    publish(out, "run_260301", *items_of(30, rounds=2))
    publish(out, "run_260302", *items_of(30, rounds=2))
    publish(out, "run_260303", *items_of(30, broken=7, rounds=2))
    return out


@pytest.fixture
def three(published: Path, tmp_path: Path) -> Path:
    """Three runs of one profile; seven queries of the last fail."""
    return shutil.copytree(published, tmp_path, dirs_exist_ok=True)


def test_every_report_has_a_comparison_and_keeps_its_bytes(three: Path) -> None:
    reports = {path: path.read_bytes() for path in three.rglob("*") if path.is_file()}
    assert compare(three) == ["run_260301", "run_260302", "run_260303"]
    assert compare(three) == []
    assert all(path.read_bytes() == data for path, data in reports.items())
    for name in ("run_260301", "run_260302", "run_260303"):
        assert all((three / name / file).is_file() for file in NAMES)
    assert "첫 실행" in (three / "run_260301" / COMPARE_MD).read_text(encoding="utf-8")
    last = mark_of(three, "run_260303")
    assert (last.origin, last.baseline, last.verdicts["intent"]) == (Origin.EARLIER, "run_260302", Verdict.WORSE)
    assert (last.worse, last.copies["intent"]) == (("answered",), "answered")  # the same change of every query
    page = (three / "run_260303" / COMPARE_HTML).read_text(encoding="utf-8")
    assert "비교 대상: run_260302." in page
    assert 'href="../run_260302/report.html' in page
    assert mark_of(three, "run_260302").worse == ()


def test_a_run_without_a_baseline_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, "run_260301", *items_of(3))
    monkeypatch.delattr("reporting.runs.compare.read_run")
    assert compare(tmp_path) == ["run_260301"]


def test_the_same_runs_give_the_same_bytes_elsewhere(three: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    compare(three)
    other = tmp_path_factory.mktemp("other")
    for name, broken in (("run_260303", 7), ("run_260302", 0), ("run_260301", 0)):
        publish(other, name, *items_of(30, broken=broken, rounds=2))
        compare(other)
    for name in ("run_260301", "run_260302", "run_260303"):
        for file in NAMES:
            assert (three / name / file).read_bytes() == (other / name / file).read_bytes(), (name, file)


def test_a_comparison_is_redone_when_either_side_changes(three: Path) -> None:
    compare(three)
    publish(three, "run_260303", *items_of(30, rounds=2), key="k-new")
    assert compare(three) == ["run_260303"]
    assert mark_of(three, "run_260303").verdicts["intent"] is Verdict.SAME
    publish(three, "run_260302", *items_of(30, broken=9, rounds=2), key="k-newer")
    assert compare(three) == ["run_260302", "run_260303"]
    assert mark_of(three, "run_260303").verdicts["intent"] is Verdict.BETTER


def test_an_old_run_that_is_corrected_moves_nothing(three: Path) -> None:
    compare(three)
    publish(three, "run_260301", *items_of(30, broken=1, rounds=2), key="k-corrected")
    assert compare(three) == ["run_260301", "run_260302", "run_260303"]  # the last is held against it as well
    assert mark_of(three, "run_260303").baseline == "run_260302"


def test_deleting_the_baseline_chooses_the_one_before(three: Path) -> None:
    compare(three)
    shutil.rmtree(three / "run_260302")
    assert compare(three) == ["run_260303"]
    assert mark_of(three, "run_260303").baseline == "run_260301"
    shutil.rmtree(three / "run_260301")
    assert compare(three) == ["run_260303"]
    assert mark_of(three, "run_260303").origin is Origin.FIRST


def test_a_pin_goes_before_the_nearest_and_its_loss_is_said(three: Path) -> None:
    write_pin(three, "resume-agent", "run_260301")
    write_pin(three, "other", "x")
    assert read_pins(three) == {"resume-agent": "run_260301", "other": "x"}
    compare(three)
    assert (mark_of(three, "run_260303").origin, mark_of(three, "run_260303").baseline) == (Origin.PINNED, "run_260301")
    assert mark_of(three, "run_260301").origin is Origin.IS_PIN
    shifts = mark_of(three, "run_260303").shifts
    assert isinstance(shifts, dict)
    assert shifts["answered"][0] == -0.233  # 100.0% -> 76.7% as they are printed; exactly 7 of 30
    shutil.rmtree(three / "run_260301")
    assert compare(three) == ["run_260302", "run_260303"]
    text = (three / "run_260303" / COMPARE_MD).read_text(encoding="utf-8")
    assert "run_260301의 보고서가 없습니다" in text.replace("\\", "")
    remove_pin(three, "resume-agent")
    remove_pin(three, "resume-agent")
    assert compare(three) == ["run_260302", "run_260303"]
    assert mark_of(three, "run_260303").baseline == "run_260302"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"format_version": 9, "profile": "p", "set": "s"}',
        b'{"format_version": 1, "profile": "q", "set": "s"}',
    ],
)
def test_a_damaged_pin_is_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "baseline-p.json").write_bytes(data)
    assert read_pins(tmp_path) == {}


def test_a_pin_that_shares_no_query_is_said(three: Path) -> None:
    others = [item for item in items_of(40, rounds=1) if item.query_id >= "Q-030"]
    publish(three, "run_260304", *others)
    write_pin(three, "resume-agent", "run_260304")
    compare(three)
    assert mark_of(three, "run_260301").verdicts == {}
    assert "같은 질의가 하나도 없습니다" in (three / "run_260301" / COMPARE_MD).read_text(encoding="utf-8")


def test_a_run_of_another_rubric_is_said_and_marks_nothing(three: Path) -> None:
    publish(three, "run_260304", *items_of(30, rounds=2), failure_words=("없음",))
    compare(three)
    mark = mark_of(three, "run_260304")
    assert not mark.is_like_with_like
    assert mark.notes
    assert mark.worse == ()
    write_index(three)
    row = next(line for line in (three / "index.md").read_text(encoding="utf-8").splitlines() if "[run_260304]" in line)
    assert "≠" in row
    assert "▲" not in row
    html = (three / "index.html").read_text(encoding="utf-8")
    assert 'title="비교할 수 없음: 루브릭">≠</a>' in html


def test_a_problem_has_no_comparison_and_is_no_baseline(three: Path) -> None:
    publish_problem(
        [Problem(code="empty-file", source="a.csv")],
        inputs=[("a.csv", SHA)],
        set_name="run_260302",
        key="p",
        out=three,
        profile="resume-agent",
    )
    assert compare(three) == ["run_260301", "run_260303"]
    assert mark_of(three, "run_260303").baseline == "run_260301"


def test_a_comparison_of_a_person_is_replaced_by_that_with_the_baseline(three: Path) -> None:
    compare(three)
    before = {name: (three / "run_260303" / name).read_bytes() for name in NAMES}
    publish_comparison(worse_comparison(), three / "run_260303", Destination(out=three, language=LANGUAGE))
    assert not (three / "run_260303" / BASELINE_JSON).exists()
    assert compare(three) == ["run_260303"]
    assert {name: (three / "run_260303" / name).read_bytes() for name in NAMES} == before


def test_a_report_that_is_gone_meanwhile_does_not_appear_again(three: Path) -> None:
    asks = missing(three)
    shutil.rmtree(three / "run_260303")
    assert compare_with_baseline(asks[-1], Destination(out=three, language=LANGUAGE)) is None
    assert not (three / "run_260303").exists()


def test_what_changed_since_it_was_asked_for_is_asked_for_again(three: Path) -> None:
    """Both sides change at once: the comparison names what it read, and a look finds it outdated or not."""
    asks = {ask.set_name: ask for ask in missing(three)}
    publish(three, "run_260302", *items_of(30, broken=2, rounds=2), key="k-a")
    publish(three, "run_260303", *items_of(30, broken=3, rounds=2), key="k-b")
    compare_with_baseline(asks["run_260303"], Destination(out=three, language=LANGUAGE))
    mark = mark_of(three, "run_260303")
    assert mark.is_about(status_of(three / "run_260303"))
    assert mark.baseline_key == "k-a"
    assert compare(three) == ["run_260301", "run_260302", "run_260303"]  # it was asked for with an earlier history


@pytest.mark.parametrize("place", range(6))
def test_an_interrupted_comparison_is_whole_or_absent(three: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    compare(three)
    before = {name: (three / "run_260303" / name).read_bytes() for name in NAMES}
    publish(three, "run_260303", *items_of(30, broken=8, rounds=2), key="k-new")
    (ask,) = missing(three)

    class KilledError(BaseException):
        pass

    steps = iter(range(100))

    def step(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: object, **named: object) -> None:
            if next(steps) == place:
                raise KilledError
            real(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Staging, "place", step(Staging.place))
        patch.setattr(Path, "unlink", step(Path.unlink))
        with pytest.raises(KilledError):
            compare_with_baseline(ask, Destination(out=three, language=LANGUAGE))
    mark = BASELINE.read(three / "run_260303")
    if mark is not None:
        assert {name: (three / "run_260303" / name).read_bytes() for name in NAMES} == before
    assert read_baseline(three / "run_260303", status_of(three / "run_260303")) is None
    assert compare(three) == ["run_260303"]
    assert mark_of(three, "run_260303").is_about(status_of(three / "run_260303"))


def test_undated_runs_are_in_the_sequence_of_first_publication(tmp_path: Path) -> None:
    for name in ("zebra", "apple", "mango"):
        publish(tmp_path, name, *items_of(12))
    first = {name: first_published(tmp_path, name) for name in ("zebra", "apple", "mango")}
    publish(tmp_path, "zebra", *items_of(12, broken=1), key="k-corrected")
    assert {name: first_published(tmp_path, name) for name in first} == first
    compare(tmp_path)
    assert [mark_of(tmp_path, name).baseline for name in ("zebra", "apple", "mango")] == ["", "zebra", "apple"]
    shutil.rmtree(tmp_path / WORK_AREA / "first-published")
    assert first_published(tmp_path, "apple") > 0
    assert compare(tmp_path) == []


def test_what_is_asked_is_read_from_the_reports_where_it_was_lost(three: Path) -> None:
    asked = three / WORK_AREA / ASKED_FOLDER
    publish(three, "run_260304", *items_of(31, rounds=1))
    names = sorted(path.name for path in asked.iterdir())
    assert len(names) == 2
    shutil.rmtree(asked)
    compare(three)
    assert mark_of(three, "run_260304").baseline == "run_260303"
    assert sorted(path.name for path in asked.iterdir()) == names


def test_what_could_not_be_read_once_is_looked_for_again(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301", *items_of(30))
    publish(tmp_path, "run_260302", *items_of(31))
    shutil.rmtree(tmp_path / WORK_AREA / ASKED_FOLDER)
    (tmp_path / "run_260301/items.csv").write_bytes(b"damaged")
    known = KnownSets(tmp_path)
    known.look()
    baselines = Baselines(known, language=LANGUAGE)
    assert [origin_of(ask) for ask in baselines.missing()] == [Origin.FIRST, Origin.NONE_SHARES]
    publish(tmp_path, "run_260301", *items_of(30), key="k-again")
    known.look()
    found = {ask.set_name: origin_of(ask) for ask in baselines.missing()}
    assert found == {"run_260301": Origin.FIRST, "run_260302": Origin.EARLIER}


def test_a_gate_reads_the_comparison_beside_the_report(three: Path) -> None:
    rule = parse_rule("not worse than baseline", {"intent": 5.0})
    rules = GateRules(common=RuleSet(rules=(rule,)))
    folder = three / "run_260303"
    early = keep_gate(folder, status_of(folder), rules)
    assert early is not None
    assert (early.result.state, early.baseline) == (GateState.UNDECIDABLE, "")
    compare(three)
    gate = keep_gate(folder, status_of(folder), rules)
    assert gate is not None
    assert (gate.result.state, gate.baseline) == (GateState.FAILED, "k-run_260302")
    assert evaluate_folder(folder, status_of(folder), rules).baseline == "run_260302"
    assert keep_gate(folder, status_of(folder), rules) == gate
    publish(three, "run_260304", *items_of(30, rounds=2), failure_words=("없음",))
    compare(three)
    unlike = keep_gate(three / "run_260304", status_of(three / "run_260304"), rules)
    assert unlike is not None
    assert [result.reason for result in unlike.result.rules] == ["unlike"]


def test_new_failures_that_are_known_are_told_as_such_whenever_the_lines_change(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301", *items_of(12))
    worse = publish(tmp_path, "run_260302", *items_of(12, broken=3))
    compare_missing(Destination(out=tmp_path, language=LANGUAGE))
    assert missing(tmp_path) == []
    before = (worse / COMPARE_JSON).read_bytes()
    failing = [query["query_id"] for query in json.loads(before)["now_fails"]]
    assert len(failing) == 3
    line = KnownLine(row=2, resolution=Resolution.KNOWN, query_id=failing[0], ticket=f"HR-1{EVIL}")
    muted = KnownLine(row=3, resolution=Resolution.MUTED, query_id=failing[1], until="2099-01-01")
    keep_known(tmp_path, KnownLines(name="known.csv", lines=(line, muted)))
    assert [ask.set_name for ask in missing(tmp_path)] == ["run_260302"]  # the other one has no new failure
    assert compare_missing(Destination(out=tmp_path, language=LANGUAGE)) == (1, [])
    assert missing(tmp_path) == []
    data = json.loads((worse / COMPARE_JSON).read_bytes())
    assert [query.get("known") for query in data["now_fails"]] == [line.ticket, "muted", None]
    mark = BASELINE.read(worse)
    assert mark is not None
    assert (mark.now_fails, mark.known_fails) == (3, 2)
    page, text = ((worse / name).read_text(encoding="utf-8") for name in (COMPARE_HTML, COMPARE_MD))
    for shown in (page, text):
        assert "새로 실패한 질의 3개: 티켓 없는 실패 1 · 알려진 실패 2 (" in shown
        assert "보류: 1)" in shown
        assert "<img" not in shown
    assert "새로 실패(티켓 없음)" in page
    keep_known(tmp_path, KnownLines(name="known.csv", is_readable=False))
    assert compare_missing(Destination(out=tmp_path, language=LANGUAGE)) == (1, [])
    assert "티켓 없는 실패" not in (worse / COMPARE_MD).read_text(encoding="utf-8")
    keep_known(tmp_path, None)
    assert compare_missing(Destination(out=tmp_path, language=LANGUAGE)) == (1, [])
    assert (worse / COMPARE_JSON).read_bytes() == before


def test_other_models_that_graded_are_noted_as_another_judge(tmp_path: Path) -> None:
    graded: dict[str, Any] = {"intent": 5.0, "intent_source": "recorded", "accuracy": None}
    for name, model in (("run_260301", "small"), ("run_260302", "small"), ("run_260303", "large")):
        publish(tmp_path, name, *items_of(30, llm_model=model, **graded))
    compare(tmp_path)
    assert mark_of(tmp_path, "run_260302").differences == ()
    assert mark_of(tmp_path, "run_260303").differences == (Difference.JUDGE,)


def test_the_schema_takes_both_kinds(three: Path) -> None:
    compare(three)
    assert "origin" in json.dumps(schema())
    for name, origin in (("run_260301", "first"), ("run_260303", "earlier")):
        content = json.loads((three / name / COMPARE_JSON).read_bytes())
        assert content["origin"] == origin
