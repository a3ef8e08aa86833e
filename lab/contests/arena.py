"""One game between bots in this process. An exception in a bot loses it this game and does not end the contest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Final, TypeAlias

from cornered import engine
from cornered.bots.bot import Bot, Limit, Proven, Thought
from cornered.bots.evaluate import is_duel
from cornered.bots.playout import playouts
from cornered.bots.roster import create
from cornered.clients.sdk.choosing import author_place
from cornered.engine import CHANCE, Game, IllegalMove, State
from cornered.engine.hashing import mixed
from cornered.lab.contests.blame import FAILURES, culprit, report_thinking, was_preparing
from cornered.lab.contests.preparing import ensure_prepared
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, GameEnding, PlayedGame
from cornered.lab.execution.processes import Death

__all__ = [
    "OVERRUN_TOLERANCE_S",
    "Steer",
    "agreed_winner",
    "ask",
    "create_bots",
    "effort_after",
    "fault_of",
    "hung_after_s",
    "is_random",
    "late_after_s",
    "lost",
    "play",
    "position_after",
]

Steer: TypeAlias = Callable[[State, Thought], str]
"""Called with each position and its mover's thought; returns the move that is played, which is the thought's unless
the caller explores. The thought's own move is legal."""

RANDOM_PLAYERS: Final = ("random", "random")
OVERRUN_TOLERANCE_S: Final = 0.02
"""Seconds beyond a move's time from which on it counts as an overrun, which costs nothing: a search ends at its time,
and then makes its answer."""
LATE_TOLERANCE_S: Final = 0.25
"""Tolerance of a move's deadline, in seconds, in addition to twice its time: absorbs scheduling delays."""
HANG_TOLERANCE_S: Final = 10.0
"""Seconds beyond the tolerance after which a bot counts as hung, and its process is ended."""


def position_after(terms: ContestTerms, opening: tuple[str, ...]) -> State:
    """Return the position after an opening. Raises IllegalMove."""
    return _opened(terms.load(), opening)


@lru_cache(maxsize=1024)
def _opened(game: Game, opening: tuple[str, ...]) -> State:
    state = game.start()
    for move in opening:
        state = engine.apply(state, move)
    return state


def _seat_seed(terms: ContestTerms, fixture: Fixture, seat: int) -> int:
    """Return the seed of the bot in a seat, a function of the terms' seed, the game's number and the seat alone."""
    return int(mixed(mixed(mixed(1, terms.seed), fixture.number), seat))


def is_random(terms: ContestTerms, fixture: Fixture) -> bool:
    """Return whether both bots of two are `random`, so that compiled playouts replace them with equal results."""
    return fixture.players == RANDOM_PLAYERS and is_duel(terms.load())


