"""Shapes of result files that people publish: a document for each reads what the file says."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.scoring.proposal.test_foreign_exports import fields, proposal_of


def lines_of(records: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def test_keys_with_dots_mean_what_paths_do() -> None:
    """Azure AI evaluation."""
    records = [
        {
            "inputs.ground_truth": "Rome, which is the capital of Italy and its largest city.",
            "inputs.query": f"What is the capital of country {at}?",
            "inputs.response": "It is Rome.",
            "outputs.relevance.relevance": 4.0,
            "outputs.relevance.relevance_result": verdict,
        }
        for at, verdict in enumerate(("pass", "pass", "fail"))
    ]
    found = fields(proposal_of(lines_of(records), "rows.jsonl"))
    assert (found["question"], found["expected"], found["response"]) == (
        '["inputs.query"]',
        '["inputs.ground_truth"]',
        '["inputs.response"]',
    )
