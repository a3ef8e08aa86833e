"""A player's part in tournaments: which there are, joining, standings and pairings, and organising one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import TypeVar

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.own_account import Asking
from cornered.clients.sdk.pulse import Pulse
from cornered.protocol import tournaments
from cornered.protocol.commands import Command
from cornered.protocol.messages import Acknowledged
from cornered.protocol.tournaments import (
    PairingInfo,
    Pairings,
    Standing,
    Standings,
    TournamentChanged,
    TournamentInfo,
    Tournaments,
    TournamentSettings,
    TournamentState,
)

__all__ = ["OwnTournaments", "TournamentView"]

P = TypeVar("P", Tournaments, Standings, Pairings)


class TournamentView:
    """A live copy of a tournament: its first page of standings, and the pairings of its newest round."""

    def __init__(self, state: TournamentState) -> None:
        self._pulse = Pulse()
        self.info = state.tournament
        self.standings = state.standings
        self.pairings = state.pairings

    @property
    def is_over(self) -> bool:
        """Whether it is finished or cancelled."""
        return self.info.status in ("finished", "cancelled")

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._pulse.count

    async def changed(self, seen: int) -> int:
        """Return the version once it is above `seen`. Raises Closed when the client is closed."""
        return await self._pulse.after(seen)

    def change(self, now: TournamentChanged | TournamentState) -> None:
        """Replace the copy."""
        self.info, self.standings, self.pairings = now.tournament, now.standings, now.pairings
        self._pulse.beat()

    def close(self) -> None:
        """Wake all waiting tasks with Closed."""
        self._pulse.close()


class OwnTournaments:
    """Tournaments as a client's player sees them, as `client.tournaments`. Every method raises CommandRefused.

    A page of a list that would come too soon is asked for again when the server says.
    """

    def __init__(self, client: Asking) -> None:
        self._client = client
        self._view: TournamentView | None = None

    async def list(self, *, over: bool = False, group: str | None = None) -> AsyncIterator[TournamentInfo]:
        """Yield tournaments that are open or running, or with `over` those that are not, the newest changes first.

        Pages are asked for on the way. Those of a class or club come for its `group` alone.
        """
        ask = partial(tournaments.AskTournaments, over=over, group=group)
        async for page in self._pages(ask, Tournaments):
            for one in page.tournaments:
                yield one

    async def about(self, tournament: str) -> TournamentState:
        """Return a tournament with its first standings, the pairings of its newest round, and one's own place."""
        command = tournaments.AskTournament(id=self._client.new_id(), tournament=tournament)
        return await retry(partial(self._client.ask, command, TournamentState))

    async def standings(self, tournament: str) -> AsyncIterator[Standing]:
        """Yield all standings, the leader first; pages are asked for on the way."""
        ask = partial(tournaments.AskStandings, tournament=tournament)
        async for page in self._pages(ask, Standings):
            for one in page.standings:
                yield one

    async def pairings(self, tournament: str, round: int | None = None) -> AsyncIterator[PairingInfo]:
        """Yield the pairings of a round, by default of the newest one; pages are asked for on the way."""
        ask = partial(tournaments.AskPairings, tournament=tournament, round=round)
        async for page in self._pages(ask, Pairings):
            for one in page.pairings:
                yield one

    async def join(self, tournament: str) -> None:
        """Enter a tournament, or come back after having been absent. `Paired` has each of one's games."""
        await self._do(tournaments.JoinTournament(id=self._client.new_id(), tournament=tournament))

    async def withdraw(self, tournament: str) -> None:
        """Leave a tournament; a game that goes on counts."""
        await self._do(tournaments.WithdrawFromTournament(id=self._client.new_id(), tournament=tournament))

    async def create(self, settings: TournamentSettings) -> str:
        """Create a tournament, as its organiser, and return its id."""
        command = tournaments.CreateTournament(id=self._client.new_id(), settings=settings)
        made = await retry(partial(self._client.ask, command, Acknowledged))
        if made.ref is None:
            raise TypeError("the answer to CreateTournament names nothing")
        return made.ref

    async def start(self, tournament: str) -> None:
        """Start a tournament, or its next round, now; for its organiser."""
        await self._do(tournaments.StartTournament(id=self._client.new_id(), tournament=tournament))

    async def cancel(self, tournament: str) -> None:
        """End a tournament without a result; for its organiser."""
        await self._do(tournaments.CancelTournament(id=self._client.new_id(), tournament=tournament))

    async def pair(self, tournament: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Pair a round by hand, by ids of players, the first of whom has seat 0; for its organiser."""
        command = tournaments.PairByHand(id=self._client.new_id(), tournament=tournament, pairs=tuple(pairs))
        await self._do(command)

    async def watch(self, tournament: str) -> TournamentView:
        """Return a live copy of a tournament, in the place of the one that was watched before."""
        command = tournaments.WatchTournament(id=self._client.new_id(), tournament=tournament)
        state = await retry(partial(self._client.ask, command, TournamentState))
        self.close()
        self._view = TournamentView(state)
        return self._view

    async def _pages(self, ask: Callable[..., Command], answer: type[P]) -> AsyncIterator[P]:
        """Yield the answers to a question, each asked for after the one before."""
        after: int | None = None
        while True:
            page = await retry(partial(self._client.ask, ask(id=self._client.new_id(), after=after), answer))
            yield page
            if page.more is None:
                return
            after = page.more

    async def _do(self, command: Command) -> None:
        # A command that came too soon was not carried out.
        await retry(partial(self._client.ask, command, Acknowledged))

    # What the client calls.

    def reconnect(self) -> Sequence[Command]:
        """Return the command that restores the subscription on a new connection."""
        if self._view is None:
            return ()
        return (tournaments.WatchTournament(id=self._client.new_id(), tournament=self._view.info.id),)

    def receive(self, news: TournamentChanged | TournamentState) -> None:
        """Update the live copy."""
        if self._view is not None and self._view.info.id == news.tournament.id:
            self._view.change(news)

    def close(self) -> None:
        """End every wait for a change with Closed."""
        if self._view is not None:
            self._view.close()
            self._view = None
