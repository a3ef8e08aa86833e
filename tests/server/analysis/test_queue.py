"""The queue of positions to analyse: order, assignment, and analysts that fail."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from cornered import engine
from cornered.engine.game import State
from cornered.protocol.analysis import (
    MAX_ANALYSIS_MS,
    MAX_ATTEMPTS,
    MAX_LINE_PLIES,
    MAX_LINES,
    MAX_OPEN_ANALYSES,
    MAX_TREE_NODES,
    OverlayPicture,
    Report,
    ScoredLine,
    TreeNode,
)
from cornered.protocol.commands import Analysed, OfferAnalysis
from cornered.protocol.values import GameSpec
from cornered.server.analysis.queue import MAX_JOBS, QUESTION_TIMEOUT_MS, REPLY_GRACE_MS, AnalysisQueue
from cornered.server.analysis.state import (
    MAX_CACHED_ANSWERS,
    AnalysisJob,
    Asked,
    Assigned,
    JobEnded,
    Question,
    Returned,
)
from cornered.server.refusal import Refusal

NOW = 1_000_000
MOST_RATIO = 4.0
"""Bound of the CPU time of a validation of the largest report, in that of playing its moves."""
GAMES = ("trapgrid", "bamboo")
STATE = engine.load("trapgrid", size=3).parse("x../0../..1 0")
"""A position with the moves a1 and b2, whatever position text a request has."""


def question(position: str = "0./.1 0", game: str = "trapgrid", lines: int = 3) -> Question:
    return Question(GameSpec(name=game), position, lines, STATE)


def offer(jobs: int = 1, games: tuple[str, ...] = GAMES, name: str = "deep") -> OfferAnalysis:
    return OfferAnalysis(id="o", games=games, jobs=jobs, name=name)


def report(move: str = "a1", pv: tuple[str, ...] = ("a1",)) -> Report:
    return Report(
        score=1.5,
        proven=None,
        plies=None,
        depth=3,
        deepest=4,
        nodes=10,
        pruned=5,
        efficiency=33.3,
        speed=100.0,
        hits=2,
        seconds=0.1,
        lines=(ScoredLine(move=move, score=1.5, pv=pv),),
    )


def word(job: str, **fields: Any) -> Analysed:
    return Analysed(id="a", job=job, **fields)


def refusal(call: Any, *arguments: Any) -> str:
    with pytest.raises(Refusal) as refused:
        call(*arguments)
    return refused.value.code


class Bench:
    """A queue whose events are folded in at once."""

    def __init__(self) -> None:
        self.queue = AnalysisQueue()
        self.asked = 0

    def do(self, events: tuple[Any, ...]) -> tuple[Any, ...]:
        self.queue = self.queue.fold(events)
        return events

    def offer(self, socket: str, command: OfferAnalysis | None = None) -> tuple[Any, ...]:
        return self.do(self.queue.offer(socket, command or offer(), NOW))

    def ask(self, player: str, position: str, *, socket: str | None = None, now: int = NOW) -> str:
        self.asked += 1
        asked = question(position)
        self.do(self.queue.ask(socket or player, player, asked, f"j{self.asked}", now))
        job = self.queue.find(asked)
        assert job is not None
        return job.id

    def finish(self, job: str, now: int = NOW) -> tuple[Any, ...]:
        analyst = self.queue.jobs[job].analyst
        assert analyst is not None
        return self.do(self.queue.analysed(analyst, word(job, report=report(), final=True), now))

    def under_way(self) -> list[str]:
        return [job.id for job in self.queue.jobs.values() if job.analyst is not None]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_without_an_analyst_of_the_game_nothing_is_asked(bench: Bench) -> None:
    bench.offer("bot", offer(games=("bamboo",)))
    assert refusal(bench.queue.ask, "s", "ann", question(), "j", NOW) == "no_analyst"


def test_a_free_analyst_gets_the_job_at_once(bench: Bench) -> None:
    bench.offer("bot")
    events = bench.queue.ask("s", "ann", question(), "j", NOW)
    assert [type(event) for event in events] == [Asked, Assigned]
    assert events[1] == Assigned("j", "bot", NOW + MAX_ANALYSIS_MS + REPLY_GRACE_MS)


def test_those_who_ask_are_served_in_turn(bench: Bench) -> None:
    bench.offer("bot")
    busy = bench.ask("zoe", "0./.1 0")
    ann = [bench.ask("ann", f"0./.1 {n}") for n in (1, 2, 3)]
    ben = [bench.ask("ben", f"0./.1 {n}") for n in (4, 5)]
    assert [job.id for job in bench.queue.waiting()] == [ann[0], ben[0], ann[1], ben[1], ann[2]]
    served = []
    bench.finish(busy)
    while bench.under_way():
        served += bench.under_way()
        bench.finish(served[-1])
    assert served == [ann[0], ben[0], ann[1], ben[1], ann[2]]


def test_a_newcomer_does_not_pass_those_who_wait(bench: Bench) -> None:
    bench.offer("bot")
    first = bench.ask("ann", "0./.1 1")
    waiting = bench.ask("ann", "0./.1 2")
    bench.ask("new", "0./.1 3")
    bench.finish(first)
    assert bench.under_way() == [waiting]


def test_one_player_has_a_bounded_number_of_questions(bench: Bench) -> None:
    bench.offer("bot")
    for number in range(MAX_OPEN_ANALYSES):
        bench.ask("ann", f"0./.1 {number}", socket=f"s{number}")
    assert refusal(bench.queue.ask, "s9", "ann", question("0./.1 9"), "j", NOW) == "busy"
    bench.ask("ben", "0./.1 9")
    assert refusal(bench.queue.ask, "s9", "ann", question("0./.1 9"), "j", NOW) == "busy"


def test_all_players_together_have_a_bounded_number_of_questions(bench: Bench) -> None:
    bench.offer("bot")
    for number in range(MAX_JOBS):
        bench.ask(f"p{number}", f"0./.1 {number}")
    assert refusal(bench.queue.ask, "s", "late", question("0./.1 x"), "j", NOW) == "busy"


def test_two_who_ask_the_same_share_one_job(bench: Bench) -> None:
    bench.offer("bot")
    assert bench.ask("ann", "0./.1 1") == bench.ask("ben", "0./.1 1")
    job = bench.queue.jobs["j1"]
    assert dict(job.askers) == {"ann": "ann", "ben": "ben"}
    bench.do(bench.queue.cancel("ann", job.id, NOW))
    assert dict(bench.queue.jobs["j1"].askers) == {"ben": "ben"}
    bench.do(bench.queue.cancel("ben", job.id, NOW))
    assert not bench.queue.jobs


def test_a_cancelled_job_makes_room_for_the_next(bench: Bench) -> None:
    bench.offer("bot")
    first, second = bench.ask("ann", "0./.1 1"), bench.ask("ben", "0./.1 2")
    bench.do(bench.queue.cancel("ann", first, NOW))
    assert bench.under_way() == [second]
    assert bench.queue.cancel("ann", first, NOW) == ()


def test_an_answer_is_remembered_and_the_oldest_is_forgotten(bench: Bench) -> None:
    bench.offer("bot")
    job = bench.ask("ann", "0./.1 first")
    bench.finish(job)
    assert bench.queue.answers[question("0./.1 first").key][0] == job
    assert bench.queue.answers[question("0./.1 first").key][1].by == "deep"
    for number in range(MAX_CACHED_ANSWERS):
        bench.finish(bench.ask("ann", f"0./.1 {number}"))
    assert len(bench.queue.answers) == MAX_CACHED_ANSWERS
    assert question("0./.1 first").key not in bench.queue.answers


def test_another_number_of_lines_is_another_question() -> None:
    assert question(lines=1).key != question(lines=2).key
    assert question(game="bamboo").key != question().key


def test_a_job_whose_analyst_goes_away_is_the_next_ones_first(bench: Bench) -> None:
    bench.offer("bot")
    lost, other = bench.ask("ann", "0./.1 1"), bench.ask("ben", "0./.1 2")
    events = bench.do(bench.queue.leave("bot", NOW))
    assert [type(event).__name__ for event in events] == ["Returned", "Withdrawn"]
    assert [job.id for job in bench.queue.waiting()] == [lost, other]
    bench.offer("bot again")
    assert bench.under_way() == [lost]


def test_a_job_is_handed_out_a_bounded_number_of_times(bench: Bench) -> None:
    bench.offer("bot 0")
    job = bench.ask("ann", "0./.1 1")
    for number in range(MAX_ATTEMPTS):
        assert bench.queue.jobs[job].attempts == number + 1
        bench.offer(f"bot {number + 1}")
        events = bench.do(bench.queue.leave(f"bot {number}", NOW))
    assert not bench.queue.jobs
    (ended,) = [event for event in events if isinstance(event, JobEnded)]
    assert ended.found.error


def test_a_job_that_takes_too_long_goes_to_another_analyst_and_never_back(bench: Bench) -> None:
    bench.offer("slow")
    bench.offer("quick")
    job = bench.ask("ann", "0./.1 1")
    assert bench.queue.jobs[job].analyst == "slow"
    due = bench.queue.deadline()
    assert due == NOW + MAX_ANALYSIS_MS + REPLY_GRACE_MS
    assert bench.queue.tick(due - 1) == ()
    events = bench.do(bench.queue.tick(due))
    assert isinstance(events[0], Returned)
    assert bench.queue.jobs[job].analyst == "quick"
    assert refusal(bench.queue.analysed, "slow", word(job, report=report(), final=True), due) == "unknown_analysis"
    events = bench.do(bench.queue.tick(due + MAX_ANALYSIS_MS + REPLY_GRACE_MS))
    assert isinstance(events[0], JobEnded)
    assert events[0].found.error


def test_an_analyst_that_failed_is_asked_last_until_it_does_well(bench: Bench) -> None:
    bench.offer("first", offer(jobs=2))
    bench.offer("second", offer(jobs=2))
    job = bench.ask("ann", "0./.1 1")
    bench.do(bench.queue.analysed("first", word(job, final=True, error="too large"), NOW))
    assert bench.queue.jobs[job].analyst == "second"
    second, third = bench.ask("ben", "0./.1 2"), bench.ask("cas", "0./.1 3")
    assert [bench.queue.jobs[job].analyst for job in (second, third)] == ["second", "first"]
    bench.finish(third)
    fourth = bench.ask("dan", "0./.1 4")
    assert bench.queue.jobs[fourth].analyst == "first"


def test_a_request_without_an_analyst_expires(bench: Bench) -> None:
    bench.offer("bot")
    bench.ask("ann", "0./.1 1")
    job = bench.ask("ann", "0./.1 2")
    assert bench.do(bench.queue.tick(NOW + QUESTION_TIMEOUT_MS - 1))[0].job == "j1"
    bench.do(bench.queue.leave("bot", NOW))
    (ended,) = bench.do(bench.queue.tick(NOW + QUESTION_TIMEOUT_MS))
    assert (ended.job, ended.found.report) == (job, None)


def test_parts_of_an_answer_come_one_by_one(bench: Bench) -> None:
    bench.offer("bot")
    job = bench.ask("ann", "0./.1 1")
    picture = OverlayPicture(name="t", title="Territory", legend="", kind="zones", cells="0./b1")
    tree = (TreeNode(parent=-1, move="a1", score=1.0), TreeNode(parent=0, move="c2", score=None))
    for fields in ({"report": report()}, {"overlays": (picture,)}, {"tree": tree}):
        bench.do(bench.queue.analysed("bot", word(job, **fields), NOW))
    found = bench.queue.jobs[job].found
    assert (found.report, found.overlays, found.tree) == (report(), (picture,), tree)
    (ended,) = bench.do(bench.queue.analysed("bot", word(job, final=True), NOW))
    assert ended.found == found


@pytest.mark.parametrize(
    "fields",
    [
        {"report": report("c3", ("c3",))},
        {"report": report("a1", ("c3",))},
        {"tree": (TreeNode(parent=-1, move="c3", score=None),)},
        {"tree": (TreeNode(parent=-1, move="a1", score=None), TreeNode(parent=1, move="a1", score=None))},
        {"report": report("a1", ("a1", "a2"))},
        {"report": report("a1", ("a1", "c2", "zz"))},
        {"report": report("a1", ("a1",) * MAX_LINE_PLIES)},
        {"tree": (TreeNode(parent=-1, move="a1", score=None), TreeNode(parent=0, move="b2", score=None))},
        {"overlays": (OverlayPicture(name="t", title="t", legend="", kind="zones", cells="9./.."),)},
        {"overlays": (OverlayPicture(name="t", title="t", legend="", kind="heat", cells="b./.."),)},
        {"overlays": (OverlayPicture(name="t", title="t", legend="", kind="heat", cells="00/0"),)},
        {"overlays": (OverlayPicture(name="t", title="t", legend="", kind="heat", cells="0000"),)},
        {"overlays": (OverlayPicture(name="t", title="t", legend="", kind="heat", cells="00/00", numbers="1,2/3"),)},
    ],
)
def test_talk_about_another_position_is_refused(bench: Bench, fields: Any) -> None:
    bench.offer("bot")
    job = bench.ask("ann", "0./.1 1")
    assert refusal(bench.queue.analysed, "bot", word(job, **fields), NOW) in ("illegal_move", "malformed")


def test_a_line_ends_with_the_game(bench: Bench) -> None:
    bench.offer("bot")
    job = bench.ask("ann", "0./.1 1")
    line, state = [], STATE
    while state.outcome is None:
        line.append(state.moves()[0])
        state = state.play(line[-1])
    bench.do(bench.queue.analysed("bot", word(job, report=report(line[0], tuple(line))), NOW))
    too_long = word(job, report=report(line[0], (*line, "a1")))
    assert refusal(bench.queue.analysed, "bot", too_long, NOW) == "illegal_move"


def least_time(work: Callable[[], object]) -> float:
    """Return the shortest CPU time of several calls."""
    spent = []
    for _ in range(5):
        began = time.thread_time()
        work()
        spent.append(time.thread_time() - began)
    return min(spent)


def longest_line(state: State, chance: random.Random) -> list[str]:
    line: list[str] = []
    while state.outcome is None and len(line) < MAX_LINE_PLIES:
        line.append(chance.choice(state.moves()))
        state = state.play(line[-1])
    return line


@pytest.mark.parametrize("game", ["trapgrid", "isolation", "bamboo", "quoridor"])
def test_the_largest_report_is_checked_at_little_more_than_the_cost_of_its_moves(game: str) -> None:
    chance = random.Random(1)
    state = engine.load(game).start()
    lines = [longest_line(state, chance) for _ in range(MAX_LINES)]
    scored = tuple(ScoredLine(move=line[0], score=0.0, pv=tuple(line)) for line in lines)
    chain = [move for line in (longest_line(state, chance) for _ in range(MAX_TREE_NODES)) for move in line[:1]]
    tree = tuple(TreeNode(parent=-1, move=move, score=0.0) for move in chain[:MAX_TREE_NODES])
    asked = Question(GameSpec(name=game), str(state), MAX_LINES, state)
    queue = AnalysisQueue().fold(())
    queue = queue.fold(queue.offer("bot", offer(games=(game,)), NOW))
    queue = queue.fold(queue.ask("ann", "ann", asked, "j1", NOW))
    told = word("j1", report=report().model_copy(update={"lines": scored}), tree=tree)

    def play_all() -> None:
        for line in (*lines, *((node.move,) for node in tree)):
            reached = state
            for move in line:
                reached = reached.play(move)

    check, play = (least_time(work) for work in (lambda: queue.analysed("bot", told, NOW), play_all))
    assert check < MOST_RATIO * play, (check, play)


def test_an_answer_of_another_analyst_is_refused(bench: Bench) -> None:
    bench.offer("bot")
    bench.offer("other")
    job = bench.ask("ann", "0./.1 1")
    assert refusal(bench.queue.analysed, "other", word(job, report=report(), final=True), NOW) == "unknown_analysis"
    assert refusal(bench.queue.analysed, "bot", word("nothing", final=True), NOW) == "unknown_analysis"


class Everything(RuleBasedStateMachine):
    """Analysts and players connect, ask, answer, fail and leave, and time passes: the queue's invariants hold."""

    sockets = Bundle("sockets")

    def __init__(self) -> None:
        super().__init__()
        self.queue = AnalysisQueue()
        self.now = NOW
        self.number = 0

    def do(self, events: tuple[Any, ...]) -> None:
        self.queue = self.queue.fold(events)

    def job(self, which: int) -> AnalysisJob | None:
        jobs = list(self.queue.jobs.values())
        return jobs[which % len(jobs)] if jobs else None

    @rule(which=st.integers(0, 3), jobs=st.integers(0, 3), games=st.sets(st.sampled_from(GAMES)))
    def offers(self, which: int, jobs: int, games: set[str]) -> None:
        self.do(self.queue.offer(f"bot {which}", offer(jobs, tuple(games)), self.now))

    @rule(player=st.integers(0, 3), tab=st.integers(0, 1), position=st.integers(0, 5), game=st.sampled_from(GAMES))
    def asks(self, player: int, tab: int, position: int, game: str) -> None:
        self.number += 1
        asked = question(f"0./.1 {position}", game)
        if asked.key in self.queue.answers:
            return
        try:
            self.do(self.queue.ask(f"{player}.{tab}", f"p{player}", asked, f"j{self.number}", self.now))
        except Refusal:
            mine = sum(f"p{player}" in job.askers.values() for job in self.queue.jobs.values())
            studied = any(game in analyst.games for analyst in self.queue.analysts.values())
            if mine < MAX_OPEN_ANALYSES and studied:
                raise
            return
        job = self.queue.find(asked)
        assert job is not None
        assert f"{player}.{tab}" in job.askers

    @rule(which=st.integers(0, 9), how=st.sampled_from(["news", "done", "failed"]))
    def answers(self, which: int, how: str) -> None:
        job = self.job(which)
        if job is not None and job.analyst is not None:
            final = how != "news"
            said = word(job.id, final=final, report=None if how == "failed" else report())
            self.do(self.queue.analysed(job.analyst, said, self.now))
            if how == "done":
                assert job.id not in self.queue.jobs
                assert self.queue.answers[job.question.key][0] == job.id

    @rule(which=st.integers(0, 9))
    def cancels(self, which: int) -> None:
        job = self.job(which)
        if job is not None:
            self.do(self.queue.cancel(next(iter(job.askers)), job.id, self.now))

    @rule(socket=st.sampled_from([*(f"bot {n}" for n in range(4)), *(f"{n}.{m}" for n in range(4) for m in (0, 1))]))
    def leaves(self, socket: str) -> None:
        self.do(self.queue.leave(socket, self.now))
        assert socket not in self.queue.analysts
        assert all(job.analyst != socket and socket not in job.askers for job in self.queue.jobs.values())

    @rule(passed=st.sampled_from([1, MAX_ANALYSIS_MS + REPLY_GRACE_MS, QUESTION_TIMEOUT_MS]))
    def time_passes(self, passed: int) -> None:
        self.now += passed
        self.do(self.queue.tick(self.now))
        due = self.queue.deadline()
        assert due is None or due > self.now

    @invariant()
    def nobody_has_more_than_agreed(self) -> None:
        jobs = self.queue.jobs.values()
        for analyst in self.queue.analysts.values():
            assert sum(job.analyst == analyst.id for job in jobs) <= max(analyst.jobs, 3)
        for player in {player for job in jobs for player in job.askers.values()}:
            assert sum(player in job.askers.values() for job in jobs) <= MAX_OPEN_ANALYSES
            assert player in self.queue.served
        assert all(job.askers and job.attempts <= MAX_ATTEMPTS for job in jobs)
        assert len({job.question.key for job in jobs}) == len(jobs)

    @invariant()
    def a_job_is_with_somebody_who_is_here_and_fit(self) -> None:
        for job in self.queue.jobs.values():
            if job.analyst is not None:
                assert job.analyst in self.queue.analysts
                assert job.analyst not in job.failed_analysts

    @invariant()
    def nobody_is_idle_while_somebody_waits(self) -> None:
        jobs = self.queue.jobs.values()
        for analyst in self.queue.analysts.values():
            if sum(job.analyst == analyst.id for job in jobs) < analyst.jobs:
                for job in jobs:
                    is_fit = job.question.game.name in analyst.games and analyst.id not in job.failed_analysts
                    assert job.analyst is not None or not is_fit


Everything.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestEverything = Everything.TestCase
