"""Commands, answers and updates about tournaments: who plays whom in which round, and how they stand."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import (
    SPEECH,
    Clock,
    Command,
    CommandId,
    GameSpec,
    Key,
    Made,
    Milliseconds,
    Ordinal,
    Player,
    Value,
)

__all__ = [
    "MAX_ARENA_MINUTES",
    "MAX_CYCLES",
    "MAX_HAND_PAIRS",
    "MAX_ROUNDS",
    "MAX_ROUND_PAUSE_SECONDS",
    "MAX_ROUND_ROBIN",
    "MAX_TOURNAMENT_NAME",
    "MAX_TOURNAMENT_PLAYERS",
    "TOURNAMENTS_PAGE",
    "TOURNAMENT_PAGE",
    "AskPairings",
    "AskStandings",
    "AskTournament",
    "AskTournaments",
    "CancelTournament",
    "CreateTournament",
    "FinishTournament",
    "ForfeitPlayer",
    "JoinTournament",
    "LeaveTournament",
    "PairByHand",
    "PairingInfo",
    "Pairings",
    "PauseTournament",
    "ResumeTournament",
    "Standing",
    "Standings",
    "StartTournament",
    "TellTournament",
    "TieBreak",
    "TournamentAnswer",
    "TournamentChanged",
    "TournamentCommand",
    "TournamentFormat",
    "TournamentInfo",
    "TournamentMessage",
    "TournamentSettings",
    "TournamentState",
    "TournamentStatus",
    "TournamentUpdate",
    "Tournaments",
    "WatchTournament",
    "WithdrawFromTournament",
]

MAX_TOURNAMENT_NAME: Final = 60
"""Characters of a tournament's name."""
MAX_TOURNAMENT_PLAYERS: Final = 256
"""Players of one tournament."""
MAX_ROUND_ROBIN: Final = 40
"""Players of a round robin, whose rounds are one fewer in each cycle."""
MAX_ROUNDS: Final = 32
"""Rounds of a Swiss tournament."""
MAX_CYCLES: Final = 4
"""How often two players of a round robin meet at most."""
MAX_ARENA_MINUTES: Final = 24 * 60
"""The longest arena."""
MAX_ROUND_PAUSE_SECONDS: Final = 24 * 3_600
"""The longest pause between two rounds that ends by itself."""
MAX_HAND_PAIRS: Final = MAX_TOURNAMENT_PLAYERS // 2
"""Pairs of one command."""
TOURNAMENT_PAGE: Final = 50
"""Standings or pairings of one answer."""
TOURNAMENTS_PAGE: Final = 20
"""Tournaments of one answer."""

TournamentName: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=MAX_TOURNAMENT_NAME)]
TournamentFormat: TypeAlias = Literal["round_robin", "swiss", "knockout", "arena", "by_hand"]
"""`round_robin`: everybody meets everybody. `swiss`: in each round players of equal points meet. `knockout`: the loser
of a meeting is out. `arena`: who is free is paired again until the time is over. `by_hand`: the organiser pairs."""
TournamentStatus: TypeAlias = Literal["open", "running", "finished", "cancelled"]
"""`open` until it starts."""
TieBreak: TypeAlias = Literal["buchholz", "sonneborn_berger", "direct_encounter", "wins"]
"""`buchholz`: the sum of the opponents' points. `sonneborn_berger`: the points of beaten opponents and half of those of
opponents with whom one drew. `direct_encounter`: points against those who are equal so far, where they all have met.
`wins`: games won on the board."""
PairingHow: TypeAlias = Literal["pending", "played", "forfeit", "bye", "void"]
"""`pending` until there is a result; `forfeit`: not decided on the board; `bye`: a round without an opponent;
`void`: the tournament ended before."""


