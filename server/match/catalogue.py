"""What this server plays: the engine's games as forms show them, and a client's choice of one settled."""

from __future__ import annotations

from functools import cache

from cornered import engine
from cornered.engine.game import Game
from cornered.protocol.suggestion import did_you_mean
from cornered.protocol.values import GameSpec, OfferedGame, OfferedOption
from cornered.server.refusal import Refusal

__all__ = ["load", "offered", "settle"]


def load(spec: GameSpec) -> Game:
    """Return the game of a spec that names its options rightly. Raises Refusal."""
    kinds = {kind.name: kind for kind in engine.games()}
    kind = kinds.get(spec.name)
    if kind is None:
        hint = did_you_mean(spec.name, kinds)
        raise Refusal("unknown_game", f"there is no game {spec.name!r}; there are {', '.join(kinds)}{hint}")
    known = [option.name for option in kind.OPTIONS]
    for name in spec.options:
        if name not in known:
            text = f"{spec.name} has no option {name!r}; its options are {', '.join(known)}{did_you_mean(name, known)}"
            raise Refusal("bad_options", text)
    try:
        return kind(**spec.options)
    except ValueError as error:
        raise Refusal("bad_options", str(error)) from None


def settle(spec: GameSpec) -> tuple[Game, GameSpec]:
    """Return the game that a client asks for and its spec with every option filled in. Raises Refusal.

    Options that the client leaves out take the game's suggestions for people, such as rules for draws.
    """
    game = load(spec)
    missing = {name: value for name, value in game.suggestions(game.options).items() if name not in spec.options}
    if missing:
        game = load(GameSpec(name=spec.name, options={**spec.options, **missing}))
    return game, GameSpec(name=game.name, options=dict(game.options))


@cache
def offered() -> tuple[OfferedGame, ...]:
    """Return every game with its options, for `games`."""
    return tuple(_offer(kind()) for kind in engine.games())


def _offer(game: Game) -> OfferedGame:
    return OfferedGame(
        name=game.name,
        title=game.title,
        summary=game.summary,
        options=tuple(
            OfferedOption(
                name=option.name,
                title=option.title,
                kind=option.kind,
                choices=option.choices,
                default=option.default,
                optional=option.optional,
            )
            for option in game.OPTIONS
        ),
        start=str(game.start()),
        has_draws=game.has_draws,
    )
