"""Who meets whom in the next round of each format. Pure.

The ids of matches are drawn by the caller: a pairing is stored with them before its matches are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from cornered.contests.arena import Contender, pair_free
from cornered.contests.pairing import Entrant, berger, bracket, circle, rounds_for, swiss
from cornered.protocol.tournaments import MAX_ROUNDS
from cornered.server.tournament.events import Pairing
from cornered.server.tournament.state import Entry, TournamentState

__all__ = ["FULL_BYE", "Draft", "arena_draft", "drafted", "hand_draft", "pairings_of", "planned_rounds", "replays"]

FULL_BYE: Final = (1.0,)
"""A bye of a round is a won game, as in FIDE's handbook, C.04.1."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing without the id of its match. With `points` it needs no match."""

    players: tuple[str, ...]
    points: tuple[float, ...] = ()
    game: int = 0
    board: int | None = None


Work: TypeAlias = Callable[[], Sequence[Draft]]


def planned_rounds(state: TournamentState) -> int | None:
    """Return how many rounds a tournament that starts now has; None where that is open."""
    settings, count = state.settings, len(state.entries)
    match settings.format:
        case "swiss":
            # With more rounds players would have to meet again.
            return min(settings.rounds or rounds_for(count), MAX_ROUNDS, count - 1 + count % 2)
        case "round_robin":
            return len(berger(count, settings.cycles))
        case "knockout":
            return rounds_for(count)
        case "arena" | "by_hand":
            return None


def drafted(state: TournamentState) -> Work:
    """Return the function that makes the next round of a Swiss, round robin or knockout tournament.

    It holds what it needs, so that it may run in a thread while the tournament changes; its result is for the state at
    this `seq` only.
    """
    match state.settings.format:
        case "swiss":
            entrants = [_entrant(entry, state.round) for entry in state.active()]
            # As in the Dutch system, C.3, seats do not keep the best apart in the last round.
            is_last = state.round + 1 == state.rounds
            return lambda: _swiss(entrants, is_last=is_last)
        case "round_robin":
            drafts = _round_robin(state)
        case "knockout":
            drafts = _knockout(state)
        case "arena" | "by_hand":
            drafts = []
    return lambda: drafts


def _entrant(entry: Entry, rounds: int) -> Entrant:
    # Two who were paired do not meet again, also where one of them did not come.
    met = tuple(one.opponent for one in entry.settled if one.opponent is not None)
    seats = entry.seats()
    # FIDE's handbook, C.04.1: who has won by forfeit has no bye either.
    byes = sum(one.how != "played" and one.share == 1 for one in entry.settled)
    return Entrant(entry.player.id, entry.points, met, seats, byes, rounds - len(seats))


def _swiss(entrants: Sequence[Entrant], *, is_last: bool) -> list[Draft]:
    if len(entrants) < 2:
        # A round of byes alone decides nothing on the board.
        return []
    meetings, bye = swiss(entrants, top_meets=is_last)
    drafts = [Draft((first.name, second.name)) for first, second in meetings]
    return drafts if bye is None else [*drafts, Draft((bye.name,), FULL_BYE)]


def _round_robin(state: TournamentState) -> list[Draft]:
    everyone = state.seeded()
    meetings = _tables(len(everyone), state)[state.round]
    return [_met(state, everyone[one].player.id, everyone[other].player.id) for one, other in meetings]


def _tables(count: int, state: TournamentState) -> list[list[tuple[int, int]]]:
    if state.rules > 1:
        return berger(count, state.settings.cycles)
    rounds = circle(count)
    back = [[meeting[::-1] for meeting in meetings] for meetings in rounds]
    return [table for cycle in range(state.settings.cycles) for table in (back if cycle % 2 else rounds)]


def _met(state: TournamentState, first: str, second: str, game: int = 0, board: int | None = None) -> Draft:
    """Return a pairing, which needs no game where one of the players is out or absent."""
    there = [_is_there(state, player) for player in (first, second)]
    points = () if all(there) else (float(there[0]), float(there[1]))
    return Draft((first, second), points, game, board)


def _is_there(state: TournamentState, player: str) -> bool:
    entry = state.entries[player]
    return not entry.is_out and not state.is_absent(entry)


def _knockout(state: TournamentState) -> list[Draft]:
    if not state.round:
        order = [entry.player.id for entry in state.seeded()]
        left = [None if seed is None else order[seed] for seed in bracket(len(order))]
    else:
        left = [*_winners(state)]
    drafts = []
    for board, (one, other) in enumerate(zip(left[::2], left[1::2], strict=True), 1):
        if one is not None and other is not None:
            drafts.append(_met(state, one, other, board=board))
        elif (alone := one or other) is not None:
            drafts.append(Draft((alone,), FULL_BYE, board=board))
    return drafts


def _winners(state: TournamentState) -> list[str | None]:
    """Return who won the meetings of the newest round, from the top of the bracket; None where neither player came."""
    boards = {pairing.board: pairing.players for pairing in state.pairings[-1]}

    def winner(players: Sequence[str]) -> str | None:
        # Each round gives its winners one meeting more.
        return next((player for player in players if state.entries[player].points == state.round), None)

    count = 2 ** ((state.rounds or 0) - state.round)
    return [winner(boards.get(board, ())) for board in range(1, count + 1)]


def replays(state: TournamentState) -> list[Draft]:
    """Return the games of drawn meetings of a knockout that are played again, with swapped seats."""
    if state.settings.format != "knockout" or not state.pairings:
        return []
    newest: dict[int, Pairing] = {pairing.board: pairing for pairing in state.pairings[-1]}
    return [
        _met(state, pairing.players[1], pairing.players[0], pairing.game + 1, pairing.board)
        for pairing in newest.values()
        if len(pairing.players) == 2
        and (result := state.results.get(pairing.match or "")) is not None
        and any(result.shares)
        and all(state.entries[player].points == state.round - 1 for player in pairing.players)
    ]


def arena_draft(state: TournamentState, here: Collection[str], now: int) -> list[Draft]:
    """Return pairs of those who are free and `here`."""
    active = [entry for entry in state.active() if entry.player.id in here]
    free = [
        Contender(
            entry.player.id,
            entry.points,
            entry.rating,
            next((one.opponent for one in reversed(entry.settled)), None),
            entry.seats(),
            now - max(entry.free_since, state.started or 0),
        )
        for entry in active
        if entry.pending is None
    ]
    return [Draft(pair) for pair in pair_free(free, are_alone=len(active) == 2)]


def hand_draft(pairs: Sequence[tuple[str, str]]) -> list[Draft]:
    """Return the organiser's pairs."""
    return [Draft(pair) for pair in pairs]


def pairings_of(drafts: Sequence[Draft], new_id: Callable[[str], str], first_board: int = 1) -> tuple[Pairing, ...]:
    """Return pairings with the ids of their matches; `new_id` draws one near a player."""
    return tuple(
        Pairing(
            draft.board or board,
            draft.players,
            None if draft.points else new_id(draft.players[0]),
            draft.points,
            draft.game,
        )
        for board, draft in enumerate(drafts, first_board)
    )
