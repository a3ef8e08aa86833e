"""Ratings, profiles, leaderboards and tournaments as text."""

from __future__ import annotations

from cornered.clients.terminal.rating_words import change_text, leaderboard_lines, profile_lines, seat_text
from cornered.clients.terminal.tournament_words import pairing_text, standings_lines, tournament_text
from cornered.protocol.ratings import Leaderboard, PoolRating, Profile, RankedPlayer, Rated, RatingChange, VersionRating
from cornered.protocol.tournaments import PairingInfo, Standing, TournamentInfo, TournamentSettings
from cornered.protocol.values import Fischer, GameSpec, Player, SeatInfo

ANN, BOT = Player(id="ann", name="Ann", kind="person"), Player(id="bot", name="Squeeze", kind="bot")
GAME = GameSpec(name="trapgrid", options={"size": 5})


def pool(*versions: VersionRating, rank: int | None = 2, games: int = 30) -> PoolRating:
    return PoolRating(
        pool="trapgrid:size=5:blitz",
        game=GAME,
        speed="blitz",
        rating=1612,
        deviation=61,
        games=games,
        provisional=rank is None,
        rank=rank,
        versions=versions,
    )


def test_a_profile_has_a_line_for_each_pool_and_each_version_of_a_bot() -> None:
    version = VersionRating(version="2.1", games=1, rating=1612, deviation=61, at=1)
    profile = Profile(id="x", player=BOT, ratings=(pool(version), pool(rank=None, games=1)))
    assert list(profile_lines(profile)) == [
        "Squeeze [bot]  bot",
        "TrapGrid 5x5 blitz: 1612 ± 61  30 games, 2nd place  trapgrid:size=5:blitz",
        "  version 2.1: 1612 ± 61  1 game",
        "TrapGrid 5x5 blitz: 1612? ± 61  1 game, provisional  trapgrid:size=5:blitz",
    ]
    assert list(profile_lines(Profile(id="x", player=ANN, ratings=()))) == ["Ann  ann", "No rated game yet."]


def test_a_leaderboard_has_ranks_and_a_seat_what_a_match_changed() -> None:
    leader = RankedPlayer(rank=1, player=BOT, rating=1700, deviation=60, games=40)
    board = Leaderboard(
        id="x", pool="trapgrid:blitz", game=GAME, speed="blitz", kind="bot", entries=(leader,), total=1, more=None
    )
    assert list(leaderboard_lines(board)) == [
        "TrapGrid 5x5 blitz: 1 bot with an established rating",
        "   1  1700 ± 60   Squeeze [bot]",
    ]

    assert seat_text(SeatInfo(player=ANN)) == "Ann"
    assert (
        seat_text(SeatInfo(player=BOT, rating=1500, provisional=True, version="2")) == "Squeeze [bot] version 2 1500?"
    )
    lost = RatingChange(player="ann", before=1600, after=1588, deviation=70, provisional=False)
    rated = Rated(match="m", pool="trapgrid:blitz", changes=(lost, lost))
    assert change_text(rated, 0) == "Your rating: 1588 (-12)."


def tournament(**changes: object) -> TournamentInfo:
    settings = TournamentSettings(name="Cup", format="swiss", game=GAME, clock=Fischer(initial=180), rated=True)
    info = TournamentInfo(
        id="cup",
        settings=settings,
        organiser=ANN,
        status="running",
        players=3,
        round=2,
        rounds=5,
        pending=1,
        is_paused=False,
        created=0,
        started=0,
        ends_at=None,
        ended=None,
        next_round_at=None,
        winner=None,
        tie_breaks=("buchholz", "wins"),
    )
    return info.model_copy(update=changes)


def test_a_tournament_is_one_line() -> None:
    what = "Cup: Swiss, TrapGrid 5x5, 3 min, rated; "
    assert tournament_text(tournament(), 0) == f"{what}under way, round 2 of 5, 1 game goes on, 3 players"
    waiting = tournament(pending=0, next_round_at=65_000)
    assert tournament_text(waiting, 0) == f"{what}under way, round 2 of 5, the next round in 1:05, 3 players"
    over = tournament(status="finished", winner=BOT, pending=0)
    assert tournament_text(over, 0) == f"{what}finished, Squeeze [bot] won, 3 players"
    assert tournament_text(tournament(status="open", players=1), 0) == f"{what}open for players, 1 player"


def test_standings_are_a_table_and_pairings_have_results() -> None:
    first = Standing(rank=1, player=BOT, rating=1, points=1.5, tie_breaks=(2.5, 1), games=2, wins=1, draws=1, losses=0)
    out = Standing(
        rank=2, player=ANN, rating=1, points=0, tie_breaks=(1, 0), games=1, wins=0, draws=0, losses=1, is_out=True
    )
    assert list(standings_lines(tournament(), (first, out))) == [
        "    Player        Points  +/=/- Buchh  wins",
        "  1 Squeeze [bot]    1.5  1/1/0   2.5     1",
        "  2 Ann                0  0/0/1     1     0  out",
    ]
    game = PairingInfo(round=1, board=1, players=(ANN, BOT), match="m", how="pending", points=())
    assert pairing_text(game) == "  1  Ann - Squeeze [bot]  …"
    over = game.model_copy(update={"how": "forfeit", "points": (0.0, 1.0)})
    assert pairing_text(over) == "  1  Ann - Squeeze [bot]  0 : 1 (forfeit)"
    bye = game.model_copy(update={"players": (ANN,), "how": "bye", "match": None, "points": (1.0,)})
    assert pairing_text(bye) == "  1  Ann has a bye"
