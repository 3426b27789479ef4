"""Names, grouping, key and plan of a set."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.sets.grouping import NO_PATTERNS, Clash, Grouping, InputSet, ProfileOf, group_into_sets, named_set
    from scoring.sets.grouping import place_of
    from scoring.sets.names import (
        KNOWN_NAMES,
        QUESTIONS,
        conflict_original,
        flat_set_name,
        safe_component,
        fold,
        is_accepted,
        is_browser_copy,
        is_ignored,
        is_question_sheet,
        is_run_file,
        is_sheet,
        names_packed,
    )
    from scoring.sets.names import RUN_TOML, is_system_folder, shown
    from scoring.sets.nearest_profile import Likely, closest_profile, likely_profile
    from scoring.sets.plan import CsvTitles, Plan, PlannedInput, Refusal, ReportBasis, SetId, escape_path, plan_set
    from scoring.sets.plan import refusal_key, refuse_clash, refuse_link, unescape_path
    from scoring.sets.run_info import COLUMN_PREFIX, MOST_RUN_INFO_BYTES, RunInfo, differing, info_of_columns
    from scoring.sets.run_info import read_run_info, run_files
else:
    __getattr__ = door(__name__)
