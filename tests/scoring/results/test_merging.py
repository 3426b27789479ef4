"""Parts to a set: identity, rounds, consistency, means (spec §1 item identity, §2)."""

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.problems import InputError
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import ALL, METRICS
from tests.examples import examples
from tests.scoring.files import HEADER, payload, resume_rubric, row, score_bytes, score_rows, stored_bytes


def set_of(*files: tuple[str, list[list[str]]]) -> SetResult:
    return merge([(name, score_rows(*rows)) for name, rows in files], resume_rubric())


def figures(result: SetResult) -> object:
    """Everything that is computed, without where it came from."""
    return (
        result.rounds,
        result.groups,
        result.distributions,
        sorted(result.queries, key=lambda query: query.query_id),
        result.counts,
    )


def test_the_last_usable_row_of_an_identity_wins_at_its_own_place() -> None:
    result = set_of(
        ("a.csv", [row(Item_ID="i1", 오류="x"), row(Item_ID="i2", Query_ID="Q-2"), row(Item_ID="i1")]),
        ("b.csv", [row(Item_ID="i2", Query_ID="Q-2", 방_반복="2/1"), row(Item_ID="i1", 방_반복="2/1")]),
    )
    assert [(item.item_id, item.round, item.row) for item in result.items] == [
        ("i2", "1/1", 3),
        ("i1", "1/1", 4),
        ("i2", "2/1", 2),
        ("i1", "2/1", 3),
    ]
    assert list(result.sources) == [0, 0, 1, 1]
    assert [(file.rows, file.items, file.duplicates) for file in result.inputs] == [(3, 2, 1), (2, 2, 0)]


def test_an_unusable_row_replaces_nothing() -> None:
    result = set_of(("a.csv", [row(Item_ID="i1"), row(Item_ID="i1", 방_반복="")]))
    assert [item.row for item in result.items] == [2]


def test_run_id_query_id_and_round_are_part_of_the_identity() -> None:
    rows = [row(Item_ID="i"), row(Item_ID="i", Run_ID="run-2"), row(Item_ID="i", 방_반복="1/2"), row(Item_ID="nan")]
    rows.append(row(Item_ID="i", Query_ID="Q-2"))
    assert len(set_of(("a.csv", rows)).items) == 5


def test_files_are_ordered_by_their_nfc_names() -> None:
    nfd = unicodedata.normalize("NFD", "나.csv")
    result = set_of((nfd, [row(오류="x")]), ("가.csv", [row()]), ("a.csv", [row()]))
    assert [file.name for file in result.inputs] == ["a.csv", "가.csv", "나.csv"]


def test_pairs_of_all_rounds_are_compared() -> None:
    """Passes in 1/1, 2/1, 4/1 and a fail in 3/1: C(3,2) both pass, 3 x 1 mismatches."""
    rounds = [row(방_반복=f"{room}/1", 오류="x" if room == 3 else "") for room in (1, 2, 3, 4)]
    pairs = set_of(("a.csv", rounds)).groups[0].pairs
    assert (pairs.both_pass, pairs.both_fail, pairs.mismatch, pairs.queries, pairs.score) == (3, 0, 3, 1, 2.5)


def test_a_track_compares_the_queries_that_are_in_it_in_both_rounds() -> None:
    result = set_of(("a.csv", [row(), row(방_반복="2/1", Track="Track 3"), row(방_반복="3/1", 오류="x")]))
    by_key = {group.key: group.pairs for group in result.groups}
    assert (by_key["all"].both_pass, by_key["all"].mismatch) == (1, 2)
    assert (by_key["1"].compared, by_key["1"].mismatch) == (1, 1)
    assert (by_key["3"].compared, by_key["3"].score) == (0, None)


def test_one_round_has_no_consistency_score() -> None:
    pairs = set_of(("a.csv", [row(), row(Query_ID="Q-2")])).groups[0].pairs
    assert (pairs.compared, pairs.queries, pairs.score) == (0, 0, None)


