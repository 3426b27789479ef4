"""A judge's task without queue and model: what it asks, what it stores, and what it leaves."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from config import shipped_rubrics
from reporting.store import Destination, append_verdicts, budget_lock, read_verdicts, status_of_set
from scoring.items import ENGINE_VERSION
from scoring.judging import Allowance, JudgeBudget, JudgeIdentity, JudgeRequest, JudgeState, Verdict
from scoring.rubric import Rubric, VerdictRule
from scoring.sets import Plan, PlannedInput
from tests.judge.files import write_answers
from watcher import stat_of
from workers.broker import JudgingClaims
from workers.jobs import GiveUpError, Progress, Strikes, WorkArea, Workplace, assemble
from workers.judge.job import ITEMS_PER_TASK, Judged, judge, tasks_of
from workers.judge.usage import JudgeCounter, JudgeCounts

NAME = "h_recruit_a"


class Model:
    """Grades all it is asked, or all but what it is told to leave or to fail at."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails: set[str] = set()
        self.most = 1000
        self.allowance: Allowance | None = None

    def grade(
        self,
        requests: Sequence[JudgeRequest],
        rules: Mapping[str, VerdictRule],
        known: Mapping[str, Verdict],
        *,
        deadline: float | None,
        allowance: Allowance | None,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        del deadline
        self.allowance = allowance
        for request in requests[: self.most]:
            self.asked.append(request.graded.answer)
            if request.graded.answer in self.fails:
                tries = known[request.hash].tries if request.hash in known else 0
                on_verdict(Verdict(hash=request.hash, failure="timeout", tries=tries + 1))
            else:
                level = rules[request.metric].choices[0]
                on_verdict(Verdict(hash=request.hash, level=level, prompt_tokens=100, completion_tokens=10))


class Held(JudgingClaims):
    """Other workers hold some."""

    def __init__(self, *others: str) -> None:
        super().__init__(None)
        self._others = others

    @contextmanager
    def hold(self, hashes: Sequence[str], owner: str) -> Iterator[tuple[str, ...]]:
        del owner
        yield tuple(name for name in hashes if name not in self._others)


class Counter(JudgeCounter):
    def __init__(self) -> None:
        super().__init__(None)
        self.counts = JudgeCounts()

    def add(self, counts: JudgeCounts) -> None:
        self.counts = JudgeCounts(*map(sum, zip(self.counts, counts, strict=True)))


class Set:
    """A published set whose judge is pending, and tasks for it."""

    def __init__(self, home: Path, *answers: str) -> None:
        self.watch, self.out = home / "in", home / "out"
        area = WorkArea(self.out)
        area.prepare()
        self.place = Workplace(
            watch=self.watch,
            reports=Destination(out=self.out, language="ko"),
            area=area,
            strikes=Strikes(None),
            time_limit_seconds=60.0,
        )
        self.rubric = self._rubric()
        area.write_rubric(self.rubric)
        self.file = self.watch / f"{NAME}.csv"
        write_answers(self.file, *answers)
        self.plan = self._plan()
        area.write_plan(self.plan)
        self.model, self.counter = Model(), Counter()

    def _rubric(self) -> Rubric:
        return next(rubric for rubric in shipped_rubrics() if rubric.profile == "h-recruit")

    def _plan(self) -> Plan:
        stat = self.file.stat()
        sha256 = hashlib.sha256(self.file.read_bytes()).hexdigest()
        return Plan(
            set_name=NAME,
            key="k" * 64,
            rubric_digest=self.rubric.digest,
            engine_version=ENGINE_VERSION,
            language="ko",
            inputs=(PlannedInput(self.file.name, self.file.name, sha256, *stat_of(stat).times),),
            judge=JudgeIdentity(model="m"),
        )

    def assemble(self) -> tuple[str, ...]:
        """Hashes that are left to judge after publishing what there is."""
        assembled = assemble(self.place, self.plan, score_missing=True)
        assert assembled.is_published
        return assembled.unjudged

    def judge(self, hashes: Sequence[str], *others: str, budget: JudgeBudget | None = None) -> Judged:
        return judge(
            self.place,
            self.plan,
            hashes,
            grade=self.model.grade,
            claims=Held(*others),
            counter=self.counter,
            owner="task",
            deadline=0.0,
            budget=budget,
        )

    @property
    def state(self) -> JudgeState:
        status = status_of_set(self.out, NAME)
        assert status is not None
        return status.judge


def test_report_is_pending_until_all_verdicts_are_stored_and_then_completed(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나", "다")
    hashes = world.assemble()
    assert len(hashes) == 3
    assert (world.state, world.place.progress(NAME, world.plan.key)) == (JudgeState.PENDING, Progress.REPORTED)
    assert world.place.area.read_plan(NAME, world.plan.key) == world.plan  # the judge's tasks need it
    assert world.judge(hashes[:2]) == Judged(left=(), is_held=False, is_complete=False)
    assert world.judge(hashes[2:]) == Judged(left=(), is_held=False, is_complete=True)
    assert world.assemble() == ()
    assert (world.state, world.place.progress(NAME, world.plan.key)) == (JudgeState.DONE, Progress.SETTLED)
    assert world.place.area.read_plan(NAME, world.plan.key) is None
    assert sorted(world.model.asked) == ["가", "나", "다"]
    assert world.counter.counts == JudgeCounts(verdicts=3, prompt_tokens=300, completion_tokens=30)


def test_equal_answers_to_equal_questions_are_asked_once(tmp_path: Path) -> None:
    world = Set(tmp_path, "가")
    text = world.file.read_text(encoding="utf-8").replace("i-1", "i-2").partition("\n")[2]
    with world.file.open("a", encoding="utf-8", newline="") as stream:
        stream.write(text.replace("1/1", "2/1"))
    world.plan = world._plan()
    assert len(world.assemble()) == 1


def test_stored_verdicts_are_never_asked_for(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나")
    hashes = world.assemble()
    append_verdicts(world.out, NAME, [Verdict(hash=hashes[0], level="GOOD"), Verdict(hash=hashes[1], level="WEAK")])
    assert world.judge(hashes).is_complete
    assert world.model.asked == []
    assert world.counter.counts == JudgeCounts(known=2)


def test_the_budget_is_less_what_every_set_of_the_folder_has_taken_and_one_process_at_a_time_spends_it(
    tmp_path: Path,
) -> None:
    world = Set(tmp_path, "가", "나")
    hashes = world.assemble()
    append_verdicts(world.out, "other/set", [Verdict(hash="a" * 64, level="1", prompt_tokens=70, completion_tokens=30)])
    budget = JudgeBudget(1000.0, "tokens")
    with budget_lock(world.out, on_wait=lambda: None):
        assert world.judge(hashes, budget=budget) == Judged(left=hashes, is_held=True, is_complete=False)
    assert world.model.asked == []
    assert world.judge(hashes, budget=budget).is_complete
    assert world.model.allowance is not None
    assert world.model.allowance.used == 100.0


def test_a_set_that_was_renamed_is_complete_at_once(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나")
    world.judge(world.assemble())
    world.assemble()
    world.plan = msgspec.structs.replace(world.plan, set_name="h_recruit_renamed")
    assert world.assemble() == ()
    status = status_of_set(world.out, "h_recruit_renamed")
    assert status is not None
    assert status.judge is JudgeState.DONE


def test_items_that_another_worker_holds_come_back(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나")
    first, second = world.assemble()
    assert world.judge((first, second), second) == Judged(left=(second,), is_held=False, is_complete=False)
    assert world.judge((second,), second) == Judged(left=(second,), is_held=True, is_complete=False)
    append_verdicts(world.out, NAME, [Verdict(hash=second, level="GOOD")])
    assert world.judge((second,), second) == Judged(left=(), is_held=False, is_complete=True)
    assert len(world.model.asked) == 1


def test_what_there_was_no_time_for_is_left(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나", "다")
    hashes = world.assemble()
    world.model.most = 1
    assert world.judge(hashes) == Judged(left=hashes[1:], is_held=False, is_complete=False)


def test_a_failed_item_stays_open_until_its_tries_are_used_up(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나")
    world.model.fails = {"나"}
    hashes = world.assemble()
    for left in (1, 1):
        assert world.judge(hashes) == Judged(left=(), is_held=False, is_complete=False)
        hashes = world.assemble()
        assert (len(hashes), world.state) == (left, JudgeState.PENDING)
    assert world.judge(hashes).is_complete
    assert world.assemble() == ()
    assert world.state is JudgeState.INCOMPLETE
    assert sorted(world.model.asked) == ["가", "나", "나", "나"]
    assert world.counter.counts.failures == 3
    assert world.judge(tuple(read_verdicts(world.out, NAME))).is_complete
    assert len(world.model.asked) == 4


def test_a_set_that_moved_on_is_not_paid_for(tmp_path: Path) -> None:
    world = Set(tmp_path, "가", "나")
    hashes = world.assemble()
    write_answers(world.file, "다")
    with pytest.raises(GiveUpError, match="changed"):
        world.judge(hashes)
    world.file.unlink()
    with pytest.raises(GiveUpError, match="vanished"):
        world.judge(hashes)
    assert world.model.asked == []


def test_lost_parts_are_named_so_that_they_are_scored_again(tmp_path: Path) -> None:
    world = Set(tmp_path, "가")
    hashes = world.assemble()
    world.place.area.remove_parts({world.plan.inputs[0].sha256})
    with pytest.raises(GiveUpError, match="no-part"):
        world.judge(hashes)


def test_hashes_of_nothing_in_the_set_are_passed_over(tmp_path: Path) -> None:
    world = Set(tmp_path, "가")
    world.assemble()
    assert world.judge(("f" * 64,)) == Judged(left=(), is_held=False, is_complete=False)


def test_tasks_carry_sixteen_items_at_most() -> None:
    names = [str(number) for number in range(2 * ITEMS_PER_TASK + 1)]
    assert [len(task) for task in tasks_of(names)] == [16, 16, 1]
    assert [name for task in tasks_of(names) for name in task] == names
    assert list(tasks_of([])) == []
