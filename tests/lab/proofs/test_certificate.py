"""Certificates that ship with the tests are flawless, and every planted fault is found."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cornered import engine
from cornered.engine.game import State
from cornered.lab.proofs.certificate import UNPACKED_BYTES_MAX, Flaw, certify, check, read, walk, write

DATA = Path(__file__).parents[2] / "data" / "proofs"
VALUES = {
    "isolation-3x4": ("isolation", {"width": 4, "height": 3}, 1),
    "isolation-4x4": ("isolation", {"width": 4, "height": 4}, 1),
    "quoridor-5x5-0": ("quoridor", {"size": 5, "walls": 0}, 1),
    "quoridor-5x5-1": ("quoridor", {"size": 5, "walls": 1}, 1),
    "quoridor-5x5-2": ("quoridor", {"size": 5, "walls": 2}, 1),
    "quoridor-7x7-0": ("quoridor", {"size": 7, "walls": 0}, 1),
    "quoridor-7x7-1": ("quoridor", {"size": 7, "walls": 1}, 1),
    "trapgrid-5x5": ("trapgrid", {"size": 5}, 0),
    "trapgrid-6x6": ("trapgrid", {"size": 6}, 1),
}
"""The game, its options and the winner by the known values."""


@pytest.mark.parametrize("name", VALUES)
def test_a_published_certificate_shows_the_known_value(name: str) -> None:
    game, options, winner = VALUES[name]
    certificate = read(DATA / f"{name}.proof")
    assert certificate.game == engine.load(game, **options)
    assert certificate.moves == ()
    assert certificate.winner == winner
    check(certificate)


def test_every_choice_that_is_replaced_by_a_losing_one_is_found() -> None:
    certificate = read(DATA / "trapgrid-5x5.proof")
    given = iter(certificate.choices)
    asked: list[State] = []

    def choose(here: State, count: int) -> int:
        asked.append(here)
        return next(given)

    walk(certificate.state, certificate.winner, choose)
    faults = 0
    for number, here in enumerate(asked):
        for place, move in enumerate(here.moves()):
            if wins(here.play(move)):
                faults += 1
                altered = bytearray(certificate.choices)
                altered[number] = place
                with pytest.raises(Flaw):
                    check(replace(certificate, choices=bytes(altered)))
    assert faults > len(asked) / 4


def test_missing_and_further_choices_and_another_winner_board_position_or_count_are_found() -> None:
    certificate = read(DATA / "isolation-3x4.proof")
    with pytest.raises(Flaw, match="no choice is left"):
        check(replace(certificate, choices=certificate.choices[:-1]))
    with pytest.raises(Flaw, match="choices are left over"):
        check(replace(certificate, choices=certificate.choices + b"\0"))

    certificate = read(DATA / "isolation-3x4.proof")
    for altered in (
        replace(certificate, winner=0),
        replace(certificate, game=engine.load("isolation", width=4, height=4)),
        replace(certificate, moves=("a1",)),
        replace(certificate, moves=("e9",)),
        replace(certificate, positions=certificate.positions + 1),
    ):
        with pytest.raises(Flaw):
            check(altered)


def test_moves_that_could_go_on_for_ever_show_nothing() -> None:
    # Seat 1 goes to and fro on its own side. The first plays of seat 0 that the walk follows stay on its own side too.
    here = engine.load("quoridor", size=5, walls=0).start()

    def to_and_fro(state: State, count: int) -> int:
        return next(place for place, move in enumerate(state.moves()) if move in ("a5", "b5"))

    with pytest.raises(Flaw, match="play comes back"):
        walk(here, 1, to_and_fro)


def test_a_play_may_have_more_plies_than_pythons_recursion_limit() -> None:
    # The plies are counted here, so that moves to and fro come to new positions.
    here = engine.load("quoridor", size=5, walls=0, max_plies=1000).start()
    plies = 0

    def to_and_fro(state: State, count: int) -> int:
        nonlocal plies
        plies += 2
        return next(place for place, move in enumerate(state.moves()) if move in ("a5", "b5"))

    with pytest.raises(Flaw, match="seat 1 does not win"):
        walk(here, 1, to_and_fro)
    assert plies == 1000


def test_a_file_that_unpacks_to_more_than_the_bound_or_has_another_head_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.proof"
    made = certify(engine.load("trapgrid", size=3), (), 0, first_that_wins)
    write(replace(made, choices=bytes(UNPACKED_BYTES_MAX)), path)
    assert path.stat().st_size < UNPACKED_BYTES_MAX / 500
    with pytest.raises(Flaw, match=r"unpacks to more than 64 MiB: .* fewer --nodes"):
        read(path)

    path = tmp_path / "one.proof"
    for head in (b"[" * 100_000, b"[]", b"{}", b'{"format": 1, "game": [], "options": {}}'):
        path.write_bytes(gzip.compress(head + b"\n"))
        with pytest.raises(Flaw, match="is no certificate"):
            read(path)
    head = b'{"format": 1, "game": "trapgrid", "options": {}, "moves": [[]], "winner": 0, "positions": 1}'
    path.write_bytes(gzip.compress(head + b"\n"))
    with pytest.raises(Flaw, match="is no legal move"):
        check(read(path))


def test_a_certificate_survives_its_file_and_a_torn_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "one.proof"
    made = certify(engine.load("trapgrid", size=3), (), 0, first_that_wins)
    write(made, path)
    assert read(path) == made
    check(read(path))
    content = path.read_bytes()
    altered = content[:10] + bytes(255 - byte for byte in content[10:-8]) + content[-8:]
    for torn in (b"", content[:-1], content[:20], b"no gzip", altered, content + b"more"):
        path.write_bytes(torn)
        with pytest.raises(Flaw, match="is no certificate"):
            read(path)


@cache
def wins(here: State) -> bool:
    """Return whether the mover wins a game without draws, by plain minimax."""
    return any(not wins(here.play(move)) for move in here.moves())


def first_that_wins(state: State, count: int) -> int:
    return next(place for place, move in enumerate(state.moves()) if not wins(state.play(move)))
