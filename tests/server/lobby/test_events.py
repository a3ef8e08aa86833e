"""Events of the lobby as they are stored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.protocol.values import Accepts, Fischer, GameSpec, Player, Seek, SeekSettings
from cornered.server.lobby import events

ANNA = Player(id="anna", name="Anna", kind="person")
BERT = Player(id="bert", name="Bert", kind="bot")
GAME = GameSpec(name="trapgrid", options={"size": 5})
CLOCK = Fischer(initial=300, increment=2)
SEEK = Seek(id="s", by=ANNA, settings=SeekSettings(game=GAME, clock=CLOCK), joined=(BERT,), seats=2, since=7)
CHALLENGE = Challenged(challenge="c", by=ANNA, to=BERT, game=GAME, clock=CLOCK, seat=None, expires=99)
EVENTS: tuple[events.LobbyEvent, ...] = (
    events.Arrived(ANNA, "Anna", "127.0.0.1"),
    events.WentAway("anna", 5),
    events.Departed("anna"),
    events.Declared("bert", (Accepts(game="trapgrid"),), 3),
    events.SeekPosted(SEEK, GAME),
    events.SeekJoined("s", BERT),
    events.SeekLeft("s", "bert"),
    events.SeekClosed("s"),
    events.ChallengeSent(CHALLENGE),
    events.ChallengeEnded(ChallengeClosed(challenge="c", how="accepted", match="m"), ("anna", "bert")),
    events.MatchMade("m", GAME, (ANNA, BERT), CLOCK, private=True, delay=3),
    events.MatchEnded("m"),
    events.PoolEntered(ANNA, "trapgrid-3-2", 1512.5, 7),
    events.PoolLeft("anna", met="bert"),
    events.BotNamed("anna", BERT),
    events.BotNamed("anna", None),
    events.Answered("anna", "command-1", None),
)


def test_every_kind_of_event_names_its_kind_and_comes_back_as_it_was() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(events.LobbyEvent))
    stored = [events.LOBBY_EVENT.dump_json(event) for event in EVENTS]
    assert [events.LOBBY_EVENT.validate_json(raw) for raw in stored] == [*EVENTS]
    names = [json.loads(raw)["type"] for raw in stored]
    assert len(set(names)) == len({type(event) for event in EVENTS})
    assert names[4] == "seek_posted"
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        events.LOBBY_EVENT.validate_json('{"type": "seek_forgotten", "seek": "s"}')


def test_guests_look_alike_where_others_see_the_same() -> None:
    guest = events.Guest(BERT, "Bert", "here", accepts=(Accepts(game="trapgrid"),), concurrency=3)
    changes: list[dict[str, Any]] = [{}, {"player": BERT.model_copy()}, {"player": ANNA}, {"name": "another"}]
    changes += [{"address": "elsewhere"}, {"playing": 1}, {"playing": 9}, {"tables": 1}, {"playing": 1, "tables": 1}]
    changes += [{"accepts": ()}, {"concurrency": None}, {"concurrency": 4}]
    for change in changes:
        changed = replace(guest, **change)
        assert guest.looks_like(changed) == (guest.presence() == changed.presence()), change
