"""Files of a set that belong together: those that are read, and the one that is joined to each of them."""

from collections.abc import Sequence

from scoring.items.spool import Part
from scoring.problems import refused
from scoring.rubric import JoinRule, Rubric


def refuse_apart(files: Sequence[tuple[str, Part]], rubric: Rubric) -> list[tuple[str, Part]]:
    """The files, those refused whose other one is not in the set: a report would not follow its changes."""
    rule = rubric.records
    if rule is None or not isinstance(rule.join, JoinRule):
        return list(files)
    problem = refused("join-apart", found=rule.join.file)
    contents = {part.sha256 for _, part in files}
    has_read = any(not rule.is_joined(name) for name, _ in files)
    return [
        (name, part)
        if part.refused or (has_read if rule.is_joined(name) else part.beside in contents)
        else (
            name,
            Part(
                sha256=part.sha256, size=part.size, rubric_digest=part.rubric_digest, refused=True, problems=(problem,)
            ),
        )
        for name, part in files
    ]
