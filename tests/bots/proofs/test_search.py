"""The proof search: values that are known, limits, and the bounded table."""

from __future__ import annotations

import pytest

from cornered.bots.bot import Limit
from cornered.bots.proofs.search import ProofSearch
from cornered.bots.solve import solver
from tests.bots.scenes import after

TABLE_BYTES = 1 << 24


def test_each_claim_about_a_game_that_ends_by_itself_is_settled_as_known(subtests: pytest.Subtests) -> None:
    known = {
        **{after("trapgrid", size=size): size % 2 == 1 for size in (3, 4, 5)},
        **{after("isolation", width=width, height=width): width == 3 for width in (2, 3)},
        after("isolation", width=4, height=3): False,
        after("bamboo", radius=1): False,
    }
    for state, is_won in known.items():
        with subtests.test(str(state)):
            for attacker in (0, 1):
                found = ProofSearch(state.game, attacker, TABLE_BYTES).prove(state, 10_000_000)
                assert found.is_proven == (is_won == (attacker == 0))


def test_the_values_of_every_move_on_3x3_agree_with_the_tables() -> None:
    for here in (after("quoridor", size=3, walls=walls) for walls in (0, 1, 2)):
        known = solver("quoridor").solve(here, Limit())  # type: ignore[union-attr]
        assert known is not None
        claims = [ProofSearch(here.game, attacker, TABLE_BYTES) for attacker in (0, 1)]
        for move, value in known.moves.items():
            if here.play(move).outcome is None:
                found = [claim.prove(here.play(move), 1_000_000, plies=40).is_proven for claim in claims]
                assert found == [value == "win", value == "loss"], (str(here), move)


def test_a_win_in_n_plies_is_refuted_within_fewer() -> None:
    # The tables have the exact distance.
    here = after("quoridor", size=5, walls=1)
    known = solver("quoridor").solve(here, Limit())  # type: ignore[union-attr]
    assert known is not None
    assert known.value == "loss"
    assert known.plies is not None
    claim = ProofSearch(here.game, 1, TABLE_BYTES)
    assert claim.prove(here, 10_000_000, plies=known.plies).is_proven is True
    assert claim.prove(here, 10_000_000, plies=known.plies - 2).is_proven is False
    # Both results stay in one table and do not disturb each other.
    assert claim.prove(here, 10_000_000, plies=known.plies).is_proven is True


def test_a_table_of_one_bucket_finds_the_same_value() -> None:
    here = after("trapgrid", size=5)
    assert ProofSearch(here.game, 0, 128).prove(here, 10_000_000).is_proven is True
    assert ProofSearch(here.game, 1, 128).prove(here, 10_000_000).is_proven is False


def test_a_claim_beyond_its_nodes_is_open_and_goes_on_later() -> None:
    here = after("isolation", width=4, height=4)
    claim = ProofSearch(here.game, 1, TABLE_BYTES)
    first = claim.prove(here, 1_000)
    assert first.is_proven is None
    assert first.nodes >= 1_000
    assert len(first.children) == len(here.moves())
    assert claim.prove(here, 10_000_000).is_proven is True


def test_what_the_search_does_not_play_is_refused() -> None:
    for state in (after("quoridor", max_plies=50), after("isolation", players=3), after("bamboo", radius=6)):
        with pytest.raises(ValueError, match="no proof search plays"):
            ProofSearch(state.game, 0, TABLE_BYTES)
    with pytest.raises(ValueError, match="the attacker is seat 0 or 1"):
        ProofSearch(after("trapgrid").game, 2, TABLE_BYTES)
    with pytest.raises(ValueError, match="128 bytes or more"):
        ProofSearch(after("trapgrid").game, 0, 127)
