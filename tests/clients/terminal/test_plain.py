"""The line-based client: its output, and the commands in its input."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import pytest

from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.plain import PlainMatch, play_plainly, write_line
from cornered.protocol.commands import Join, WatchLobby
from cornered.protocol.messages import ChallengeClosed, Challenged, LobbyState, Paired, Said
from cornered.protocol.values import NO_CLOCK, GameSpec, Player, Seek, SeekSettings
from tests.clients.sdk.scripted import ANN, BOB, Script, Wire, client_of
from tests.clients.terminal.tables import LocalMatch
from tests.waiting import until


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


@asynccontextmanager
async def reported(table: LocalMatch) -> AsyncIterator[tuple[PlainMatch, list[str]]]:
    """Report a match; yield it and what is written."""
    written: list[str] = []
    match = PlainMatch(table, written.append)
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(match.report())
        yield match, written
        telling.cancel()


async def run(table: LocalMatch, *lines: str) -> list[str]:
    """Play `lines` and return all output."""
    async with reported(table) as (match, written):
        await match.execute(aiter(Lines(*lines, "quit")))
    return written


async def test_a_match_is_told_in_plain_characters_with_its_players_its_board_the_moves_and_the_rules() -> None:
    written = await run(LocalMatch("trapgrid", size=3), "board")
    assert written[0] == "TrapGrid, no clock. A is Ana, B is minimax [bot]. Match m1."
    assert "3  A  .  . \n2  .  .  . \n1  .  .  B \n   a  b  c " in "\n".join(written)
    assert "Your turn, you are A. Moves: a2 b3." in written
    for game in ("trapgrid", "isolation", "bamboo", "quoridor"):
        assert all(line.isascii() for line in await run(LocalMatch(game), "board"))
    told = await run(LocalMatch("quoridor", has_draws=True), "rules")
    assert any(line.startswith("Walk your pawn across the board") for line in told)


async def test_every_write_is_one_line_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    table = LocalMatch("trapgrid", size=3, names=("An\x1b[31ma\u202e\nmatch over", "minimax"))
    for line in await run(table, "board", "clocks"):
        write_line(line)
    written = capsys.readouterr().out
    assert "A is An\\x1b[31ma\\u202e\\x0amatch over" in written
    assert all(line.isprintable() for line in written.split("\n"))
    assert "match over" not in [line.strip() for line in written.split("\n")]


async def test_a_move_that_comes_early_waits_for_its_turn() -> None:
    table = LocalMatch("trapgrid", size=3)
    async with reported(table) as (match, written):
        obeying = asyncio.ensure_future(match.execute(aiter(Lines("a2\n", "a1\n"))))
        await until(lambda: table.played)
        await until(lambda: any(line.startswith("B, minimax, to move") for line in written))
        for _ in range(50):
            await asyncio.sleep(0)
        assert table.played == [("a2", 0)]
        table.opponent_plays("b1")
        await until(lambda: len(table.played) == 2)
        obeying.cancel()
    assert table.played == [("a2", 0), ("a1", 2)]


async def test_a_refused_line_says_why_and_what_is_not_understood_gets_help() -> None:
    table = LocalMatch("trapgrid", size=3)
    table.refuses = "that cell is blocked"
    assert "No: that cell is blocked" in await run(table, "c3")
    table = LocalMatch("trapgrid")
    assert any(line.startswith("Type a move") for line in await run(table, "hello there"))
    assert table.played == []


async def test_words_do_what_they_say() -> None:
    table = LocalMatch("quoridor", has_draws=True)
    await run(table, "draw", "takeback", "claim", "resign", "abort", "rematch", "say good game, all")
    assert table.done == ["offer_draw", "request_takeback", "claim", "resign", "abort", "rematch"]
    assert table.said == ["good game, all"]


async def test_an_offer_is_answered(subtests: pytest.Subtests) -> None:
    for word, done in (("accept", "accept_draw"), ("decline", "decline_draw")):
        with subtests.test(word=word, done=done):
            table = LocalMatch("quoridor", has_draws=True)
            table.match = table.match.model_copy(update={"draw_offer": 1})
            await run(table, word)
            assert table.done == [done]


async def test_answering_when_nothing_is_offered_is_refused() -> None:
    table = LocalMatch("quoridor")
    assert "No: nothing is offered" in await run(table, "accept")
    assert table.done == []


async def test_an_offer_of_a_rematch_is_accepted_and_declined() -> None:
    table = LocalMatch("trapgrid")
    table.match = table.match.model_copy(update={"over": True, "winner": 1, "rematch": (1,)})
    await run(table, "accept", "decline")
    assert table.done == ["rematch", "decline_rematch"]


async def test_words_of_others_are_told() -> None:
    table = LocalMatch("trapgrid", size=3)
    by = Player(id="p1", name="minimax", kind="bot")
    table.changes.put_nowait(Said(match="m1", room="players", by=by, text="hello", at=0))
    async with reported(table) as (_, written):
        await until(lambda: "minimax [bot] says: hello" in written)


async def test_when_the_lines_end_the_match_is_left_at_the_next_own_turn() -> None:
    async with reported(LocalMatch("trapgrid", size=3)) as (match, written):
        await match.execute(aiter(_ended()))
    assert written[-1] == "There are no more lines to obey: the match goes on without you."


async def test_a_spectator_gets_the_end() -> None:
    table = LocalMatch("trapgrid", ["a2", "b1", "a1"], seat=None, size=3)
    async with reported(table) as (match, written):
        watching = asyncio.ensure_future(match.execute(aiter(_ended())))
        while table.match.over is False:
            await asyncio.sleep(0)
            table.opponent_plays(table.state.moves()[0])
        await watching
    assert written[-1].endswith("won, by the rules of the game.")


def asked(challenge: str, by: Player, to: Player) -> Challenged:
    spec = GameSpec(name="trapgrid")
    return Challenged(challenge=challenge, by=by, to=to, game=spec, clock=NO_CLOCK, seat=None, expires=1)


async def waiting(*scripts: Script) -> str:
    """Wait for a match on a scripted server, and return the reason why none begins."""
    async with client_of(*scripts) as client:
        with pytest.raises(CannotStart) as raised:
            await play_plainly(client, "Asking Bob for trapgrid.", write=lambda line: None)
    return str(raised.value)


async def test_a_refused_challenge_ends_the_wait(subtests: pytest.Subtests) -> None:
    closed: tuple[tuple[Literal["declined", "expired", "cancelled"], str, str], ...] = (
        ("declined", "no thanks", "the challenge was declined: no thanks"),
        ("declined", "", "the challenge was declined"),
        ("expired", "", "the challenge has expired"),
        ("cancelled", "", "the challenge was cancelled"),
    )
    for how, reason, told in closed:
        news = asked("c1", ANN, BOB), ChallengeClosed(challenge="c1", how=how, reason=reason)

        async def script(wire: Wire, news: tuple[Challenged, ChallengeClosed] = news) -> None:
            await wire.welcome()
            await wire.say(*news)

        with subtests.test(how=how, reason=reason):
            assert await waiting(script) == told


async def test_the_challenges_of_others_do_not_end_the_wait() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(asked("c2", BOB, ANN), ChallengeClosed(challenge="c2", how="cancelled"))
        await wire.say(asked("c1", ANN, BOB), ChallengeClosed(challenge="c1", how="accepted", match="m"))
        await wire.say(Paired(match="m", seat=0))
        await no_match(wire)

    assert await waiting(script) == "there is no such match"


def table_of(host: Player) -> Seek:
    settings = SeekSettings(game=GameSpec(name="trapgrid"))
    return Seek(id="s", by=host, settings=settings, joined=(host,), seats=2, since=0)


async def lobby_with(wire: Wire, *tables: Seek) -> None:
    watch = await wire.hear(WatchLobby)
    await wire.say(LobbyState(id=watch.id, seeks=tables, matches=(), players=()))


async def cut_short(wire: Wire) -> None:
    await wire.welcome()
    wire.cut()


async def test_a_table_or_challenge_that_a_restart_closed_ends_the_wait() -> None:
    async def back(wire: Wire) -> None:
        await wire.welcome()
        await lobby_with(wire, table_of(BOB))

    assert await waiting(cut_short, back) == "the table or challenge is gone: the connection was lost"


@pytest.mark.virtual_time
@pytest.mark.parametrize("stands", ["table", "challenge"])
async def test_what_outlives_a_lost_connection_is_waited_for(stands: str) -> None:
    async def back(wire: Wire) -> None:
        await wire.welcome()
        if stands == "challenge":
            await wire.say(asked("c1", ANN, BOB))
        await lobby_with(wire, *([table_of(ANN)] if stands == "table" else []))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.03):
                await wire.socket.recv()
        await wire.say(Paired(match="m", seat=0))
        await no_match(wire)

    assert await waiting(cut_short, back) == "there is no such match"


async def test_a_match_that_began_without_a_connection_is_played() -> None:
    async def back(wire: Wire) -> None:
        await wire.welcome("m")
        await no_match(wire)

    assert await waiting(cut_short, back) == "there is no such match"


async def no_match(wire: Wire) -> None:
    """Answer every join with an unknown match, which suffices for these tests."""
    join = await wire.hear(Join)
    await wire.refuse(join, "unknown_match", "there is no such match")


def _ended() -> Lines:
    lines = Lines()
    lines.end()
    return lines
