"""Which run is the baseline of which: order of the data, shared queries, pins."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.comparison.asked import Asked, asked_digest, asked_of, asked_of_queries, shares_enough
from scoring.comparison.baseline import (
    Baseline,
    Chain,
    Hindrance,
    Origin,
    Overlaps,
    RunMark,
    order_key,
)
from scoring.comparison.pairing import pair_queries
from tests.scoring.comparison.runs import make_run, make_values


def asked(*queries: str, question: str = "질문") -> Asked:
    return asked_of((query, f"{question} {query}", "") for query in queries)


def numbered(first: int, last: int) -> Asked:
    return asked(*(f"Q{number}" for number in range(first, last)))


class Runs:
    """Runs that ask some of a few question sets."""

    def __init__(self) -> None:
        self.sets: dict[str, Asked] = {}

    def run(self, name: str, asks: Asked, executed: str = "") -> RunMark:
        digest = asked_digest(asks)
        self.sets[digest] = asks
        return RunMark(order_key(executed, name), name, f"key of {name}", digest)

    def baselines(self, *runs: RunMark, pin: str | None = None) -> dict[str, tuple[Origin, str]]:
        overlaps = Overlaps(lambda digest: self.sets.get(digest, {}))
        return {run.name: (one.origin, one.name) for run, one in Chain(overlaps).change(runs, pin=pin)}


def test_the_nearest_earlier_run_of_the_same_queries_is_the_baseline() -> None:
    runs = Runs()
    same, others = numbered(0, 10), numbered(50, 60)
    marks = [
        runs.run("run_260301", same),
        runs.run("run_260302", same),
        runs.run("run_260303", others),
        runs.run("run_260304", same),
    ]
    expected = {
        "run_260301": (Origin.FIRST, ""),
        "run_260302": (Origin.EARLIER, "run_260301"),
        "run_260303": (Origin.NONE_SHARES, ""),
        "run_260304": (Origin.EARLIER, "run_260302"),
    }
    for order in permutations(marks):
        assert runs.baselines(*order) == expected


def test_the_time_of_the_data_goes_before_the_date_of_the_name() -> None:
    runs = Runs()
    asks = numbered(0, 5)
    found = runs.baselines(
        runs.run("run_260305", asks, executed="2026-03-01T09:00:00"), runs.run("run_260302", asks), runs.run("x", asks)
    )
    assert found["run_260305"] == (Origin.FIRST, "")
    assert found["run_260302"] == (Origin.EARLIER, "run_260305")
    assert found["x"] == (Origin.EARLIER, "run_260302")  # undated runs come last


@pytest.mark.parametrize(
    ("last", "origin"),
    [
        pytest.param(20, Origin.EARLIER, id="all"),
        pytest.param(18, Origin.EARLIER, id="90-percent"),
        pytest.param(17, Origin.NONE_SHARES, id="just-below"),
    ],
)
def test_at_least_nine_of_ten_of_its_own_queries_are_shared(last: int, origin: Origin) -> None:
    runs = Runs()
    found = runs.baselines(runs.run("run_260301", numbered(0, last)), runs.run("run_260302", numbered(0, 20)))
    assert found["run_260302"][0] is origin


def test_what_the_earlier_run_asks_besides_does_not_matter() -> None:
    runs = Runs()
    found = runs.baselines(runs.run("run_260301", numbered(0, 100)), runs.run("run_260302", numbered(0, 10)))
    assert found["run_260302"] == (Origin.EARLIER, "run_260301")


def test_a_reworded_query_is_not_shared() -> None:
    own = numbered(0, 10)
    reworded = asked("Q0", "Q1", question="다른 질문") | {
        query: texts for query, texts in own.items() if query not in asked("Q0", "Q1")
    }
    assert not shares_enough(own, reworded)
    blank = asked_of((f"Q{number}", "", "") for number in range(10))
    assert shares_enough(own, blank)  # a side that says nothing contradicts nothing
    assert not shares_enough({}, own)


def test_a_pin_is_used_whatever_it_shares() -> None:
    runs = Runs()
    marks = [
        runs.run("run_260301", numbered(0, 10)),
        runs.run("run_260302", numbered(0, 10)),
        runs.run("run_260303", numbered(90, 99)),
    ]
    assert runs.baselines(*marks, pin="run_260302") == {
        "run_260301": (Origin.PINNED, "run_260302"),
        "run_260302": (Origin.IS_PIN, ""),
        "run_260303": (Origin.PINNED, "run_260302"),
    }
    assert runs.baselines(*marks, pin="gone") == dict.fromkeys(
        ("run_260301", "run_260302", "run_260303"), (Origin.PIN_GONE, "gone")
    )


def test_only_a_run_that_is_there_is_compared_with() -> None:
    assert not Baseline(Origin.PIN_GONE, "gone").exists
    assert Baseline(Origin.EARLIER, "a", "k").exists


@given(st.lists(st.lists(st.integers(0, 12), min_size=0, max_size=12), max_size=14))
def test_looking_among_many_question_sets_finds_the_same_as_looking_at_each(questions: list[list[int]]) -> None:
    runs = Runs()
    sets = [asked(*map(str, asks)) for asks in questions]
    marks = [runs.run(f"run_{number:02}", asks, f"2026-03-{number + 1:02}") for number, asks in enumerate(sets)]
    found = runs.baselines(*marks)
    for place, asks in enumerate(sets):
        near = [at for at in range(place) if shares_enough(asks, sets[at])]
        expected = (
            (Origin.EARLIER, marks[near[-1]].name)
            if near
            else ((Origin.NONE_SHARES, "") if place else (Origin.FIRST, ""))
        )
        assert found[marks[place].name] == expected


ALIKE = st.lists(st.sampled_from(["q-1", "Q-1", "Ｑ-1", "1", "1.0", "01", "2", "'2", "10"]), unique=True, max_size=9)


@given(ALIKE, ALIKE)
def test_ids_that_look_alike_are_shared_as_they_are_paired(own: list[str], other: list[str]) -> None:
    runs = [make_run([make_values(query_id, question="같은 질문") for query_id in ids]) for ids in (other, own)]
    shared = len(pair_queries(*runs).shared)
    theirs, mine = (asked_of_queries(run.queries.values()) for run in runs)
    assert shares_enough(mine, theirs) is bool(own and shared * 10 >= 9 * len(own))


def test_a_run_whose_ids_were_written_otherwise_is_found_among_many() -> None:
    runs = Runs()
    written = [runs.run("run_260301", asked_of((f"q-{n}", f"질문 {n}", "") for n in range(10)))]
    written += [runs.run(f"run_26040{day}", numbered(100 * day, 100 * day + 9)) for day in range(1, 8)]
    last = runs.run("run_260501", asked_of((f"Ｑ-{n}", f"질문 {n}", "") for n in range(10)))
    assert runs.baselines(*written, last)["run_260501"] == (Origin.EARLIER, "run_260301")


def test_what_is_asked_depends_neither_on_order_nor_on_spelling() -> None:
    items = [("Q1", "질문  하나", "답"), ("Q1", "질문 하나", ""), ("Q2", "", "")]
    same = [("Q2", " ", ""), ("Q1", "질문 하나", "답")]
    assert asked_digest(asked_of(items)) == asked_digest(asked_of(reversed(same)))
    assert asked_digest(asked_of([])) == ""


def _nearest(runs: list[RunMark], at: int, overlaps: Overlaps) -> Baseline:
    """By the rule as docs/compare.md has it: the nearest earlier run that shares enough."""
    for before in reversed(runs[:at]):
        if runs[at].asked and before.asked and overlaps.share(runs[at].asked, before.asked):
            return Baseline(Origin.EARLIER, before.name, before.key)
    return Baseline(Origin.NONE_SHARES if at else Origin.FIRST)


ASKS = {"few": numbered(0, 10), "more": numbered(0, 11), "half": numbered(5, 20), "others": numbered(50, 60)}


@given(st.data())
def test_what_is_chosen_again_is_what_is_chosen_from_nothing(data: st.DataObject) -> None:
    sets = {asked_digest(asks): asks for asks in ASKS.values()}
    overlaps = Overlaps(lambda digest: sets.get(digest, {}))
    chain = Chain(overlaps)
    runs: dict[str, RunMark] = {}
    known: dict[str, Baseline] = {}
    for step in range(data.draw(st.integers(1, 25), label="steps")):
        come, gone = [], []
        for name in data.draw(st.sets(st.sampled_from("abcdefghij"), min_size=1, max_size=3), label="runs"):
            if name in runs and data.draw(st.booleans(), label="is removed"):
                gone.append(runs.pop(name).order)
                del known[name]
            else:
                digest = data.draw(st.sampled_from(["", *sets]), label="asks")
                runs[name] = RunMark(order_key("", name), name, f"{name}{step}", digest)
                come.append(runs[name])
        pin = data.draw(st.sampled_from([None, None, "a", "z"]), label="pin")
        known |= {run.name: baseline for run, baseline in chain.change(come, gone, pin=pin)}
        ordered = sorted(runs.values())
        assert known == {run.name: baseline for run, baseline in Chain(overlaps).change(ordered, pin=pin)}
        if pin is None:
            assert known == {run.name: _nearest(ordered, at, overlaps) for at, run in enumerate(ordered)}


def test_one_more_run_leaves_the_others_as_they_are() -> None:
    runs = Runs()
    marks = [runs.run(f"run_2603{day:02}", numbered(0, 10)) for day in range(1, 29)]
    chain = Chain(Overlaps(lambda digest: runs.sets.get(digest, {})))
    assert len(list(chain.change(marks))) == len(marks)
    assert [run.name for run, _ in chain.change([runs.run("run_260401", numbered(0, 10))])] == ["run_260401"]
    assert [run.name for run, _ in chain.change([marks[3]._replace(key="new")])] == ["run_260304", "run_260305"]
    assert [run.name for run, _ in chain.change([], [marks[9].order])] == ["run_260311", "run_260312"]


def test_a_run_that_is_hindered_is_no_baseline_and_damage_is_named() -> None:
    runs = Runs()
    same = numbered(0, 10)
    first, second, third, last = (runs.run(f"run_26030{day}", same) for day in (1, 2, 3, 4))
    damaged = second._replace(hindrance=Hindrance.DAMAGED)
    superseded = third._replace(hindrance=Hindrance.SUPERSEDED)
    found = runs.baselines(first, damaged, superseded, last)
    assert found["run_260304"] == (Origin.EARLIER, "run_260301")
    assert found["run_260302"] == (Origin.EARLIER, "run_260301")  # it is compared itself
    assert runs.baselines(damaged, last)["run_260304"] == (Origin.DAMAGED, "run_260302")
    assert runs.baselines(superseded, last)["run_260304"] == (Origin.FIRST, "")  # nothing earlier counts
    assert runs.baselines(first, damaged, last, pin="run_260302")["run_260304"] == (Origin.PINNED, "run_260302")


def test_a_run_that_becomes_or_ceases_to_be_hindered_reaches_those_after_it() -> None:
    runs = Runs()
    same = numbered(0, 10)
    marks = [runs.run(f"run_26030{day}", same) for day in range(1, 5)]
    overlaps = Overlaps(lambda digest: runs.sets.get(digest, {}))
    chain = Chain(overlaps)
    assert len(list(chain.change(marks))) == 4
    changed = {run.name: one.name for run, one in chain.change([marks[1]._replace(hindrance=Hindrance.DAMAGED)])}
    assert changed == {"run_260302": "run_260301", "run_260303": "run_260301"}
    back = {run.name: one.name for run, one in chain.change([marks[1]])}
    assert back == {"run_260302": "run_260301", "run_260303": "run_260302"}


def test_what_is_asked_stands_in_the_order_of_the_items() -> None:
    """In that of a set it would be other bytes in every process."""
    queries = [f"Q-{number}" for number in range(50)]
    assert list(asked(*queries, *queries)) == [next(iter(asked(query))) for query in queries]
