"""Values as people read them, in their language."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.wording.display import NONE, WORSE_AGAIN, brief_seconds, clean, clean_trace, count, excerpt
    from reporting.wording.display import (
        excerpt_each,
        excerpt_words,
        money,
        operand,
        percent,
        points,
        quantity,
        score,
        seconds,
    )
    from reporting.wording.display import system_reason, verdict_mark
    from reporting.wording.findings import CHECKLIST, MAX_PLACES, brief, brief_of_count, counted, damage_text
    from reporting.wording.findings import describe_finding, hidden_places, numbers_of, place_text, places_in_files
    from reporting.wording.intervals import between, between_signed, few, minus, sample_size, span, sure_percent
    from reporting.wording.intervals import sure_quantity, sure_score, weakest_text
    from reporting.wording.links import Linked, Piece, check_key, filled, items_fragment, items_link, joined, key_of
    from reporting.wording.links import link, pattern_key, pieces_of, query_fragment, query_link, query_links, row_link
    from reporting.wording.links import sort_key, track_key, with_more
    from reporting.wording.names import LABEL_CHARS, NAME_CHARS, ORDER, RUN_ID, MetricFigures, band_texts
    from reporting.wording.names import category_name, class_name, count_name, diagnosis, executed_text, is_readable
    from reporting.wording.names import item_metrics, item_points, known_name, knows_tracks, measure_title
    from reporting.wording.names import metric_place, metric_title, metric_titles, metric_word, pair_kind, pass_limit
    from reporting.wording.names import pattern_text, pointed_bands, round_name, round_numbers, run_text, set_metrics
    from reporting.wording.names import slow_limits
    from reporting.wording.names import shown_names, some_names, status_name, status_names, status_whys, titled
    from reporting.wording.names import track_name, track_names, why_text, widest_scale, written_text
    from reporting.wording.problems import MOST_GROUPED, apart_problem, code_spans, describe, explain, group_command
    from reporting.wording.problems import in_short, in_words, reason_of, row_text
    from reporting.wording.reviews import Tally, causes_text, comments_text, corrected_texts, given_text, of_no_set
    from reporting.wording.reviews import review_text, tally
    from reporting.wording.run_info import run_changes, run_info_cells, run_info_lines
    from reporting.wording.slices import slice_keys, slice_text, slice_value
else:
    __getattr__ = door(__name__)
