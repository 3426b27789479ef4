"""What the report says of items that do not pass."""

import io
import json

from config import profile_named, shipped_rubrics
from scoring.items import score_file
from scoring.results import SetResult, merge
from tests.reporting.shown import report_md
from tests.scoring.results.test_scores import ROWS
from tests.scoring.results.test_scores import scored as with_scores


def below(result: SetResult) -> list[list[str]]:
    """The header and the rows of the table: Query ID, status, and why."""
    _, _, section = report_md(result, "set").partition("### 통과하지 못한 문항\n")
    table = [line.strip("|").split("|") for line in section.partition("\n#")[0].splitlines() if line.startswith("|")]
    return [[cells[at].strip() for at in (0, 2, -1)] for cells in (table[0], *table[2:])]


def test_a_verdict_that_does_not_pass_is_told_with_its_reason() -> None:
    """Of two levels the one that passes is told in the first line, and no points."""
    graded = {"success": False, "response": {"output": "3 s"}, "gradingResult": {"pass": False}}
    results = [
        graded | {"testIdx": 0, "gradingResult": {"pass": False, "reason": "Expected 10 s"}},
        graded | {"testIdx": 1},
        graded | {"testIdx": 2, "failureReason": 2, "error": "API error: 500", "response": {}},
        graded | {"testIdx": 3, "success": True},
    ]
    data = json.dumps({"results": {"version": 3, "results": results}}).encode()
    rubric = profile_named("promptfoo", shipped_rubrics())
    part = score_file(io.BytesIO(data), name="promptfoo_x.json", rubric=rubric)
    result = merge([("promptfoo_x.json", part)], rubric)
    assert "> **4문항 가운데 1문항이 통과했습니다(Passed: true): 25.0%" in report_md(result, "set")
    assert below(result) == [
        ["Query ID", "상태", "이유"],
        ["0", "정상", "false: Expected 10 s"],
        ["1", "정상", "false"],
        ["2", "오류", "API error: 500"],
    ]


def test_scores_beyond_their_limits_are_told_with_their_reasons() -> None:
    """b has 0.2 of at least 0.7 and 9 of at most 5; d has no score and no answer."""
    assert below(with_scores(ROWS)) == [
        ["Query ID", "상태", "이유"],
        ["b", "정상", "근거성 0.2: made up; hallucination 9"],
        ["d", "빈 응답", "답변 없음"],
    ]
