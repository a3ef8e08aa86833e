"""Texts of the terminal client: turns, results, clocks, events."""

from __future__ import annotations

from typing import Final, assert_never

from cornered import engine
from cornered.clients.sdk import CommandRefused
from cornered.clients.terminal.drawing import PIECES
from cornered.engine.text import PositionText
from cornered.protocol.events import (
    Agreed,
    ClocksPaused,
    ClocksResumed,
    DrawDeclined,
    DrawOffered,
    Eliminated,
    Ended,
    MatchEvent,
    Played,
    RematchDeclined,
    Rematched,
    RematchOffered,
    Resumed,
    Rolled,
    Started,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.protocol.messages import Snapshot, Waiting
from cornered.protocol.ratings import Rated
from cornered.protocol.values import Delay, GameSpec, Player, Reason

__all__ = [
    "event_text",
    "facts_text",
    "gauge_text",
    "is_my_turn",
    "ordinal",
    "player_text",
    "rated_text",
    "refusal_text",
    "result_text",
    "rules_text",
    "sentence",
    "spec_text",
    "time_left",
    "time_text",
    "turn_text",
    "waiting_text",
]

HIDDEN_OPTIONS: Final = frozenset({"walls", "max_plies", "no_progress"})
"""Options that lists leave out for brevity."""
TITLES: Final = {"trapgrid": "TrapGrid"}
"""Titles that are not the capitalized name."""
REASONS: Final[dict[Reason, str]] = {
    "rules": "by the rules of the game",
    "resignation": "by resignation",
    "time": "on time",
    "agreement": "by agreement",
    "gone": "because the opponent was gone",
    "aborted": "called off",
    "expired": "nobody made the first move in time",
    "left": "because everybody else gave up",
    "ply_limit": "because the match reached this server's limit of moves",
}


def rules_text(spec: GameSpec) -> str:
    """Return a game's rules in a few sentences, and the options of this match."""
    kind = next((kind for kind in engine.games() if kind.name == spec.name), None)
    if kind is None:
        return f"This client does not know {spec.name}."
    return f"{kind.summary} This match: {spec_text(spec)}."


def ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def gauge_text(label: str, number: int) -> str:
    """Return a gauge of the engine as text; at 0 its label says all."""
    if number == 0:
        return label
    # The label's first word is the counted noun: "cells in reach".
    noun, *others = label.split(" ")
    return " ".join([str(number), noun.removesuffix("s") if number == 1 else noun, *others])


def time_text(milliseconds: int | None) -> str:
    """Return the remaining time as text: with tenths below ten seconds, and with days from one day on."""
    if milliseconds is None:
        return "∞"
    if milliseconds < 10_000:
        return f"{milliseconds // 1000}.{milliseconds % 1000 // 100}"
    seconds = milliseconds // 1000
    if seconds >= 86_400:
        return f"{seconds // 86_400}d {seconds % 86_400 // 3600:02}h"
    if seconds >= 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return f"{seconds // 60}:{seconds % 60:02}"


def waiting_text(waiting: Waiting) -> str:
    """Return what there is to say about the wait in a pool; empty where nothing is new."""
    if waiting.pool is None:
        return sentence(waiting.reason)
    return f"Nobody yet. The bot {waiting.bot.name} plays at about your strength." if waiting.bot else ""


def spec_text(spec: GameSpec) -> str:
    """Return a game with the options in which tables commonly differ."""
    given = dict(spec.options)
    width, height = given.pop("width", None), given.pop("height", None)
    size = given.pop("size", None)
    told = []
    if width and height:
        told.append(f"{width}x{height}")
    if size:
        told.append(f"{size}x{size}")
    if (players := given.pop("players", None)) is not None and players > 2:
        told.append(f"{players} players")
    for name, value in given.items():
        if value is True:
            told.append(name.replace("_", " "))
        elif value not in (None, False) and name not in HIDDEN_OPTIONS:
            told.append(f"{name.replace('_', ' ')} {value}")
    title = TITLES.get(spec.name, spec.name.capitalize())
    return " ".join([title, ", ".join(told)]).strip()


def sentence(text: str) -> str:
    """Return a server's text as a sentence: capitalized, unless it begins with a move."""
    first = text.partition(" ")[0].rstrip(".,:")
    return text[:1].upper() + text[1:] if first.isalpha() or "'" in first else text


def refusal_text(error: Exception) -> str:
    """Return the text of an error without its code."""
    return sentence(error.text if isinstance(error, CommandRefused) else str(error))


def player_text(player: Player) -> str:
    return f"{player.name} [bot]" if player.kind == "bot" else player.name


def is_my_turn(match: Snapshot) -> bool:
    """Return whether the receiver is to move, and may: not while the match is paused."""
    is_on = not match.over and match.paused_until is None
    return is_on and match.seat is not None and match.to_move == match.seat


def time_left(match: Snapshot, seat: int, now: int) -> int | None:
    """Return the remaining milliseconds of `seat` at server time `now`; None without a clock."""
    left = match.clocks.left[seat] if seat < len(match.clocks.left) else None
    if left is None or match.clocks.running != seat or match.over:
        return left
    free = match.clock.delay * 1000 if isinstance(match.clock, Delay) else 0
    return max(0, left - max(0, now - match.clocks.at - free))


def _name(match: Snapshot, seat: int) -> str:
    return match.seats[seat].player.name


def turn_text(match: Snapshot) -> str:
    """Return whose turn it is, or how the match ended, in one sentence."""
    if match.over:
        return result_text(match)
    if match.paused_until is not None:
        return "Paused by the organiser: the clocks stand still."
    if match.to_move < 0:
        return "The dice are rolling."
    if is_my_turn(match):
        return f"Your turn: you play {PIECES[match.to_move]}."
    return f"{_name(match, match.to_move)} to move ({PIECES[match.to_move]})."


def result_text(match: Snapshot) -> str:
    """Return the result with its reason."""
    reason = match.reason
    if reason is None:
        return "The match is over."
    if reason == "aborted":
        return "The match was called off; nothing counts."
    if reason == "expired":
        return "Nobody made the first move in time; nothing counts."
    if match.winner is None:
        return f"A draw, {REASONS[reason]}."
    if match.winner == match.seat:
        return f"You won, {REASONS[reason]}."
    return f"{_name(match, match.winner)} won, {REASONS[reason]}."


def rated_text(match: Snapshot, rated: Rated) -> str:
    """Return both players' new ratings with what they gained; a question mark is a provisional rating."""
    changes = zip(match.seats, rated.changes, strict=False)
    told = (
        f"{player_text(info.player)} {change.after}{'?' * change.provisional} ({change.after - change.before:+d})"
        for info, change in changes
    )
    return f"Ratings: {', '.join(told)}."


def facts_text(position: str) -> str:
    """Return the facts of a position text that neither the board nor the panel shows."""
    facts = PositionText.parse(position).facts
    return ", ".join(f"{name} {value}" for name, value in facts.items() if name not in ("walls", "left", "ply"))


def event_text(match: Snapshot, event: MatchEvent) -> str | None:
    """Return an event as one line; None for one that the board and the clocks show."""
    match event:
        case Started():
            return "The match begins."
        case Played():
            return f"{event.ply + 1}. {_name(match, event.seat)} plays {event.move}."
        case Rolled():
            return f"{event.ply + 1}. The dice show {event.move}."
        case Eliminated():
            return f"{_name(match, event.seat)} is out, {ordinal(event.place)}, {REASONS[event.reason]}."
        case DrawOffered():
            return f"{_name(match, event.seat)} offers a draw."
        case DrawDeclined():
            return f"{_name(match, event.seat)} declines the draw."
        case Agreed():
            return f"{_name(match, event.seat)} agrees to the {event.to}."
        case TakebackRequested():
            return f"{_name(match, event.seat)} asks to take the last move back."
        case TakebackDeclined():
            return f"{_name(match, event.seat)} declines the takeback."
        case TakenBack():
            return f"Taken back to move {event.ply}."
        case Resumed():
            return f"The server was away; {event.refunded / 1000:.1f} s were given back."
        case ClocksPaused():
            return "The organiser has paused the game; the clocks stand still."
        case ClocksResumed():
            return "The clocks go on."
        case Ended():
            return result_text(match)
        case RematchOffered():
            return f"{_name(match, event.seat)} wants to play again."
        case RematchDeclined():
            if event.seat is None:
                return "The offer to play again was not answered in time."
            why = f": {event.reason}" if event.reason else "."
            return f"{_name(match, event.seat)} does not play again{why}"
        case Rematched():
            return "The rematch begins."
        case _:
            assert_never(event)
