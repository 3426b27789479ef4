"""What a judge is asked, and what its verdicts make of the items."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.judging.agreement import LevelPair, agreement_of
    from scoring.judging.apply import judge_items
    from scoring.judging.figures import Differing, JudgeAgreement, JudgeFigures, JudgeRepeat, JudgedMetric, JudgingPlan
    from scoring.judging.figures import SplitVote, estimated_tokens, expected_tokens, missing_votes, note_trust, plan_of
    from scoring.judging.price import Allowance, JudgeBudget, JudgeCost, JudgePrice, Tokens, read_budget
    from scoring.judging.prompt import PROMPT_VERSION, Reply, again, median_level, messages, read_replies, reply_schema
    from scoring.judging.verdicts import MAX_TRIES, JudgeIdentity, JudgeRequest, JudgeState, Judging, Verdict
    from scoring.judging.verdicts import asked_at_once, judge_settings, open_requests
else:
    __getattr__ = door(__name__)
