"""Searches that are shown: which positions may be searched, and which lines an analyst may send."""

from __future__ import annotations

from typing import Any

import pytest

from cornered import engine
from cornered.protocol.analysis import Report, ScoredLine
from cornered.protocol.codec import JSON
from cornered.protocol.commands import Analysed, AskTrace, OfferAnalysis
from cornered.protocol.messages import Traced
from cornered.protocol.traces import MAX_TRACE_CELLS, MAX_TRACE_LINES, TraceSettings
from cornered.protocol.values import GameSpec
from cornered.server.analysis.queue import AnalysisQueue
from cornered.server.analysis.state import MAX_CACHED_TRACES, Assigned, JobEnded, Question, TraceSoFar
from cornered.server.analysis.traces import question_to_trace, read_lines
from cornered.server.cluster.envelope import MAX_MESSAGE_BYTES
from cornered.server.refusal import Refusal

NOW = 1_000_000
SMALL = GameSpec(name="trapgrid", options={"size": 3})
START = engine.load("trapgrid", size=3).start()
SETTINGS = TraceSettings(search="alphabeta", depth=2)
ROOT = "+ -1 . -inf inf"
REPORT = Report(
    score=0.0,
    proven=None,
    plies=None,
    depth=2,
    deepest=2,
    nodes=2,
    pruned=0,
    efficiency=0.0,
    speed=0.0,
    hits=0,
    seconds=0.0,
    lines=(ScoredLine(move="a2", score=0.0, pv=("a2",)),),
)


def other_report() -> Report:
    """Return what an analyst said that did not come to its end."""
    return REPORT.model_copy(update={"nodes": 1})


def ask(game: GameSpec = SMALL, *moves: str) -> AskTrace:
    return AskTrace(id="c", game=game, moves=moves, settings=SETTINGS)


def refused(command: AskTrace) -> str:
    with pytest.raises(Refusal) as refusal:
        question_to_trace(command)
    return refusal.value.code


def test_a_question_has_the_position_after_its_moves() -> None:
    question = question_to_trace(ask(SMALL, "a2", "c2"))
    assert question.position == str(START.play("a2").play("c2"))
    assert question.search == SETTINGS


def test_a_question_is_about_a_small_board_and_legal_moves() -> None:
    assert refused(ask(GameSpec(name="chess"))) == "unknown_game"
    assert refused(ask(GameSpec(name="trapgrid", options={"size": 99}))) == "bad_options"
    assert refused(ask(SMALL, "a2", "a2")) == "illegal_move"
    dice = GameSpec(name="isolation", options={"width": 3, "height": 3, "dice": True})
    start = engine.load("isolation", width=3, height=3, dice=True).start()
    before_a_roll = []
    while start.to_move >= 0:
        before_a_roll.append(start.moves()[0])
        start = start.play(before_a_roll[-1])
    assert refused(ask(dice, *before_a_roll)) == "nothing_to_analyse"


def test_a_game_that_is_over_is_not_searched() -> None:
    state, moves = START, list[str]()
    while state.outcome is None:
        moves.append(state.moves()[0])
        state = state.play(moves[-1])
    assert refused(ask(SMALL, *moves)) == "nothing_to_analyse"


def test_the_size_of_the_board_is_bounded(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, Any, Any], ...] = (
        ("trapgrid", {"size": 5}, {"size": 6}),
        ("isolation", {"width": 5, "height": 5}, {"width": 5, "height": 6}),
        ("quoridor", {"size": 5}, {"size": 7}),
        ("bamboo", {"radius": 2}, {"radius": 3}),
    )
    for name, small, large in rows:
        with subtests.test(name):
            question = question_to_trace(ask(GameSpec(name=name, options=small)))
            assert sum(question.shape) <= MAX_TRACE_CELLS
            assert refused(ask(GameSpec(name=name, options=large))) == "bad_options"


def test_lines_get_the_positions_of_their_nodes() -> None:
    first = read_lines(TraceSoFar(), (ROOT, "+ 0 a2 -inf inf"), START)
    then = read_lines(first, ("+ 1 c2 -inf inf", "- 2 1 1 -inf 1"), START)
    assert then.lines == (ROOT, "+ 0 a2 -inf inf", "+ 1 c2 -inf inf", "- 2 1 1 -inf 1")
    assert then.positions == (str(START), str(START.play("a2")), str(START.play("a2").play("c2")))


