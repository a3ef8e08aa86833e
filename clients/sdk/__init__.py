"""The client SDK: play, watch and analyse on a server, with reconnection. A bot takes ten lines."""

from cornered.clients.sdk.bot_reports import BotReports
from cornered.clients.sdk.choosing import BotFailed
from cornered.clients.sdk.client import Client, ClientNews
from cornered.clients.sdk.errors import (
    AlreadyPlaying,
    ClientError,
    Closed,
    CommandRefused,
    NoOpponent,
    NotUnderstood,
    Unavailable,
    Unreachable,
    unwrapped_errors,
)
from cornered.clients.sdk.lobby import LobbyView
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.own_account import OwnAccount, policies, recover, register, sign_in
from cornered.clients.sdk.people import People
from cornered.clients.sdk.player import BotPlayer, Tempo
from cornered.clients.sdk.pulse import Pulse
from cornered.clients.sdk.running import run_bot, stay_as
from cornered.clients.sdk.time_management import think_time
from cornered.clients.sdk.timecontrol import read_clock
from cornered.clients.sdk.tokens import TokenStore
from cornered.clients.sdk.tournaments import OwnTournaments, TournamentView
from cornered.engine.limit import Limit

__all__ = [
    "AlreadyPlaying",
    "BotFailed",
    "BotPlayer",
    "BotReports",
    "Client",
    "ClientError",
    "ClientNews",
    "Closed",
    "CommandRefused",
    "Limit",
    "LobbyView",
    "MatchView",
    "NoOpponent",
    "NotUnderstood",
    "OwnAccount",
    "OwnTournaments",
    "People",
    "Pulse",
    "Tempo",
    "TokenStore",
    "TournamentView",
    "Unavailable",
    "Unreachable",
    "policies",
    "read_clock",
    "recover",
    "register",
    "run_bot",
    "sign_in",
    "stay_as",
    "think_time",
    "unwrapped_errors",
]