class TournamentSettings(Value):
    """What is settled when a tournament is created."""

    name: TournamentName
    format: TournamentFormat
    game: GameSpec
    clock: Clock
    """A tournament needs a clock, and an arena one that does not count in days."""
    rated: bool = False
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    """Rounds of a Swiss tournament; null for the least number after which one player at most has won all games."""
    cycles: Annotated[int, Field(ge=1, le=MAX_CYCLES)] = 1
    """How often two players of a round robin meet."""
    minutes: Annotated[int, Field(ge=1, le=MAX_ARENA_MINUTES)] | None = None
    """How long an arena lasts, which needs it; games that go on then still count."""
    starts_at: Milliseconds | None = None
    """When it starts by itself; null where the organiser starts it."""
    pause: Annotated[int, Field(ge=0, le=MAX_ROUND_PAUSE_SECONDS)] | None = 10
    """Seconds between two rounds; null where the organiser starts each round."""
    limit: Annotated[int, Field(ge=2, le=MAX_TOURNAMENT_PLAYERS)] | None = None
    """The greatest number of players; null for as many as the format takes, 40 in a round robin and 256 in others."""
    entrants: Literal["everybody", "people", "bots"] = "everybody"
    rating_from: Annotated[int, Field(ge=0, le=5_000)] | None = None
    rating_to: Annotated[int, Field(ge=0, le=5_000)] | None = None
    """Only players whose rating in these games is in this range may join; null for no bound."""
    late_rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] = 0
    """How many rounds of a Swiss tournament may be paired before joining ends; an arena may be joined to its end."""
    late_points: Literal["half", "none"] = "half"
    """What a player who joins late gets for each round that was missed: half a point, or none."""
    group: Key | None = None
    """The class or club whose members alone see it and its matches, which are private; null for everybody."""


class TournamentInfo(Made):
    """One tournament as lists show it."""

    id: Key
    settings: TournamentSettings
    organiser: Player
    status: TournamentStatus
    players: int
    round: int
    """The newest round, counted from 1; 0 before the first. Every pairing of free players is a round of an arena."""
    rounds: int | None
    """How many rounds there will be; null where nobody knows."""
    pending: int
    """Games of the newest round that go on."""
    is_paused: bool
    """Whether its clocks stand still."""
    created: Milliseconds
    started: Milliseconds | None
    ends_at: Milliseconds | None
    """When the pairing of an arena ends."""
    ended: Milliseconds | None
    next_round_at: Milliseconds | None
    """When the next round begins by itself; null where the organiser starts it, or games go on."""
    winner: Player | None
    tie_breaks: tuple[TieBreak, ...]
    """By what the order of players with equal points is decided, in turn; what is equal then is in order of seeding."""


class Standing(Made):
    """A player in the order of the standings. `tie_breaks` are in the order of the tournament's."""

    rank: int
    player: Player
    rating: int
    """The rating at the time of joining, by which players are seeded."""
    points: float
    """In a knockout the meetings that were won, byes among them."""
    tie_breaks: tuple[float, ...]
    games: int
    """Games played on the board."""
    wins: int
    draws: int
    losses: int
    streak: int = 0
    """Games of an arena won in a row so far."""
    is_out: bool = False
    """Whether the player has withdrawn, was forfeited, or is out of a knockout."""
    is_absent: bool = False
    """Whether the player missed two games and is paired no more until joining again."""


class PairingInfo(Made):
    """Two players by seat, or one with a bye. `points` has what each got; it is empty while that is pending."""

    round: int
    board: int
    players: tuple[Player, ...]
    match: Key | None
    """The match, of which there is none for a bye."""
    how: PairingHow
    points: tuple[float, ...]


class InTournament(Command):
    """Base of the commands about one tournament."""

    tournament: Key


class CreateTournament(Command):
    """Create a tournament, as its organiser. The acknowledgement's `ref` is its id."""

    type: Literal["create_tournament"] = "create_tournament"
    settings: TournamentSettings


class AskTournaments(Command, json_schema_extra={"answers": ["tournaments"]}):
    """Ask for tournaments, those with the newest changes first. `after` is an earlier page's `more`.

    With `over` it asks for those that are finished or cancelled, otherwise for those that are open or running. Those of
    a group are listed for its `group` alone.
    """

    type: Literal["ask_tournaments"] = "ask_tournaments"
    over: bool = False
    group: Key | None = None
    after: Ordinal | None = None


class AskTournament(InTournament, json_schema_extra={"answers": ["tournament"]}):
    """Ask for a tournament, with the first of its standings and the pairings of its newest round."""

    type: Literal["ask_tournament"] = "ask_tournament"


class AskStandings(InTournament, json_schema_extra={"answers": ["standings"]}):
    """Ask for standings. `after` is an earlier page's `more`."""

    type: Literal["ask_standings"] = "ask_standings"
    after: Ordinal | None = None


class AskPairings(InTournament, json_schema_extra={"answers": ["pairings"]}):
    """Ask for the pairings of a round, the newest one without `round`. `after` is an earlier page's `more`."""

    type: Literal["ask_pairings"] = "ask_pairings"
    round: Ordinal | None = None
    after: Ordinal | None = None


class JoinTournament(InTournament):
    """Enter a tournament, or come back after having been absent."""

    type: Literal["join_tournament"] = "join_tournament"


