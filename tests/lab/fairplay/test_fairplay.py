"""The comparison of a player's moves with the champion's: its numbers, and whom it tells apart."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import pytest

from cornered import engine
from cornered.bots.bot import Bot, Limit, Line, Thought
from cornered.bots.evaluate.chance import CURVES
from cornered.bots.roster import create
from cornered.engine import State
from cornered.lab.fairplay.comparison import compare, group
from cornered.lab.fairplay.games import FinishedGame, TimedMove, game_of
from cornered.lab.fairplay.judging import LINES, OPENING_PLIES, Judgement, judge
from cornered.lab.fairplay.report import CAUTION, as_html, as_json, as_text
from cornered.protocol.events import MatchEvent, Played, Started, TakenBack
from cornered.protocol.values import NO_CLOCK, GameSpec, Player, SeatRating

ANN, BEN = (Player(id=name.lower(), name=name, kind="person") for name in ("Ann", "Ben"))
HOUSE = Player(id="house", name="house", kind="bot")
SCALE = CURVES["trapgrid"].scale


class Scripted(Bot):
    """Says of each position, by its text, what the test has written down."""

    name = "scripted"
    description = "Says what it is told."

    def __init__(self, lines: Mapping[str, Mapping[str, float]], after: float = 0.0) -> None:
        super().__init__()
        self._lines = lines
        self._after = after
        self.asked = 0

    def choose(self, state: State, limit: Limit) -> Thought:
        self.asked += 1
        chances = self._lines.get(str(state), {})
        lines = tuple(Line(move, score_of(chance)) for move, chance in chances.items())
        best = max(chances, key=lambda move: chances[move]) if chances else state.moves()[0]
        return Thought(best, score_of(self._after), lines=lines)


def score_of(chance: float) -> float:
    """Return the score that means this probability of a win."""
    return SCALE * math.log(chance / (1 - chance)) if 0 < chance < 1 else 1000.0 * (2 * chance - 1)


def game_with(moves: list[str], *, spent: int = 1_000, players: tuple[Player, ...] = (ANN, BEN)) -> FinishedGame:
    timed = tuple(TimedMove(ply % 2, move, spent) for ply, move in enumerate(moves))
    return FinishedGame("m1", engine.load("trapgrid", size=8), players, (1500, 1500), timed)


def line_of_play(plies: int) -> list[str]:
    """Return moves of TrapGrid on 8x8, each of which leaves the next player as many as it can."""
    state, moves = engine.load("trapgrid", size=8).start(), list[str]()
    for _ in range(plies):
        now = state
        moves.append(max(now.moves(), key=lambda move: len(now.play(move).moves())))
        state = now.play(moves[-1])
    return moves


def test_the_numbers_are_those_of_a_game_made_by_hand() -> None:
    moves = line_of_play(OPENING_PLIES + 5)
    played = moves[OPENING_PLIES:]
    game = game_with(moves)
    positions = [str(state) for state in game.states[OPENING_PLIES:]]
    bot = Scripted(
        {
            # The best move, one that is 4 points worse, and one among others that is 8 points worse.
            positions[0]: {played[0]: 0.60, "other": 0.55},
            positions[1]: {"other": 0.60, played[1]: 0.56},
            positions[2]: {"one": 0.60, "other": 0.52},
            # One reasonable move, and a decided position: neither shows anything.
            positions[3]: {"other": 0.60, played[3]: 0.45},
            positions[4]: {"other": 0.99, played[4]: 0.98},
        },
        after=0.45,
    )
    found = list(judge(game, bot, Limit(nodes=1, lines=LINES)))
    assert [one and round(one.loss, 6) for one in found] == [0.0, 0.04, 0.05, None, None]
    assert [one.player for one in found if one] == ["ann", "ben", "ann"]
    assert bot.asked == 6, "the move that no line has is looked at by itself"
    own = group("Ann", [one for one in found if one and one.player == "ann"])
    assert (own.games, own.moves) == (1, 2)
    assert own.agreement is not None
    assert own.loss is not None
    assert (own.agreement.value, round(own.loss.value, 6)) == (0.5, 0.025)


def test_moves_of_bots_and_of_the_opening_are_not_judged_nor_games_without_probabilities() -> None:
    game = game_with(line_of_play(OPENING_PLIES + 2), players=(ANN, HOUSE))
    assert len(list(judge(game, Scripted({}), Limit(nodes=1)))) == 1
    game = FinishedGame("m1", engine.load("bamboo", radius=4), (ANN, BEN), (), ())
    with pytest.raises(ValueError, match="no probabilities"):
        list(judge(game, Scripted({}), Limit(nodes=1)))


def test_a_match_is_read_without_what_was_taken_back() -> None:
    events: list[MatchEvent] = [
        Started(
            seq=1,
            at=1,
            match="m1",
            game=GameSpec(name="trapgrid", options={"size": 5}),
            players=(ANN, BEN),
            clock=NO_CLOCK,
            commitment="c" * 64,
            ratings=(SeatRating(rating=1500, provisional=False),) * 2,
        ),
        *(
            Played(seq=2 + ply, at=2, seat=ply % 2, cause="c", ply=ply, move=move, spent=ply, left=(None, None))
            for ply, move in enumerate(line_of_play(3))
        ),
        TakenBack(seq=9, at=9, cause="c", seat=0, ply=2, left=(None, None)),
    ]
    game = game_of(events)
    assert [(one.seat, one.spent) for one in game.moves] == [(0, 0), (1, 1)]
    assert game.ratings == (1500, 1500)


def judged(match: str, *losses: float, player: str = "ann", spent: int = 3_000) -> list[Judgement]:
    return [Judgement(match, player, ply, spent, loss) for ply, loss in enumerate(losses)]


def test_moves_of_one_game_count_together_in_an_interval() -> None:
    alike = [one for number in range(8) for one in judged(f"m{number}", 0.0, 0.2)]
    apart = [one for number in range(8) for one in judged(f"m{number}", *([0.0, 0.0] if number % 2 else [0.2, 0.2]))]
    narrow, wide = group("", alike).agreement, group("", apart).agreement
    assert narrow is not None
    assert wide is not None
    assert narrow.value == wide.value == 0.5
    assert narrow.high - narrow.low < 0.01
    assert wide.high - wide.low > 0.5


def test_a_report_has_three_forms_and_says_that_people_judge() -> None:
    own = [one for number in range(6) for one in judged(f"m{number}", 0.0, 0.0, 0.005)]
    others = [one for number in range(6) for one in judged(f"n{number}", 0.0, 0.2, 0.1, player="cas")]
    comparison = compare("Ann <b>", own, [], others)
    assert [one.moves for one in comparison.times] == [0, 18, 0, 0]
    text, html, values = as_text(comparison, ["about"]), as_html(comparison, ["about"]), as_json(comparison, {"n": 1})
    for form in (text, html, json.dumps(values)):
        assert "People judge" in form
    assert values["caution"] == CAUTION
    assert "clearly more often than players of such ratings" in text
    assert "<b>" not in html.split("<title>")[1].split("</title>")[0]
    nobody = compare("Ann", [], [], [])
    assert "too few" in as_text(nobody, [])
    assert "overlap" in as_text(compare("Ann", others, [], others), [])


def test_one_who_plays_the_champions_moves_and_one_who_plays_as_level_3_differ_clearly() -> None:
    champion = create("champion")
    game = engine.load("isolation")
    champion.prepare(game)
    limit = Limit(nodes=500, lines=LINES)
    own, others = list[Judgement](), list[Judgement]()
    for number in range(8):
        level = create("level:level=3", number)
        players = {0: (champion, ANN), 1: (level, BEN)} if number % 2 else {0: (level, BEN), 1: (champion, ANN)}
        state, moves = game.start(), list[TimedMove]()
        while state.outcome is None:
            # The first plies differ from game to game.
            first = state.moves()[(number + len(moves)) % len(state.moves())]
            bot = players[state.to_move][0]
            move = first if len(moves) < OPENING_PLIES else bot.choose(state, limit).move
            moves.append(TimedMove(state.to_move, move, 1_000))
            state = state.play(move)
        seats = tuple(players[seat][1] for seat in (0, 1))
        for one in judge(FinishedGame(f"m{number}", game, seats, (), tuple(moves)), champion, limit):
            if one is not None:
                (own if one.player == ANN.id else others).append(one)
    comparison = compare("Ann", own, others, [])
    cheat, level_3 = comparison.player, comparison.others[0]
    assert cheat.agreement is not None
    assert level_3.agreement is not None
    assert cheat.loss is not None
    assert level_3.loss is not None
    assert cheat.moves > 10
    assert level_3.moves > 10
    assert cheat.agreement.low > level_3.agreement.high
    assert cheat.loss.high < level_3.loss.low
