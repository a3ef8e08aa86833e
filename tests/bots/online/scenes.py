"""The server's side of an analyst's connection."""

from __future__ import annotations

from cornered.protocol.commands import AskGames, OfferAnalysis
from cornered.protocol.messages import Games
from cornered.protocol.values import OfferedGame
from tests.clients.sdk.scripted import Wire

OFFERED = OfferedGame(name="trapgrid", title="TrapGrid", summary="", options=(), start=". 0", has_draws=False)


async def accept_analyst(wire: Wire, *games: str) -> None:
    """Welcome a client that offers analysis, and accept the offer; the server has these games, or TrapGrid."""
    await wire.welcome()
    offered = tuple(OFFERED.model_copy(update={"name": name}) for name in games or ("trapgrid",))
    await wire.say(Games(id=(await wire.hear(AskGames)).id, games=offered, max_plies=2_000))
    await wire.acknowledge(await wire.hear(OfferAnalysis))