class WithdrawFromTournament(InTournament):
    """Leave a tournament; a game that goes on counts. Before the start the place is free again.

    Who takes part may always do so, also without the right to see the tournament any more.
    """

    type: Literal["withdraw_from_tournament"] = "withdraw_from_tournament"


class StartTournament(InTournament):
    """Start a tournament now, or its next round; for its organiser."""

    type: Literal["start_tournament"] = "start_tournament"


class FinishTournament(InTournament):
    """End a tournament with its standings as they are, once no game goes on; for its organiser."""

    type: Literal["finish_tournament"] = "finish_tournament"


class CancelTournament(InTournament):
    """End a tournament without a result; for its organiser. Games that go on are played to their end."""

    type: Literal["cancel_tournament"] = "cancel_tournament"


class PairByHand(InTournament):
    """Pair a round of a tournament that is paired by hand; for its organiser. The first player of a pair has seat 0.

    Players in no pair rest, without points. Games of the round before may go on; nobody in one is paired again.
    """

    type: Literal["pair_by_hand"] = "pair_by_hand"
    pairs: Annotated[tuple[tuple[Key, Key], ...], Field(min_length=1, max_length=MAX_HAND_PAIRS)]


class PauseTournament(InTournament):
    """Stop the clocks of all games of a tournament for at most an hour, and pair nobody; for its organiser."""

    type: Literal["pause_tournament"] = "pause_tournament"


class ResumeTournament(InTournament):
    """Have the clocks of all games of a tournament run again; for its organiser."""

    type: Literal["resume_tournament"] = "resume_tournament"


class TellTournament(InTournament):
    """Send a line to all participants; for its organiser."""

    type: Literal["tell_tournament"] = "tell_tournament"
    text: Annotated[str, SPEECH, Field(min_length=1, max_length=300)]


class ForfeitPlayer(InTournament):
    """Take a player out of a tournament; for its organiser. A game that goes on is lost for the player."""

    type: Literal["forfeit_player"] = "forfeit_player"
    player: Key


class WatchTournament(InTournament, json_schema_extra={"answers": ["tournament"]}):
    """Ask for a tournament and its updates, of which there is at most one a second. A connection watches one."""

    type: Literal["watch_tournament"] = "watch_tournament"


class LeaveTournament(InTournament):
    """Ask for no further updates."""

    type: Literal["leave_tournament"] = "leave_tournament"


class Tournaments(Made):
    """The answer to `ask_tournaments`."""

    type: Literal["tournaments"] = "tournaments"
    id: CommandId
    tournaments: tuple[TournamentInfo, ...]
    more: int | None


class TournamentState(Made):
    """The answer to `ask_tournament` and `watch_tournament`: one page of standings, and of the newest round."""

    type: Literal["tournament"] = "tournament"
    id: CommandId
    tournament: TournamentInfo
    standings: tuple[Standing, ...]
    pairings: tuple[PairingInfo, ...]
    own: Standing | None
    """The asking player's own standing; null where the player is none of its participants."""


class Standings(Made):
    """The answer to `ask_standings`."""

    type: Literal["standings"] = "standings"
    id: CommandId
    tournament: Key
    standings: tuple[Standing, ...]
    more: int | None


class Pairings(Made):
    """The answer to `ask_pairings`."""

    type: Literal["pairings"] = "pairings"
    id: CommandId
    tournament: Key
    round: int
    pairings: tuple[PairingInfo, ...]
    more: int | None


class TournamentChanged(Made):
    """A tournament that one watches has changed: its first page of standings and of the newest round, as they are."""

    type: Literal["tournament_changed"] = "tournament_changed"
    tournament: TournamentInfo
    standings: tuple[Standing, ...]
    pairings: tuple[PairingInfo, ...]


class TournamentMessage(Made):
    """The organiser's line to all participants; participants who are not here miss it."""

    type: Literal["tournament_message"] = "tournament_message"
    tournament: Key
    name: str
    by: Player
    text: str


TournamentCommand: TypeAlias = (
    CreateTournament
    | AskTournaments
    | AskTournament
    | AskStandings
    | AskPairings
    | JoinTournament
    | WithdrawFromTournament
    | StartTournament
    | FinishTournament
    | CancelTournament
    | PairByHand
    | PauseTournament
    | ResumeTournament
    | TellTournament
    | ForfeitPlayer
    | WatchTournament
    | LeaveTournament
)
TournamentAnswer: TypeAlias = Tournaments | TournamentState | Standings | Pairings
TournamentUpdate: TypeAlias = TournamentChanged | TournamentMessage
