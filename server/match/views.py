"""The messages that are made from a folded match. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

from cornered.engine.game import CHANCE, State
from cornered.engine.text import PositionText
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import Happened, History, Moves, Snapshot, Variation
from cornered.protocol.values import Clocks, MatchSummary, SeatInfo
from cornered.server.match.state import MatchState
from cornered.server.refusal import Refusal

__all__ = ["clocks", "happened", "history", "moves", "snapshot", "studied", "summary", "variation"]

MAX_REMEMBERED: Final = 512
"""Positions whose legal moves are remembered: about 10 kB each."""


def clocks(match: MatchState) -> Clocks:
    """Return every seat's time at the beginning of the present turn: receivers take off what has passed since."""
    timer = match.timer
    return Clocks(left=timer.left, running=timer.running, at=timer.since)


def happened(match: MatchState, events: Sequence[MatchEvent]) -> Happened:
    """Return the message for `events`, the newest of which led to `match`."""
    plies = match.plies
    return Happened(
        match=match.terms.id,
        events=tuple(events),
        position=plies.text_at(plies.ply),
        ply=plies.ply,
        to_move=plies.state.to_move,
        clocks=clocks(match),
    )


def snapshot(
    match: MatchState,
    seat: int | None,
    *,
    connected: Iterable[bool],
    watchers: int,
    id: str | None = None,
) -> Snapshot:
    """Return the whole match as the player in `seat`, or a watcher, sees it; `id` is the command's that asked."""
    terms, talks, ending = match.terms, match.talks, match.ending
    return Snapshot(
        id=id,
        match=terms.id,
        seq=match.seq,
        game=terms.spec,
        title=terms.game.title,
        clock=terms.clock,
        seats=tuple(
            SeatInfo(player=player, place=_place(match, number)) for number, player in enumerate(terms.players)
        ),
        seat=seat,
        position=match.position,
        ply=match.ply,
        to_move=match.to_move,
        moves=match.moves,
        clocks=clocks(match),
        connected=tuple(connected),
        watchers=watchers,
        commitment=terms.commitment,
        private=terms.private,
        delay=terms.delay,
        has_draws=terms.game.has_draws,
        draw_offer=talks.draw[0] if talks.draw else None,
        takeback=talks.takeback[0] if talks.takeback else None,
        rematch=match.rematch,
        over=match.over,
        winner=ending.winner if ending else None,
        reason=ending.reason if ending else None,
        seed=terms.seed.hex() if ending else None,
        next=match.next,
        draw_agreed=talks.draw,
        takeback_agreed=talks.takeback,
    )


def moves(match: MatchState, ply: int, *, id: str) -> Moves:
    """Return what is legal after `ply` moves, and why other cells are not. Raises Refusal for a ply not yet reached."""
    if ply > match.ply:
        raise Refusal("stale_ply", f"only {match.ply} plies were played")
    state = match.plies.state_at(ply)
    over = match.over and ply == match.ply
    plays, refused = ((), {}) if over else _plays(state)
    notes, gauges = _about(state)
    return Moves(id=id, match=match.id, ply=ply, moves=plays, refused=refused, notes=notes, gauges=gauges)


def history(match: MatchState, *, id: str) -> History:
    """Return every position of the match so far."""
    return History(id=id, match=match.id, moves=match.moves, positions=match.plies.texts())


def studied(match: MatchState, ply: int) -> State:
    """Return the position after `ply` moves, or, where dice are rolled, after the roll. Raises Refusal."""
    if ply > match.ply:
        raise Refusal("stale_ply", f"only {match.ply} plies were played")
    state = match.plies.state_at(ply)
    if state.to_move == CHANCE and state.outcome is None and ply < match.ply:
        state = match.plies.state_at(ply + 1)
    return state


def variation(match: MatchState, ply: int, line: Sequence[str], *, id: str) -> Variation:
    """Return where moves would lead after `ply` moves. Raises Refusal when one of them is not legal."""
    state, positions = studied(match, ply), list[str]()
    for move in line:
        if state.outcome is not None:
            raise Refusal("illegal_move", f"{move} comes after the end of the game")
        if not state.is_legal(move):
            raise Refusal("illegal_move", state.explain(move))
        state = state.play(move)
        positions.append(str(state))
    return Variation(id=id, match=match.id, ply=ply, positions=tuple(positions))


def summary(match: MatchState, watchers: int) -> MatchSummary:
    """Return the match as lists show it."""
    terms, ending = match.terms, match.ending
    return MatchSummary(
        id=terms.id,
        game=terms.spec,
        clock=terms.clock,
        players=terms.players,
        ply=match.ply,
        position=match.position,
        watchers=watchers,
        started=terms.started,
        over=match.over,
        winner=ending.winner if ending else None,
        reason=ending.reason if ending else None,
    )


def _place(match: MatchState, seat: int) -> int | None:
    if match.ending and match.ending.places:
        return match.ending.places[seat]
    known = match.out[seat]
    return None if known is None else known[0]


@lru_cache(MAX_REMEMBERED)
def _plays(state: State) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the legal moves, and why other empty cells are none; cached, since all clients of a match ask for them."""
    if state.outcome is not None or state.to_move == CHANCE:
        return (), {}
    plays = tuple(state.moves())
    legal, rows = set(plays), PositionText.parse(str(state)).rows
    cells = [
        name
        for names, row in zip(_cells(tuple(map(len, rows))), rows, strict=True)
        for name, character in zip(names, row, strict=True)
        if character == "." and name not in legal
    ]
    return plays, {cell: state.explain(cell) for cell in cells} if plays else {}


@lru_cache(MAX_REMEMBERED)
def _about(state: State) -> tuple[dict[str, str], tuple[tuple[str, int], ...]]:
    """Return the notes about cells, and every seat's gauges."""
    return dict(state.notes()), state.gauges()


@cache
def _cells(widths: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the names of the cells of a board whose rows, the top one first, have these widths."""
    board = PositionText(tuple("." * width for width in widths), "0")
    return tuple(tuple(board.name(row, column) for column in range(width)) for row, width in enumerate(widths))
