"""One match on a running server: acknowledgements, publications, and recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from cornered.protocol import commands
from cornered.protocol.events import Ended, MatchEvent, RematchDeclined
from cornered.protocol.messages import (
    Acknowledged,
    Happened,
    History,
    Paired,
    Refused,
    Said,
    SeatPresence,
    Snapshot,
    Watchers,
)
from cornered.protocol.values import Fischer, GameSpec, PerMove, SeekSettings
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.ports import DamagedMatch, JournalUnavailable, StaleSequence
from cornered.server.runtime import match_task
from tests.server.conftest import Pair, PlayOut, Running, Start, Stores, StubbornJournal
from tests.server.runtime.seats import seated
from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SMALL = GameSpec(name="trapgrid", options={"size": 3})
QUORIDOR = GameSpec(name="quoridor", options={"size": 3})


def seqs(*heard: Happened) -> list[int]:
    return [event.seq for happened in heard for event in happened.events]


async def test_moves_that_do_not_fit_are_refused_and_change_nothing(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair) as (ann, ben, cas, match):
        assert await ben.refused(commands.Play, match=match, ply=0, move="c2") == "not_your_turn"
        assert await ann.refused(commands.Play, match=match, ply=1, move="a2") == "stale_ply"
        assert await ann.refused(commands.Play, match=match, ply=0, move="b2") == "illegal_move"
        assert await cas.refused(commands.Play, match=match, ply=0, move="a2") == "not_a_player"
        assert await ann.refused(commands.Play, match="nowhere", ply=0, move="a2") == "unknown_match"
        assert (await ann.join(match)).ply == 0


async def test_a_repeated_move_is_acknowledged_again_and_made_once_even_when_the_match_is_over(
    shared: Running, pair: Pair
) -> None:
    async with seated(shared, pair) as (ann, ben, _, match):
        first = await ann.do(commands.Play, id="same", match=match, ply=0, move="a2")
        again = await ann.do(commands.Play, id="same", match=match, ply=0, move="a2")
        assert first == again
        await ben.do(commands.Play, match=match, ply=1, move="c2")
        assert seqs(await ben.hear(Happened), await ben.hear(Happened)) == [2, 3]
    async with seated(shared, pair) as (ann, ben, _, match):
        last = await ann.do(commands.Resign, id="enough", match=match)
        for client in (ann, ben):
            await client.do(commands.Leave, match=match)
        # The match task is closed, and opens again from the journal.
        assert await ann.do(commands.Resign, id="enough", match=match) == last
        assert await ann.refused(commands.Resign, match=match) == "match_over"


async def test_a_command_under_the_id_of_another_one_is_refused_and_changes_nothing(
    running_server: Start, pair: Pair
) -> None:
    """As of a program that begins its ids alike in each run: an acknowledgement would say that the move is made."""
    async with seated(running_server(), pair) as (ann, ben, _, match):
        tokens = ann.welcome.token, ben.welcome.token
        await ann.do(commands.Play, id="p1", match=match, ply=0, move="a2")
        await ben.do(commands.Play, match=match, ply=1, move="c2")
        assert await ann.refused(commands.Play, id="p1", match=match, ply=2, move="a1") == "id_reused"
        assert await ann.refused(commands.Resign, id="p1", match=match) == "id_reused"
        assert (await ann.join(match)).ply == 2
    async with running_server() as running, running.client("Ann", token=tokens[0]) as ann:
        # The events have what their commands said, also those of versions that did not compare.
        assert await ann.refused(commands.Play, id="p1", match=match, ply=2, move="a1") == "id_reused"
        assert (await ann.do(commands.Play, id="p1", match=match, ply=0, move="a2")).seq == 2
        assert (await ann.do(commands.Play, id="p2", match=match, ply=2, move="a1")).seq == 4


async def test_while_a_command_is_stored_another_one_under_its_id_is_refused(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    stored = asyncio.Event()

    class SlowJournal(MemoryJournal):
        async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            if expected_seq:
                await stored.wait()
            await super().append(match, expected_seq, events)

    stores.journal = SlowJournal()
    async with seated(running_server(), pair) as (ann, _, _, match):
        for move in ("a2", "a2", "b3"):
            await ann.tell(commands.Play(id="p1", match=match, ply=0, move=move))
        assert (await ann.answer("p1")).code == "id_reused"
        stored.set()
        assert (await ann.answer("p1")).seq == 2


async def test_join_with_since_brings_exactly_the_gap(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair) as (ann, ben, cas, match):
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        await ben.do(commands.Play, match=match, ply=1, move="c2")
        await ann.do(commands.Play, match=match, ply=2, move="a1")
        assert (await cas.ask(commands.Join, match=match, since=2)).seq == 4
        gap = await cas.hear(Happened)
        assert seqs(gap) == [3, 4]
        assert gap.ply == 3
        assert (await cas.ask(commands.Join, match=match, since=4)).type == "acknowledged"
        await cas.do(commands.Leave, match=match)
        assert not [message for message in cas.heard if isinstance(message, Happened)]
        # A sequence number from the future is answered with everything.
        assert isinstance(await cas.ask(commands.Join, match=match, since=99), Snapshot)


async def test_what_is_legal_and_what_was_can_be_asked(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair) as (ann, ben, cas, match):
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        moves = await ben.ask(commands.AskMoves, match=match, ply=1)
        assert set(moves.moves) == {"c2", "b1"}
        assert await ben.refused(commands.AskMoves, match=match, ply=2) == "stale_ply"
        history = await ben.ask(commands.AskHistory, match=match)
        assert (history.moves, len(history.positions)) == (("a2",), 2)
        # A finished match can be looked at for ever.
        await ann.do(commands.Resign, match=match)
        snapshot = await cas.join(match)
        assert (snapshot.over, snapshot.winner, snapshot.reason) == (True, 1, "resignation")
        assert snapshot.seed is not None
        assert isinstance(await cas.ask(commands.AskHistory, match=match), History)


async def test_who_asks_for_legal_moves_gets_them_with_every_own_turn(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair, game=QUORIDOR) as (ann, ben, cas, match):
        first = await ann.ask(commands.Join, match=match, legal=True)
        assert set(first.legal) >= {"b2", "a1h"}
        assert (await ben.ask(commands.Join, match=match, legal=True)).legal is None
        assert (await cas.ask(commands.Join, match=match, legal=True)).legal is None
        await ann.do(commands.Play, match=match, ply=0, move="b2")
        assert [(await client.hear(Happened)).legal is None for client in (ann, ben, cas)] == [True, False, True]
        asked = await ben.ask(commands.AskMoves, match=match, ply=1)
        assert (await ben.ask(commands.Join, match=match, legal=True)).legal == asked.moves
        # What changes neither the position nor the turn is told with the moves of the turn too.
        await ann.do(commands.OfferDraw, match=match)
        assert [(await client.hear(Happened)).legal for client in (ann, ben, cas)] == [None, asked.moves, None]
        assert (await ben.ask(commands.Join, match=match, since=2, legal=True)).type == "acknowledged"
        assert (await ben.hear(Happened)).legal == asked.moves
        await ben.do(commands.Resign, match=match)
        assert (await ben.hear(Happened)).legal is None


async def test_a_join_without_the_wish_ends_the_legal_moves(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair) as (ann, ben, _, match):
        assert (await ann.ask(commands.Join, match=match, legal=True)).legal == ("a2", "b3")
        assert (await ann.join(match)).legal is None
        await ben.ask(commands.Join, match=match, legal=True)
        await ben.do(commands.Leave, match=match)
        await ben.join(match)
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        assert (await ben.hear(Happened)).legal is None


async def test_a_flag_falls_without_a_move(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair, clock=PerMove(seconds=1)) as (ann, ben, _, _):
        for client in (ann, ben):
            ended = (await client.hear(Happened)).events[-1]
            assert isinstance(ended, Ended)
            assert (ended.type, ended.winner, ended.reason) == ("ended", 1, "time")


async def test_spectators_and_players_talk_among_themselves_and_who_comes_late_gets_the_newest_lines(
    shared: Running, pair: Pair
) -> None:
    async with seated(shared, pair) as (ann, ben, cas, match), shared.client("Dee") as dee:
        assert await cas.refused(commands.Say, match=match, room="spectators", text="hi") == "not_a_spectator"
        await cas.join(match)
        assert await cas.refused(commands.Say, match=match, room="players", text="psst") == "not_a_player"
        assert await ann.refused(commands.Say, match=match, room="spectators", text="hi") == "not_a_spectator"
        lines = [f"line {number}" for number in range(3)]
        for line in lines:
            await cas.do(commands.Say, match=match, room="spectators", text=line)
        await ann.do(commands.Say, match=match, room="players", text="good luck")
        await dee.join(match)
        assert [(await dee.hear(Said)).text for _ in lines] == lines
        assert (await ben.hear(Said)).text == "good luck"
        await ben.join(match)
        assert (await ben.hear(Said)).text == "good luck"
        await dee.do(commands.Say, match=match, room="spectators", text="a good game")
        assert (await cas.hear(Said, lambda said: said.by == dee.player)).text == "a good game"


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_the_number_of_spectators_is_sent_to_all(running: Running, pair: Pair) -> None:
    async with seated(running, pair) as (ann, ben, cas, match):
        await cas.join(match)
        assert (await ann.hear(Watchers)).count == 1
        assert (await ben.join(match)).watchers == 1


async def test_with_a_delay_spectators_see_the_past(running_server: Start, stores: Stores) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        seek = await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL, seat=0, delay=300))
        match = (await ben.do(commands.JoinSeek, seek=seek.ref)).ref
        assert match is not None
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        async with running.client("Cas") as cas:
            snapshot = await cas.join(match)
            assert (snapshot.ply, snapshot.seq, snapshot.moves) == (0, 1, ())
            assert await cas.refused(commands.AskMoves, match=match, ply=1) == "stale_ply"
            assert (await cas.ask(commands.AskHistory, match=match)).moves == ()
            assert (await cas.ask(commands.Join, match=match, since=0)).seq == 1
            assert seqs(await cas.hear(Happened)) == [1]
            assert (await ann.join(match)).ply == 1
            # The end of the match ends the delay of publication.
            await ann.do(commands.Resign, match=match)
            assert seqs(await cas.hear(Happened), await cas.hear(Happened)) == [2, 3]


async def test_a_private_match_shows_itself_to_its_players_only(shared: Running) -> None:
    async with shared.client("Ann") as ann, shared.client("Ben") as ben, shared.client("Cas") as cas:
        seek = await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL, seat=0, private=True))
        match = (await ben.do(commands.JoinSeek, seek=seek.ref)).ref
        assert match is not None
        assert await cas.refused(commands.Join, match=match) == "private"
        assert await cas.refused(commands.AskHistory, match=match) == "private"
        assert (await ben.join(match)).private
        assert match not in [one.id for one in (await cas.ask(commands.WatchLobby)).matches]


async def test_victory_is_claimed_when_the_opponent_stays_away(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server(gone_seconds=30) as running, running.client("Ann") as ann:
        async with running.client("Ben") as ben:
            match = await pair(ann, ben)
            await ann.do(commands.Play, match=match, ply=0, move="a2")
            assert await ann.refused(commands.Claim, match=match) == "opponent_here"
        gone = await ann.hear(SeatPresence, lambda said: not said.connected)
        assert (gone.seat, gone.claim_at) == (1, stores.now.at + 30_000)
        assert (await ann.join(match)).connected == (True, False)
        stores.now.at += 29_999
        assert await ann.refused(commands.Claim, match=match) == "opponent_here"
        stores.now.at += 1
        await ann.do(commands.Claim, match=match)
        ended = (await ann.hear(Happened, lambda said: said.events[-1].type == "ended")).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (0, "gone")


async def test_a_player_with_two_sockets_is_gone_when_the_last_one_closes(shared: Running, pair: Pair) -> None:
    async with seated(shared, pair) as (ann, ben, _, match):
        async with shared.client("Ben", token=ben.welcome.token) as other:
            await other.join(match)
            await ben.socket.close()
            await ann.do(commands.Play, match=match, ply=0, move="a2")
            assert seqs(await other.hear(Happened)) == [2]
            assert not [one for one in ann.heard if isinstance(one, SeatPresence) and not one.connected]
        assert not (await ann.hear(SeatPresence, lambda said: said.seat == 1)).connected


async def test_a_rematch_is_a_new_match_with_the_seats_changed(shared: Running, pair: Pair, play_out: PlayOut) -> None:
    async with seated(shared, pair) as (ann, ben, _, match):
        assert await ann.refused(commands.Rematch, match=match) == "match_not_over"
        await play_out(match, (ann, ben))
        await ann.do(commands.Rematch, match=match)
        await ben.do(commands.Rematch, id="yes", match=match)
        new, old = await ann.hear(Paired), await ben.hear(Paired)
        assert (new.match, new.seat, old.seat) == (old.match, 1, 0)
        assert (await ann.join(match)).next == new.match
        await ben.do(commands.Rematch, id="yes", match=match)
        for client in (ann, ben):
            await client.join(new.match)
        assert (await play_out(new.match, (ben, ann)))[-1].events[-1].type == "ended"


async def test_an_offer_of_a_rematch_is_over_in_time_also_after_a_restart(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await ann.do(commands.Resign, match=match)
        await ann.do(commands.Rematch, match=match)
        stores.now.at += 120_000
        over = await ben.hear(Happened, lambda said: said.events[-1].type == "rematch_declined")
        assert isinstance(over.events[-1], RematchDeclined)
        assert over.events[-1].seat is None
        await ben.do(commands.Rematch, match=match)
    stores.now.at += 120_000
    async with running_server() as running, running.client("Cas") as cas:
        snapshot = await cas.join(match)
        if snapshot.rematch:
            over = await cas.hear(Happened)
            assert over.events[-1].type == "rematch_declined"
        assert (await cas.join(match)).rematch == ()


async def test_nothing_is_acknowledged_that_could_not_be_stored(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with seated(running_server(), pair) as (ann, ben, _, match):
        stores.journal.failures = ["before"]
        assert await ann.refused(commands.Play, match=match, ply=0, move="a2") == "internal"
        assert (await ben.join(match)).ply == 0
        assert (await ann.do(commands.Play, match=match, ply=0, move="b3")).seq == 2
        assert seqs(await ben.hear(Happened)) == [2]


async def test_a_write_that_only_seemed_to_fail_is_found_again(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with seated(running_server(), pair) as (ann, ben, _, match):
        stores.journal.failures = ["after"]
        assert await ann.refused(commands.Play, id="move", match=match, ply=0, move="a2") == "internal"
        # The client repeats the command with the same id, and gets the acknowledgement.
        assert (await ann.do(commands.Play, id="move", match=match, ply=0, move="a2")).seq == 2
        await ben.do(commands.Play, match=match, ply=1, move="c2")
        assert seqs(await ben.hear(Happened), await ben.hear(Happened)) == [2, 3]


async def test_a_match_goes_on_after_a_restart_with_its_clocks_refunded(
    running_server: Start, stores: Stores, pair: Pair, play_out: PlayOut
) -> None:
    async with seated(running_server(), pair, clock=Fischer(initial=60)) as (ann, ben, _, match):
        tokens = ann.welcome.token, ben.welcome.token
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        await ben.do(commands.Play, id="kept", match=match, ply=1, move="c2")
        assert (await ann.hear(Happened)).events[0].seq == 2
    stores.now.at += 3_600_000
    async with (
        running_server() as running,
        running.client("Ann", token=tokens[0]) as ann,
        running.client("Ben", token=tokens[1]) as ben,
    ):
        assert ann.welcome.matches == (match,)
        await ann.do(commands.Join, match=match, since=3)
        resumed = await ann.hear(Happened)
        assert [event.type for event in resumed.events] == ["resumed"]
        assert resumed.clocks.left == (60_000, 60_000)
        assert (await ben.do(commands.Play, id="kept", match=match, ply=1, move="c2")).seq == 3
        await ann.do(commands.Play, match=match, ply=2, move="a1")


class Unreadable(StubbornJournal):
    """A journal whose reads fail on demand too."""

    def __init__(self) -> None:
        super().__init__()
        self.failing_reads = 0

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        if self.failing_reads:
            self.failing_reads -= 1
            raise JournalUnavailable("the store cannot be read")
        return await super().read(match, since)


async def test_a_store_that_is_away_twice_asks_for_patience_and_not_for_pardon(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    stores.journal = Unreadable()
    async with seated(running_server(), pair) as (ann, _, _, match):
        stores.journal.failures, stores.journal.failing_reads = ["after"], 1
        for _ in range(2):
            answer = await ann.ask(commands.Play, id="move", match=match, ply=0, move="a2")
            assert isinstance(answer, Refused)
            assert (answer.code, answer.text) == ("internal", "this could not be stored just now; try again")
        assert (await ann.do(commands.Play, id="move", match=match, ply=0, move="a2")).seq == 2


async def test_a_flag_that_fell_while_the_store_was_away_is_told_when_it_is_back(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_task, "RETRY_MS", 1)
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    stores.journal = Unreadable()
    async with seated(running_server(), pair, clock=PerMove(seconds=1)) as (ann, _, _, _):
        stores.journal.failures, stores.journal.failing_reads = ["after"], 2
        stores.now.at += 2_000
        ended = (await ann.hear(Happened)).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (1, "time")


class Behind(MemoryJournal):
    """A journal that lost a match's newest events, as after restoring an old backup; or whose reads fail."""

    def __init__(self) -> None:
        super().__init__()
        self.is_behind = self.is_defective = False
        self.stale = 0

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if self.is_behind:
            self.stale += 1
            raise StaleSequence(match, expected_seq)
        await super().append(match, expected_seq, events)

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        if self.is_defective:
            raise DamagedMatch("its events cannot be read")
        return await super().read(match, since)


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize("is_defective", [False, True])
async def test_a_flag_that_cannot_be_stored_is_tried_again_and_not_all_the_time(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch, is_defective: bool
) -> None:
    monkeypatch.setattr(match_task, "RETRY_MS", 50)
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 50)
    stores.journal = Behind()
    async with seated(running_server(), pair, clock=PerMove(seconds=1)) as (ann, _, _, _):
        stores.journal.is_behind, stores.journal.is_defective = True, is_defective
        stores.now.at += 2_000
        await until(lambda: stores.journal.stale, every=0.01)
        await after(0.3)
        assert stores.journal.stale < 10
        stores.journal.is_behind = stores.journal.is_defective = False
        ended = (await ann.hear(Happened)).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (1, "time")


