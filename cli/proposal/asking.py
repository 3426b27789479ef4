"""Questions of `rubric new` on a terminal: each with a default, which Enter takes."""

from __future__ import annotations

import click

from reporting.wording.catalogue import Texts
from reporting.wording.display import excerpt
from scoring.proposal.model import Choice, Proposal
from scoring.proposal.scores import NONE
from scoring.text import number

_OPTION_CHARACTERS = 60
_DIGITS = 3


def ask(choice: Choice, proposal: Proposal, t: Texts) -> str:
    """The answer, one of the options or a number of points; asks again until it is one.

    Raises click.Abort at the end of the input.
    """
    low, high = (f"{points:g}" for points in proposal.scale)
    click.echo(t(f"new.ask.{choice.question}", low=low, high=high))
    return _one_of(choice, t) if choice.options else _points(choice, proposal, t)


def _one_of(choice: Choice, t: Texts) -> str:
    for at, option in enumerate(choice.options, start=1):
        click.echo(f"  {at}) {t('new.none') if option == NONE else excerpt(option, _OPTION_CHARACTERS)}")
    default = choice.options.index(choice.default) + 1
    while True:
        answer = _prompt(t("new.number"), str(default))
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:_DIGITS]) <= len(choice.options):
            return choice.options[int(answer[:_DIGITS]) - 1]
        click.echo(t("new.ask-again"))


def _points(choice: Choice, proposal: Proposal, t: Texts) -> str:
    low, high = proposal.scale
    while True:
        answer = _prompt(t("proposal.points"), choice.default)
        points = number(answer)
        if points is not None and low <= points <= high:
            return answer
        click.echo(t("new.ask-again-points", low=f"{low:g}", high=f"{high:g}"))


def _prompt(text: str, default: str) -> str:
    answer: str = click.prompt(text, default=default)
    return answer.strip()
