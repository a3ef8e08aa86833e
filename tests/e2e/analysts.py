"""An analyst in a process of its own, and one that says at once what the tests need."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cornered import engine
from cornered.cli.house_process import ANALYST_KEY
from cornered.clients.sdk import Client, CommandRefused
from cornered.protocol.analysis import Report, ScoredLine
from cornered.protocol.messages import Analyse
from tests.e2e.club import Club, running_club
from tests.e2e.servers import OPERATORS_KEY

__all__ = ["LINES", "STARTING", "Analyst", "Oracle", "running_analyst"]

STARTING = 180_000
"""Milliseconds until an analyst has started, compiled the rules and found a first result."""
STOPPING_S = 60
PROGRAM = """
import asyncio, os, pathlib, sys
from cornered.bots.online.analyst import run_analyst
from cornered.clients.sdk import TokenStore
address, tokens, bot, jobs = sys.argv[1:]
store = TokenStore(pathlib.Path(tokens))
asyncio.run(run_analyst(address, bot=bot, jobs=int(jobs), key=os.environ["CORNERED_ANALYST_KEY"], store=store))
"""


class Analyst:
    """A process that can be killed and restarted."""

    def __init__(self, address: str, tokens: Path, bot: str, jobs: int) -> None:
        server = address.replace("http", "ws", 1)
        self._command = [sys.executable, "-c", PROGRAM, server, str(tokens), bot, str(jobs)]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, env=os.environ | {ANALYST_KEY: OPERATORS_KEY})

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it as an operator does."""
        self.process.terminate()
        try:
            self.process.wait(STOPPING_S)
        finally:
            self.kill()


@contextlib.contextmanager
def running_analyst(address: str, folder: Path, bot: str = "champion", jobs: int = 1) -> Iterator[Analyst]:
    """Run an analyst of the server that keeps its token in `folder`."""
    analyst = Analyst(address, folder / "tokens", bot, jobs)
    try:
        yield analyst
    finally:
        analyst.stop()


LINES: Final = 2
"""Lines of the oracle's answers: from the corner of a board of TrapGrid there are no more moves."""
SCALE: Final = 2.0


class Oracle:
    """An analyst to whom the last legal move is best.

    With it the first player stands at 73% (a score of 2), and after any other at 12% (a score of 4 for the second).
    """

    def __init__(self, club: Club) -> None:
        self._club = club
        self._client = club.enter(Client.connect(club.address, name="oracle", kind="bot", key=OPERATORS_KEY))
        self._good: set[str] = set()

    @classmethod
    @contextlib.contextmanager
    def answering(cls, address: str, *games: str) -> Iterator[Oracle]:
        """Let it answer questions about these games."""
        with running_club(address) as club:
            oracle = cls(club)
            oracle.study(*games)
            with club.doing(oracle._answer()):
                yield oracle

    def study(self, *games: str) -> None:
        """Take questions about these games from now on, and about no others."""
        self._club.do(self._client.jobs.offer(list(games), len(games), "oracle", key=OPERATORS_KEY))

    async def _answer(self) -> None:
        async for job in self._client.jobs:
            assert isinstance(job, Analyse)
            # Who asked may have left.
            with contextlib.suppress(CommandRefused):
                await self._client.jobs.tell(job.job, report=self._report(job), final=True)

    def _report(self, job: Analyse) -> Report:
        state = engine.load(job.game.name, **job.game.options).parse(job.position)
        moves = state.moves()[::-1][:LINES]
        if state.to_move == 0:
            self._good.add(str(state.play(moves[0])))
        score = 2.0 if state.to_move == 0 else -2.0 if job.position in self._good else 4.0
        lines = tuple(ScoredLine(move=move, score=score - rank, pv=(move,)) for rank, move in enumerate(moves))
        return Report(
            score=score,
            proven=None,
            plies=None,
            depth=3,
            deepest=3,
            nodes=100,
            pruned=0,
            efficiency=0.0,
            speed=0.0,
            hits=0,
            seconds=0.0,
            lines=lines,
            scale=SCALE,
        )
