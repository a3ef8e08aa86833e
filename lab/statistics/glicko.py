"""Glicko-2 ratings with their deviations, updated by rating periods. Glickman, "Example of the Glicko-2 system" (2022);
the numbers of the steps are those of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["update"]

GLICKO_POINTS: Final = 173.7178
"""Rating points per unit of Glicko-2's internal scale."""
CENTRE: Final = 1500.0
TOLERANCE: Final = 1e-6


def update(
    rating: float,
    deviation: float,
    volatility: float,
    results: Sequence[tuple[float, float, float]],
    tau: float = 0.5,
) -> tuple[float, float, float]:
    """Return rating, deviation and volatility after a rating period. `results` are the period's games: the opponent's
    rating and deviation before the period, and the score 1, 0.5 or 0. `tau` constrains the change of the volatility."""
    mu, phi = (rating - CENTRE) / GLICKO_POINTS, deviation / GLICKO_POINTS
    if not results:
        return rating, GLICKO_POINTS * math.hypot(phi, volatility), volatility
    # Steps 3 and 4: the estimated variance v, here as its inverse, and the estimated improvement delta.
    told = lead = 0.0
    for opponent, opponents_deviation, score in results:
        g = 1 / math.sqrt(1 + 3 * (opponents_deviation / GLICKO_POINTS / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-g * (mu - (opponent - CENTRE) / GLICKO_POINTS)))
        told += g * g * expected * (1 - expected)
        lead += g * (score - expected)
    v = 1 / told
    # Steps 5 to 7.
    volatility = _volatility(phi, volatility, v, v * lead, tau)
    phi = 1 / math.sqrt(1 / (phi * phi + volatility * volatility) + told)
    return CENTRE + GLICKO_POINTS * (mu + phi * phi * lead), GLICKO_POINTS * phi, volatility


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
    at_a, at_b = f(a), f(b)
    while abs(b - a) > TOLERANCE:
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = f(c)
        if at_c * at_b <= 0:
            a, at_a = b, at_b
        else:
            at_a /= 2
        b, at_b = c, at_c
    return a
