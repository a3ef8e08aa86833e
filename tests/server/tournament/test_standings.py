"""Standings of whole tournaments: FIDE's published exercise, and tournaments that began under rules before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from cornered.contests.standings import adjusted, buchholz
from cornered.contests.trf import Round, read
from cornered.protocol import tournaments as trn
from cornered.server.net.tournament_report import report_of
from cornered.server.tournament.events import (
    RULES,
    TOURNAMENT_EVENT,
    Begun,
    Created,
    Joined,
    Paired,
    Pairing,
    Result,
    Resulted,
)
from cornered.server.tournament.rounds import drafted
from cornered.server.tournament.standings import TIE_BREAKS, places
from cornered.server.tournament.state import TournamentState
from tests.server.tournament.test_tournament import OLGA, begun, player, terms

BEFORE: Final = Path("tests/data/tournaments/first_rules.json")
CROSSTABLE: Final = """
    9+w 13=b 2=w 15+b 4=w
    10+b 7+w 1=b 16+w 3=b
    11=w 6+b 8+w 4=b 2=w
    12+b half 13+w 3=w 1=b
    13-w 15-b 11+w 7=b 10+w
    14-b 3-w bye 10+w 8+b
    15+w 2-b 16-b 5=w 11-b
    16=b 14+w 3-b 13+w 6-w
    1-b 10-w half 11-f bye
    2-w 9+b 15-w 6-b 5-b
    3=b 16-w 5-b 9+f 7+w
    4-w bye 14+f rest rest
    5+b 1=w 4-b 8-b 14-w
    6+w 8-b 12-f rest 13+b
    7-b 5+w 10+b 1-w 16-b
    8=w 11+b 7+w 2-b 15+w
