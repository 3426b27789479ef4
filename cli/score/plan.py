"""`scorewatch score --judge-plan`: what a judge would be asked and what that costs, about. Asks and writes nothing."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from cli.localised import spoken
from cli.score.inputs import PlannedSet
from cli.score.run import Runner
from config import Settings
from reporting.store import encode_json, found_verdicts, spent_tokens
from reporting.wording import clean, count, describe, money
from scoring import InputError, Problem, TransientError, refused
from scoring.judging import Judging, JudgingPlan, Tokens, plan_of
from scoring.results import merge
from scoring.sets import shown
from texts import Texts


class JudgePlan:
    """What the judge of several sets would be asked. out: folder of reports whose verdicts count; None knows none."""

    def __init__(self, settings: Settings, out: Path | None, problems: Iterable[Problem]) -> None:
        self._settings = settings
        self._out = out if out is not None and out.is_dir() else None
        self.sets: list[tuple[str, JudgingPlan]] = []  # by name
        self.problems = list(problems)

    def look(self, runner: Runner, sets: Sequence[PlannedSet]) -> None:
        """Read the sets. What cannot be read is a problem and stops no other."""
        for planned in sets:
            try:
                self.sets.append((planned.plan.name, self._plan(runner, planned)))
            except InputError as error:
                self.problems += [problem.at(problem.source or planned.plan.name) for problem in error.problems]
            except TransientError as error:
                self.problems.append(refused("not-written", source=planned.plan.name, reason=str(error)))

    def _plan(self, runner: Runner, planned: PlannedSet) -> JudgingPlan:
        rubric = planned.rubric
        if not rubric.judged:
            return JudgingPlan()
        parts = runner.parts(planned)
        contents = [part.sha256 for _, part in parts]
        known = {} if self._out is None else found_verdicts(self._out, planned.plan.name, contents)
        identity = self._settings.judge
        assert identity is not None
        figures = merge(parts, rubric, Judging(identity=identity, verdicts=known)).judge
        assert figures is not None  # of a rubric with something to judge
        return plan_of(figures, rubric.judged, identity, known)

    def lines(self) -> list[str]:
        """The plan as it is shown."""
        t = spoken()
        said = [t("plan.set", name=clean(shown(name)), **self._words(plan, t)) for name, plan in self.sets]
        if len(self.sets) != 1:
            said.append(t("plan.total", **self._words(self._total, t)))
        budget = self._settings.judge_limit
        if budget is not None:
            used = budget.cost(self._spent)
            amounts = {"budget": budget.amount, "used": used, "left": max(budget.amount - used, 0.0)}
            said.append(t("plan.budget", **{name: money(amount, budget.unit) for name, amount in amounts.items()}))
        said += [t("plan.estimated"), *(describe(problem, t.language) for problem in self.problems)]
        return said

    def json(self) -> str:
        """The plan for programs."""
        t, budget = spoken(), self._settings.judge_limit
        content = {
            "sets": [{"set": name, **self._figures(plan)} for name, plan in self.sets],
            "total": self._figures(self._total),
            "budget": None
            if budget is None
            else {"amount": budget.amount, "unit": budget.unit, "used": budget.cost(self._spent)},
            "problems": [{"code": one.code, "text": describe(one, t.language)} for one in self.problems],
        }
        return encode_json(content).decode()

    @property
    def _total(self) -> JudgingPlan:
        total = JudgingPlan()
        for _, plan in self.sets:
            total = total.plus(plan)
        return total

    @property
    def _spent(self) -> Tokens:
        return Tokens() if self._out is None else spent_tokens(self._out)

    def _words(self, plan: JudgingPlan, t: Texts) -> dict[str, str]:
        price = self._settings.judge_price
        amount = "" if price is None else money(price.of(plan.tokens), price.currency)
        return {
            "items": count(plan.items),
            "requests": count(plan.requests),
            "prompt": count(plan.tokens.prompt),
            "completion": count(plan.tokens.completion),
            "cost": t("plan.price", amount=amount) if amount else t("plan.no-price"),
        }

    def _figures(self, plan: JudgingPlan) -> dict[str, object]:
        price = self._settings.judge_price
        return {
            "items": plan.items,
            "requests": plan.requests,
            "prompt_tokens": plan.tokens.prompt,
            "completion_tokens": plan.tokens.completion,
            "cost": None if price is None else price.of(plan.tokens),
            "currency": None if price is None else price.currency,
        }
