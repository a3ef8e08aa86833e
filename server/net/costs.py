"""What a command costs its sender's token bucket: its CPU time beside that of a plain command such as `ping`. Pure.

The constants are measured: `tests/server/net/test_costs.py` prints what each command takes, and fails where one takes
more than its share of what it is charged.
"""

from __future__ import annotations

from typing import Final, assert_never

from cornered.protocol.commands import (
    AcceptChallenge,
    Analysed,
    AskAnalysis,
    AskGames,
    AskHistory,
    AskLobby,
    AskMoves,
    AskMyMatches,
    AskSeek,
    AskVariation,
    CancelAnalysis,
    CancelChallenge,
    CancelSeek,
    Challenge,
    ClientMessage,
    CreateSeek,
    Declare,
    DeclineChallenge,
    Hello,
    Join,
    JoinSeek,
    Leave,
    LeaveLobby,
    LeaveSeek,
    MatchCommand,
    OfferAnalysis,
    Ping,
    Rematch,
    Say,
    StartSeek,
    WatchLobby,
)
from cornered.server.match.state import MatchState

__all__ = [
    "KNOWN_FILE",
    "PAGE_TOKENS",
    "UNIT_US",
    "cost_of",
    "download_cost",
    "malformed_cost",
    "reading_cost",
    "replay_cost",
]

UNIT_US: Final = 40.0
"""CPU time of one token, in microseconds: that of a `ping` from its frame to the answer's."""
BYTES_PER_TOKEN: Final = 512
"""Bytes of a message that are decoded for one token."""
MALFORMED_BYTES_PER_TOKEN: Final = 128
"""Bytes of a malformed message that are decoded for one token: what is wrong has to be found and explained."""
PLIES_PER_TOKEN: Final = 50
"""Plies of `history` that are copied and encoded for one token."""
MOVES_PER_TOKEN: Final = 400
"""Plies of a `snapshot`, which holds only the moves."""
EVENTS_PER_TOKEN: Final = 6
"""Events that `join` with `since` encodes for one token."""
PAST_MOVES: Final = 12.0
"""`ask_moves` about an earlier ply: the rules list the moves and explain the other cells."""
NEWEST_MOVES: Final = 3.0
"""The same about the newest ply, whose answer is cached for all clients."""
COST_MAX_TOKENS: Final = 100.0
"""No command costs more than the default burst, or no player could pay for it."""
SNAPSHOT: Final = 4.0
PLAIN_STORED: Final = 3.0
"""A command that leaves one event or one line behind."""
MY_MATCHES: Final = 15.0
"""Twenty summaries, of which those that are not remembered are replayed in slices."""
REPLAYED_EVENTS_PER_TOKEN: Final = 0.7
"""Events that are read from the journal and folded for one token."""
WRITTEN_EVENTS_PER_TOKEN: Final = 1.2
"""Events that are read from the journal and written as a game record for one token."""
PAGE_TOKENS: Final = 5.0
"""An HTTP request, from the handshake to the end of its connection."""
KNOWN_FILE: Final = 1.0
"""What an address pays for a file that was served before, or has not changed.

It is less than such a request takes, since a class that reloads the page asks for thousands at once; `arrival_rate`
bounds them too, and of the server's tokens they take a page's.
"""


def cost_of(command: ClientMessage, match: MatchState | None) -> float:
    """Return the tokens that `command` takes; `match` is the one that it names, as its sender sees it, if it is open.

    Where the match had to be replayed first, `replay_cost` is charged on top.
    """
    if isinstance(command, MatchCommand) and not isinstance(command, Rematch):
        return PLAIN_STORED
    match command:
        case Hello() | Ping() | Leave() | LeaveLobby() | AskSeek() | CancelAnalysis() | OfferAnalysis():
            return 1.0
        case AskGames() | Declare():
            return 3.0
        case AskMoves():
            return NEWEST_MOVES if match is None or command.ply >= match.ply else PAST_MOVES
        case AskHistory():
            return min(COST_MAX_TOKENS, 1.0 + _plies(match) / PLIES_PER_TOKEN)
        case AskVariation():
            return 1.0 + len(command.moves)
        case Join():
            snapshot = SNAPSHOT + _plies(match) / MOVES_PER_TOKEN
            if command.since is None or match is None or command.since > match.seq:
                return snapshot
            return min(COST_MAX_TOKENS, 1.0 + (match.seq - command.since) / EVENTS_PER_TOKEN)
        case AskMyMatches():
            return MY_MATCHES
        case WatchLobby():
            return 20.0
        case AskLobby():
            return 10.0
        case (
            CreateSeek()
            | LeaveSeek()
            | CancelSeek()
            | Challenge()
            | DeclineChallenge()
            | CancelChallenge()
            | AskAnalysis()
            | Analysed()
        ):
            return 5.0
        case JoinSeek() | StartSeek() | AcceptChallenge() | Rematch():
            # A match is opened and stored.
            return 10.0
        case Say():
            return PLAIN_STORED
        case _:
            assert_never(command)


def reading_cost(size: int) -> float:
    """Return the least that a command of so many bytes costs in tokens, whatever it asks for."""
    return size / BYTES_PER_TOKEN


def malformed_cost(size: int) -> int:
    """Return the tokens for a message of so many bytes that cannot be read."""
    return 1 + size // MALFORMED_BYTES_PER_TOKEN


def replay_cost(events: int) -> float:
    """Return the tokens for reading and replaying a match of so many events, as when a finished one is opened again."""
    return 1.0 + events / REPLAYED_EVENTS_PER_TOKEN


def download_cost(events: int) -> float:
    """Return the tokens for downloading the record of a match of so many events."""
    return 1.0 + events / WRITTEN_EVENTS_PER_TOKEN


def _plies(match: MatchState | None) -> int:
    return 0 if match is None else match.ply
