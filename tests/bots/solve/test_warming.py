"""The kernels that the solvers compile in advance."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots import solve
from cornered.bots.bot import Limit
from cornered.bots.solve import quoridor
from tests.engine.programs import run_python

PROVE = """
import random, sys
from dataclasses import replace
from numba.core.dispatcher import Dispatcher
from cornered import engine
from cornered.bots import solve
from cornered.engine import warming
from cornered.bots.bot import Limit

def signatures():
    kernels = {
        f"{kernel.py_func.__module__}.{kernel.py_func.__name__}": kernel
        for name, module in sorted(sys.modules.items()) if name.startswith("cornered.")
        for kernel in vars(module).values() if isinstance(kernel, Dispatcher)
    }
    return {name: len(kernel.signatures) for name, kernel in kernels.items()}

game, *starts = sys.argv[1:]
warming.warm(game)
cold = signatures()
solve.warm(game)
warm = signatures()
rng, proven = random.Random(3), 0
of_game = solve.solver(game)
for options in starts:
    state = engine.load(game, **eval(options)).start()
    for _ in range(120):
        if state.outcome is not None:
            break
        if of_game.is_within_reach(state):
            for limit in (Limit(nodes=20_000), Limit(nodes=20_000, lines=2), Limit(time=20)):
                proof = solve.prove(state, limit)
                proven += proof is not None and proof.is_whole
            of_game.solve(state, Limit(nodes=50_000))
        state = state.play(rng.choice(state.moves()))
assert proven > 5, proven
late = signatures()
print(sum(warm.values()) - sum(cold.get(name, 0) for name in warm))
# The rules' own kernels are compiled with the game, each for one set of types, and loaded when they are first called.
free = {name: name.startswith("cornered.engine.") for name in late}
print(sorted(name for name in late if late[name] > max(warm.get(name, 0), free[name])))
"""


@pytest.mark.parametrize(
    ("game", "starts"),
    [
        ("bamboo", ["{'radius': 1}", "{'radius': 2}", "{'radius': 3}", "{'radius': 5}"]),
        ("isolation", ["{'width': 3, 'height': 3}", "{'width': 4, 'height': 5}", "{}"]),
        ("quoridor", ["{'size': 3}", "{'size': 5, 'walls': 1}", "{'walls': 0}", "{'size': 9, 'walls': 1}"]),
        ("trapgrid", ["{'size': 3}", "{'size': 5}", "{}"]),
    ],
)
def test_no_proof_compiles_anything_once_its_solver_is_warm(game: str, starts: list[str]) -> None:
    # A fresh process, since a kernel that any other test has called is there already.
    compiled, later = run_python(PROVE, game, *starts).splitlines()
    assert int(compiled) > 0
    assert later == "[]"


def test_every_game_with_a_solver_can_be_warmed_and_no_other_has_anything_to_warm() -> None:
    names = [game.name for game in engine.games()]
    for name in (*names, "no game of ours"):
        solve.warm(name)
    assert [name for name in names if solve.solver(name) is None] == []
    assert solve.solver("no game of ours") is None


def test_warming_keeps_no_tables_and_gives_none_away() -> None:
    quoridor.solve(engine.load("quoridor", size=3, walls=0).start(), Limit())
    kept = [id(layouts) for layouts in quoridor.LAYOUTS]
    quoridor.warm()
    assert [id(layouts) for layouts in quoridor.LAYOUTS] == kept != []