def test_lines_that_the_rules_do_not_allow_are_refused(subtests: pytest.Subtests) -> None:
    for line, code in (
        ("+ 0 a1 -inf inf", "illegal_move"),
        ("+ 1 a2 -inf inf", "malformed"),
        ("+ 0 . -inf inf", "malformed"),
        ("+ -1 a2 -inf inf", "malformed"),
        ("- 1 0 0 * *", "malformed"),
        ("x 7 1", "malformed"),
        ("s 1 0.5", "malformed"),
        ("p 1 4 0,1", "malformed"),
        ("b 1 1 0.5", "malformed"),
    ):
        with subtests.test(line=line, code=code):
            with pytest.raises(Refusal) as refusal:
                read_lines(read_lines(TraceSoFar(), (ROOT,), START), (line,), START)
            assert refusal.value.code == code


def test_the_number_of_lines_is_bounded() -> None:
    full = TraceSoFar(lines=("d 1",) * MAX_TRACE_LINES)
    with pytest.raises(Refusal):
        read_lines(full, ("d 1",), START)
    assert len(read_lines(TraceSoFar(), ("d 1",) * MAX_TRACE_LINES, START).lines) == MAX_TRACE_LINES


def test_the_largest_trace_fits_into_one_message() -> None:
    """The bound of links between nodes and of clients; positions of the most walls on the largest board."""
    walls = ",".join(f"{file}{rank}h" for file in "abcd" for rank in (1, 2, 3))
    position = f"..1../...../...../...../..0.. 0 walls={walls} left=0,0 ply=100 quiet=30"
    largest = Traced(
        analysis="x" * 32,
        position=position,
        ahead=0,
        final=True,
        by="x" * 40,
        report=REPORT,
        lines=("9" * 128,) * MAX_TRACE_LINES,
        positions=(position,) * MAX_TRACE_LINES,
        error="",
    )
    assert len(JSON.encode(largest)) < MAX_MESSAGE_BYTES


def offer(*, traces: bool) -> OfferAnalysis:
    return OfferAnalysis(id="o", games=("trapgrid",), jobs=1, name="deep", traces=traces)


def asked(queue: AnalysisQueue, question: Question, job: str) -> AnalysisQueue:
    return queue.fold(queue.ask("page", "ann", question, job, NOW))


def test_only_a_bot_that_shows_searches_is_asked_for_one() -> None:
    queue = AnalysisQueue()
    queue = queue.fold(queue.offer("old", offer(traces=False), NOW))
    with pytest.raises(Refusal) as refusal:
        queue.ask("page", "ann", question_to_trace(ask()), "j", NOW)
    assert refusal.value.code == "no_analyst"
    queue = queue.fold(queue.offer("new", offer(traces=True), NOW))
    events = queue.ask("page", "ann", question_to_trace(ask()), "j", NOW)
    assert [event.analyst for event in events if isinstance(event, Assigned)] == ["new"]


def test_a_trace_and_an_analysis_of_one_position_are_different_questions() -> None:
    trace = question_to_trace(ask())
    others = [
        Question(trace.game, trace.position, 1, trace.state),
        Question(trace.game, trace.position, 1, trace.state, search=TraceSettings(search="minimax", depth=2)),
        Question(trace.game, trace.position, 1, trace.state, search=TraceSettings(search="alphabeta", depth=3)),
    ]
    assert len({trace.key, *(other.key for other in others)}) == 4


def test_an_analysis_takes_no_lines_of_a_search() -> None:
    queue = AnalysisQueue()
    queue = queue.fold(queue.offer("deep", offer(traces=True), NOW))
    queue = asked(queue, Question(SMALL, str(START), 1, START), "j")
    with pytest.raises(Refusal) as refusal:
        queue.analysed("deep", Analysed(id="a", job="j", trace=(ROOT,)), NOW)
    assert refusal.value.code == "malformed"


PARTS = ((ROOT,), ("+ 0 a2 -inf inf",), ("- 1 1 1 1 inf",))


