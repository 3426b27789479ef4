"""Does an answer show what was expected: what items ask of checks."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.checks.addresses import expected_addresses, field_texts, reach
    from scoring.checks.checks import Check, read_check_list, run_checks
    from scoring.checks.comparing import Call, TooManyComparisonsError, find_calls
    from scoring.checks.matching import Match, matcher
    from scoring.checks.written_checks import read_marked_checks, read_prose_checks
else:
    __getattr__ = door(__name__)