"""
"""FIDE's "Exercises in Tie-Breaking", section 2.1: each player's opponent, result and colour in five rounds; `f` is by
forfeit. Player 12 withdrew."""
BUCHHOLZ: Final = [12.5, 13, 15.5, 15, 8.5, 12, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5]
SONNEBORN_BERGER: Final = [8, 9.5, 10.5, 9.75, 4.25, 6.5, 3.25, 5.25, 2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25]
WON: Final = [2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3]


def exercise(rules: int = RULES) -> TournamentState:
    """Return the tournament of the exercise, held by `rules`."""
    state = TournamentState.begin("t", Created(1, terms("swiss", rounds=5), OLGA))
    rows = [row.split() for row in CROSSTABLE.split("\n") if row.strip()]
    for number in range(1, len(rows) + 1):
        state.evolve(Joined(1, player(number), 2_250 - 50 * number))
    state.evolve(Begun(1, 5, rules=rules))
    for round_ in range(5):
        pairings, results = [], []
        for number, row in enumerate(rows, 1):
            cell = row[round_]
            if cell in ("half", "bye"):
                share = 0.5 if cell == "half" else 1.0
                pairings.append(Pairing(number, (f"p{number}",), None, (share,)))
            elif cell[-1] == "w" or cell[-2:] == "+f":
                share = {"+": 1.0, "=": 0.5, "-": 0.0}[cell[-2]]
                match, is_forfeit = f"{round_}-{number}", cell[-1] == "f"
                pairings.append(Pairing(number, (f"p{number}", f"p{cell[:-2]}"), match))
                results.append(Result(match, (share, 1 - share), is_forfeit, (1,) if is_forfeit else ()))
        state.evolve(Paired(1, round_ + 1, tuple(pairings)))
        state.evolve(Resulted(1, tuple(results)))
    return state


def values(state: TournamentState, kind: Any) -> list[float]:
    """Return one tie-break of all players, in the order of their numbers."""
    place = TIE_BREAKS[state.settings.format].index(kind)
    found = {row.entry.player.id: row.tie_breaks[place] for row in places(state)}
    return [found[f"p{number}"] for number in range(1, len(found) + 1)]


def test_the_tie_breaks_are_those_of_fides_exercise() -> None:
    state = exercise()
    assert values(state, "buchholz") == BUCHHOLZ
    assert values(state, "sonneborn_berger") == SONNEBORN_BERGER
    assert values(state, "wins") == WON


def test_a_round_that_goes_on_is_no_round_that_was_missed() -> None:
    scene = begun("swiss", 4)
    scene.advance()
    scene.finish_all()
    before = values(scene.state, "buchholz")
    scene.advance()
    assert values(scene.state, "buchholz") == before


def test_a_forfeited_game_of_a_round_robin_is_one_against_its_opponent() -> None:
    """C.07, article 15.2. The last three of four players have a point each against the first one, who has none."""
    scene = begun("round_robin", 4)
    scene.do(trn.WithdrawFromTournament, player(1))
    scene.play()
    assert values(scene.state, "sonneborn_berger") == [0, 3, 1, 0]
    assert values(scene.state, "wins") == [0, 2, 1, 0]


@pytest.mark.parametrize("name", json.loads(BEFORE.read_text()))
def test_a_tournament_that_began_before_keeps_its_standings_and_its_schedule(name: str) -> None:
    """The file was written by the version before: its events, and its standings then."""
    stored = json.loads(BEFORE.read_text())[name]
    first, *rest = (TOURNAMENT_EVENT.validate_python(event) for event in stored["events"])
    state = TournamentState.begin("t", first)
    for event in rest:
        state.evolve(event)
    table = [[place.entry.player.id, place.entry.points, list(place.tie_breaks)] for place in places(state)]
    assert table == stored["standings"]
    if not state.is_over:
        met = {frozenset(pairing.players) for _, pairing in state.games()}
        while drafts := drafted(state)():
            assert not met & {frozenset(draft.players) for draft in drafts}
            met |= {frozenset(draft.players) for draft in drafts}
            pairings = tuple(Pairing(board, draft.players, None, (1.0, 0.0)) for board, draft in enumerate(drafts))
            state.evolve(Paired(2, state.round + 1, pairings))
            if state.round == state.rounds:
                break
        assert len(met) == len(state.entries) * (len(state.entries) - 1) // 2


def test_the_report_of_a_tournament_is_what_was_played() -> None:
    """The published crosstable, through the events, as a report that has the published tie-breaks again."""
    text = report_of(exercise())
    assert text is not None
    report = read(text)
    assert (report.name, report.rounds, report.fields["092"]) == ("Open", 5, "Individual: Swiss-System")
    byes = {"half": Round("H"), "bye": Round("U"), "rest": Round("Z")}
    for known, row in zip(report.players, CROSSTABLE.split("\n")[1:-1], strict=True):
        for one, cell in zip(known.rounds, row.split(), strict=True):
            opponent, sign, how = cell[:-2], cell[-2], cell[-1]
            if cell in byes:
                assert one == byes[cell]
            else:
                result = sign if how == "f" or sign == "=" else {"+": "1", "-": "0"}[sign]
                assert (one.result, one.opponent) == (result, int(opponent))
                assert how == "f" or one.seat == "wb".index(how)
    meetings = {str(number): met for number, met in report.meetings().items()}
    points = {str(known.number): known.points for known in report.players}
    worth = {name: adjusted(points[name], met) for name, met in meetings.items()}
    assert [buchholz(name, meetings[name], points, worth) for name in points] == BUCHHOLZ


def test_a_report_says_who_will_not_be_in_the_next_round_and_which_games_go_on() -> None:
    scene = begun("swiss", 4, rounds=3)
    scene.advance()
    assert {one.result for known in read(str(report_of(scene.state))).players for one in known.rounds} == {" "}
    scene.finish_all()
    scene.do(trn.WithdrawFromTournament, player(2))
    report = read(str(report_of(scene.state)))
    assert [len(one.rounds) for one in report.players] == [1, 2, 1, 1]
    assert [one.name for one in report.entrants()] == ["1", "3", "4"]


def test_a_format_with_several_games_a_round_has_no_report() -> None:
    assert report_of(begun("knockout", 4).state) is None
    assert report_of(begun("arena", 4).state) is None
