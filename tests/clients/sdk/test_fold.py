"""The client, which holds no rules, folds events to the same match as the server."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cornered.clients.sdk.fold import advance
from cornered.engine import CHANCE
from cornered.protocol import commands
from cornered.protocol.events import UnknownEvent
from cornered.protocol.messages import Happened, Snapshot
from cornered.protocol.values import Fischer, GameSpec, Player
from cornered.server.match import views
from cornered.server.match.catalogue import settle
from cornered.server.match.match import Match, open_match
from cornered.server.match.pausing import order_pause, resume_clocks
from cornered.server.match.terms import Opening
from cornered.server.refusal import Refusal

GAMES = [
    GameSpec(name="trapgrid", options={"size": 4}),
    GameSpec(name="isolation", options={"width": 4, "height": 4, "players": 3, "dice": True}),
    GameSpec(name="quoridor", options={"size": 5, "players": 4, "max_plies": 30}),
    GameSpec(name="quoridor", options={"size": 3, "max_plies": 20}),
]
SEED = bytes(32)


def legal_for_first(match: Match) -> tuple[str, ...] | None:
    """Return the legal moves when seat 0, which has asked for them, is to move."""
    return views.legal(match) if match.to_move == 0 and not match.over else None


def seen(match: Match) -> Snapshot:
    return views.snapshot(match, 0, connected=[True] * match.seats, watchers=0, legal=legal_for_first(match))


def some_command(match: Match, chance: random.Random) -> tuple[int, commands.MatchCommand]:
    """Return mostly a move, otherwise a command between the players."""
    name = {"id": f"c{match.seq}", "match": match.id}
    seat = chance.randrange(match.seats)
    answers = [commands.AcceptTakeback, commands.AcceptDraw] * 3 + [commands.DeclineTakeback, commands.DeclineDraw]
    if (match.talks.draw or match.talks.takeback) and chance.random() < 0.7:
        return seat, chance.choice(answers)(**name)
    if not match.over and chance.random() < 0.6 and match.to_move != CHANCE:
        return match.to_move, commands.Play(
            id=name["id"], match=name["match"], ply=match.ply, move=chance.choice(match.state.moves())
        )
    if match.over or chance.random() > 0.03:
        return seat, chance.choice(
            [commands.OfferDraw, commands.RequestTakeback, commands.Rematch, commands.DeclineRematch, *answers]
        )(**name)
    return seat, chance.choice([commands.Resign, commands.Abort])(**name)


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: f"{spec.name}-{spec.options.get('players', 2)}")
def test_events_lead_to_what_a_fresh_snapshot_says(spec: GameSpec) -> None:
    game, settled = settle(spec)
    players = [Player(id=f"p{seat}", name=f"P{seat}", kind="person") for seat in range(game.seats)]
    kinds = set()
    for number in range(20):
        chance = random.Random(number)
        match = Match.replay(open_match(Opening("m", settled, players, Fischer(initial=60)), SEED, now=1), SEED)
        known = seen(match)
        for now in range(2, 400):
            seat, command = some_command(match, chance)
            try:
                if number >= 16 and chance.random() < (0.5 if match.pause else 0.02):
                    events = order_pause(match, match.deadline(), 60, now) or resume_clocks(match, now)
                else:
                    events = match.decide(command, seat, now)
            except Refusal:
                continue
            for event in events:
                match = match.evolve(event)
            kinds |= {event.type for event in events}
            known = advance(known, views.happened(match, events, legal_for_first(match)))
            assert known == seen(match), events
            if match.next:
                break
    assert kinds >= {"played", "takeback_requested", "taken_back", "takeback_declined", "ended"}
    assert kinds >= {"rematched", "rematch_declined", "clocks_paused", "clocks_resumed"}
    assert game.seats == 2 or "eliminated" in kinds
    assert not game.has_draws or kinds >= {"draw_offered", "draw_declined"}
    assert not game.options.get("dice") or "rolled" in kinds


def test_events_that_are_known_change_nothing_and_one_of_a_later_server_brings_its_position() -> None:
    players = [Player(id=name, name=name, kind="bot") for name in "ab"]
    started = open_match(Opening("m", settle(GAMES[0])[1], players, Fischer(initial=60)), SEED, now=1)
    match = Match.replay(started, SEED)
    before = seen(match)
    events = match.decide(commands.Play(id="c", match="m", ply=0, move=match.state.moves()[0]), 0, 2)
    after = match.evolve(events[0])
    once = advance(before, views.happened(after, events))
    assert advance(once, views.happened(after, events)) is once
    assert advance(once, views.happened(after, (*started, *events))) is once

    later = UnknownEvent(seq=before.seq + 1, at=5, type="sneezed")
    told: dict[str, Any] = {"match": before.match, "ply": before.ply, "clocks": before.clocks}
    moved = advance(before, Happened(**told, events=(later,), position="...", to_move=1))
    assert (moved.seq, moved.position, moved.to_move, moved.moves) == (before.seq + 1, "...", 1, before.moves)