async def test_a_rematch_is_published_after_the_event_that_leads_to_it_is_stored(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.runtime.new_matches.RETRY_SECONDS", 3_600)
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await ann.do(commands.Resign, match=match)
        await ann.do(commands.Rematch, match=match)
        stores.journal.failures = ["", "before"]
        assert await ben.refused(commands.Rematch, id="yes", match=match) == "internal"
        assert (await ann.join(match)).next is None
        assert not [message for message in ann.heard if isinstance(message, Paired)]
        assert isinstance(await ben.ask(commands.Rematch, id="yes", match=match), Acknowledged)
        new = await ann.hear(Paired)
        assert (await ann.join(match)).next == new.match == (await ben.hear(Paired)).match


async def test_a_rematch_opens_although_its_answer_was_lost(running_server: Start, stores: Stores, pair: Pair) -> None:
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await ann.do(commands.Resign, match=match)
        await ann.do(commands.Rematch, match=match)
        stores.journal.failures = ["", "after"]
        assert await ben.refused(commands.Rematch, id="yes", match=match) == "internal"
        assert isinstance(await ben.ask(commands.Rematch, id="yes", match=match), Acknowledged)
        assert (await ann.hear(Paired)).match == (await ann.join(match)).next


async def test_after_a_restart_spectators_of_a_delayed_match_still_see_the_past(
    running_server: Start, stores: Stores
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        seek = await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL, seat=0, delay=300))
        match = (await ben.do(commands.JoinSeek, seek=seek.ref)).ref
        assert match is not None
        await ann.do(commands.Play, match=match, ply=0, move="a2")
        stores.now.at += 200_000
        await ben.do(commands.Play, match=match, ply=1, move="c2")
    stores.now.at += 100_000
    async with running_server() as running, running.client("Cas") as cas:
        assert (await cas.ask(commands.WatchLobby)).matches[0].ply == 1
        assert (await cas.join(match)).moves == ("a2",)


async def test_a_match_without_a_clock_ends_when_its_guest_went_home(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    async with running_server() as running, running.client("Bob") as bob:
        async with running.client("Ann") as ann:
            match = await pair(ann, bob)
            await ann.do(commands.Play, match=match, ply=0, move="a2")
            await bob.do(commands.Play, match=match, ply=1, move="c2")
        await bob.hear(SeatPresence, lambda said: not said.connected)
        stores.now.at += 599_999
        assert not (await bob.join(match)).over
        stores.now.at += 1
        ended = (await bob.hear(Happened, lambda said: said.events[-1].type == "ended")).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (1, "gone")


async def test_after_a_restart_no_player_counts_as_absent_for_longer_than_the_server(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    async with seated(running_server(), pair) as (ann, ben, _, match):
        for ply, (player, move) in enumerate(((ann, "a2"), (ben, "c2"))):
            await player.do(commands.Play, match=match, ply=ply, move=move)
    stores.now.at += 3_600_000
    async with running_server() as running, running.client("Cas") as cas:
        stores.now.at += 599_999
        await cas.join(match)
        stores.now.at += 1
        ended = (await cas.hear(Happened)).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason, ended.places) == (None, "expired", ())
