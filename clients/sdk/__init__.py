"""The client kit: connect, play, watch, and keep doing so when the line breaks. Ten lines make a bot."""

from clients.sdk.client import Client, News
from clients.sdk.errors import ClientError, Closed, Refused, Unavailable, Unreachable, plainly
from clients.sdk.limit import Limit, think_time
from clients.sdk.lobby import LobbyView
from clients.sdk.match import MatchView
from clients.sdk.player import BotPlayer, Tempo, run_bot, stay_as
from clients.sdk.pulse import Pulse
from clients.sdk.timecontrol import read_clock
from clients.sdk.tokens import TokenStore

__all__ = [
    "BotPlayer",
    "Client",
    "ClientError",
    "Closed",
    "Limit",
    "LobbyView",
    "MatchView",
    "News",
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
