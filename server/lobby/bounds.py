"""How many tables, challenges and live matches there may be: in all, for a player and for an address. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cornered.protocol.values import Player
from cornered.server.lobby.state import LobbyFacts
from cornered.server.refusal import Refusal

__all__ = [
    "MOST_BOT_MATCHES",
    "MOST_CHALLENGES",
    "MOST_INCOMING",
    "MOST_INCOMING_FROM_ADDRESS",
    "MOST_TABLES",
    "Bounds",
    "check_challenge",
    "check_concurrency",
    "check_place",
    "check_seat",
    "check_table",
]

MOST_TABLES: Final = 5
"""At how many open tables one player may sit."""
MOST_CHALLENGES: Final = 5
"""How many challenges one player may have sent that are not answered yet."""
MOST_INCOMING: Final = 20
"""How many challenges may wait for one player's answer."""
MOST_INCOMING_FROM_ADDRESS: Final = 10
"""How many of them may come from one address."""
MOST_BOT_MATCHES: Final = 200
"""How many live matches a bot gets that declares more, unless every player may have as many."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much the lobby takes: in all, from one address, and of live matches for one player."""

    seeks: int = 2_000
    seeks_per_address: int = 100
    challenges: int = 2_000
    challenges_per_address: int = 200
    matches_per_player: int = 50
    matches_per_address: int = 500


def check_table(lobby: LobbyFacts, bounds: Bounds, player: Player) -> None:
    """Refuse one more open table."""
    if len(lobby.tables) >= bounds.seeks:
        text = f"the lobby has all the {bounds.seeks} tables that it takes; sit down at one, or try again later"
        raise Refusal("server_full", text)
    if lobby.seek_origins.count(lobby.guests[player.id].address) >= bounds.seeks_per_address:
        text = f"your address has {bounds.seeks_per_address} open tables already; close one, or sit down at one"
        raise Refusal("busy", text)


def check_seat(lobby: LobbyFacts, player: Player) -> None:
    """Refuse one more seat at an open table."""
    if lobby.guests[player.id].tables >= MOST_TABLES:
        raise Refusal("busy", f"you sit at {MOST_TABLES} open tables already; leave one first")


def check_challenge(lobby: LobbyFacts, bounds: Bounds, player: Player, to: str) -> str | None:
    """Refuse one more challenge of `player` that waits for the answer of `to`; return the one that it displaces.

    Where `to` has no match task left, the challenger who came to the lobby last gives way to one who was here before:
    new guests cannot keep out the challenges of earlier players.
    """
    own = [lobby.challenges[name] for name in lobby.calls.get(player.id, ())]
    if sum(one.by.id == player.id for one in own) >= MOST_CHALLENGES:
        raise Refusal("busy", f"{MOST_CHALLENGES} of your challenges wait for an answer; cancel one first")
    address = lobby.guests[player.id].address
    incoming = [name for name in lobby.calls.get(to, ()) if lobby.challenges[name].to.id == to]
    neighbours = [name for name in incoming if address and lobby.challenge_origins.of(name) == address]
    full = neighbours if len(neighbours) >= MOST_INCOMING_FROM_ADDRESS else incoming
    displaced = None
    if full is neighbours or len(incoming) >= MOST_INCOMING:
        displaced = max(full, key=lambda name: lobby.arrival(lobby.challenges[name].by.id))
        if lobby.arrival(lobby.challenges[displaced].by.id) <= lobby.arrival(player.id):
            raise Refusal("busy", "too many challenges wait for that player's answer; try again in a minute")
    if len(lobby.challenges) >= bounds.challenges:
        raise Refusal("server_full", f"{bounds.challenges} challenges wait for answers; try again in a minute")
    if lobby.challenge_origins.count(address) >= bounds.challenges_per_address:
        text = f"{bounds.challenges_per_address} challenges from your address wait for answers; cancel one first"
        raise Refusal("busy", text)
    return displaced


def check_place(lobby: LobbyFacts, bounds: Bounds, player: Player) -> None:
    """Refuse one more live match of `player`, who need not be here.

    A bot that has declared more games than a player may have gets as many.
    """
    guest = lobby.guests.get(player.id)
    most = max(bounds.matches_per_player, (guest.concurrency or 0) if guest else 0)
    if len(lobby.plays.get(player.id, ())) >= most:
        raise Refusal("busy", f"{player.name} is in {most} live matches, as many as one may have; end one first")
    if guest and lobby.match_origins.count(guest.address) >= bounds.matches_per_address:
        count = bounds.matches_per_address
        raise Refusal("busy", f"{count} live matches are played from the address of {player.name}; end one first")


def check_concurrency(lobby: LobbyFacts, player: Player) -> None:
    """Refuse one more game of a bot that would exceed its own declaration."""
    guest = lobby.guests.get(player.id)
    if guest and guest.concurrency is not None and not guest.free:
        raise Refusal("busy", f"{player.name} plays as many games as it takes")