def play(terms: ContestTerms, fixture: Fixture, steer: Steer | None = None) -> PlayedGame:
    """Play a fixture to its end."""
    if steer is None and is_random(terms, fixture):
        return _play_at_random(terms, fixture)
    ensure_prepared(terms, fixture)
    state = position_after(terms, fixture.opening)
    moves = list(fixture.opening)
    efforts = [Effort()] * len(fixture.players)
    chance = terms.chance("dice", fixture.number)
    claims: list[tuple[Proven | None, int]] = [(None, -1)] * len(fixture.players)

    def over(winner: int | None, ending: GameEnding, ranks: tuple[int, ...] = ()) -> PlayedGame:
        return PlayedGame(fixture, tuple(moves), winner, ending, tuple(efforts), "", ranks if len(ranks) > 2 else ())

    def failed(seat: int, ending: GameEnding, fault: str) -> PlayedGame:
        return _lost_by(seat, state, PlayedGame(fixture, tuple(moves), None, ending, tuple(efforts), fault))

    bots = create_bots(terms, fixture)
    if isinstance(bots, PlayedGame):
        return bots
    while state.outcome is None:
        if len(moves) >= terms.longest:
            return over(None, "length", (1,) * len(fixture.players))
        if state.to_move == CHANCE:
            move = chance.choice(state.moves())
            moves.append(move)
            state = state.play(move)
            continue
        seat = state.to_move
        report_thinking(seat, moves, hung_after_s(terms.time))
        try:
            thought, seconds = ask(bots[seat], state, terms.limit())
        except IllegalMove as error:
            return failed(seat, "illegal", f"{fixture.players[seat]}: {error}")
        except FAILURES as error:
            return failed(seat, "crashed", fault_of(fixture.players[seat], error))
        efforts[seat] = effort_after(efforts[seat], thought, seconds, terms.time)
        if seconds > late_after_s(terms.time):
            return failed(seat, "time", f"{fixture.players[seat]} took {seconds:.2f} s for a move")
        before, move = state, thought.move
        try:
            state = engine.apply(before, move)
        except IllegalMove as error:
            return failed(seat, "illegal", f"{fixture.players[seat]}: {error}")
        if steer is not None and (steered := steer(before, thought)) != move:
            move = steered
            state = engine.apply(before, move)
        moves.append(move)
        # A move that was steered away from says nothing about the result of the thought.
        claims[seat] = (thought.proven if move == thought.move else None), len(moves)
        if terms.adjudicates and state.outcome is None and (verdict := agreed_winner(claims, len(moves))) is not None:
            return over(None if verdict < 0 else verdict, "adjudicated")
    return over(state.outcome.winner, "rules", state.outcome.places)


def _lost_by(seat: int, state: State, played: PlayedGame) -> PlayedGame:
    """Return the game that a seat's failure ended in a position, with its result.

    Of more than two players, those who were out keep their places, the seat has the place behind all that are still in,
    and these share the first: the game has not decided between them.
    """
    seats = len(played.fixture.players)
    if seats == 2:
        return replace(played, winner=1 - seat)
    still_in = [other for other in range(seats) if other != seat and state.leave(other) != state]
    after = state.leave(seat)
    for other in still_in:
        if after.outcome is None:
            after = after.leave(other)
    assert after.outcome is not None, "a game ends when all but one have left"
    ranks = tuple(1 if other in still_in else place for other, place in enumerate(after.outcome.places))
    winner = still_in[0] if len(still_in) == 1 else None
    return replace(played, winner=winner, ranks=ranks, left=seat)


def create_bots(terms: ContestTerms, fixture: Fixture) -> list[Bot] | PlayedGame:
    """Return the fixture's bots by seat, or the lost game when the constructor of one of them fails."""
    bots: list[Bot] = []
    for seat, spec in enumerate(fixture.players):
        try:
            bots.append(create(spec, _seat_seed(terms, fixture, seat)))
        except FAILURES as error:
            efforts = (Effort(),) * len(fixture.players)
            played = PlayedGame(fixture, fixture.opening, None, "crashed", efforts, fault_of(spec, error))
            return _lost_by(seat, position_after(terms, fixture.opening), played)
    return bots


def _play_at_random(terms: ContestTerms, fixture: Fixture) -> PlayedGame:
    began, opening = perf_counter(), len(fixture.opening)
    first, second = _seat_seed(terms, fixture, 0), _seat_seed(terms, fixture, 1)
    ended = playouts(terms.load()).play(fixture.opening, first, second, terms.longest)
    plies = len(ended.moves)
    each = (perf_counter() - began) / max(1, plies - opening)
    # The even plies are the first seat's.
    counts = (plies + 1) // 2 - (opening + 1) // 2, plies // 2 - opening // 2
    efforts = Effort(counts[0], each * counts[0], each, counts[0]), Effort(counts[1], each * counts[1], each, counts[1])
    return PlayedGame(fixture, ended.moves, ended.winner, "length" if ended.was_cut else "rules", efforts)


