"""Rows become items, a file becomes a part."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.items.file_scorer import FileScorer, exact_count, score_file
    from scoring.items.keys_of_maps import SAMPLED_KEYS, score_keys
    from scoring.items.labels_and_signatures import Agreement, agreement
    from scoring.items.part import ENGINE_VERSION, GAVE_UP, NO_DETAILS, SOURCE_NONE, UNANSWERED, WHY_LEVEL_UNKNOWN
    from scoring.items.part import WHY_NO_ANSWER, WHY_NO_JUDGE, WHY_PENDING, Detailed, FailedCheck, Graded, Item
    from scoring.items.part import ItemDetails, Opinion, Review, Turn, details_of, graded_of, is_cut, latency_class_of
    from scoring.items.part import turn_of, unjudged_why
    from scoring.items.payload import Opened, open_payload
    from scoring.items.quantities import MILLISECONDS, RecordedScores, elapsed_of, find_other_units
    from scoring.items.quantities import read_amount, read_number, read_seconds
    from scoring.items.rounds_and_tracks import read_track, round_sort_key
    from scoring.items.rows_read import RowsRead
    from scoring.items.status import WHY_PAYLOAD_PREFIX, WHY_WORD_PREFIX, NoError, folded, is_no_answer
else:
    __getattr__ = door(__name__)
