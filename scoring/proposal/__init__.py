"""What a file of another agent seems to hold, for a rubric document of its own."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.proposal.columns import bands_of, levels_of_scale
    from scoring.proposal.model import Choice, ColumnGuess, MeasureGuess, PayloadGuess, Proposal, Question, Reason
    from scoring.proposal.model import Sample, ScoreKind, Seconds
    from scoring.proposal.numbers import NONE
    from scoring.proposal.proposing import NoProposalError, profile_of, propose
    from scoring.proposal.sample import read_sample
else:
    __getattr__ = door(__name__)
