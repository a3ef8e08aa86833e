"""The client without screens: what it writes, and what lines make it do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from clients.tui.plain import PlainMatch
from protocol.messages import Said
from protocol.values import Player


class Lines:
    """Lines that a test feeds; closing them is the end of the input."""

    def __init__(self, *lines: str) -> None:
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()
        for line in lines:
            self.queue.put_nowait(line)

    def end(self) -> None:
        self.queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self.queue.get()) is not None:
            yield line


async def until(condition: Callable[[], object]) -> None:
    """Let the other tasks go on until `condition` holds."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    pytest.fail("it never came to that")


async def run(table, *lines: str) -> list[str]:
    """Play `lines` and return everything that was written."""
    written: list[str] = []
    match = PlainMatch(table, written.append)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.tell())
        await match.obey(aiter(Lines(*lines, "quit")))
        telling.cancel()
    return written


async def test_a_match_is_told_with_its_players_its_board_and_the_moves(local_table):
    written = await run(local_table("trapgrid", size=3), "board")
    assert written[0] == "TrapGrid, no clock. A is Ana, B is minimax [bot]. Match m1."
    assert "3  A  .  . \n2  .  .  . \n1  .  .  B \n   a  b  c " in written
    assert "Your turn, you are A. Moves: a2 b3." in written


async def test_nothing_but_plain_characters_is_written(local_table):
    for game in ("trapgrid", "isolation", "bamboo", "quoridor"):
        assert all(line.isascii() for line in await run(local_table(game), "board"))


async def test_a_move_that_comes_early_waits_for_its_turn(local_table):
    table = local_table("trapgrid", size=3)
    lines = Lines("a2\n", "a1\n")
    written: list[str] = []
    match = PlainMatch(table, written.append)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.tell())
        obeying = tasks.create_task(match.obey(aiter(lines)))
        await until(lambda: table.played)
        await until(lambda: any(line.startswith("B, minimax, to move") for line in written))
        for _ in range(50):
            await asyncio.sleep(0)
        assert table.played == [("a2", 0)]
        table.opponent_plays("b1")
        await until(lambda: len(table.played) == 2)
        obeying.cancel()
        telling.cancel()
    assert table.played == [("a2", 0), ("a1", 2)]


async def test_a_refused_line_says_why(local_table):
    table = local_table("trapgrid", size=3)
    table.refuses = "that cell is blocked"
    assert "No: that cell is blocked" in await run(table, "c3")


async def test_words_do_what_they_say(local_table):
    table = local_table("quoridor", has_draws=True)
    await run(table, "draw", "takeback", "claim", "resign", "abort", "rematch", "say good game, all")
    assert table.done == ["offer_draw", "request_takeback", "claim", "resign", "abort", "rematch"]
    assert table.said == ["good game, all"]


@pytest.mark.parametrize(("word", "done"), [("accept", "accept_draw"), ("decline", "decline_draw")])
async def test_an_offer_is_answered(local_table, word, done):
    table = local_table("quoridor", has_draws=True)
    table.match = table.match.model_copy(update={"draw_offer": 1})
    await run(table, word)
    assert table.done == [done]


async def test_answering_when_nothing_is_offered_is_refused(local_table):
    table = local_table("quoridor")
    assert "No: nothing is offered" in await run(table, "accept")
    assert table.done == []


async def test_what_is_not_understood_gets_help(local_table):
    table = local_table("trapgrid")
    assert any(line.startswith("Type a move") for line in await run(table, "hello there"))
    assert table.played == []


async def test_words_of_others_are_told(local_table):
    table = local_table("trapgrid", size=3)
    by = Player(id="p1", name="minimax", kind="bot")
    table.changes.put_nowait(Said(match="m1", room="players", by=by, text="hello", at=0))
    written: list[str] = []
    match = PlainMatch(table, written.append)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.tell())
        await until(lambda: "minimax [bot] says: hello" in written)
        telling.cancel()


async def test_when_the_lines_end_the_match_is_left_at_the_next_own_turn(local_table):
    written: list[str] = []
    match = PlainMatch(local_table("trapgrid", size=3), written.append)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.tell())
        await match.obey(aiter(_ended()))
        telling.cancel()
    assert written[-1] == "There are no more lines to obey: the match goes on without you."


async def test_whoever_watches_hears_the_end(local_table):
    table = local_table("trapgrid", ["a2", "b1", "a1"], seat=None, size=3)
    written: list[str] = []
    match = PlainMatch(table, written.append)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.tell())
        watching = tasks.create_task(match.obey(aiter(_ended())))
        while table.match.over is False:
            await asyncio.sleep(0)
            table.opponent_plays(table.state.moves()[0])
        await watching
        telling.cancel()
    assert written[-1].endswith("won, by the rules of the game.")


def _ended() -> Lines:
    lines = Lines()
    lines.end()
    return lines
