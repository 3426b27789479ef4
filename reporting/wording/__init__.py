"""Values as people read them, in their language."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.wording.bands import band_texts, pointed_bands
    from reporting.wording.display import NONE, clean, clean_trace, count, excerpt, excerpt_each, operand, percent
    from reporting.wording.display import points, quantity, score, seconds, system_reason
    from reporting.wording.findings import MAX_PLACES, brief, brief_of_count, briefs, counted, describe_finding
    from reporting.wording.findings import hidden_places, place_text, places_in_files
    from reporting.wording.intervals import between, between_signed, few, minus, sample_size, span, sure_percent
    from reporting.wording.intervals import sure_quantity, sure_score, weakest_text
    from reporting.wording.links import Linked, Piece, check_key, filled, items_fragment, items_link, joined, key_of
    from reporting.wording.links import link, pattern_key, pieces_of, query_fragment, query_link, query_links, row_link
    from reporting.wording.links import sort_key, track_key, with_more
    from reporting.wording.names import LABEL_CHARS, NAME_CHARS, ORDER, MetricFigures, category_name, class_name
    from reporting.wording.names import count_name, diagnosis, is_readable, item_metrics, item_points, knows_tracks
    from reporting.wording.names import measure_title, metric_place, metric_title, metric_titles, metric_word, pair_kind
    from reporting.wording.names import pattern_text, round_name, round_numbers, set_metrics, shown_names, some_names
    from reporting.wording.names import status_name, status_names, status_whys, titled, track_name, track_names
    from reporting.wording.names import why_text, widest_scale
    from reporting.wording.problems import code_spans, describe, explain
    from reporting.wording.system import in_words, reason_of
    from reporting.wording.times import RUN_ID, executed_text, run_text, written_text
else:
    __getattr__ = door(__name__)
