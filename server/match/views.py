"""The messages that are made from a folded match. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from cornered.engine.game import CHANCE, State
from cornered.engine.text import PositionText
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import Happened, History, Line, MatchEnding, Moves, Snapshot, Variation
from cornered.protocol.values import Clocks, Correspondence, GameSpec, MatchSummary, SeatInfo
from cornered.server.match.state import MatchState
from cornered.server.refusal import Refusal

__all__ = [
    "clocks",
    "happened",
    "history",
    "is_remembered",
    "legal",
    "line",
    "moves",
    "snapshot",
    "studied",
    "summary",
    "variation",
]

MAX_REMEMBERED: Final = 512
"""Positions of which is remembered what the rules say: about 10 kB each."""


class _Rules(NamedTuple):
    """What the rules say about a position, and its seats' gauges."""

    plays: tuple[str, ...]
    refused: dict[str, str]
    notes: dict[str, str]
    gauges: tuple[tuple[str, int], ...]


_remembered: Final = OrderedDict[State, _Rules]()
"""The newest positions that were asked about, the one that was needed last at the end."""


def clocks(match: MatchState) -> Clocks:
    """Return every seat's time at the beginning of the present turn: receivers take off what has passed since."""
    timer, pause = match.timer, match.pause
    if pause is not None:
        return Clocks(left=timer.left_at(pause.at), running=None, at=max(pause.at, timer.since))
    return Clocks(left=timer.left, running=timer.running, at=timer.since)


def legal(match: MatchState) -> tuple[str, ...]:
    """Return the legal moves of the seat to move; none while dice are rolled and after the end."""
    return () if match.over else _plays(match.plies.state)


def happened(match: MatchState, events: Sequence[MatchEvent], legal: tuple[str, ...] | None = None) -> Happened:
    """Return the message for `events`, the newest of which led to `match`, with the legal moves for those who asked."""
    plies = match.plies
    return Happened(
        match=match.terms.id,
        events=tuple(events),
        position=plies.text_at(plies.ply),
        ply=plies.ply,
        to_move=plies.state.to_move,
        clocks=clocks(match),
        legal=legal,
    )


def snapshot(
    match: MatchState,
    seat: int | None,
    *,
    connected: Iterable[bool],
    watchers: int,
    id: str | None = None,
    legal: tuple[str, ...] | None = None,
) -> Snapshot:
    """Return the whole match as the player in `seat`, or a watcher, sees it; `id` is the command's that asked.

    `legal` are the legal moves, where the player has asked for them.
    """
    terms, talks, ending = match.terms, match.talks, match.ending
    return Snapshot(
        id=id,
        match=terms.id,
        seq=match.seq,
        game=terms.spec,
        title=terms.game.title,
        clock=terms.clock,
        seats=tuple(_seat_info(match, number) for number in range(match.seats)),
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
        with_help=terms.with_help,
        rated=match.rated,
        tournament=terms.tournament,
        paused_until=None if match.pause is None else match.pause.until,
        legal=legal,
    )


def moves(match: MatchState, ply: int, *, id: str) -> Moves:
    """Return what is legal after `ply` moves, and why other cells are not. Raises Refusal for a ply not yet reached."""
    if ply > match.ply:
        raise Refusal("stale_ply", f"only {match.ply} plies were played")
    state = match.plies.state_at(ply)
    over = match.over and ply == match.ply
    rules = _rules(state)
    return Moves(
        id=id,
        match=match.id,
        ply=ply,
        moves=() if over else rules.plays,
        refused={} if over else rules.refused,
        notes=rules.notes,
        gauges=rules.gauges,
        ending=_ending(match, state) if over else None,
        countdown=None if over else state.countdown(),
    )


def is_remembered(match: MatchState, ply: int) -> bool:
    """Return whether `moves` about this ply has little to work out."""
    return ply > match.ply or match.plies.state_at(ply) in _remembered


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
    state, positions, gauges = studied(match, ply), list[str](), []
    for move in line:
        if state.outcome is not None:
            raise Refusal("illegal_move", f"{move} comes after the end of the game")
        if not state.is_legal(move):
            raise Refusal("illegal_move", state.explain(move))
        state = state.play(move)
        positions.append(str(state))
        gauges.append(state.gauges())
    return Variation(
        id=id, match=match.id, ply=ply, positions=tuple(positions), moves=_plays(state), gauges=tuple(gauges)
    )


