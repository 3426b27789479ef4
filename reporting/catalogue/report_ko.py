"""Korean texts of the pages of a report: what stands in its sections, tables and findings."""

from __future__ import annotations

from collections.abc import Mapping

REPORT_KO: Mapping[str, str] = {}
