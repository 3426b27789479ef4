"""Metrics of an export that its document does not name are told, not only shown."""

from scoring.results import SetResult, merge
from scoring.rubric.document import parse_rubric
from tests.paths import ROOT
from tests.scoring.files import score_bytes

HEADER = "user_input,response,reference,faithfulness,noise_sensitivity,critic,latency,note,empty\n"
ROWS = "q1,a1,r1,0.9,0.25,1,3.5,x,\nq2,a2,r2,0.2,nan,0,0.5,0.5,\n"


def _merged(*files: str, scores: str = "") -> SetResult:
    document = (ROOT / "config" / "rubrics" / "ragas.md").read_text("utf-8")
    every = '{ column: "*", better: by name }'
    assert every in document
    rubric = parse_rubric(document.replace(every, scores or every), source="ragas.md")
    named = [(f"ragas_{number}.csv", data.encode()) for number, data in enumerate(files)]
    return merge([(name, score_bytes(data, name, rubric)) for name, data in named], rubric)


def _means(result: SetResult) -> dict[str, float | None]:
    found = result.groups[0].measures
    return {one.name: found[one.name].set.mean for one in result.rubric.measures}


def _told(header: str, rows: str) -> list[str]:
    result = _merged(header + rows, scores="{ name: faithfulness, column: faithfulness }")
    found = [one for one in result.findings if one.code == "score-column-unread"]
    assert [one.count for one in found] == [len(one.places) for one in found]
    return [str(place.column) for one in found for place in one.places]


def test_columns_with_only_numbers_from_0_to_1_are_named() -> None:
    assert _told(HEADER, ROWS) == ["noise_sensitivity", "critic"]


def test_nothing_is_told_of_declared_scores_and_other_columns() -> None:
    header = "user_input,response,reference,faithfulness,latency\n"
    assert _told(header, "q1,a1,r1,0.9,3.5\nq2,a2,r2,0.2,0.5\n") == []


def test_every_column_of_numbers_on_the_scale_may_be_a_score() -> None:
    result = _merged(HEADER + ROWS)
    assert _means(result) == {"score.faithfulness": 0.55, "score.noise_sensitivity": 0.25, "score.critic": 0.5}
    assert [str(one.better) for one in result.rubric.measures] == ["higher", "lower", "higher"]
    assert [one.code for one in result.findings] == []
    own = '{ column: "*" }\n  - { name: truth, title: Truth, column: faithfulness, pass: ">= 0.7" }'
    declared = _merged(HEADER + ROWS, scores=own)
    assert list(_means(declared)) == ["score.noise_sensitivity", "score.critic", "score.truth"]
    assert declared.passed is not None
    assert declared.passed.value == 0.5


def test_a_rounding_error_is_the_end_of_the_scale_and_few_cells_off_it_are_named() -> None:
    header = "user_input,response,answer_relevancy,tone\n"
    rows = "".join(f"q{at},a{at},0.5,0.5\n" for at in range(9))
    result = _merged(f"{header}{rows}q9,a9,1.0000000000000002,1.5\n")
    assert _means(result) == {"score.answer_relevancy": 0.55, "score.tone": 0.5}
    (told,) = [one for one in result.findings if one.code == "score-outside"]
    assert [(place.row, place.column, place.found) for place in told.places] == [(11, "tone", "1.5")]
    assert list(_means(_merged(f"{header}{rows}q9,a9,1,1.5\nq10,a10,1,2\n"))) == ["score.answer_relevancy"]


def test_a_set_has_the_columns_of_all_its_files() -> None:
    other = "user_input,response,tone,faithfulness,latency\nq1,a1,0.5,1,0.5\n"
    result = _merged(HEADER + ROWS, other)
    assert list(_means(result)) == ["score.faithfulness", "score.noise_sensitivity", "score.critic", "score.tone"]
    assert result.groups[0].measures["score.tone"].set.n == 1


def test_hostile_names_and_a_thousand_columns_are_held_to_fifty_scores() -> None:
    names = ["<b>x</b>", "=1+1", "total", "*", *(f"m{at}" for at in range(1_000))]
    result = _merged(f"user_input,response,{','.join(names)}\nq1,a1,{','.join(['0.5'] * len(names))}\n")
    assert list(_means(result))[:4] == ["score.b-x-b", "score.score-1-1", "score.score-total", "score.m0"]
    assert len(result.rubric.measures) == 50
    unread = [place.column for one in result.findings if one.code == "score-column-unread" for place in one.places]
    assert unread[:1] == ["*"]


def test_a_file_without_any_such_column_is_told() -> None:
    result = _merged("user_input,response,note\nq1,a1,good\n")
    assert [(one.code, [place.found for place in one.places]) for one in result.findings] == [
        ("path-never-found", ["*"])
    ]
