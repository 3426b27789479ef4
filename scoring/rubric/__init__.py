"""What a rubric document says, as values."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.rubric.check_grammar import NOT, SIGNS, WORDS, head_between, nearest_among, nearest_operator
    from scoring.rubric.check_grammar import operator_of, with_operators_first, written_check
    from scoring.rubric.fields import ALL, DETAIL_FIELDS, FIELDS, UNASSIGNED, Better, MatchRule, Measure, ScoreRule
    from scoring.rubric.fields import Spelling, Track, TrackId, TrackPlace, group_key, is_measure, is_number, is_score
    from scoring.rubric.fields import key_of_measure, meanings, measure_named, normalise_header, place_of, track_of
    from scoring.rubric.model import CONSISTENCY, EXCEPT, LATENCY_PREFIX, METRICS, MOST_SLICES, ONE_A_FILE, RUBRICS
    from scoring.rubric.model import TOTAL, Column, DateOrder, JoinRule, LatencyClass, Question, RecordRule, Rubric
    from scoring.rubric.model import NoneOf, RuleLine, Where, decode_rubric, encode_rubric, translation_of
    from scoring.rubric.patterns import (
        PATTERN_STEPS,
        compiled_pattern,
        end_of_group,
        is_found,
        is_pattern,
        program_size,
    )
    from scoring.rubric.points import SHARE, USUAL_SCALE, Bands, Scale, Status
    from scoring.rubric.rules import ON_CALLS, PAYLOAD_KEYS, REASON_NO_CHECKS, REASON_REVIEWED, REASON_STATUS
    from scoring.rubric.rules import WITHOUT_VALUE, AddressRule, AgreementRule, CallRule, CheckRule, ClassRule
    from scoring.rubric.rules import LabelRule, LabelWords, Level, Operator, PassRule, PayloadRule, SessionPass
    from scoring.rubric.rules import SignatureRule, Source, TextPattern, VerdictRule, paths_of
    from scoring.rubric.score_maps import SCORE_OF_ANY_KEY, at_key, has_word, is_lower_better, is_map_path, is_reserved
    from scoring.rubric.score_maps import keys_in, keys_of, map_of, maps_of, own_paths, with_keys, words_of
    from scoring.rubric.scores import is_by_scores, limit_of, passing_by_scores
    from scoring.rubric.written import HOLDER, WHOLE_RECORD, Paths
else:
    __getattr__ = door(__name__)
