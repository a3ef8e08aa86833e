"""What a bot writes into its log about its games: one line for each beginning and each end, and what is slow."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final, Literal

from cornered.clients.sdk.choosing import TimeUsed
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.timecontrol import clock_text
from cornered.engine.limit import Limit
from cornered.protocol.text import visible
from cornered.protocol.values import Player

__all__ = ["GameLog", "MoveWarning", "named"]

BLOCKED_S: Final = 1.0
"""Seconds of one call in which nothing else ran on the event loop, after which the bot is warned."""
SLOW_S: Final = 1.0
"""Seconds above twice the search time after which the bot is warned."""

log = logging.getLogger("cornered.bot")


@dataclass(frozen=True, slots=True)
class MoveWarning:
    """What was wrong with the newest move, for the bot's owner."""

    kind: Literal["slow", "blocked"]
    text: str


class GameLog:
    """The log of one bot; each of its warnings comes once."""

    def __init__(self, *, warns: bool = True) -> None:
        """`warns` is False for a bot whose author does not read the log: the advice about slowness is theirs."""
        self._warns = warns
        self._has_warned_of_block = False
        self._has_warned_of_time = False

    def begun(self, match: MatchView) -> None:
        """Log that a match has begun, or is taken up again."""
        log.info("match %s begins: %s", match.id, _about(match))

    def ended(self, match: MatchView, used: TimeUsed) -> None:
        """Log the result of a match."""
        log.info(
            "match %s ends: %s; %s (%s), %.1f s for %s",
            match.id,
            _about(match),
            _result(match),
            _reason(match),
            used.total,
            "1 move" if used.moves == 1 else f"{used.moves} moves",
        )

    def chosen(self, match: MatchView, limit: Limit, used: TimeUsed) -> MoveWarning | None:
        """Return what is wrong where the newest move blocked the event loop or took far too long, and log it once."""
        warning: MoveWarning | None = None
        if not self._warns:
            return None
        if used.blocked > BLOCKED_S:
            warning = MoveWarning("blocked", f"choose blocked the event loop for {used.blocked:.1f} s")
        if used.blocked > BLOCKED_S and not self._has_warned_of_block:
            self._has_warned_of_block = True
            log.warning(
                "choose of %s blocked the event loop for %.1f s in match %s: other matches and pings wait meanwhile; "
                "compute in a thread with asyncio.to_thread, or give run_bot a plain function, which it runs in one",
                _own_name(match),
                used.blocked,
                match.id,
            )
        allowed = (limit.time or 0) / 1000
        is_slow = limit.time is not None and used.last > 2 * allowed + SLOW_S
        if is_slow:
            warning = MoveWarning("slow", f"choose took {used.last:.1f} s, where its limit was {allowed:.1f} s")
        if is_slow and not self._has_warned_of_time:
            self._has_warned_of_time = True
            log.warning(
                "choose of %s took %.1f s in match %s, where its limit was %.1f s: end the search when "
                "limit.remaining is 0, or games are lost on time",
                _own_name(match),
                used.last,
                match.id,
                allowed,
            )
        return warning


def named(player: Player) -> str:
    """Return a player's name and id for a line of the log, which may have the lines of several bots."""
    return visible(f"{player.name} ({player.id})")


def _own_name(match: MatchView) -> str:
    assert match.seat is not None
    return named(match.players[match.seat])


def _about(match: MatchView) -> str:
    """Return the game, the opponents and the clock of a match."""
    others = " and ".join(player.name for seat, player in enumerate(match.players) if seat != match.seat)
    rated = ", rated" if match.snapshot.rated else ""
    return visible(f"{match.snapshot.title} against {others}, {clock_text(match.snapshot.clock)}{rated}")


def _result(match: MatchView) -> str:
    """Return the own result of a match that is over."""
    places = [info.place for info in match.snapshot.seats]
    own = None if match.seat is None else places[match.seat]
    if own is None:
        return "no result"
    if match.snapshot.winner == match.seat:
        return "won"
    if len(places) > 2:
        return f"place {own} of {len(places)}"
    return "drawn" if match.snapshot.winner is None else "lost"


def _reason(match: MatchView) -> str:
    """Return why a match has ended: where the rules have ended it, in the words of the game."""
    ending = match.state.ending() if match.snapshot.reason == "rules" else None
    if ending is None:
        return str(match.snapshot.reason)
    if ending.seat is None or ending.seat == match.seat:
        return f"rules: {ending.you}"
    return visible(f"rules: {match.players[ending.seat].name} {ending.they}")
