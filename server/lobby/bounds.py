"""Limits on tables, challenges, pool entries and live matches: in all, for a player and for an address. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cornered.protocol.values import Player
from cornered.server.lobby.state import LobbyFacts
from cornered.server.refusal import Refusal

__all__ = [
    "MAX_BOT_MATCHES",
    "MAX_CHALLENGES_RECEIVED",
    "MAX_CHALLENGES_RECEIVED_PER_ADDRESS",
    "MAX_CHALLENGES_SENT",
    "MAX_SEEKS_PER_PLAYER",
    "Bounds",
    "check_challenge",
    "check_concurrency",
    "check_ladder",
    "check_place",
    "check_pool",
    "check_seat",
    "check_share",
    "check_table",
]

MAX_SEEKS_PER_PLAYER: Final = 5
"""Open tables at which one player may sit."""
MAX_CHALLENGES_SENT: Final = 5
"""Unanswered challenges that one player may have sent."""
MAX_CHALLENGES_RECEIVED: Final = 20
"""Unanswered challenges that one player may have received."""
MAX_CHALLENGES_RECEIVED_PER_ADDRESS: Final = 10
"""Unanswered challenges of one recipient that may come from one address."""
MAX_BOT_MATCHES: Final = 200
"""Upper bound on a bot's declared concurrency, unless `Bounds.matches_per_player` is higher."""


SHARED_PLACES: Final = 4
"""One of so many places of a house bot, the last to be free, is for those who have no game with it yet."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Configured limits: in all, from one address, and of live matches for one player."""

    seeks: int = 2_000
    seeks_per_address: int = 100
    challenges: int = 2_000
    challenges_per_address: int = 200
    matches_per_player: int = 50
    matches_per_address: int = 500
    pool_entries: int = 2_000
    pool_entries_per_address: int = 200


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
    if lobby.guests[player.id].tables >= MAX_SEEKS_PER_PLAYER:
        raise Refusal("busy", f"you sit at {MAX_SEEKS_PER_PLAYER} open tables already; leave one first")


def check_challenge(
    lobby: LobbyFacts, bounds: Bounds, player: Player, to: str, *, is_hidden: bool = False
) -> str | None:
    """Refuse one more challenge from `player` to `to`, or return the one that it displaces.

    One that `is_hidden` to the recipient takes none of the recipient's places.

    At the recipient's limit the challenge of the latest arrival in the lobby is displaced by one of an earlier arrival,
    so that new guests cannot block the challenges of earlier players.
    """
    own = [lobby.challenges[name] for name in lobby.challenges_of.get(player.id, ())]
    if sum(one.by.id == player.id for one in own) >= MAX_CHALLENGES_SENT:
        raise Refusal("busy", f"{MAX_CHALLENGES_SENT} of your challenges wait for an answer; cancel one first")
    address = lobby.guests[player.id].address
    incoming = [name for name in lobby.challenges_of.get(to, ()) if lobby.challenges[name].to.id == to]
    neighbours = [name for name in incoming if address and lobby.challenge_origins.address_of(name) == address]
    full = neighbours if len(neighbours) >= MAX_CHALLENGES_RECEIVED_PER_ADDRESS else incoming
    displaced = None
    if not is_hidden and (full is neighbours or len(incoming) >= MAX_CHALLENGES_RECEIVED):
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
    """Refuse one more live match of `player`, who need not be connected.

    A bot's declared concurrency raises its limit above that of other players.
    """
    guest = lobby.guests.get(player.id)
    most = max(bounds.matches_per_player, (guest.concurrency or 0) if guest else 0)
    if len(lobby.matches_of.get(player.id, ())) >= most:
        raise Refusal("busy", f"{player.name} is in {most} live matches, as many as one may have; end one first")
    if guest and lobby.match_origins.count(guest.address) >= bounds.matches_per_address:
        count = bounds.matches_per_address
        raise Refusal("busy", f"{count} live matches are played from the address of {player.name}; end one first")


def check_pool(lobby: LobbyFacts, bounds: Bounds, player: Player) -> None:
    """Refuse one more player who waits to be paired."""
    if len(lobby.pools) >= bounds.pool_entries:
        raise Refusal("server_full", f"{bounds.pool_entries} players wait to be paired; try again in a minute")
    if lobby.pool_origins.count(lobby.guests[player.id].address) >= bounds.pool_entries_per_address:
        text = f"{bounds.pool_entries_per_address} players of your address wait to be paired; try again in a minute"
        raise Refusal("busy", text)


def check_ladder(concurrency: int, ladder: int) -> None:
    """Refuse a declaration that leaves no game for people."""
    if ladder and ladder >= concurrency:
        text = f"a bot that takes {concurrency} games at once plays at most {max(0, concurrency - 1)} in the ladder"
        raise Refusal("bad_options", f"{text}: raise `concurrency`, or lower `ladder`")


def check_share(lobby: LobbyFacts, bot: Player, other: Player) -> None:
    """Refuse a game with a house bot whose last free places are for others: other players at other addresses."""
    guest = lobby.guests.get(bot.id)
    if guest is None or guest.concurrency is None or not lobby.names.is_reserved(bot.name):
        return
    if guest.free > guest.concurrency // SHARED_PLACES:
        return
    asking = lobby.guests.get(other.id)
    address = "" if asking is None else asking.address
    mine = lobby.matches_of.get(other.id, {})
    if any(
        match in mine or (address and lobby.match_origins.has(match, address))
        for match in lobby.matches_of.get(bot.id, ())
    ):
        text = f"the last free games of {bot.name} are for players who have none with it; end yours, or ask another bot"
        raise Refusal("busy", text)


def check_concurrency(lobby: LobbyFacts, player: Player) -> None:
    """Refuse a match that would exceed a bot's declared concurrency."""
    guest = lobby.guests.get(player.id)
    if guest and guest.concurrency is not None and not guest.free:
        raise Refusal("busy", f"{player.name} plays as many games as it takes")
