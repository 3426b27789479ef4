"""The runs of a profile in the order of their data."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.trend.chart import figure_chart, since_text
    from reporting.trend.pages import figure_text, has_trend, is_trend, metric_title, time_text, trend_page, trend_table
    from reporting.trend.profile import Trends, latest_runs
    from reporting.trend.runs import figures_of
else:
    __getattr__ = door(__name__)
