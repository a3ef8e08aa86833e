"""Rating pools: a game, its options and the speed of a clock, as one stable key. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, assert_never

from cornered import engine
from cornered.protocol.ratings import Speed
from cornered.protocol.values import (
    Clock,
    Correspondence,
    Delay,
    Fischer,
    GameSpec,
    NoClock,
    OptionValue,
    PerMove,
)
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal

__all__ = ["MOVES_ESTIMATED", "pool_of", "spec_of", "speed_of"]

MOVES_ESTIMATED: Final = 40
"""Moves of one player by which a clock's speed is estimated, as is usual in chess."""
_BELOW_S: Final[tuple[tuple[int, Speed], ...]] = ((180, "bullet"), (480, "blitz"), (1_500, "rapid"))
"""Seconds for MOVES_ESTIMATED moves below which a clock has a speed; `classical` from there on."""
_WORDS: Final[dict[str, OptionValue]] = {"none": None, "true": True, "false": False}


def speed_of(clock: Clock) -> Speed:
    """Return the speed of a clock."""
    match clock:
        case Fischer():
            return _speed(clock.initial + MOVES_ESTIMATED * clock.increment)
        case Delay():
            return _speed(clock.initial + MOVES_ESTIMATED * clock.delay)
        case PerMove():
            return _speed(MOVES_ESTIMATED * clock.seconds)
        case Correspondence():
            return "correspondence"
        case NoClock():
            return "untimed"
        case _:
            assert_never(clock)


def _speed(seconds: float) -> Speed:
    return next((speed for most, speed in _BELOW_S if seconds < most), "classical")


def pool_of(spec: GameSpec, clock: Clock) -> str:
    """Return the key of the pool of a match with a settled `spec`. Raises Refusal for a game that is not there.

    It names the options that cannot be left out: in the order of the game's options each whose value is not the one
    that a table gets for the options named before it.
    """
    named = _named(spec.name, tuple(sorted(spec.options.items())))
    options = (f"{name}={_word(value)}" for name, value in sorted(named))
    return ":".join(part for part in (spec.name, ",".join(options), speed_of(clock)) if part)


@lru_cache(maxsize=1_024)
def _named(name: str, options: tuple[tuple[str, OptionValue], ...]) -> tuple[tuple[str, OptionValue], ...]:
    wanted, named = dict(options), dict[str, OptionValue]()
    kind = next((kind for kind in engine.games() if kind.name == name), None)
    if kind is None:
        raise Refusal("unknown_game", f"there is no game {name!r}")
    for option in kind.OPTIONS:
        if option.name in wanted and _settled(name, named).get(option.name) != wanted[option.name]:
            named[option.name] = wanted[option.name]
    return tuple(named.items())


def _settled(name: str, options: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Return all options of a game; none where those that are given do not go together without further ones."""
    try:
        return catalogue.settle(GameSpec(name=name, options=options))[1].options
    except Refusal:
        return {}


def spec_of(pool: str) -> tuple[GameSpec, Speed]:
    """Return the game of a pool, with the options that its key names, and its speed. Raises Refusal."""
    name, *middle = pool.split(":")
    last = middle.pop() if middle else ""
    speeds: dict[str, Speed] = {speed: speed for _, speed in _BELOW_S}
    speeds |= {"classical": "classical", "correspondence": "correspondence", "untimed": "untimed"}
    speed = speeds.get(last)
    options = [option.partition("=") for part in middle for option in part.split(",")]
    if speed is None or len(middle) > 1 or any(not is_named or not value for _, is_named, value in options):
        raise Refusal("unknown_pool", f"{pool!r} is no rating pool; one is written as trapgrid:size=5:blitz")
    try:
        spec = GameSpec(name=name, options={option: _value(word) for option, _, word in options})
    except ValueError:
        raise Refusal("unknown_pool", f"the options of {pool!r} cannot be read") from None
    catalogue.load(spec)
    return spec, speed


def _word(value: OptionValue) -> str:
    return next((word for word, meant in _WORDS.items() if meant is value), str(value))


def _value(word: str) -> OptionValue:
    return _WORDS[word] if word in _WORDS else int(word)
