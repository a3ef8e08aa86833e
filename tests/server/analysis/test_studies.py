"""Lines of play, positions and records of no match: taken as the rules allow, refused with a sentence."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.engine.game import CHANCE
from cornered.engine.records.record import Record, RecordedMove, SeatLeft, to_json
from cornered.engine.records.text import to_text
from cornered.protocol.analysis import MAX_STUDIED_MOVES
from cornered.protocol.commands import AskLine, AskStudy, ReadRecord
from cornered.protocol.values import GameSpec
from cornered.server.analysis.studies import MAX_RECORD_WORDS, line_of, question_to_study, read_record, words_of
from cornered.server.match import views
from cornered.server.refusal import Refusal

TRAPGRID = GameSpec(name="trapgrid", options={"size": 3})
DICE = GameSpec(name="isolation", options={"width": 3, "height": 3, "dice": True})


def test_a_line_has_every_position_and_what_is_legal_at_its_end() -> None:
    states = line_of(AskLine(id="c", game=TRAPGRID, moves=("a2", "c2")))
    said = views.line(states, id="c")
    assert said.positions == ("0../.../..1 0", "x../0../..1 1", "x../0.1/..x 0")
    assert (said.game.options, said.seats, said.to_move, said.places) == ({"size": 3}, 2, 0, None)
    assert set(said.moves) == {"b2", "a1"}
    assert said.refused["c3"] == "a pawn moves one step up, down, left or right"


def test_a_line_begins_anywhere_and_ends_with_a_result() -> None:
    said = views.line(line_of(AskLine(id="c", game=TRAPGRID, position="0.x/xx./..1 0", moves=("b3", "c2"))), id="c")
    assert (said.moves, said.places) == ((), (2, 1))
    assert said.ending is not None
    assert said.ending.seat == 0


def test_the_sides_of_the_dice_are_moves_of_a_line() -> None:
    said = views.line(line_of(AskLine(id="c", game=DICE, moves=("a1", "c3"))), id="c")
    assert (said.to_move, said.moves) == (CHANCE, ("1", "2", "3"))
    assert views.line(line_of(AskLine(id="c", game=DICE, moves=("a1", "c3", "1"))), id="c").to_move == 0


def test_what_the_rules_do_not_allow_is_refused_with_their_sentence(subtests: pytest.Subtests) -> None:
    for position, moves, code, words in (
        ("0../.../... 0", (), "bad_position", "one pawn of each seat"),
        ("words", (), "bad_position", "no position"),
        (None, ("a2", "a1"), "illegal_move", "move 2, a1: a pawn moves one step"),
        ("0xx/xx./..1 0", ("a1",), "illegal_move", "after the end of the game"),
    ):
        with subtests.test(position=position, moves=moves, code=code, words=words):
            with pytest.raises(Refusal) as refusal:
                line_of(AskLine(id="c", game=TRAPGRID, position=position, moves=moves))
            assert refusal.value.code == code
            assert words in refusal.value.text


def test_only_a_position_in_which_a_player_moves_is_studied() -> None:
    question = question_to_study(AskStudy(id="c", game=TRAPGRID, position="0../.../..1 0"))
    assert (question.position, question.game.options) == ("0../.../..1 0", {"size": 3})
    for game, position in ((TRAPGRID, "0xx/xx./..1 0"), (DICE, "..1/.../0.. c mover=0")):
        with pytest.raises(Refusal) as refusal:
            question_to_study(AskStudy(id="c", game=game, position=position))
        assert refusal.value.code == "nothing_to_analyse"


def recorded(*moves: str, players: tuple[str, ...] = ("Ann", "Ben")) -> Record:
    plies = tuple(map(RecordedMove, moves))
    return Record(engine.load("trapgrid", size=3), (*plies, SeatLeft(1)), players, (1, 2), "resignation")


def test_a_record_is_read_in_both_forms(subtests: pytest.Subtests) -> None:
    for write in (to_text, to_json):
        with subtests.test(write=write):
            assert callable(write)
            read = read_record(ReadRecord(id="c", text=write(recorded("a2", "c2"))))
            assert (read.game, read.moves, read.players) == (TRAPGRID, ("a2", "c2"), ("Ann", "Ben"))
            assert (read.places, read.termination) == ((1, 2), "resignation")


def test_a_name_that_no_player_may_have_is_not_shown() -> None:
    read = read_record(ReadRecord(id="c", text=to_json(recorded("a2", players=("A\u202enn", "Ben")))))
    assert read.players == ("?", "Ben")


def test_an_invalid_record_is_refused_with_its_line(subtests: pytest.Subtests) -> None:
    for text, words in (
        ('[Game "trapgrid"]\n[Options "size=3"]\n\n1. a2 c2\n2. a3 *', "line 5, ply 3"),
        ('[Game "trapgrid"]\n[Options "size=3"\n', "line 2"),
        ('[Game "chess"]\n\n*', "chess"),
        ('[Game "trapgrid"]\n[Options "name=3"]\n\n*', "trapgrid has no option 'name'"),
        ('[Game "trapgrid"]\n[Options "self=3"]\n\n*', "trapgrid has no option 'self'"),
        ('{"game": "trapgrid", "moves": 1}', "line 1: `moves` is a list of strings"),
        ("{", "line 1"),
        ("   \n", "it has 0"),
        ('[Game "trapgrid"]\n\n*\n[Game "trapgrid"]\n\n*', "it has 2"),
        ('[Game "quoridor"]\n\nleave=' + "1" * 4_400, "digits"),
        ('[Game "quoridor"]\n\ne2 {[%clk ' + "1" * 4_400 + ":00:00]} *", "digits"),
        ('[Game "quoridor"]\n[Result "\\ud800"]\n\n*', "\N{REPLACEMENT CHARACTER}"),
    ):
        with subtests.test(text=text, words=words):
            with pytest.raises(Refusal) as refusal:
                read_record(ReadRecord(id="c", text=text))
            assert words in refusal.value.text


def test_a_record_of_too_many_words_is_not_replayed(subtests: pytest.Subtests) -> None:
    for between in (" ", "{}", "}"):
        with subtests.test(between=between):
            text = '[Game "quoridor"]\n\n' + f"e2{between}" * MAX_RECORD_WORDS
            assert words_of(text) >= MAX_RECORD_WORDS + 2
            with pytest.raises(Refusal, match=f"at most {MAX_STUDIED_MOVES} moves"):
                read_record(ReadRecord(id="c", text=text))
