"""Names, grouping, key and plan of a set."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.sets.grouping import NO_PATTERNS, Clash, Grouping, InputSet, Likely, ProfileOf, closest_profile
    from scoring.sets.grouping import group_into_sets, likely_profile, named_set, place_of
    from scoring.sets.names import KNOWN_NAMES, QUESTIONS, RUN_TOML, conflict_original, flat_set_name, fold
    from scoring.sets.names import is_accepted, is_browser_copy, is_ignored, is_question_sheet, is_run_file, is_sheet
    from scoring.sets.names import is_system_folder, names_packed, safe_component, shown
    from scoring.sets.plan import CsvTitles, Plan, PlannedInput, Refusal, ReportBasis, SetId, escape_path, plan_set
    from scoring.sets.plan import refusal_key, refuse_clash, refuse_link, unescape_path
    from scoring.sets.run_info import COLUMN_PREFIX, MOST_RUN_INFO_BYTES, RunInfo, differing, info_of_columns
    from scoring.sets.run_info import read_run_info, run_files
else:
    __getattr__ = door(__name__)
