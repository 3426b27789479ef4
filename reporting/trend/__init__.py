"""The runs of a profile in the order of their data."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.trend.pages import is_trend, time_text, trend_page, trend_table
    from reporting.trend.profile import Trends
else:
    __getattr__ = door(__name__)
