"""Reports and problems published into a folder, and what lies there then."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reporting.runs import publish
from reporting.runs.publish import Published
from reporting.store.set_folders import Destination
from scoring import Problem
from scoring.results import SetResult
from scoring.sets import Refusal, SetId
from tests.reporting.results import SHA, make_item, make_result

CHARTS = ("metrics", "statuses", "scores-single", "scores-multi", "latency-single", "latency-multi")
PROBLEM = Problem(code="empty-file", source="a.csv")


def publish_report(
    result: SetResult, *, set_name: str, key: str, out: Path, language: str = "ko", force: bool = False, **how: Any
) -> Published:
    destination = Destination(out=out, language=language, **how)
    return publish.publish_report(result, SetId(set_name, key), destination, force=force)


def publish_problem(
    problems: Sequence[Problem],
    *,
    inputs: Sequence[tuple[str, str]],
    set_name: str,
    key: str,
    out: Path,
    profile: str,
    rubric_digest: str = "",
    language: str = "ko",
    **how: Any,
) -> Published:
    refusal = Refusal(
        id=SetId(set_name, key),
        profile=profile,
        rubric_digest=rubric_digest,
        problems=tuple(problems),
        inputs=tuple(inputs),
    )
    return publish.publish_problem(refusal, Destination(out=out, language=language, **how))


def write(out: Path, result: SetResult | None = None, *, key: str = "k1", name: str = "s", **more: Any) -> Published:
    return publish_report(result or make_result(), set_name=name, key=key, out=out, **more)


def write_problem(out: Path, *, key: str = "p1", name: str = "s", **more: Any) -> Published:
    return publish_problem(
        [PROBLEM], inputs=[("a.csv", SHA)], set_name=name, key=key, out=out, profile="p", rubric_digest="d", **more
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below the folder but the work area, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".scorewatch" not in path.parts
    }


def report_tree(folder: Path) -> dict[str, bytes]:
    """The same without what tells of earlier versions."""
    return {
        name: data
        for name, data in tree(folder).items()
        if "history/" not in name and "changes." not in Path(name).name
    }


def leftovers(out: Path) -> list[str]:
    """Temporary files, locks and the like; what is kept of the runs there is none of them."""
    kept = {".scorewatch/asked", ".scorewatch/first-published"}
    return [
        path.name
        for path in (out / ".scorewatch").rglob("*")
        if path.name != ".gitignore" and path.is_file() and path.parent.relative_to(out).as_posix() not in kept
    ]


def two_rounds() -> SetResult:
    return make_result(make_item(2), make_item(3, round="2/1", track=3))
