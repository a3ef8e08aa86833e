"""Glicko-2 ratings with their deviations, updated by rating periods. Glickman, "Example of the Glicko-2 system" (2022);
the numbers of the steps are those of the paper.

The results are finite for all finite input: an expected score is kept `LEAST_DOUBT` away from 0 and 1, where a game
says nothing, and the volatility is searched for in at most `MAX_STEPS` steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["CENTRE", "POINTS", "START_DEVIATION", "START_VOLATILITY", "grown", "update"]

POINTS: Final = 173.7178
"""Rating points per unit of Glicko-2's internal scale."""
CENTRE: Final = 1500.0
"""The rating of a player of whom nothing is known, with START_DEVIATION and START_VOLATILITY."""
START_DEVIATION: Final = 350.0
START_VOLATILITY: Final = 0.06
TOLERANCE: Final = 1e-6
MAX_STEPS: Final = 200
"""Steps of the search for the volatility. In random tests with extreme input it took at most 47."""
LEAST_DOUBT: Final = 1e-12


def update(
    rating: float,
    deviation: float,
    volatility: float,
    results: Sequence[tuple[float, float, float]],
    tau: float = 0.5,
) -> tuple[float, float, float]:
    """Return rating, deviation and volatility after a rating period. `results` are the period's games: the opponent's
    rating and deviation before the period, and the score 1, 0.5 or 0. `tau` constrains the change of the volatility."""
    mu, phi = (rating - CENTRE) / POINTS, deviation / POINTS
    if not results:
        return rating, grown(deviation, volatility, 1.0), volatility
    # Steps 3 and 4: the estimated variance v, here as its inverse, and the estimated improvement delta.
    told = lead = 0.0
    for opponent, opponents_deviation, score in results:
        g = 1 / math.sqrt(1 + 3 * (opponents_deviation / POINTS / math.pi) ** 2)
        expected = _logistic(g * (mu - (opponent - CENTRE) / POINTS))
        told += g * g * expected * (1 - expected)
        lead += g * (score - expected)
    v = 1 / told
    # Steps 5 to 7.
    volatility = _volatility(phi, volatility, v, v * lead, tau)
    phi = 1 / math.sqrt(1 / (phi * phi + volatility * volatility) + told)
    return CENTRE + POINTS * (mu + phi * phi * lead), POINTS * phi, volatility


def grown(deviation: float, volatility: float, periods: float) -> float:
    """Return the deviation after so many rating periods without a game, which need not be whole ones."""
    return math.hypot(deviation, POINTS * volatility * math.sqrt(periods))


def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)), at least LEAST_DOUBT away from 0 and 1."""
    if x < 0:
        return 1 - _logistic(-x)
    return min(1 / (1 + math.exp(-x)), 1 - LEAST_DOUBT)


def _volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Return the new volatility: step 5, by the Illinois variant of regula falsi."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        total = phi * phi + v + e
        return e * (delta * delta - total) / (2 * total * total) - (x - a) / (tau * tau)

    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        high = a - tau
        while f(high) < 0:
            high -= tau
    return math.exp(_root(f, low, high) / 2)


def _root(f: Callable[[float], float], a: float, b: float) -> float:
    """Return a root between `a` and `b`, to TOLERANCE."""
    at_a, at_b = f(a), f(b)
    for _ in range(MAX_STEPS):
        if abs(b - a) <= TOLERANCE or at_a == at_b:
            break
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = f(c)
        if at_c * at_b <= 0:
            a, at_a = b, at_b
        else:
            at_a /= 2
        b, at_b = c, at_c
    return a
