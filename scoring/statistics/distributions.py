"""Tails and quantiles of the distributions that the methods of docs/statistics.md need.

The incomplete beta function is the continued fraction of M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions"
(1964), 26.5.8, evaluated from front to back; W. J. Lentz, Applied Optics 15 (1976) 668-671.
"""

from functools import lru_cache
from math import erfc, exp, lgamma, log, log1p, pi, sqrt

ALPHA = 0.05  # intervals have a level of 1 - ALPHA, and a test finds something at ALPHA or below
NORMAL = 1.959963984540054  # the normal quantile of 1 - ALPHA / 2

_TINY = 1e-300  # in place of a denominator that is 0
_PRECISION = 1e-15
_MOST_STEPS = 10_000
_DECIMALS = 12  # logarithms differ between machines in their last digit


@lru_cache(maxsize=4_096)
def t_quantile(degrees: int) -> float:
    """The t that a variable of so many degrees of freedom, 1 or more, exceeds in size with a probability of ALPHA."""
    scale = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)
    t, step = NORMAL, 1.0
    while step > _PRECISION * t:  # by Newton's method, which nears a root of a convex function from one side
        density = scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
        step = (t_below(-t, degrees) - ALPHA / 2) / density
        t += step
    return round(t, _DECIMALS)


def t_below(t: float, degrees: float) -> float:
    """Probability that a variable with Student's distribution is at most t. degrees: above 0, need not be whole."""
    tail = _beta_below(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


def f_above(f: float, above: int, below: int) -> float:
    """Probability that a variable with the F distribution is at least f. above, below: its degrees of freedom."""
    return _beta_below(below / (below + above * f), below / 2, above / 2)


def chi_square_above(x: float, degrees: int) -> float:
    """Probability that a chi-square variable of so many degrees of freedom, 1 or more, is at least x."""
    if x <= 0:
        return 1.0
    # The probability of k + 2 degrees is that of k and one term more.
    k = degrees % 2 or 2
    found = erfc(sqrt(x / 2)) if k == 1 else exp(-x / 2)
    while k < degrees:
        found += exp(k / 2 * log(x / 2) - x / 2 - lgamma(k / 2 + 1))
        k += 2
    return found


def _beta_below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function of x in [0, 1]."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_below(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value = numerator = 1.0
    denominator = 0.0
    for step in range(_MOST_STEPS):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        denominator = 1 / (1 + term * denominator or _TINY)
        numerator = 1 + term / numerator or _TINY
        value *= numerator * denominator
        if step and abs(1 - numerator * denominator) < _PRECISION:
            break
    return front * (value - 1)