def test_the_set_is_the_plain_mean_of_the_rounds() -> None:
    rows = [row(Query_ID=f"Q-{number}", 오류="x") for number in range(3)] + [row(방_반복="2/1")]
    rows.append(row(방_반복="3/1", Track="Track 3", Raw_JSON=payload(seconds=None)))
    result = set_of(("a.csv", rows))
    everything = result.groups[0]
    assert everything.metrics["stability"].set.value == pytest.approx(10 / 3)
    assert everything.metrics["stability"].set.n == 5
    assert everything.set_seconds.mean == pytest.approx(4.2)
    assert (everything.set_seconds.n, everything.set_seconds.missing) == (4, 1)
    track_3 = result.group("3")
    assert track_3 is not None
    assert [mean.value for mean in track_3.metrics["latency"].rounds] == [None, None, 0]
    latency = track_3.metrics["latency"].set
    assert (latency.value, latency.n, track_3.set_seconds.mean) == (0, 1, None)


def test_percentiles_are_interpolated_over_the_items_of_all_rounds_and_files() -> None:
    rows = [
        row(Query_ID=f"Q-{second}", 방_반복=f"{1 + second % 2}/1", Raw_JSON=payload(seconds=second))
        for second in range(20, 0, -1)
    ]
    for files in ([("a.csv", rows)], [("a.csv", rows[7:]), ("b.csv", rows[:7])]):
        everything = set_of(*files).groups[0]
        pooled, odd_seconds = everything.set_seconds, everything.seconds[1]
        assert (pooled.p50, pooled.p95, pooled.max, pooled.mean) == (10.5, 19.05, 20, 10.5)
        assert (odd_seconds.p50, odd_seconds.p95, odd_seconds.max) == (10, 18.1, 19)


def test_other_and_missing_tracks_count_with_the_single_group() -> None:
    rows = [row(Track=track, Raw_JSON=payload(seconds=7)) for track in ("1", "2", "3", "7", "")]
    result = set_of(("a.csv", rows))
    single, multi = result.distributions
    assert dict(zip(single.points, single.set, strict=True)) == {0: 0, 1: 0, 2: 0, 3: 0, 4: 4, 5: 0}
    assert dict(zip(multi.points, multi.set, strict=True))[5] == 1
    assert [group.key for group in result.groups] == ["all", "1", "2", "3", "7", "unassigned"]
    assert (result.counts["track-unassigned"], result.counts["track-unnamed"]) == (1, 1)


def test_queries_name_the_rounds_they_miss() -> None:
    result = set_of(("a.csv", [row(), row(방_반복="2/1", 오류="x"), row(Query_ID="Q-2", 방_반복="2/1")]))
    assert [(query.query_id, query.statuses) for query in result.queries] == [
        ("Q-1", ("ok", "error")),
        ("Q-2", (None, "ok")),
    ]


def test_more_rounds_than_the_rubric_allows_are_refused() -> None:
    limit = resume_rubric().max_rounds
    rows = [row(방_반복=f"{room}/1") for room in range(1, limit + 2)]
    assert len(set_of(("a.csv", rows[:-1])).rounds) == limit
    with pytest.raises(InputError) as caught:
        set_of(("b.csv", [*rows[10:], row(방_반복="1/2")]), ("a.csv", [*rows[10::-1], *rows[:5]]))
    (problem,) = caught.value.problems
    assert (problem.code, problem.column) == ("too-many-rounds", "방/반복")
    assert (problem.source, problem.row) == (
        "b.csv",
        limit - 8,
    )  # 11 rounds in a.csv, the first of b.csv is one of them
    assert problem.values == {"rounds": str(limit + 2), "limit": str(limit)}


def test_refused_files_are_named_and_the_others_reported() -> None:
    good, bad = score_rows(row()), score_bytes(b"")
    result = merge([("b.csv", good), ("a.csv", bad)], resume_rubric())
    assert [(file.name, file.refused) for file in result.inputs] == [("a.csv", True), ("b.csv", False)]
    assert [(problem.code, problem.source) for problem in result.refusals] == [("empty-file", "a.csv")]
    with pytest.raises(InputError) as caught:
        merge([("a.csv", bad)], resume_rubric())
    assert caught.value.problems[0].source == "a.csv"


def test_refused_files_are_the_first_finding() -> None:
    full = score_rows(row(), *[row(Query_ID="")] * 120)
    result = merge([("a.csv", full), ("b.csv", score_bytes(b""))], resume_rubric())
    assert [(finding.code, finding.count, len(finding.places)) for finding in result.findings] == [
        ("empty-file", 1, 1),
        ("no-query-id", 120, 100),
    ]
    assert result.has_errors
    assert not merge([("a.csv", score_rows(row()))], resume_rubric()).has_errors


