"""Which asks go to the workers in one task. Pure.

When hundreds of small files wait, sending, fetching and acknowledging a task for each costs a fifth of what scoring
it does. Nothing else hangs on the bundle: each of its sets settles, fails and is asked for again by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.sets.plan import Plan

MOST = 8
BUNDLE_BYTES = 8 << 20  # of inputs in one task: a second of work
SHARES = 32  # tasks that the outstanding asks make at least, so that every worker has its share to the end


def bundle(plans: Iterable[Plan], *, outstanding: int) -> Iterator[tuple[Plan, ...]]:
    """The plans in their order, those of one task together. outstanding: sets that wait for an answer, these too.

    Only sets of one file share a task; the parts of a larger one are work for several workers.
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