def line(states: Sequence[State], *, id: str) -> Line:
    """Return the message about positions that follow each other, and what the rules say about the last of them."""
    *_, last = states
    game, rules, why, outcome = last.game, _rules(last), last.ending(), last.outcome
    is_roll = last.to_move == CHANCE and outcome is None
    return Line(
        id=id,
        game=GameSpec(name=game.name, options=dict(game.options)),
        title=game.title,
        seats=game.seats,
        positions=tuple(map(str, states)),
        to_move=last.to_move,
        moves=tuple(last.moves()) if is_roll else rules.plays,
        refused=rules.refused,
        notes=rules.notes,
        gauges=rules.gauges,
        places=None if outcome is None else outcome.places,
        ending=None if why is None else MatchEnding(seat=why.seat, you=why.you, they=why.they, cells=why.cells),
    )


def summary(match: MatchState, watchers: int) -> MatchSummary:
    """Return the match as lists show it."""
    terms, ending = match.terms, match.ending
    is_by_days = ending is None and isinstance(terms.clock, Correspondence)
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
        rated=match.rated,
        ratings=terms.ratings,
        tournament=terms.tournament,
        turn=match.timer.running if is_by_days else None,
        due=match.timer.flag_at() if is_by_days else None,
    )


def _seat_info(match: MatchState, seat: int) -> SeatInfo:
    terms, place = match.terms, _place(match, seat)
    player, version = terms.players[seat], terms.versions[seat] if terms.versions else None
    if not terms.ratings:
        return SeatInfo(player=player, place=place, version=version)
    begun = terms.ratings[seat]
    return SeatInfo(player=player, place=place, rating=begun.rating, provisional=begun.provisional, version=version)


def _ending(match: MatchState, state: State) -> MatchEnding | None:
    """Return why the rules ended the match in `state`, a race with the number of the winner's moves."""
    why = state.ending() if match.ending is not None and match.ending.reason == "rules" else None
    if why is None:
        return None
    you, they = why.you, why.they
    if why.is_race:
        made = sum(match.plies.state_at(ply).to_move == why.seat for ply in range(match.ply))
        in_moves = f" in {made} {'move' if made == 1 else 'moves'}"
        you, they = you + in_moves, they + in_moves
    return MatchEnding(seat=why.seat, you=you, they=they, cells=why.cells)


def _place(match: MatchState, seat: int) -> int | None:
    if match.ending and match.ending.places:
        return match.ending.places[seat]
    known = match.out[seat]
    return None if known is None else known[0]


def _plays(state: State) -> tuple[str, ...]:
    """Return the legal moves of the seat to move."""
    return () if state.outcome is not None or state.to_move == CHANCE else tuple(state.moves())


def _rules(state: State) -> _Rules:
    """Return what the rules say about a position; all clients of a match ask for the newest."""
    rules = _remembered.get(state)
    if rules is None:
        plays = _plays(state)
        rules = _remembered[state] = _Rules(
            plays, _refusals(state, plays) if plays else {}, dict(state.notes()), state.gauges()
        )
        if len(_remembered) > MAX_REMEMBERED:
            _remembered.popitem(last=False)
    else:
        _remembered.move_to_end(state)
    return rules


def _refusals(state: State, plays: Sequence[str]) -> dict[str, str]:
    """Return why other moves that look legal are none."""
    legal, rows = set(plays), PositionText.parse(str(state)).rows
    cells = [
        name
        for names, row in zip(_cells(tuple(map(len, rows))), rows, strict=True)
        for name, character in zip(names, row, strict=True)
        if character == "." and name not in legal
    ]
    others = (move for move in state.tempting() if move not in legal)
    return {move: state.explain(move) for move in (*cells, *others)}


@cache
def _cells(widths: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the names of the cells of a board whose rows, the top one first, have these widths."""
    board = PositionText(tuple("." * width for width in widths), "0")
    return tuple(tuple(board.name(row, column) for column in range(width)) for row, width in enumerate(widths))
