"""The rules of a gate, and whether a set keeps them."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.gate.baseline import Compared, Uncompared, limit_of
    from scoring.gate.evaluation import NOT_COMPARED, Figure, Figures, chance_to_fail, evaluate, fits_every_query
    from scoring.gate.evaluation import in_scope, margin_outlook
    from scoring.gate.grammar import RuleError, parse_rule
    from scoring.gate.rules import ANSWERED_RATE, CORRECTED, EVERYTHING, ITEMS, JUDGED, KAPPA, LATENCY
    from scoring.gate.rules import MEASURE_STATISTICS, PASS_RATE, QUERIES, REVIEWED, ROUNDS, STATISTICS, UNREADABLE
    from scoring.gate.rules import EveryQuery, GateResult, GateRules, GateState, NotWorse, Rule, RuleResult, RuleSet
    from scoring.gate.rules import Scope, Unit, metric_scales, worst_state
else:
    __getattr__ = door(__name__)
