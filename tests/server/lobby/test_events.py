"""Events of the lobby as they are stored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.protocol.values import Accepts, Fischer, GameSpec, Player, Seek, SeekSettings
from cornered.server.lobby.events import (
    LOBBY_EVENT,
    Answered,
    Arrived,
    BotNamed,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    Guest,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)

ANNA = Player(id="anna", name="Anna", kind="person")
BERT = Player(id="bert", name="Bert", kind="bot")
GAME = GameSpec(name="trapgrid", options={"size": 5})
CLOCK = Fischer(initial=300, increment=2)
SEEK = Seek(id="s", by=ANNA, settings=SeekSettings(game=GAME, clock=CLOCK), joined=(BERT,), seats=2, since=7)
CHALLENGE = Challenged(challenge="c", by=ANNA, to=BERT, game=GAME, clock=CLOCK, seat=None, expires=99)
EVENTS: tuple[LobbyEvent, ...] = (
    Arrived(ANNA, "Anna", "127.0.0.1"),
    WentAway("anna", 5),
    Departed("anna"),
    Declared("bert", (Accepts(game="trapgrid"),), 3),
    SeekPosted(SEEK, GAME),
    SeekJoined("s", BERT),
    SeekLeft("s", "bert"),
    SeekClosed("s"),
    ChallengeSent(CHALLENGE),
    ChallengeEnded(ChallengeClosed(challenge="c", how="accepted", match="m"), ("anna", "bert")),
    MatchMade("m", GAME, (ANNA, BERT), CLOCK, private=True, delay=3),
    MatchEnded("m"),
    PoolEntered(ANNA, "trapgrid-3-2", 1512.5, 7),
    PoolLeft("anna", met="bert"),
    BotNamed("anna", BERT),
    BotNamed("anna", None),
    Answered("anna", "command-1", None),
)


def test_every_kind_of_event_comes_back_as_it_was() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(LobbyEvent))
    for event in EVENTS:
        assert LOBBY_EVENT.validate_json(LOBBY_EVENT.dump_json(event)) == event


def test_a_stored_event_names_its_kind() -> None:
    names = [json.loads(LOBBY_EVENT.dump_json(event))["type"] for event in EVENTS]
    assert len(set(names)) == len({type(event) for event in EVENTS})
    assert names[4] == "seek_posted"


def test_an_event_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        LOBBY_EVENT.validate_json('{"type": "seek_forgotten", "seek": "s"}')


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"player": BERT.model_copy()},
        {"player": ANNA},
        {"name": "another"},
        {"address": "elsewhere"},
        {"playing": 1},
        {"playing": 9},
        {"tables": 1},
        {"playing": 1, "tables": 1},
        {"accepts": ()},
        {"concurrency": None},
        {"concurrency": 4},
    ],
    ids=str,
)
def test_guests_look_alike_where_others_see_the_same(changes: dict[str, Any]) -> None:
    guest = Guest(BERT, "Bert", "here", accepts=(Accepts(game="trapgrid"),), concurrency=3)
    changed = replace(guest, **changes)
    assert guest.looks_like(changed) == (guest.presence() == changed.presence())
