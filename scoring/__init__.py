"""What reporting, workers and commands use of scoring beside its packages: texts, problems, findings, pieces."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.findings import Finding, group_problems
    from scoring.pieces import LEAST_BYTES, PIECE_BYTES, Piece, PiecePlan, SpanHashes, hash_spans, join_pieces
    from scoring.pieces import open_piece, plan_pieces, score_piece
    from scoring.problems import MAX_LISTED_PROBLEMS, InputError, NearRow, Problem, RubricError, ScorewatchError
    from scoring.problems import Severity, TransientError, internal_error, refused, system_error
    from scoring.text import BLANK_WORDS, FORMULA, Memo, escaped, is_blank, known_text, normalise, number, uncovered
else:
    __getattr__ = door(__name__)
