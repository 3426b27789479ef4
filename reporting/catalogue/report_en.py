"""English texts of the pages of a report: the same keys as in `report_ko`."""

from __future__ import annotations

from collections.abc import Mapping

REPORT_EN: Mapping[str, str] = {}
