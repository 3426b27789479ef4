"""docs/gate.md: its example can be read, and every value, statistic and option in it is real."""

import re
from pathlib import Path

from cli.commands.gate import command
from config import load_gate, shipped_rubrics
from scoring.gate import MEASURE_STATISTICS, STATISTICS, EveryQuery, chance_to_fail, parse_rule
from tests.inner import COUNTS, SHARES, Operator
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
SCALES = {"intent": 5.0, "latency": 5.0, "latency.multi": 5.0, "total": 5.0}


def test_example_is_a_file_of_rules(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    path = tmp_path / "gate.toml"
    path.write_text(example, encoding="utf-8")
    rules = load_gate(path, shipped_rubrics())
    assert [len(found.rules) for name in ("resume-agent", "h-recruit") if (found := rules.of(name))] == [6, 1]


def test_every_value_is_described() -> None:
    values = PAGE.partition("| value | meaning |")[2].partition("\n\n")[0]
    described = set(re.findall(r"`([a-z0-9_. ]+)`", values))
    assert {*SHARES, *COUNTS} <= described
    for value in sorted(described - {*STATISTICS, *MEASURE_STATISTICS} - {"0.85"}):
        parse_rule(f"{value} >= 1", SCALES, ["measure.cost"])
    assert all(f"`{name}`" in values or f" {name}`" in values for name in (*STATISTICS, *MEASURE_STATISTICS))


def test_every_operator_is_described() -> None:
    assert [
        operator for operator in Operator if f"`{operator}`" not in PAGE and f" {operator} NUMBER`" not in PAGE
    ] == []


def test_how_often_a_good_agent_fails_is_what_the_function_gives() -> None:
    korean = (ROOT / "docs" / "gate.ko.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(>= . of .)` \| (\d+) % \|(.*)\|$", PAGE, flags=re.MULTILINE)
    assert len(rows) > 10
    for text, share, cells in rows:
        rule = parse_rule(f"every query passes {text}", {})
        assert isinstance(rule, EveryQuery)
        chances = [f" {100 * chance_to_fail(rule, queries, int(share) / 100):.0f} % " for queries in (20, 82, 300)]
        assert cells.split("|") == chances, text
        assert f"| `{text}` | {share} % |{cells}|" in korean


def test_every_option_is_described() -> None:
    options = {name for param in command.params for name in param.opts if name.startswith("--")}
    assert {name for name in options - {"--language"} if f"`{name}" not in PAGE and f" {name}`" not in PAGE} == set()