@pytest.mark.parametrize("parts", range(len(PARTS) + 1))
@pytest.mark.parametrize("break_off", ["leaves", "gives up", "takes too long"])
def test_a_search_that_broke_off_is_sent_again_from_its_first_line(parts: int, break_off: str) -> None:
    queue = AnalysisQueue()
    queue = queue.fold(queue.offer("first", offer(traces=True), NOW))
    queue = queue.fold(queue.offer("second", offer(traces=True), NOW))
    queue = asked(queue, question_to_trace(ask()), "j")
    for part in PARTS[:parts]:
        queue = queue.fold(queue.analysed("first", Analysed(id="a", job="j", trace=part, report=other_report()), NOW))
    match break_off:
        case "leaves":
            queue = queue.fold(queue.leave("first", NOW))
        case "gives up":
            events = queue.analysed("first", Analysed(id="a", job="j", final=True, error="no time"), NOW)
            queue = queue.fold(events)
        case _:
            queue = queue.fold(queue.tick(queue.jobs["j"].due))
    assert queue.jobs["j"].analyst == "second"
    for part in PARTS:
        queue = queue.fold(queue.analysed("second", Analysed(id="a", job="j", trace=part), NOW))
    (ended,) = queue.analysed("second", Analysed(id="a", job="j", report=REPORT, final=True), NOW)
    assert isinstance(ended, JobEnded)
    assert ended.found.trace.lines == tuple(line for part in PARTS for line in part)
    assert ended.found.trace.positions == (str(START), str(START.play("a2")))
    assert ended.found.report == REPORT


def test_an_unfinished_search_is_no_answer() -> None:
    queue = AnalysisQueue()
    queue = queue.fold(queue.offer("first", offer(traces=True), NOW))
    queue = asked(queue, question_to_trace(ask()), "j")
    queue = queue.fold(queue.analysed("first", Analysed(id="a", job="j", trace=PARTS[0], report=REPORT), NOW))
    events = queue.tick(queue.jobs["j"].due)
    (ended,) = [event for event in events if isinstance(event, JobEnded)]
    assert ended.found.error
    assert ended.found.report is None
    assert ended.found.trace.lines == ()
    assert queue.fold(events).answers == {}


def test_equal_searches_are_one_question(subtests: pytest.Subtests) -> None:
    for one, other, is_equal in (
        ({"search": "minimax", "playouts": 1}, {"search": "minimax", "playouts": 400}, True),
        ({"search": "mcts", "depth": 1}, {"search": "mcts", "depth": 12}, True),
        ({"search": "minimax", "depth": 1}, {"search": "minimax", "depth": 2}, False),
        ({"search": "mcts", "playouts": 1}, {"search": "mcts", "playouts": 2}, False),
    ):
        with subtests.test(one=one, other=other, is_equal=is_equal):
            first, second = (
                question_to_trace(AskTrace(id="c", game=SMALL, settings=TraceSettings.model_validate(settings)))
                for settings in (one, other)
            )
            assert (first.key == second.key) == is_equal
            assert first.search is not None
            assert (first.search.search, first.search.playouts if one["search"] == "mcts" else first.search.depth) == (
                one["search"],
                one.get("playouts", 50) if one["search"] == "mcts" else one.get("depth", 3),
            )


def test_a_trace_ends_with_all_its_lines_and_few_are_kept() -> None:
    queue = AnalysisQueue()
    queue = queue.fold(queue.offer("deep", offer(traces=True), NOW))
    for number in range(MAX_CACHED_TRACES + 3):
        settings = TraceSettings(search="mcts", playouts=number + 1)
        question = question_to_trace(AskTrace(id="c", game=SMALL, settings=settings))
        queue = asked(queue, question, f"j{number}")
        for line in (ROOT, "+ 0 a2 -inf inf"):
            command = Analysed(id="a", job=f"j{number}", trace=(line,))
            queue = queue.fold(queue.analysed("deep", command, NOW))
        (ended,) = queue.analysed("deep", Analysed(id="a", job=f"j{number}", report=REPORT, final=True), NOW)
        assert isinstance(ended, JobEnded)
        assert ended.found.trace.lines == (ROOT, "+ 0 a2 -inf inf")
        assert ended.found.trace.states == (), "the rules' states are not kept"
        queue = queue.evolve(ended)
    assert len(queue.answers) == MAX_CACHED_TRACES
