"""What others may use of `reporting.document.charts`."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.document.charts.forest import Dot, bar, forest_chart
    from reporting.document.charts.runs import Limit, RunPoint, runs_chart, trend_chart
    from reporting.document.charts.scores import draw_charts
    from reporting.document.charts.svg import CHART_CSS, DARK, FONT, LIGHT, Chart
else:
    __getattr__ = door(__name__)
