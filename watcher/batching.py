"""Decides which plans share a task. Pure.

With hundreds of small files, a task for each would cost a fifth of the time of scoring it. The sets of one task are
otherwise independent: each settles, fails and is asked for again by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.sets.plan import Plan

MOST = 8
BUNDLE_BYTES = 8 << 20  # of inputs in one task: a second of work
SHARES = 32  # least number of tasks for all outstanding sets, so that every worker has work to the end


def bundle(plans: Iterable[Plan], *, outstanding: int) -> Iterator[tuple[Plan, ...]]:
    """The plans in order, grouped by task. outstanding: number of sets that wait for an answer, these included.

    Only sets of one file share a task; the files of a larger set are scored by several workers.
    """
    most = min(outstanding // SHARES, MOST)
    together: list[Plan] = []
    size = 0
    for plan in plans:
        added = plan.inputs[0].size if len(plan.inputs) == 1 else BUNDLE_BYTES + 1
        if together and (len(together) >= most or size + added > BUNDLE_BYTES):
            yield tuple(together)
            together, size = [], 0
        together.append(plan)
        size += added
    if together:
        yield tuple(together)
