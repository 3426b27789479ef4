"""What a judge is asked, and what its verdicts make of the items."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.judging.apply import judge_items
    from scoring.judging.figures import Differing, JudgeAgreement, JudgeFigures, JudgeRepeat, JudgedMetric, JudgingPlan
    from scoring.judging.figures import LevelPair, SplitVote, agreement_of, estimated_tokens, expected_tokens
    from scoring.judging.figures import missing_votes, note_trust, plan_of
    from scoring.judging.prompt import PROMPT_VERSION, Reply, again, median_level, messages, read_replies, reply_schema
    from scoring.judging.verdicts import MAX_TRIES, Allowance, JudgeBudget, JudgeCost, JudgeIdentity, JudgePrice
    from scoring.judging.verdicts import JudgeRequest, JudgeState, Judging, Tokens, Verdict, asked_at_once
    from scoring.judging.verdicts import judge_settings, open_requests, read_budget
else:
    __getattr__ = door(__name__)
