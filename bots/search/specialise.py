"""Makes the search of a game: executes the template with the game's kernels, compiles it, and keeps it on disk.

numba keys its cache by file, so the directory carries the hash of the template and of all that the game's kernels are
made of.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numba
import numpy as np

from cornered import engine
from cornered.bots.evaluate import evaluation_module, is_duel, network_of
from cornered.bots.kernels.specialise import specialise_template
from cornered.bots.nnue.features import FeatureSet
from cornered.bots.nnue.inference import forward, preference, update
from cornered.bots.nnue.network import install
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION, TABLE_LAYOUT, WORKSPACE_LAYOUT
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of, kernel

__all__ = [
    "NO_NETWORK",
    "SCRATCH",
    "CompiledSearch",
    "SpecialisedSearch",
    "directory",
    "games",
    "hooks",
    "names_by_number",
    "never",
    "specialise",
    "specialised_search",
    "supports",
]

CompiledSearch: TypeAlias = Callable[[Any, int, int, int, int, Any, Any, Any], int]
"""The compiled template: position, depth, alpha, beta, ply, workspace, table, scratch -> score."""

TEMPLATE: Final = Path(__file__).with_name("template.py")
RULE_KERNELS: Final = ("gen", "advance", "lost")
EVALUATION_KERNELS: Final = ("evaluate", "key", "quiet", "order_score", "candidate_moves", "exact_value")
SCRATCH: Final = np.dtype([("unused", np.int64)])
"""The record of a game whose `exact_value` keeps nothing."""


@kernel
def never(position: Any) -> bool:
    return False


@kernel
def mark_nothing(position: Any, marked: Any) -> None:
    pass


@kernel
def update_nothing(ply: int, mover: int, words: int, network: Any) -> None:
    pass


@kernel
def score_nothing(ply: int, network: Any) -> int:
    return 0


@kernel
def prefer_nothing(ply: int, mover: int, move: int, network: Any) -> int:
    return 0


NETWORK_KERNELS: Final[Mapping[str, Any]] = {"update": update, "forward": forward, "preference": preference}
NO_NETWORK: Final[Mapping[str, Any]] = {
    "WORDS": 0,
    "mark": mark_nothing,
    "update": update_nothing,
    "forward": score_nothing,
    "preference": prefer_nothing,
}
"""What the template needs in the place of a network's kernels."""


def nothing_to_prepare(game: Game, record: Any) -> None:
    """Leave a record as it is."""


def give_network(game: Game, record: Any) -> None:
    """Give a record the network of a board, if there is one and the record has none yet."""
    if record.has_network:
        return
    trained, evaluation = network_of(game), evaluation_module(game.name)
    if trained is not None and evaluation is not None:
        install(trained.network, evaluation.FEATURES.turned(), record)


def supports(game: Game) -> bool:
    """Return whether the search plays `game`: two players, no dice, and a module of evaluation kernels."""
    return is_duel(game) and evaluation_module(game.name) is not None


def games() -> tuple[str, ...]:
    """Return the names of the games that have a search."""
    return tuple(game.name for game in engine.games() if evaluation_module(game.name) is not None)


def hooks(name: str) -> dict[str, Any]:
    """Return the kernels that the template needs, of a game's own modules."""
    rules, evaluation = importlib.import_module(f"cornered.engine.games.{name}"), evaluation_module(name)
    if evaluation is None:
        raise ValueError(f"nothing is known about {name} that a search could use")
    found = {hook: getattr(rules, hook) for hook in RULE_KERNELS} | {
        hook: getattr(evaluation, hook) for hook in EVALUATION_KERNELS
    }
    has_draws = hasattr(rules, "drawn")
    known: FeatureSet | None = getattr(evaluation, "FEATURES", None)
    return {
        **found,
        "HAS_DRAWS": has_draws,
        "drawn": rules.drawn if has_draws else never,
        "HAS_NETWORK": known is not None,
        "HAS_LOUD": hasattr(evaluation, "loud_moves"),
        "loud_moves": getattr(evaluation, "loud_moves", evaluation.candidate_moves),
        **(NO_NETWORK if known is None else {**NETWORK_KERNELS, "mark": known.mark, "WORDS": known.words}),
    }


def directory(name: str) -> Path:
    """Return where the search of a game is kept."""
    templates = "cornered.bots.search.template", "cornered.bots.kernels.specialise", "cornered.bots.nnue.inference"
    return cache_of(
        f"cornered.bots.search.{name}", *templates, f"cornered.engine.games.{name}", f"cornered.bots.evaluate.{name}"
    )


def names_by_number(gen: Callable[[Any, Any], int], state: State) -> dict[int, str]:
    """Return the legal moves of a position in notation, by the numbers that a game's kernel `gen` gives them."""
    buffer = np.zeros(MAX_MOVES_PER_POSITION, np.int64)
    count = gen(state.position, buffer)  # type: ignore[attr-defined]  # every game of ours has one
    return dict(zip(buffer[:count].tolist(), state.moves(), strict=True))


@dataclass(frozen=True, slots=True)
class SpecialisedSearch:
    """The search of one game, its kernels, and the layout of their own record, which is zeroed. `prepare` writes
    the network of a board into it, for searches that use one."""

    search: CompiledSearch
    hooks: Mapping[str, Any]
    scratch: np.dtype[Any]
    prepare: Callable[[Game, Any], None]


@cache
def specialised_search(name: str) -> SpecialisedSearch:
    """Return the search of a game, compiled now or loaded: `warming.warm` does it once for all processes."""
    evaluation = evaluation_module(name)
    layout = getattr(evaluation, "SCRATCH", SCRATCH)
    return specialise(name, hooks(name), engine.load(name).start(), layout, directory(name))


def specialise(
    name: str,
    hooks: Mapping[str, Any],
    sample: State,
    scratch: np.dtype[Any],
    cached_in: Path,
) -> SpecialisedSearch:
    """Return the template's search over `hooks`; `sample` is a state of the game, for the types.

    `name` is unique in this process, and the hash in the name of `cached_in` covers the sources of all `hooks`.
    """
    position: Any = sample.position  # type: ignore[attr-defined]  # every game of ours has one
    records = [numba.from_dtype(layout) for layout in (WORKSPACE_LAYOUT, TABLE_LAYOUT, scratch)]
    typed = numba.typeof(position)  # type: ignore[no-untyped-call]
    search: CompiledSearch = specialise_template(
        TEMPLATE, "search", name, hooks, (typed, *[numba.int64] * 4, *records), cached_in
    )
    prepare = give_network if hooks["HAS_NETWORK"] else nothing_to_prepare
    return SpecialisedSearch(search, hooks, scratch, prepare)
