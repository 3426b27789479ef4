"""What items have in common that count alike: the fields that figures are made of, without texts of their own."""

import msgspec

from scoring.items import Item, ItemDetails
from scoring.rubric import Rubric, Status, TrackId


class Traits(msgspec.Struct, gc=False):
    """Fields of `Item`. details: None for profiles without rules of their own, else with the fields of DETAILS only.

    Label and signature are among them for profiles that compare these.
    """

    track: TrackId | None
    round: str
    category: str
    status: Status
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    intent_source: str
    recorded_issue: str
    why: str
    failure_word: str
    details: ItemDetails | None = None


FIELDS = Traits.__struct_fields__[:-1]


DETAILS = (
    "rubrics",
    "latency_class",
    "accuracy_reason",
    "verdict",
    "ratio",
    "rubrics_level",
    "rubrics_source",
    "verdict_why",
    "rubrics_why",
)


COMPARED = ("label", "signature")


Scored = Item | Traits  # whatever has the fields of both


def names_of_details(rubric: Rubric) -> tuple[str, ...]:
    """The fields of the details that the traits of a profile have."""
    if not rubric.has_details and rubric.pass_points is None:
        return ()
    return (*DETAILS, *COMPARED) if rubric.agreement is not None else DETAILS