def test_extra_columns_of_all_files_stand_in_one_order() -> None:
    first = score_rows([*row(), "1", "x"], header=[*HEADER, "Ordinal", "비고"])
    second = score_rows([*row(Query_ID="Q-2"), "y", "z"], header=[*HEADER, "비고", "메모"])
    parts = [("a.csv", first), ("b.csv", second)]
    for _ in range(2):  # merging leaves the parts as they were
        result = merge(parts, resume_rubric())
        assert result.extra_columns == ("Ordinal", "비고", "메모")
        assert [item.extra for item in result.items] == [("1", "x", ""), ("", "y", "z")]


ROWS = st.builds(
    row,
    Item_ID=st.sampled_from(["", "i1", "i2"]),
    Query_ID=st.sampled_from(["Q-1", "Q-2", "Q-3"]),
    Track=st.sampled_from(["Track 1", "Track 2", "Track 3", "", "7"]),
    방_반복=st.sampled_from(["1/1", "2/1", "1-Mar", "기타"]),
    오류=st.sampled_from(["", "timeout"]),
    LLM_점수=st.sampled_from(["", "3.3", "x"]),
    Raw_JSON=st.one_of(
        st.floats(0, 80).map(lambda seconds: payload(seconds=seconds)), st.sampled_from(["", payload("선택"), "{"])
    ),
)


@settings(max_examples=examples(80))
@given(st.lists(ROWS, min_size=1, max_size=12), st.data())
def test_splitting_a_file_and_merging_changes_nothing(rows: list[list[str]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    first = {(cells[2], cells[7]) for cells in rows[:cut]}
    rest = [cells for cells in rows[cut:] if (cells[2], cells[7]) not in first]  # else they are two runs
    rows = rows[:cut] + rest
    pieces = [(f"{index}.csv", piece) for index, piece in enumerate((rows[:cut], rest)) if piece]
    assert figures(set_of(*pieces)) == figures(set_of(("whole.csv", rows)))


@settings(max_examples=examples(80))
@given(st.lists(ROWS, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_row_and_file_order_change_nothing_for_unique_items(rows: list[list[str]], rnd: random.Random) -> None:
    unique = {(cells[2], cells[7]): cells for cells in rows}  # one item per (query, round)
    for number, cells in enumerate(unique.values()):
        cells[1] = f"item-{number}"
    ordered = list(unique.values())
    shuffled = ordered[:]
    rnd.shuffle(shuffled)
    assert figures(set_of(("a.csv", shuffled))) == figures(set_of(("a.csv", ordered)))
    cut = len(ordered) // 2
    pieces = [piece for piece in (ordered[:cut], ordered[cut:]) if piece]
    named = [(f"{index}.csv", piece) for index, piece in enumerate(reversed(pieces))]
    assert figures(set_of(*named)) == figures(set_of(("a.csv", ordered)))


@settings(max_examples=examples(80))
@given(st.lists(ROWS, min_size=1, max_size=12))
def test_every_metric_is_in_range_and_every_item_counted(rows: list[list[str]]) -> None:
    result = set_of(("a.csv", rows))
    scale = resume_rubric().scale
    for group in result.groups:
        for name in METRICS:
            values = [*group.metrics[name].rounds, group.metrics[name].set]
            assert all(mean.value is None or 0 <= mean.value <= scale for mean in values)
        assert group.pairs.score is None or 0 <= group.pairs.score <= scale
        assert group.n == sum(sum(counted.values()) for counted in group.statuses)
    assert result.groups[0].key == ALL
    assert result.groups[0].n == sum(group.n for group in result.groups[1:]) == len(result.items)
    assert sum(sum(distribution.set) for distribution in result.distributions) == len(result.items)
    (file,) = result.inputs
    assert file.rows == file.items + file.duplicates + file.blank_rows + file.unusable_rows == len(rows)


def test_sums_do_not_depend_on_order() -> None:
    rows = [
        row(Query_ID=f"Q-{number}", Raw_JSON=payload(seconds=random.Random(number).uniform(0, 30)))
        for number in range(164)
    ]
    means = set()
    for seed in range(20):
        random.Random(seed).shuffle(rows)
        means.add(set_of(("a.csv", rows)).groups[0].seconds[0].mean)
    assert len(means) == 1


def test_merging_does_not_change_its_parts() -> None:
    part = score_rows(row(Item_ID="i"), row(Item_ID="i"))
    before = stored_bytes(part)
    merge([("a.csv", part)], resume_rubric())
    assert stored_bytes(part) == before