def lost(terms: ContestTerms, fixture: Fixture, death: Death) -> PlayedGame:
    """Return the lost game of a fixture whose process dies every time it is played. The loser is the bot that was
    thinking; where none was, the bot to move next, and `fault` says so."""
    found = culprit(death, fixture)
    if found is not None:
        seat, moves = found
        fault = f"{fixture.players[seat]}: {_end_in_words(terms, death)}"
    else:
        seat, moves = _next(terms, fixture)
        fault = (
            f"the process {death.cause}, no bot was thinking; it counts against {fixture.players[seat]}, next to move"
        )
    ending: GameEnding = "time" if death.is_hung else "crashed"
    efforts = (Effort(),) * len(fixture.players)
    return _lost_by(seat, position_after(terms, moves), PlayedGame(fixture, moves, None, ending, efforts, fault))


def _end_in_words(terms: ContestTerms, death: Death) -> str:
    """Return how the process of a bot ended; one that hung has advice for the bot's author."""
    if not death.is_hung:
        return f"the process {death.cause} while it was its turn"
    if was_preparing(death):
        return "loading it took too long: is there a loop outside choose?"
    within = hung_after_s(terms.time)
    how = "in time" if within is None else f"within {within:g} s"
    return f"choose did not return {how}: does it loop without looking at limit.remaining?"


def _next(terms: ContestTerms, fixture: Fixture) -> tuple[int, tuple[str, ...]]:
    """Return the seat to move after the opening, and the moves of the opening."""
    state, moves = position_after(terms, fixture.opening), list(fixture.opening)
    chance = terms.chance("dice", fixture.number)
    while state.to_move == CHANCE:
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return state.to_move, tuple(moves)


def late_after_s(time: int | None) -> float:
    """Return the seconds after which a move that should take `time` milliseconds is late; infinite without a clock."""
    return inf if time is None else 2 * time / 1000 + LATE_TOLERANCE_S


def hung_after_s(time: int | None) -> float | None:
    """Return the seconds after which a thinking bot's process is ended; None without a clock."""
    return None if time is None else late_after_s(time) + HANG_TOLERANCE_S


def fault_of(spec: str, error: BaseException) -> str:
    """Return one line that describes an exception of a bot, with the file and line of its author."""
    place = author_place(error)
    where = spec if place is None else f"{spec}: {place}"
    words = " ".join(f"{where}: {type(error).__name__}: {error}".split())
    # A lone surrogate, as in an undecodable file name, cannot be encoded as UTF-8 in the journal.
    return words.encode(errors="backslashreplace").decode()


def ask(bot: Bot, state: State, limit: Limit) -> tuple[Thought, float]:
    """Return the bot's thought about a position and the seconds it took. Raises what the bot raises, and TypeError for
    an answer that is not a `Thought`."""
    started = perf_counter()
    thought: object = bot.choose(state, limit)
    seconds = perf_counter() - started
    if not isinstance(thought, Thought):
        raise TypeError(f"{thought!r} is no thought")
    return thought, seconds


def effort_after(effort: Effort, thought: Thought, seconds: float, time: int | None) -> Effort:
    """Return a player's effort after one more move, which took `seconds` of its `time` in milliseconds."""
    is_over = time is not None and seconds > time / 1000 + OVERRUN_TOLERANCE_S
    return replace(
        effort,
        moves=effort.moves + 1,
        seconds=effort.seconds + seconds,
        slowest=max(effort.slowest, seconds),
        nodes=effort.nodes + thought.nodes,
        depths=effort.depths + thought.depth,
        overruns=effort.overruns + is_over,
    )


def agreed_winner(claims: list[tuple[Proven | None, int]], plies: int) -> int | None:
    """Return the winner's seat, or -1 for a draw, when both players' latest proven results agree; otherwise None."""
    (first, at_first), (second, at_second) = claims
    if min(at_first, at_second) < plies - 1:
        return None
    return {("win", "loss"): 0, ("loss", "win"): 1, ("draw", "draw"): -1}.get((first or "", second or ""))
