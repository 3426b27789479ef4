"""What stands above everything on the pages of a set of which too much was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.wording.display import count
from texts import Texts, codes

if TYPE_CHECKING:
    from scoring.results import SetResult


def damage_text(result: SetResult, t: Texts) -> str:
    """`250 of 300 rows could not be used …` where the figure that leads is damaged; "" else."""
    from scoring.results import leading_of  # a program that only reads reports needs no results

    leading = leading_of(result.rubric, result.kinds)
    damage = next((damage for damage in result.damaged if damage.metric == leading), None)
    if damage is None:
        return ""
    counts = {finding.code: finding.count for finding in result.findings if finding.code in damage.codes}
    rows, items = sum(n for code, n in counts.items() if codes()[code].touches == "rows"), len(result.items)
    if rows:
        return t("damaged.rows", lost=count(rows), of=count(items + rows))
    return t("damaged.items", lost=count(min(sum(counts.values()), items)), of=count(items))
