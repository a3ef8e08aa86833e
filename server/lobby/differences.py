"""What players missed of a lobby while this node did not follow it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.server.lobby.events import BotNamed, ChallengeEnded, ChallengeSent, LobbyEvent, PoolEntered, PoolLeft
from cornered.server.lobby.state import LobbyFacts

__all__ = ["differences"]


def differences(before: LobbyFacts, after: LobbyFacts, players: Iterable[str]) -> Iterator[LobbyEvent]:
    """Yield the events of which `players` are told, since the lobby `before` is now `after`.

    Which of the ends of a challenge it was is not known: it was accepted where a match of both began.
    """
    ended, sent, began = dict[str, None](), dict[str, None](), dict[str, None]()
    for player in players:
        yield from _pool_of(player, before, after)
        known, now = before.challenges_of.get(player, {}), after.challenges_of.get(player, {})
        ended |= dict.fromkeys(name for name in known if name not in now)
        sent |= dict.fromkeys(name for name in now if name not in known)
        began |= dict.fromkeys(match for match in after.live_of(player) if not _is_open(before, match))
    for name in ended:
        yield _ended(before.challenges[name], before, after)
    for name in sent:
        yield ChallengeSent(after.challenges[name])
    for match in began:
        yield after.matches[match]


def _pool_of(player: str, before: LobbyFacts, after: LobbyFacts) -> Iterator[LobbyEvent]:
    """Yield the event that tells a player of another pool or bot."""
    known, now = before.pools.entry(player), after.pools.entry(player)
    if now is None:
        if known is not None:
            yield PoolLeft(player)
    elif known is None or (known.pool, known.since) != (now.pool, now.since):
        yield PoolEntered(now.player, now.pool, now.rating, now.since)
    elif known.bot != now.bot:
        yield BotNamed(player, now.bot)


def _is_open(lobby: LobbyFacts, match: str) -> bool:
    return match in lobby.matches and lobby.matches[match].is_open


def _ended(challenge: Challenged, before: LobbyFacts, after: LobbyFacts) -> ChallengeEnded:
    by, to = challenge.by.id, challenge.to.id
    began = (
        match
        for match in after.matches_of.get(by, ())
        if match in after.matches_of.get(to, ()) and match not in before.matches
    )
    match = next(began, None)
    closed = ChallengeClosed(
        challenge=challenge.challenge, how="cancelled" if match is None else "accepted", match=match
    )
    return ChallengeEnded(closed, (by, to))
