"""Charts: numbers stand in them as text, colours only as classes, and nothing that a file says can break them."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from config import profile_named, shipped_rubrics
from reporting.document.charts.runs import trend_chart
from reporting.document.charts.scores import draw_charts
from reporting.document.charts.svg import CHART_CSS, SERIES, Chart, file_stem, text_width
from reporting.store import Headline
from scoring.results import SetResult
from scoring.rubric import LatencyClass, Scale, Status
from tests.reporting.document.reports import scored
from tests.reporting.results import make_item, make_result, make_rubric
from texts import texts

SVG = "{http://www.w3.org/2000/svg}"
CASES = ("published_table", "hostile_text", "ten_rounds", "one_round", "raw_json_faults", "track_spellings")


def charts(result: SetResult, language: str = "ko") -> dict[str, Chart]:
    return {chart.name: chart for chart in draw_charts(result, texts(language))}


def shown(chart: Chart) -> list[str]:
    return [element.text or "" for element in ET.fromstring(chart.file()).iter(f"{SVG}text")]  # noqa: S314


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("case", CASES)
def test_every_chart_is_a_drawing_by_itself(case: str, language: str) -> None:
    for name, chart in charts(scored(case), language).items():
        root = ET.fromstring(chart.file())  # noqa: S314 -- our own output
        assert re.fullmatch(r"[\w-]+", name)
        labels = (root.get("aria-labelledby") or "").split()
        named = {element.get("id"): element.text for element in root if element.get("id")}
        assert [named[label] for label in labels] == [chart.title, chart.description]
        for element in root.iter():
            assert not {"style", "href", "src"} & set(element.keys())
            assert element.tag.removeprefix(SVG) in {"svg", "title", "desc", "style", "text", "rect", "path"}
            for key in ("x", "width"):
                assert -1 <= float(element.get(key, "0")) <= 401
            assert set((element.get("class") or "").split()) <= _classes() | {"chart"}
        assert "http" not in chart.file().replace('xmlns="http://www.w3.org/2000/svg"', "")


def _classes() -> set[str]:
    return set(re.findall(r"\.([a-z]\d?)\{", CHART_CSS)) | {
        "g",
        "d",
        "m",
        "e",
        "h",
        "b",
        "s",
        "w",
        "p",
        "k",
        "o",
        "i",
        "j",
    }


def test_numbers_are_readable_without_colour() -> None:
    drawn = charts(scored("published_table"))
    assert {"세트 4.50 (4.10–4.73)", "4.44", "4.56"} <= set(shown(drawn["metrics"]))
    assert {"둘 다 응답 성공 13", "둘 다 응답 실패 3", "차이 7", "Track 3 3.48"} <= {
        re.sub(r"\s+", " ", text) for text in shown(drawn["consistency"])
    }
    assert {"정상 68", "보완 요청 6", "오류 8", "빈 응답 0"} <= set(shown(drawn["statuses"]))
    assert "70 (59.3%)" in shown(drawn["scores-single"])


def test_intervals_are_whiskers_that_need_no_colour() -> None:
    chart = charts(scored("published_table"))["metrics"]
    assert "의도 충족: 1회차 4.44 (4.01–4.70), 2회차 4.56 (4.16–4.78), 세트 4.50 (4.10–4.73)" in chart.description
    # 2 distinct metrics in 2 rounds, and consistency
    # 62 to 346 is 0 to 5 points: 4.44 (4.01–4.70) begins at 62 + 56.8 x 4.0
    assert chart.body.count('class="i"') == chart.body.count('class="j"') == 5
    assert re.search(r'd="M(?:289|290)\.\d \S+H(?:328|329)\.\d\S+ \S+ \S+" class="i"', chart.body)


def test_many_rounds_have_upright_whiskers() -> None:
    chart = charts(scored("ten_rounds"))["metrics"]
    rounds = re.findall(r'd="M\S+ \S+V\S+ \S+h6M\S+ \S+h6" class="i"', chart.body)
    assert len(rounds) > 2 * 9


@pytest.mark.parametrize(("tracks", "title"), [((1, 2), "Track별 일관성"), ((None, None), "일관성")])
def test_consistency_is_by_track_where_there_are_tracks(tracks: tuple[int | None, ...], title: str) -> None:
    items = [
        make_item(row, query_id=f"Q{track}", round=label, track=track)
        for row, (track, label) in enumerate([(track, label) for track in tracks for label in ("1/1", "2/1")], start=2)
    ]
    result = make_result(*items, rubric=profile_named("plan-agent", shipped_rubrics()))
    assert charts(result)["consistency"].title == title


def test_times_stand_against_the_edges_of_their_bands() -> None:
    drawn = charts(scored("published_table"))
    single, multi = shown(drawn["latency-single"]), shown(drawn["latency-multi"])
    assert [text for text in single if re.fullmatch(r"\d+초", text)] == ["5초", "8초", "10초", "15초", "20초"]
    assert [text for text in multi if re.fullmatch(r"\d+초", text)] == ["20초", "30초", "40초", "50초", "60초"]
    assert "Track 1: 110문항" in single
    assert any(text.startswith("평균 13.124초, p50 12.400초") for text in single)
    assert any(text.startswith("Track 3: 46문항") for text in multi)
    assert "Track 3" not in " ".join(single)


@pytest.mark.parametrize(
    ("seconds", "column"),
    [
        pytest.param(0.0, 0, id="none-at-all"),
        pytest.param(5.0, 11, id="on-an-edge-left-of-it"),  # 60 columns to 25 s: 12 a 5 s
        pytest.param(5.01, 12, id="above-an-edge"),
        pytest.param(25.0, 59, id="at-the-end"),
        pytest.param(9e9, 59, id="far-beyond"),
    ],
)
def test_a_time_stands_on_the_side_where_its_points_are(seconds: float, column: int) -> None:
    drawn = charts(make_result(make_item(seconds=seconds)))["latency-single"]
    (path,) = re.findall(r'd="M([\d.]+) [\d.]+v-32h', drawn.body)
    assert float(path) == pytest.approx(column * 400 / 60, abs=0.06)


def test_sets_without_times_or_pairs_have_no_such_chart() -> None:
    drawn = charts(make_result(make_item(seconds=None)))
    assert set(drawn) == {"metrics", "statuses", "scores-single"}


def test_many_rounds_become_lines_and_thin_bars() -> None:
    result = scored("ten_rounds")
    drawn = charts(result)
    assert "정상 / 보완 요청 / 오류 / 빈 응답" in shown(drawn["statuses"])
    assert "0 / 0 / 5 / 0" in shown(drawn["statuses"])
    assert 'class="o l1"' in drawn["metrics"].body
    assert "7회차 0.00" in drawn["metrics"].description


def test_hostile_names_stay_text() -> None:
    name = "</svg><script>\uffff\x01\u202e"
    bands = make_rubric().latency_classes[0].bands
    classes = (LatencyClass(name=name, title=name, tracks=(1,), bands=bands),)
    rubric = make_rubric(latency_classes=classes, default_class=name)
    drawn = charts(make_result(make_item(round=name), make_item(3, round="2"), rubric=rubric))
    for chart in drawn.values():
        ET.fromstring(chart.file())  # noqa: S314
        assert "<script" not in chart.file()
    assert "scores-svg-script" in drawn
    assert file_stem("") == "-"


def test_trend_has_every_value_in_words() -> None:
    rates = [
        Headline(
            n=2,
            answered=1,
            answered_rate=0.5,
            metrics={"intent": value, "total": None},
            queries=1,
            intervals={"intent": None, "total": None},
            answered_interval=None,
            pass_interval=None,
        )
        for value in (1.0, None, 4.5)
    ]
    chart = trend_chart(rates, Scale(0.0, 5.0), str.upper, texts())
    assert chart.description == "INTENT: 1.00, —, 4.50"
    assert shown(chart) == ["INTENT", "1.00", "4.50"]


def test_statuses_have_colours_of_their_own() -> None:
    from reporting.document.charts.scores import STATUS_KINDS

    assert set(STATUS_KINDS) == set(Status)
    assert len(set(STATUS_KINDS.values())) == len(Status)
    assert all(f".chart .c{number}" in CHART_CSS for number in range(1, SERIES + 1))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_text_of_a_legend_reaches_the_next_one(language: str) -> None:
    """With numbers of four digits, as thousands of items have them."""
    root = ET.fromstring(charts(many_pairs(), language)["consistency"].file())  # noqa: S314 -- our own output
    squares = [element for element in root.iter(f"{SVG}rect") if element.get("height") == "8"]
    texts_of = {element.get("x"): element for element in root.iter(f"{SVG}text")}
    for one, following in pairwise(squares[:3]):
        left = float(one.get("x", "")) + 12
        text = texts_of[f"{left:g}"]
        width = float(text.get("textLength") or text_width(text.text or ""))
        assert left + width <= float(following.get("x", ""))


def many_pairs() -> SetResult:
    """Two rounds of 1,500 queries, of which 200 pass once and 150 never."""
    error = {"status": Status.ERROR, "intent": 0.0}
    return make_result(
        *[
            make_item(
                2 + 2 * query + at,
                query_id=f"Q{query}",
                round=f"{at + 1}/1",
                **(error if query < 150 or (query < 350 and at) else {}),
            )
            for query in range(1500)
            for at in (0, 1)
        ]
    )
