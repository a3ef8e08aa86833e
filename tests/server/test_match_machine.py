"""Any interleaving of commands, by any client at any time, keeps a match's invariants."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cornered.protocol import commands as cmd
from cornered.protocol import events as ev
from cornered.protocol.values import NO_CLOCK, Correspondence, Delay, Fischer, GameSpec, PerMove, Player
from cornered.server.match import views
from cornered.server.match.catalogue import settle
from cornered.server.match.match import Match, Patience, open_match
from cornered.server.match.pausing import order_pause, resume_clocks
from cornered.server.match.repeats import is_repeat
from cornered.server.match.terms import Opening
from cornered.server.refusal import Refusal

SEED = bytes(range(32))
GAMES = st.sampled_from(
    [
        GameSpec(name="trapgrid", options={"size": 3}),
        GameSpec(name="trapgrid", options={"size": 5}),
        GameSpec(name="isolation", options={"width": 3, "height": 4, "dice": True}),
        GameSpec(name="isolation", options={"width": 4, "height": 4, "players": 3}),
        GameSpec(name="isolation", options={"width": 4, "height": 5, "players": 4, "dice": True}),
        GameSpec(name="quoridor", options={"size": 3, "max_plies": 30}),
        GameSpec(name="quoridor", options={"size": 5, "players": 4, "max_plies": 60}),
        GameSpec(name="bamboo", options={"radius": 2}),
    ]
)
CLOCKS = st.sampled_from(
    [NO_CLOCK, Fischer(initial=5, increment=1), Delay(initial=3, delay=2), PerMove(seconds=4), Correspondence(days=1)]
)
Simple: TypeAlias = (
    cmd.OfferDraw
    | cmd.AcceptDraw
    | cmd.DeclineDraw
    | cmd.RequestTakeback
    | cmd.AcceptTakeback
    | cmd.DeclineTakeback
    | cmd.Claim
    | cmd.Rematch
    | cmd.Abort
    | cmd.Resign
)
SIMPLE = (
    cmd.OfferDraw,
    cmd.AcceptDraw,
    cmd.DeclineDraw,
    cmd.RequestTakeback,
    cmd.AcceptTakeback,
    cmd.DeclineTakeback,
    cmd.Claim,
    cmd.Rematch,
    cmd.DeclineRematch,
    cmd.Abort,
)
TALKS = (
    (cmd.OfferDraw, cmd.AcceptDraw),
    (cmd.OfferDraw, cmd.DeclineDraw),
    (cmd.RequestTakeback, cmd.AcceptTakeback),
    (cmd.RequestTakeback, cmd.AcceptTakeback, cmd.DeclineTakeback),
)
SEATS = st.one_of(st.integers(0, 3), st.none(), st.just(-1), st.just(7))
PAUSES = st.one_of(*[st.integers(-500, 2_500)] * 6, st.sampled_from([5_000, 61_000, 90_000_000]))


class MatchMachine(RuleBasedStateMachine):
    """Plays one match by all commands, by the passage of time and by restarts."""

    @initialize(spec=GAMES, clock=CLOCKS, max_plies=st.sampled_from([12, 2_000]))
    def begin(self, spec: GameSpec, clock: Any, max_plies: int) -> None:
        game, settled = settle(spec)
        players = [Player(id=f"p{n}", name=f"P{n}", kind="person") for n in range(game.seats)]
        self.now, self.ids = 1_000_000, 0
        self.log: list[ev.MatchEvent] = list(open_match(Opening("m1", settled, players, clock), SEED, now=self.now))
        self.patience = Patience(max_plies=max_plies)
        self.match = Match.replay(self.log, SEED, self.patience)

    def take(self, events: tuple[ev.MatchEvent, ...]) -> None:
        was_over = self.match.over
        for event in events:
            assert event.seq == self.match.seq + 1
            assert event.at >= self.match.at
            assert not was_over or isinstance(event, ev.RematchOffered | ev.RematchDeclined | ev.Rematched)
            self.match = self.match.evolve(event)
        self.log += events

    def tell(self, command: cmd.MatchCommand, seat: int | None, **context: Any) -> None:
        before = self.match
        try:
            events = self.match.decide(command, seat, self.now, **context)
        except Refusal:
            assert self.match == before
            return
        assert events
        assert seat is not None
        self.take(events)
        assert self.match.answered(seat, command.id) == events[0].seq
        assert is_repeat(command, events[0])

    def next_id(self) -> str:
        self.ids += 1
        return f"c{self.ids}"

    @rule(pause=st.integers(0, 1_500), pick=st.integers(0, 200), lag=st.integers(0, 900))
    def play_well(self, pause: int, pick: int, lag: int) -> None:
        self.now += pause
        state = self.match.state
        if state.outcome is None and state.to_move >= 0:
            moves = state.moves()
            play = cmd.Play(id=self.next_id(), match="m1", ply=self.match.ply, move=moves[pick % len(moves)])
            self.tell(play, state.to_move, lag=lag)

    @rule(seat=SEATS, ply=st.integers(0, 6), move=st.sampled_from(["a1", "b2", "a2h", "1", "pass", "zz"]))
    def play_anyhow(self, seat: int | None, ply: int, move: str) -> None:
        self.tell(cmd.Play(id=self.next_id(), match="m1", ply=ply, move=move), seat)

    @rule(kind=st.sampled_from(SIMPLE), seat=SEATS, since=st.lists(st.none() | st.integers(0, 2_000_000), max_size=5))
    def say_anything(self, kind: type[Simple], seat: int | None, since: list[int | None]) -> None:
        self.tell(kind(id=self.next_id(), match="m1"), seat, gone_since=since)

    @rule(kinds=st.sampled_from(TALKS), order=st.permutations(range(4)), silent=st.integers(0, 6))
    def ask_and_answer(self, kinds: tuple[type[Simple], ...], order: list[int], silent: int) -> None:
        """One seat asks, and all others answer, perhaps except one."""
        asks, *answers = kinds
        seats = [seat for seat in order if seat < self.match.seats]
        self.tell(asks(id=self.next_id(), match="m1"), seats[0])
        for number, seat in enumerate(seats[1:]):
            if seat != silent:
                kind = answers[number % len(answers)]
                self.tell(kind(id=self.next_id(), match="m1"), seat)

    @rule(seats=st.permutations(range(4)), votes=st.integers(2, 4))
    def resign_and_play_again(self, seats: list[int], votes: int) -> None:
        if self.match.ply > 8:
            self.tell(cmd.Resign(id=self.next_id(), match="m1"), seats[0])
        if self.match.over:
            for seat in seats[:votes]:
                self.tell(cmd.Rematch(id=self.next_id(), match="m1"), seat)

    @rule(seconds=st.none() | st.integers(1, 5_000))
    def organise(self, seconds: int | None) -> None:
        """The organiser pauses the clocks, or has them go on."""
        match, due = self.match, self.match.deadline()
        try:
            events = resume_clocks(match, self.now) if seconds is None else order_pause(match, due, seconds, self.now)
        except Refusal:
            return
        assert bool(events) is (not match.over and (match.pause is None) is (seconds is not None))
        shown = views.clocks(match)
        self.take(events)
        if events and seconds is None and shown.left[0] is not None:
            assert self.match.timer.left_at(max(self.now, match.at)) == shown.left

    @rule(pause=PAUSES)
    def let_time_pass(self, pause: int) -> None:
        self.now += pause
        due = self.match.deadline()
        events = self.match.tick(self.now)
        assert bool(events) == (due is not None and self.now >= due)
        self.take(events)

    @rule(away=st.integers(0, 100_000))
    def restart(self, away: int) -> None:
        alive = self.now
        self.now += away
        due = self.match.deadline()
        if due is None or alive < due:
            self.take(self.match.resume(self.now, alive))
            later = self.match.deadline()
            # An offer of a rematch ends by the clock on the wall, also while the server is away.
            is_waiting = self.match.over or self.match.pause is not None
            assert is_waiting or later is None or later > self.now

    @rule(served=st.integers(0, 1_500), stood=st.integers(0, 100_000))
    def stand_still(self, served: int, stood: int) -> None:
        """The server serves for a while and then stalls, during which no deadline expires."""
        self.now += served
        due, since = self.match.deadline(), max(self.now, self.match.at)
        self.now = since + stood
        self.take(self.match.refund(self.now, stood))
        # A pause ends by the clock on the wall, too.
        lost = 0 if self.match.over or self.match.pause is not None else stood
        assert due is None or self.match.deadline() == due + lost
        assert self.match.refund(self.now, stood) == ()

    @invariant()
    def nobody_plays_beyond_the_bound(self) -> None:
        made = sum(isinstance(event, ev.Played | ev.Rolled) for event in self.log)
        assert self.match.made == made <= self.patience.max_plies
        assert self.match.over or made < self.patience.max_plies

    @invariant()
    def the_log_is_the_match(self) -> None:
        assert [event.seq for event in self.log] == list(range(1, len(self.log) + 1))
        assert Match.replay(self.log, SEED, self.patience) == self.match

    @invariant()
    def what_is_stored_is_what_was_decided(self) -> None:
        assert ev.EVENT.validate_json(ev.EVENT.dump_json(self.log[-1])) == self.log[-1]

    @invariant()
    def clocks_are_never_negative(self) -> None:
        timer = self.match.timer
        assert all(left is None or left >= 0 for left in timer.left)
        assert all(left is None or left >= 0 for left in timer.left_at(self.now))
        assert all(0 <= quota <= 1_000 for quota in timer.quota)
        assert timer.running is None or (timer.running == self.match.to_move and not self.match.over)

    @invariant()
    def places_are_valid(self) -> None:
        seats, ending = self.match.seats, self.match.ending
        out = sorted((known[0] for known in self.match.out if known), reverse=True)
        assert out == list(range(seats, seats - len(out), -1))
        if ending is None:
            assert self.match.state.outcome is None
        elif ending.reason in ("aborted", "expired"):
            assert (ending.places, ending.winner) == ((), None)
        elif ending.winner is None:
            assert sorted(ending.places) == [1] * ending.places.count(1) + sorted(out)
        else:
            assert ending.places[ending.winner] == 1
            assert sorted(ending.places) == list(range(1, seats + 1)) or ending.reason == "rules"

    @invariant()
    def there_is_one_end_and_it_tells_the_seed(self) -> None:
        ends = [event for event in self.log if isinstance(event, ev.Ended)]
        assert len(ends) == int(self.match.over)
        assert all(end.seed == SEED.hex() for end in ends)

    @invariant()
    def everybody_can_be_shown_the_match(self) -> None:
        match = self.match
        for seat in (None, 0, match.seats - 1):
            snapshot = views.snapshot(match, seat, connected=[True] * match.seats, watchers=3)
            assert (snapshot.seq, snapshot.ply, snapshot.over) == (match.seq, len(match.moves), match.over)
            assert (snapshot.seed is None) == (not match.over)
        views.moves(match, match.ply, id="c")
        assert views.history(match, id="c").positions[-1] == str(match.state)


TestMatch = MatchMachine.TestCase
TestMatch.settings = settings(max_examples=80, stateful_step_count=40)
