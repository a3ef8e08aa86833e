"""Quoridor's overlays."""

from __future__ import annotations

from cornered.bots.evaluate.paths import both_ways
from tests.bots.scenes import pictures, quoridor


def test_distance_is_cold_at_home_and_hot_far_away() -> None:
    heat = pictures(quoridor())["distance-0"].heat
    assert len(heat) == 81
    assert heat["a9"] == 0
    assert heat["e1"] == 1
    assert heat["e5"] == 0.5
    assert pictures(quoridor("e2 e1h"))["distance-0"].heat["e1"] == 1


def test_distance_tells_the_steps_themselves() -> None:
    far = pictures(quoridor("e2 e1h"))["distance-0"]
    assert (far.numbers["e9"], far.numbers["e2"], far.numbers["e1"]) == (0, 7, 9)
    assert "the longest way is 9 steps" in far.legend
    assert far.numbers.keys() == far.heat.keys()


def test_shortest_ways_are_marked_by_whose_they_are() -> None:
    zones = pictures(quoridor("e2 d9 d2"))["shortest"].zones
    assert set(zones) == {f"d{rank}" for rank in range(1, 10)}
    assert zones["d1"] == "1"
    assert zones["d5"] == "both"


def test_the_worst_wall_is_the_hottest() -> None:
    state = quoridor("e2 a1h e3 c1h d3 e1h")
    before = both_ways(state.position)
    gains = {}
    for move in state.moves():
        if len(move) == 3:
            own, other = both_ways(state.play(move).position)
            gains[move] = other - before[1] - (own - before[0])
    worst = max(gains, key=lambda move: gains[move])
    assert gains[worst] > 1
    walls = pictures(state)["walls"]
    assert f"up to {gains[worst]} steps" in walls.legend
    assert walls.heat[worst[:2]] == 1
    assert walls.numbers[worst[:2]] == gains[worst]
    assert min(walls.heat.values()) > 0


def test_a_player_without_walls_is_shown_no_wall() -> None:
    assert "walls" not in pictures(quoridor(walls=0))
    assert set(pictures(quoridor(size=5, players=4))) == {f"distance-{seat}" for seat in range(4)} | {
        "shortest",
        "walls",
    }


def test_the_ends_of_heat_are_numbers_of_steps() -> None:
    shown = pictures(quoridor("e2 a1h e3 c1h d3 e1h"))
    for name in ("distance-0", "walls"):
        assert shown[name].ends == ("0 steps", f"{max(shown[name].numbers.values())} steps")
