"""Sets in memory and review files for them."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from scoring.items.spool.part_file import Part
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.review import ItemKey, PersonGrade, ReviewFile, Sample, read_review
from tests.scoring.files import payload, resume_rubric, row, score_rows

SET = "resume_agent_x"
TITLES = ("Query ID", "검수자", "검수 점수", "검수 코멘트", "원인", "@check", "판정", "scorewatch-key")


def week(queries: int = 6, rounds: int = 3, score: str = "4") -> Part:
    """A file of resume-agent: every query in every round, each with the recorded score."""
    return score_rows(
        *(
            row(
                Item_ID=f"i{query}-{at}",
                Query_ID=f"Q-{query}",
                방_반복=f"{at}/1",
                LLM_점수=score,
                질의=f"질문 {query}",
                응답=f"답 {query}-{at}",
                Raw_JSON=payload(f"답 {query}-{at}"),
            )
            for query in range(1, queries + 1)
            for at in range(1, rounds + 1)
        )
    )


def merged(part: Part, grades: Sequence[PersonGrade] = ()) -> SetResult:
    """The set of one file."""
    return merge([("resume_agent_x.csv", part)], resume_rubric(), None, grades)


def key_of(
    part: Part, query: str, at: str = "1/1", *, sample: Sample = Sample.RANDOM, metric: str = "intent"
) -> ItemKey:
    """The key of an item."""
    (item,) = [one for one in part.items if (one.query_id, one.round) == (query, at)]
    return ItemKey("resume-agent", SET, query, at, 1, metric, sample, item.text_hash)


def grade(key: ItemKey, value: str, reviewer: str = "김검수", **fields: object) -> PersonGrade:
    """A grade as a file gives it."""
    return PersonGrade(key=key, grade=value, reviewer=reviewer, file="review.csv", row=2, column="검수 점수", **fields)  # type: ignore[arg-type]


def filled(key: ItemKey | str, value: str, reviewer: str = "김검수", **cells: str) -> dict[str, str]:
    """A row of a sheet. cells: further ones, by title."""
    return {"Query ID": "x", "검수자": reviewer, "검수 점수": value, "scorewatch-key": str(key), **cells}


def sheet_bytes(
    rows: Iterable[Mapping[str, str]], *, titles: Sequence[str] = TITLES, delimiter: str = ",", codec: str = "utf-8-sig"
) -> bytes:
    """A review file in CSV."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, titles, delimiter=delimiter, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode(codec)


def read(data: bytes, name: str = "아무 이름.csv") -> ReviewFile:
    """The review file with these bytes."""
    found = read_review(io.BytesIO(data), name)
    assert found is not None
    return found
