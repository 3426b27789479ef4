"""The chart of a figure over runs: its axis, its names, what it draws of gaps and changes."""

import re
from xml.etree import ElementTree as ET

import pytest

from reporting.document.charts import Limit, RunPoint, runs_chart
from reporting.document.charts.runs import fitted_axis, short_labels
from reporting.document.charts.svg import text_width
from scoring.rubric import SHARE, USUAL_SCALE
from scoring.statistics import Interval


@pytest.mark.parametrize(
    ("values", "scale", "ends"),
    [
        pytest.param([4.0, 4.5], USUAL_SCALE, (3.9, 4.6), id="room of a tenth, lines of 0.2 -> 3.8..4.6 within 5"),
        pytest.param([5.0], USUAL_SCALE, (4.9, 5.0), id="one value at the end of the scale"),
        pytest.param([1e16, 1e17], USUAL_SCALE, (5.0, 5.0), id="beyond the scale"),
        pytest.param([], USUAL_SCALE, (0.0, 5.0), id="nothing known"),
        pytest.param([0.0, 1.0], SHARE, (0.0, 1.0), id="all of the scale"),
        pytest.param([1e16, 1e16], None, (1e16 * 0.99, 1e16 * 1.01), id="huge and equal"),
        pytest.param([0.0], None, (-1e-9, 1e-9), id="nothing but 0"),
        pytest.param([-1e-300, 1e300], None, (0.0, 1e300), id="far apart"),
    ],
)
def test_an_axis_fits_the_values(values: list[float], scale: object, ends: tuple[float, float]) -> None:
    axis = fitted_axis(values, scale, lines=5)  # type: ignore[arg-type]
    values = [value for value in values if scale is None or value <= 5]
    assert axis.lowest <= min([*values, ends[1]])
    assert axis.highest >= max([*values, ends[0]])
    if scale is not None:
        assert scale.lowest <= axis.lowest < axis.highest <= scale.highest  # type: ignore[attr-defined]
    span = axis.highest - axis.lowest
    assert 1 <= len(axis.ticks) <= 16
    if len(values) > 1 and values[0] != values[1]:
        assert max(values) - min(values) >= span / 2  # most of it is used


def test_names_are_told_apart_by_their_ends() -> None:
    names = ["resume_agent_3월1주", "resume_agent_3월2주", "resume_agent_4월1주"]
    assert short_labels(names) == ["3월1주", "3월2주", "4월1주"]
    assert short_labels(["run_260301", "run_260302"]) == ["260301", "260302"]
    assert short_labels(["run_260302_1000", "run_260309_1000"]) == ["260302", "260309"]
    assert short_labels(["run_260302_1000", "run_260302_1100"]) == ["1000", "1100"]
    assert short_labels(["week 9", "week 10"]) == ["week 9", "week 10"]  # a bare number says little
    assert short_labels(["a rather long name 9", "a rather long name 10"]) == ["9", "10"]
    assert short_labels(["run_1", "run_1_1"]) == ["run", "run_1"]
    assert short_labels(["a", "a"]) == ["a", "a"]
    assert short_labels(["only_one"]) == ["only_one"]
    assert short_labels(["resume_agent_20260302"], 286.0) == ["resume_agent_20260302"]
    (long, _) = short_labels(["x" * 100_000, "y"])
    assert long.startswith("…")
    assert text_width(long) < 70


def test_what_is_damaged_is_crossed_and_no_line_joins_it() -> None:
    sure = Interval(3.0, 4.0)
    points = [RunPoint("a", 3.5, sure), RunPoint("b", 1.0, sure, is_damaged=True), RunPoint("c", 3.5, sure)]
    body = runs_chart("n", "t", points, str, scale=USUAL_SCALE).body
    (drawn,) = re.findall('<path d="([^"]+)" class="o l1"', body)
    heights = {point.split()[1] for point in drawn.removeprefix("M").split("L")}
    assert len(heights) == 1  # that of a and c
    assert len(re.findall('class="c1"/>', body)) == 2
    assert len(re.findall('class="o l4"', body)) == 1
    assert 'class="b e">3.5<' in body
    last = runs_chart("n", "t", points[:2], str, scale=USUAL_SCALE).body
    assert 'class="m e">1.0<' in last
    many = runs_chart("n", "t", points * 30, str, scale=USUAL_SCALE).body
    assert len(re.findall('class="o l4"', many)) == 30


def test_what_is_missing_breaks_line_and_band() -> None:
    sure = Interval(3.0, 4.0)
    points = [RunPoint("a", 3.5, sure), RunPoint("b", 3.6, sure), RunPoint("c", None), RunPoint("d", 3.7, sure)]
    body = runs_chart("n", "t", points, str, scale=USUAL_SCALE).body
    assert len(re.findall('class="o l1"', body)) == 2
    assert len(re.findall("fill-opacity", body)) == 1  # a and b; d has a whisker
    assert len(re.findall('class="i"', body)) == 1
    assert len(re.findall('class="c1"/>', body)) == 3


def test_changes_and_limit_are_lines_and_texts_are_inert() -> None:
    evil = '<b>"&>\u202e'
    points = [RunPoint(evil, 1.0), RunPoint("b", 2.0, None, evil), RunPoint("c", 2.0, None, "x" * 500)]
    chart = runs_chart("n", evil, points, str, limit=Limit(1.5, evil), told=evil)
    tree = ET.fromstring(chart.file())  # noqa: S314 -- our own
    texts = [one.text for one in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count(evil[:-1]) == 3
    assert "x" * 500 not in texts  # no room for it
    assert len(re.findall('class="g d"', chart.body)) == 2
    assert len(re.findall("stroke-dasharray", chart.body)) == 1


@pytest.mark.parametrize(
    ("n", "turned", "last"), [(1, 0, "run_0"), (12, 12, "run_11"), (13, 7, "run_12"), (200, 12, "199")]
)
def test_names_have_room(n: int, turned: int, last: str) -> None:
    points = [RunPoint(f"run_{at}", 1.0 + at % 3) for at in range(n)]
    chart = runs_chart("n", "t", points, str)
    assert len(re.findall("rotate", chart.body)) == turned
    assert f">{last}</text>" in chart.body
    small = runs_chart("n", "t", points, str, is_small=True)
    assert "rotate" not in small.body
    assert small.height < chart.height
