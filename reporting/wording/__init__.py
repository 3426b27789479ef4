"""Values as people read them, in their language."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.wording.apart import MOST_GROUPED, apart_problem, group_command
    from reporting.wording.display import (
        NONE,
        WORSE_AGAIN,
        clean,
        clean_trace,
        count,
        excerpt,
        excerpt_each,
        money,
        operand,
    )
    from reporting.wording.display import brief_seconds, percent, points, quantity, score, seconds, system_reason
    from reporting.wording.display import verdict_mark
    from reporting.wording.findings import CHECKLIST, MAX_PLACES, brief, brief_of_count, counted, damage_text
    from reporting.wording.findings import describe_finding, hidden_places, numbers_of, place_text, places_in_files
    from reporting.wording.intervals import between, between_signed, few, minus, sample_size, span, sure_percent
    from reporting.wording.intervals import sure_quantity, sure_score, weakest_text
    from reporting.wording.links import Linked, Piece, check_key, filled, items_fragment, items_link, joined, key_of
    from reporting.wording.links import link, pattern_key, pieces_of, query_fragment, query_link, query_links, row_link
    from reporting.wording.links import sort_key, track_key, with_more
    from reporting.wording.names import LABEL_CHARS, NAME_CHARS, ORDER, RUN_ID, MetricFigures, band_texts, category_name
    from reporting.wording.names import (
        class_name,
        count_name,
        diagnosis,
        executed_text,
        is_readable,
        item_metrics,
        known_name,
    )
    from reporting.wording.names import item_points, knows_tracks, measure_title, metric_place, metric_title, pass_limit
    from reporting.wording.names import metric_titles, metric_word, pair_kind, pattern_text, pointed_bands, round_name
    from reporting.wording.names import round_numbers, run_text, set_metrics, shown_names, some_names, status_name
    from reporting.wording.names import status_names, status_whys, titled, track_name, track_names, why_text
    from reporting.wording.names import widest_scale, written_text
    from reporting.wording.problems import code_spans, describe, explain, in_short, in_words, reason_of
    from reporting.wording.run_info import run_changes, run_info_cells, run_info_lines
    from reporting.wording.reviews import Tally, causes_text, comments_text, corrected_texts, given_text, review_text
    from reporting.wording.reviews import of_no_set, tally
    from reporting.wording.slices import slice_keys, slice_text, slice_value
else:
    __getattr__ = door(__name__)
