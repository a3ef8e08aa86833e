"""Decides tournaments: commands, results and time become events or refusals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias, assert_never

from cornered.protocol.tournaments import (
    MAX_ROUND_ROBIN,
    MAX_TOURNAMENT_PLAYERS,
    CancelTournament,
    FinishTournament,
    ForfeitPlayer,
    JoinTournament,
    PairByHand,
    PauseTournament,
    ResumeTournament,
    StartTournament,
    TellTournament,
    TournamentSettings,
    WithdrawFromTournament,
)
from cornered.protocol.values import MAX_PAUSE_SECONDS, Correspondence, NoClock, Player
from cornered.server.refusal import Refusal, id_reused
from cornered.server.tournament.events import (
    RULES,
    Begun,
    Called,
    Cancelled,
    Finished,
    Forfeited,
    Joined,
    Left,
    Paired,
    Paused,
    Result,
    Resulted,
    Resumed,
    Returned,
    Told,
    TournamentEvent,
)
from cornered.server.tournament.rounds import Draft, arena_draft, hand_draft, pairings_of, planned_rounds, replays
from cornered.server.tournament.state import TournamentState

__all__ = [
    "ARENA_GATHER_MS",
    "MAX_COMINGS",
    "MAX_EVENTS",
    "MAX_MATCHES",
    "MAX_MESSAGES",
    "MAX_OPEN_MS",
    "TournamentDecision",
    "check_settings",
    "decide",
    "is_round_due",
    "pair_round",
    "resulted",
    "taken_out",
    "tick",
]

MAX_MATCHES: Final = 5_000
"""Matches of one tournament: an arena ends there."""
MAX_MESSAGES: Final = 100
"""Lines that an organiser may send to the participants of one tournament."""
MAX_COMINGS: Final = 50
"""How often one player may join a tournament or come back."""
MAX_EVENTS: Final = 25_000
"""Events of a tournament, whose stream is read at each start: after these nobody joins, and the clocks stop no more.

