"""Ratings, profiles and leaderboards as text."""

from __future__ import annotations

from collections.abc import Iterator

from cornered.clients.terminal.words import ordinal, player_text, spec_text
from cornered.protocol.ratings import Leaderboard, PoolInfo, PoolRating, Profile, RankedPlayer, Rated
from cornered.protocol.values import GameSpec, SeatInfo

__all__ = [
    "change_text",
    "leader_text",
    "leaderboard_lines",
    "pool_text",
    "profile_lines",
    "rating_text",
    "seat_text",
    "standing_text",
]


def rating_text(rating: int, *, provisional: bool) -> str:
    """Return a rating; the question mark says that it is provisional."""
    return f"{rating}{'?' * provisional}"


def seat_text(seat: SeatInfo) -> str:
    """Return who sits in a seat of a match, with the version of a bot and the rating of a rated match."""
    rating = None if seat.rating is None else rating_text(seat.rating, provisional=seat.provisional)
    version = None if seat.version is None else f"version {seat.version}"
    return " ".join(filter(None, (player_text(seat.player), version, rating)))


def change_text(rated: Rated, seat: int) -> str:
    """Return the rating of a seat's player after a match, with what it gained."""
    change = rated.changes[seat]
    return (
        f"Your rating: {rating_text(change.after, provisional=change.provisional)} ({change.after - change.before:+d})."
    )


def pool_text(pool: PoolInfo | PoolRating | Leaderboard) -> str:
    """Return a rating pool as text."""
    game: GameSpec = pool.game
    return f"{spec_text(game)} {pool.speed}"


def standing_text(rating: PoolRating) -> str:
    """Return a player's rating in a pool with what it is worth."""
    games = f"{rating.games} game{'' if rating.games == 1 else 's'}"
    place = "provisional" if rating.provisional else "" if rating.rank is None else f"{ordinal(rating.rank)} place"
    facts = ", ".join(filter(None, (games, place)))
    return f"{rating_text(rating.rating, provisional=rating.provisional)} ± {rating.deviation}  {facts}"


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield the lines of a profile."""
    yield f"{player_text(profile.player)}  {profile.player.id}"
    if not profile.ratings:
        yield "No rated game yet."
    for rating in profile.ratings:
        yield f"{pool_text(rating)}: {standing_text(rating)}  {rating.pool}"
        for one in rating.versions:
            games = f"{one.games} game{'' if one.games == 1 else 's'}"
            yield f"  version {one.version}: {one.rating} ± {one.deviation}  {games}"


def leader_text(leader: RankedPlayer) -> str:
    """Return one line of a leaderboard."""
    return f"{leader.rank:>4}  {leader.rating} ± {leader.deviation:<3}  {player_text(leader.player)}"


def leaderboard_lines(board: Leaderboard) -> Iterator[str]:
    """Yield the lines of a page of a leaderboard."""
    one, many = ("bot", "bots") if board.kind == "bot" else ("person", "people")
    yield f"{pool_text(board)}: {board.total} {one if board.total == 1 else many} with an established rating"
    yield from map(leader_text, board.entries)
