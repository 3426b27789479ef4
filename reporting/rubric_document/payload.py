"""The part of a rubric document about JSON: its fields, where the answer is in them, and checks on them."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.rubric_document.quoting import inert, listed, scalar
from reporting.wording import percent
from scoring.proposal import PayloadGuess, Proposal
from scoring.rubric import WHOLE_RECORD
from scoring.rubric.document import show_number
from texts import Texts

MAX_FIELDS = 60  # that are listed of a column
_KEYS = ("message", "ui", "error", "seconds", "milliseconds")
_RATIOS = ("ratio = 1", "ratio >= 0.75", "ratio >= 0.5", "ratio >= 0.25", "0 < ratio < 0.25", "ratio = 0")


def payload_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Paths of the payload, and every field of every column of JSON objects as a comment."""
    if proposal.payload is not None:
        yield f"# {t('proposal.payload')}"
        yield "payload:"
        for key in _KEYS:
            if paths := proposal.payload.paths.get(key):
                yield f"  {key}: {listed(paths)} # {t(f'proposal.payload.{key}')}"
    for one in proposal.objects:
        kind = "proposal.record.fields" if one.title == WHOLE_RECORD else "proposal.payload.fields"
        yield f"# {t(kind, column=inert(one.title), rows=str(one.rows))}"
        yield from _fields(one, t)
    if proposal.objects:
        yield ""


def accuracy_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    """Accuracy by checks: in force where the file has some, a comment where it only could."""
    payload = proposal.payload
    if payload is None or not (proposal.has_checks or payload.calls is not None):
        return
    before = "  " if proposal.has_checks else "  # "
    yield f"  # {t('proposal.accuracy.checks' if proposal.has_checks else 'proposal.accuracy.none')}"
    yield f"{before}accuracy:"
    yield f"{before}  headings: {listed((t('proposal.accuracy'),))}"
    yield f"{before}  checks:"
    yield f"{before}    sources: [marked]"
    if payload.calls is not None:
        arguments = f", arguments: {scalar(payload.calls.arguments)}" if payload.calls.arguments else ""
        places = f"paths: {listed((payload.calls.path,))}, name: {scalar(payload.calls.name)}{arguments}"
        yield f"{before}    calls: {{ {places} }} # {t('proposal.accuracy.calls')}"


def accuracy_table(proposal: Proposal, t: Texts) -> Iterator[str]:
    """The table of `accuracy_lines`, as code where those are a comment."""
    payload = proposal.payload
    if payload is None or not (proposal.has_checks or payload.calls is not None):
        return
    low, high = proposal.scale
    yield from ("", f"## {t('proposal.accuracy')}", "")
    yield t("proposal.body.accuracy" if proposal.has_checks else "proposal.body.no-accuracy")
    yield from ("", *(() if proposal.has_checks else ("```",)))
    yield f"| {t('proposal.condition')} | {t('proposal.points')} |"
    yield "| --- | ---: |"
    yield f"| `error` | {show_number(low)} |"
    yield f"| {t('proposal.no-checks')} | {show_number(low)} |"
    for step, ratio in enumerate(_RATIOS):
        yield f"| {ratio} | {show_number(round(high - (high - low) * step / (len(_RATIOS) - 1), 4))} |"
    yield from () if proposal.has_checks else ("```",)


def _fields(payload: PayloadGuess, t: Texts) -> Iterator[str]:
    for field in payload.fields[:MAX_FIELDS]:
        filled = t("proposal.filled", share=percent(field.filled, payload.rows))
        yield f"#   {inert(field.path)}: {t(f'proposal.kind.{field.kind}')}, {filled}"
    more = len(payload.fields) - MAX_FIELDS
    if more > 0:
        yield f"#   {t('proposal.payload.more', n=str(more))}"
