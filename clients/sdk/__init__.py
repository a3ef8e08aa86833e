"""The client kit: connect, play, watch, and keep doing so when the line breaks. Ten lines make a bot."""

from cornered.clients.sdk.client import Client, News
from cornered.clients.sdk.errors import ClientError, Closed, NotUnderstood, Refused, Unavailable, Unreachable, plainly
from cornered.clients.sdk.lobby import LobbyView
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.player import BotPlayer, Tempo, run_bot, stay_as
from cornered.clients.sdk.pulse import Pulse
from cornered.clients.sdk.time_management import think_time
from cornered.clients.sdk.timecontrol import read_clock
from cornered.clients.sdk.tokens import TokenStore
from cornered.engine.limit import Limit

__all__ = [
    "BotPlayer",
    "Client",
    "ClientError",
    "Closed",
    "Limit",
    "LobbyView",
    "MatchView",
    "News",
    "NotUnderstood",
    "Pulse",
    "Refused",
    "Tempo",
    "TokenStore",
    "Unavailable",
    "Unreachable",
    "plainly",
    "read_clock",
    "run_bot",
    "stay_as",
    "think_time",
]
