"""`retry` while the broker is away, or does not answer."""

import json
import socket
from pathlib import Path

import pytest

from cli.main import main
from scoring import Problem
from tests.cli.commands.test_status import out
from tests.reporting.publishing import publish_problem
from workers.broker import server

__all__ = ["out"]  # the fixture


@pytest.mark.parametrize("hangs", [True, False], ids=["hangs", "refuses"])
def test_retry_without_an_answer_of_the_broker_forgets_what_the_folders_hold(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    monkeypatch.setattr(server, "PUBLISH_SECONDS", 0.05)
    inputs = [(f"{number}.csv", f"{number:064}") for number in range(60)]  # one request, not one for each
    publish_problem(
        [Problem(code="poisoned")],
        inputs=inputs,
        set_name="many",
        key="k5",
        out=out,
        profile="p",
        rubric_digest="d",
    )
    part = out / ".scorewatch" / "parts" / f"{inputs[-1][1]}-d-1.part"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.touch()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv("SCOREWATCH_BROKER_URL", f"redis://127.0.0.1:{listener.getsockname()[1]}/0")
        if not hangs:
            listener.close()
        assert main(["retry", "many", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == {"set": "many", "retried": True, "strikes_forgotten": False}
    assert told.err.startswith("브로커가 응답하지 않아")
    assert len(told.err.splitlines()) == 1
    assert not (out / "many/status.json").exists()
    assert not part.exists()