Its games, rounds, results and lines are bounded by themselves, and take half of them at most.
"""
MAX_OPEN_MS: Final = 60 * 86_400_000
"""For how long a tournament may be open before it starts; then it is cancelled."""
MAX_SEATS: Final = 2
ARENA_GATHER_MS: Final = 3_000
"""Milliseconds between two pairings of an arena: who becomes free meanwhile can be paired with more players."""

TournamentDecision: TypeAlias = (
    JoinTournament
    | WithdrawFromTournament
    | StartTournament
    | FinishTournament
    | CancelTournament
    | PairByHand
    | PauseTournament
    | ResumeTournament
    | TellTournament
    | ForfeitPlayer
)
"""The commands that change a tournament."""


def check_settings(settings: TournamentSettings, seats: int, now: int) -> None:
    """Refuse settings that do not go together; `seats` are those of the game."""
    if seats != MAX_SEATS:
        raise Refusal("bad_options", "a tournament needs a game for two; choose 2 players")
    if isinstance(settings.clock, NoClock):
        raise Refusal("bad_options", "a tournament needs a clock, or one player could keep all others waiting")
    if settings.format == "arena":
        if settings.minutes is None:
            raise Refusal("bad_options", "an arena needs `minutes`, for which it lasts")
        if isinstance(settings.clock, Correspondence):
            raise Refusal("bad_options", "an arena needs a clock that does not count in days")
    elif settings.minutes is not None:
        raise Refusal("bad_options", "only an arena has `minutes`; leave them out")
    if settings.format == "round_robin" and (settings.limit or 0) > MAX_ROUND_ROBIN:
        raise Refusal(
            "bad_options", f"a round robin has at most {MAX_ROUND_ROBIN} players; lower `limit`, or play Swiss"
        )
    if settings.format != "swiss" and (settings.rounds is not None or settings.late_rounds):
        raise Refusal("bad_options", "only a Swiss tournament has `rounds` and `late_rounds`; leave them out")
    if settings.format != "round_robin" and settings.cycles != 1:
        raise Refusal("bad_options", "only a round robin has `cycles`; leave them out")
    low, high = settings.rating_from, settings.rating_to
    if low is not None and high is not None and low > high:
        raise Refusal("bad_options", "`rating_from` is above `rating_to`; exchange them")
    if settings.starts_at is not None and not now <= settings.starts_at <= now + MAX_OPEN_MS:
        raise Refusal("bad_options", "`starts_at` must be in the next 60 days")


def decide(
    state: TournamentState,
    command: TournamentDecision,
    player: Player,
    now: int,
    *,
    rating: int,
    new_id: Callable[[str], str],
    is_admin: bool = False,
) -> tuple[TournamentEvent, ...]:
    """Return the events of a command at `now`; none where it changes nothing. Raises Refusal.

    `rating` is the player's in these games, `new_id` draws the id of a match near a player. An administrator may do
    what the organiser may.
    """
    if state.is_over:
        raise Refusal("tournament_over", "the tournament is over")
    match command:
        case JoinTournament():
            events = _join(state, player, rating, now)
            if events and state.comings.get(player.id, 0) >= MAX_COMINGS:
                raise Refusal("busy", f"you have entered this tournament {MAX_COMINGS} times, as often as one may")
            _check_history(state, events)
            return events
        case WithdrawFromTournament():
            entry = state.entries.get(player.id)
            if entry is None:
                raise Refusal("not_a_player", "you do not take part in this tournament")
            return () if entry.is_out else (Left(now, player.id),)
        case TellTournament() | ForfeitPlayer() | PairByHand() | PauseTournament() | ResumeTournament():
            pass
        case StartTournament() | FinishTournament() | CancelTournament():
            pass
        case _:
            assert_never(command)
    if player.id != state.organiser.id and not is_admin:
        raise Refusal("not_yours", "only its organiser does that")
    known = state.causes.get(command.id)
    if known and known != command.digest():
        raise id_reused()
    if known is not None:
        return ()
    match command:
        case StartTournament():
            return _start(state, now, command.id, command.digest())
        case FinishTournament():
            if state.status != "running":
                raise Refusal("not_now", "the tournament has not started; start or cancel it")
            if state.pending:
                raise Refusal("not_now", f"{len(state.pending)} games go on; wait for them, or forfeit who is absent")
            return (Finished(now),)
        case CancelTournament():
            return (Cancelled(now),)
        case PairByHand():
            return _pair_by_hand(state, command, now, new_id)
        case PauseTournament():
            if state.status != "running":
                raise Refusal("not_now", "the tournament has not started")
            events = () if state.is_paused else (Paused(now),)
            _check_history(state, events)
            return events
        case ResumeTournament():
            return (Resumed(now),) if state.is_paused else ()
        case TellTournament():
            if state.told >= MAX_MESSAGES:
                raise Refusal("busy", f"you have sent {MAX_MESSAGES} lines, as many as a tournament has")
            return (Told(now, command.text, command.id, command.digest()),)
        case ForfeitPlayer():
            if command.player not in state.entries:
                raise Refusal("unknown_player", "this player does not take part")
            return () if state.entries[command.player].is_barred else (Forfeited(now, command.player),)
        case _:
            assert_never(command)


def _check_history(state: TournamentState, events: Sequence[TournamentEvent]) -> None:
    if events and state.seq >= MAX_EVENTS:
        raise Refusal("busy", "this tournament has a history that is too long; create another one")


def _join(state: TournamentState, player: Player, rating: int, now: int) -> tuple[TournamentEvent, ...]:
    settings = state.settings
    entry = state.entries.get(player.id)
    if player.id in state.barred or (entry is not None and entry.is_barred):
        raise Refusal("not_permitted", "the organiser has taken you out of this tournament")
    if entry is not None:
        if entry.is_out and settings.format != "arena":
            raise Refusal("too_late", "you have left this tournament, or are out of it")
        return (Returned(now, player.id),) if entry.is_out or state.is_absent(entry) else ()
    if state.status == "running" and not _may_join_late(state, now):
        raise Refusal("too_late", "the tournament has started; it takes no further players")
    most = settings.limit or (MAX_ROUND_ROBIN if settings.format == "round_robin" else MAX_TOURNAMENT_PLAYERS)
    if len(state.entries) >= most:
        raise Refusal("server_full", f"the tournament has {most} players, as many as it takes")
    if settings.entrants != "everybody" and (settings.entrants == "bots") != (player.kind == "bot"):
        raise Refusal("not_permitted", f"this tournament is for {settings.entrants} only")
    low, high = settings.rating_from, settings.rating_to
    if (low is not None and rating < low) or (high is not None and rating > high):
        bounds = f"{'' if low is None else low} to {'' if high is None else high}".strip()
        raise Refusal("not_permitted", f"your rating in these games is {rating}; this tournament is for {bounds}")
    return (Joined(now, player, rating),)


def _may_join_late(state: TournamentState, now: int) -> bool:
    match state.settings.format:
        case "swiss":
            return state.round <= state.settings.late_rounds and state.round < (state.rounds or 0)
        case "arena":
            return now < (state.ends_at or 0)
        case "by_hand":
            return True
        case "round_robin" | "knockout":
            return False


def _start(state: TournamentState, now: int, cause: str = "", digest: str = "") -> tuple[TournamentEvent, ...]:
    if state.status == "open":
        if len(state.entries) < 2:
            raise Refusal("not_now", "a tournament needs two players; wait for more")
        return (Begun(now, planned_rounds(state), cause, RULES, digest),)
    if state.settings.format in ("arena", "by_hand"):
        raise Refusal("not_now", "this tournament goes on; it has no rounds to start")
    if state.pending:
        raise Refusal("not_now", f"{len(state.pending)} games of this round go on; wait for them")
    return () if state.is_called else (Called(now, cause, digest),)


def _pair_by_hand(
    state: TournamentState, command: PairByHand, now: int, new_id: Callable[[str], str]
) -> tuple[TournamentEvent, ...]:
    if state.settings.format != "by_hand":
        raise Refusal("not_now", "this tournament pairs its players itself")
    if state.status != "running":
        raise Refusal("not_now", "start the tournament first")
    if state.matches + len(command.pairs) > MAX_MATCHES:
        raise Refusal("busy", f"a tournament has at most {MAX_MATCHES} games; create another one")
    seen: set[str] = set()
    for player in (player for pair in command.pairs for player in pair):
        entry = state.entries.get(player)
        if entry is None or entry.is_out:
            raise Refusal("unknown_player", f"{player} does not take part")
        if player in seen or entry.pending is not None:
            raise Refusal("busy", f"{entry.player.name} plays already; pair everybody once")
        seen.add(player)
    pairings = pairings_of(hand_draft(command.pairs), new_id)
    return (Paired(now, state.round + 1, pairings, command.id, command.digest()),)


# What the end of a right decides


def taken_out(
    state: TournamentState, lost: Mapping[str, str], now: int, *, is_group_closed: bool = False
) -> tuple[TournamentEvent, ...]:
    """Return what follows where players have lost the right to be here; `lost` says which right.

    They are paired no more, and a game that goes on is theirs to its end, as after a withdrawal. What has not begun
    does not begin without its group, nor without an organiser for whom it waits.
    """
    if state.is_over:
        return ()
    settings = state.settings
    waits = settings.group is None and settings.starts_at is None and state.organiser.id in lost
    if state.status == "open" and (is_group_closed or waits):
        return (Cancelled(now),)
    entries = (state.entries.get(player) for player in lost)
    return tuple(
        Left(now, entry.player.id, lost[entry.player.id])
        for entry in entries
        if entry is not None and not entry.is_outsider
    )


# What time and results decide


def resulted(state: TournamentState, results: Sequence[Result], now: int) -> tuple[TournamentEvent, ...]:
    """Return the event of matches that have ended; those that are decided already are left out."""
    fresh = tuple(result for result in results if result.match in state.pending)
    return (Resulted(now, fresh),) if fresh else ()


def is_round_due(state: TournamentState, now: int) -> bool:
    """Return whether the next round of a Swiss, round robin or knockout tournament is to be paired."""
    if state.status != "running" or state.is_paused or state.pending or state.settings.format in ("arena", "by_hand"):
        return False
    if replays(state) or _is_decided(state):
        return False
    due = state.next_round_at
    return state.is_called or state.round == 0 or (due is not None and now >= due)


def _is_decided(state: TournamentState) -> bool:
    if state.rounds is None:
        return False
    left = sum(not entry.is_out for entry in state.entries.values())
    return state.round >= state.rounds or (state.settings.format == "swiss" and left < 2)


def pair_round(
    state: TournamentState, drafts: Sequence[Draft], now: int, new_id: Callable[[str], str]
) -> tuple[TournamentEvent, ...]:
    """Return the event of the next round with what was drafted for it; where nobody can be paired the end."""
    if not drafts:
        return (Finished(now),)
    return (Paired(now, state.round + 1, pairings_of(drafts, new_id)),)


def tick(
    state: TournamentState, now: int, new_id: Callable[[str], str], here: Collection[str]
) -> tuple[TournamentEvent, ...]:
    """Return what time decides, apart from the rounds of `is_round_due`: start, replays, an arena's pairs, the end.

    `here` are the players who are connected to any node.
    """
    if state.is_over:
        return ()
    settings = state.settings
    if state.status == "open":
        if settings.starts_at is not None and now >= settings.starts_at:
            return _start(state, now) if len(state.entries) >= 2 else (Cancelled(now),)
        return (Cancelled(now),) if now - state.created > MAX_OPEN_MS else ()
    if state.is_paused:
        # The clocks of its games go on by themselves then.
        return (Resumed(now),) if now - (state.paused_at or now) >= MAX_PAUSE_SECONDS * 1000 else ()
    if settings.format == "arena":
        return _tick_arena(state, now, new_id, here)
    if settings.format == "by_hand" or state.pending:
        return ()
    if drafts := replays(state):
        return (Paired(now, state.round, pairings_of(drafts, new_id)),)
    return (Finished(now),) if _is_decided(state) else ()


def _tick_arena(
    state: TournamentState, now: int, new_id: Callable[[str], str], here: Collection[str]
) -> tuple[TournamentEvent, ...]:
    if now >= (state.ends_at or 0) or state.matches >= MAX_MATCHES:
        return () if state.pending else (Finished(now),)
    drafts = arena_draft(state, here, now)[: MAX_MATCHES - state.matches]
    return (Paired(now, state.round + 1, pairings_of(drafts, new_id)),) if drafts else ()
