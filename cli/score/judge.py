"""The judge of one `scorewatch score`: asks for what is missing, and keeps every verdict as soon as it is there.

With an output folder the verdicts lie beside the reports, where the service finds them too; without one they live as
long as the run.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path

from cli.score.screen import Screen
from cli.score.settings import refuse_without_client
from config import Settings
from reporting.store import append_verdicts, budget_lock, judging_lock, known_verdicts, read_verdicts, spent_tokens
from scoring import Problem
from scoring.judging import MAX_TRIES, Allowance, JudgeIdentity, JudgeRequest, Judging, Tokens, Verdict, open_requests
from scoring.rubric import Rubric
from workers.judge import Judge, JudgeDownError, Slug

FIRST_REST_SECONDS = 1.0  # before items that failed are asked again; doubled each time


class ScoreJudge:
    """Judges one set after the other. out: None keeps verdicts for this run alone.

    problem: set once the judge is out of reach; nothing is asked after that. Raises SettingsError without its client.
    """

    def __init__(self, settings: Settings, out: Path | None, screen: Screen) -> None:
        refuse_without_client(settings)
        self._judge = Judge(settings)
        self._rounds = MAX_TRIES + settings.judge_votes
        self._budget = settings.judge_limit
        self._out = out
        self._screen = screen
        self._unkept: dict[str, Verdict] = {}
        assert settings.judge is not None
        self.identity: JudgeIdentity = settings.judge
        self.problem: Problem | None = None

    @property
    def unkept(self) -> int:
        """Verdicts that end with this run."""
        return sum(bool(verdict.level) for verdict in self._unkept.values())

    def judging(self, set_name: str, contents: Iterable[str]) -> Judging:
        """The judge and what it said of a set so far. contents: SHA-256 of its inputs.

        Raises TransientError when that cannot be read.
        """
        verdicts = dict(self._unkept) if self._out is None else known_verdicts(self._out, set_name, contents)
        return Judging(identity=self.identity, verdicts=verdicts)

    def ask(
        self, set_name: str, rubric: Rubric, requests: Sequence[JudgeRequest], known: Mapping[str, Verdict]
    ) -> None:
        """Ask until every request has its verdict or is given up, or the judge is out of reach.

        A run that asks for the same set in the same output folder is waited for, and what it got is not asked again.
        Raises TransientError when a verdict cannot be stored.
        """
        if self._out is None or self.problem is not None:
            self._ask(set_name, rubric, requests, known)
            return
        with judging_lock(self._out, set_name, on_wait=lambda: self._screen.waiting_for_judging(set_name)):
            known = read_verdicts(self._out, set_name)
            still = tuple(open_requests(requests, known))
            if still:
                self._ask(set_name, rubric, still, known)

    def _ask(
        self, set_name: str, rubric: Rubric, requests: Sequence[JudgeRequest], known: Mapping[str, Verdict]
    ) -> None:
        rules = {rule.metric: rule for rule in rubric.judged}
        verdicts = dict(known)
        with self._spending(set_name) as allowance, self._screen.judging(set_name, len(requests)) as advance:

            def store(verdict: Verdict) -> None:
                if self._out is None:
                    self._unkept[verdict.hash] = verdict
                else:
                    append_verdicts(self._out, set_name, [verdict])
                verdicts[verdict.hash] = verdict
                if verdict.is_final:
                    advance()

            for attempt in range(self._rounds):
                waiting = list(open_requests(requests, verdicts))
                if not waiting or self.problem is not None:
                    return
                if attempt:
                    time.sleep(FIRST_REST_SECONDS * 2 ** min(attempt - 1, 4))
                try:
                    self._judge.grade(waiting, rules, verdicts, allowance=allowance, on_verdict=store)
                except JudgeDownError as error:
                    is_spent = error.slug is Slug.BUDGET
                    code, reason = ("judge-budget", error.detail) if is_spent else ("judge-down", str(error))
                    values = {"reason": reason, "set": set_name}
                    self.problem = Problem(code=code, source=set_name, values=values)

    @contextmanager
    def _spending(self, set_name: str) -> Iterator[Allowance | None]:
        """What may be spent in the block, in which no other run for the same folder spends; None without a budget."""
        if self._budget is None:
            yield None
        elif self._out is None:
            spent = reduce(Tokens.plus, (verdict.tokens for verdict in self._unkept.values()), Tokens())
            yield Allowance(self._budget, spent)
        else:
            with budget_lock(self._out, on_wait=lambda: self._screen.waiting_for_judging(set_name)):
                yield Allowance(self._budget, spent_tokens(self._out))
