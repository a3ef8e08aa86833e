"""The topics of the feed, as external programs use them."""

from __future__ import annotations

from cornered.protocol.feed import LOBBY, events_topic, match_of, state_topic, status_topic
from tests.protocol.conftest import generated


def test_the_topics_are_those_that_the_manual_tells() -> None:
    manual = generated()["PROTOCOL.md"]
    assert state_topic("{id}") == "cornered/v1/pub/match/{id}/state"
    assert events_topic("{id}") == "cornered/v1/pub/match/{id}/events"
    assert LOBBY == "cornered/v1/pub/lobby"
    assert status_topic("{node}") == "cornered/v1/node/{node}/status"
    for topic in (state_topic("{id}"), events_topic("{id}"), LOBBY, status_topic("{node}")):
        assert f"| `{topic}` |" in manual


def test_a_match_is_read_from_its_topics_alone() -> None:
    assert match_of(state_topic("m1")) == ("m1", "state")
    assert match_of(events_topic("m1")) == ("m1", "events")
    others = (LOBBY, status_topic("n"), "m1/state", "other/v1/pub/match/m1/state", f"{state_topic('m1')}/x", "x", "")
    assert [topic for topic in others if match_of(topic) is not None] == []


def test_the_documents_have_sections_of_their_own_and_are_no_values() -> None:
    mqtt, values = generated()["PROTOCOL.md"].split("## The MQTT feed")[1].split("## Values")
    for name in ("PublicMatchState", "NodeStatus"):
        assert f"### {name}\n" in mqtt
        assert f"### {name}\n" not in values
