"""Runs to evaluate and to compare, made by hand."""

from collections.abc import Mapping, Sequence

from scoring.comparison import Answer, Basis, Grade, Judge, Query, Run
from scoring.rubric import Status

BASIS = Basis(
    metrics=("intent", "consistency"),
    scale=5.0,
    answered=(Status.OK, Status.PARTIAL),
    passes=None,
    pairs=None,
    single=None,
    weights={},
    edition="",
    document="",
)
_PASSES = {"p": True, "f": False, "-": None}


def query_of(
    name: str,
    passes: str,
    *,
    track: int | None = 1,
    category: str = "",
    text: str = "",
    errors: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
) -> Query:
    """passes: a letter per item: p passes, f fails, - takes no part. text: of every answer. errors: of the items."""
    answers = tuple(
        Answer(
            round=f"{at}/1",
            status="error" if one == "f" else "ok",
            passes=_PASSES[one],
            seconds=1.0,
            text=text,
            grade=Grade(points=(None,) * 3, origins=("",) * 3, model=""),
            error=errors[at - 1] if errors else "",
        )
        for at, one in enumerate(passes, 1)
    )
    return Query(
        query_id=name,
        question=f"question {name}",
        questions=(),
        expected=(),
        track=track,
        category=category,
        places=(),
        n=len(passes),
        passed=passes.count("p"),
        assessed=len(passes) - passes.count("-"),
        values=dict(values or {}),
        answers=answers,
    )


def run_of(name: str, queries: Sequence[Query], *, rubric_digest: str = "r") -> Run:
    return Run(
        name=name,
        key=name,
        selection="",
        profile="resume-agent",
        rubric_digest=rubric_digest,
        engine_version=1,
        judge=Judge(),
        basis=BASIS,
        rounds=("1/1",),
        executed="",
        shown={},
        queries={query.query_id: query for query in queries},
    )
