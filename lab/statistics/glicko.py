"""Glicko-2: ratings that know how sure they are, a rating period after the other.

Glickman, "Example of the Glicko-2 system" (2022); the steps' numbers are his.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["update"]

SCALE: Final = 173.7178
"""Points of a rating to one of Glicko-2's own."""
CENTRE: Final = 1500.0
CLOSE: Final = 1e-6


def update(
    rating: float,
    deviation: float,
    volatility: float,
    results: Sequence[tuple[float, float, float]],
    tau: float = 0.5,
) -> tuple[float, float, float]:
    """Return rating, deviation and volatility after a period in which these games were played: each the opponent's
    rating and deviation before the period, and the score 1, 0.5 or 0. `tau` says how much volatility may change."""
    mu, phi = (rating - CENTRE) / SCALE, deviation / SCALE
    if not results:
        return rating, SCALE * math.hypot(phi, volatility), volatility
    # Steps 3 and 4: how much the games tell (the inverse of v), and where they point (delta).
    told = lead = 0.0
    for opponent, opponents_deviation, score in results:
        g = 1 / math.sqrt(1 + 3 * (opponents_deviation / SCALE / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-g * (mu - (opponent - CENTRE) / SCALE)))
        told += g * g * expected * (1 - expected)
        lead += g * (score - expected)
    v = 1 / told
    # Steps 5 to 7.
    volatility = _volatility(phi, volatility, v, v * lead, tau)
    phi = 1 / math.sqrt(1 / (phi * phi + volatility * volatility) + told)
    return CENTRE + SCALE * (mu + phi * phi * lead), SCALE * phi, volatility


def _volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Return the new volatility: step 5, with the Illinois variant of the false position."""
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
    while abs(b - a) > CLOSE:
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = f(c)
        if at_c * at_b <= 0:
            a, at_a = b, at_b
        else:
            at_a /= 2
        b, at_b = c, at_c
    return a
