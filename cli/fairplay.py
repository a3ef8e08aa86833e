"""`cornered fairplay`: a player's moves beside the champion's, for people to judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.rules import Json
from cornered.cli.store import store_settings
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.bots.bot import Bot, Limit
    from cornered.lab.fairplay.games import FinishedGame
    from cornered.lab.fairplay.judging import Judgement

__all__ = ["app"]

app = typer.Typer()


@app.command()
def fairplay(
    player: Annotated[str, typer.Argument(help="The player's id, or its name where no other player has that.")],
    game: Annotated[str | None, typer.Option(help="Only matches of this game.")] = None,
    games: Annotated[int, typer.Option(min=1, max=500, help="The newest rated matches, and as many of others.")] = 20,
    time_: Annotated[float, typer.Option("--time", min=0.01, max=60, help="Seconds for each position.")] = 0.2,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes for each position, instead of a time.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as a page into this file too.")] = None,
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
    as_json: Json = False,
) -> None:
    """Compare a player's moves in rated matches with the champion's, beside opponents and players of such ratings.

    It is a reason to look at games, and proves nothing. Nothing is stored, and the server may run meanwhile.
    """
    from cornered.bots.bot import Limit
    from cornered.bots.roster import create
    from cornered.cli.think import interruptible
    from cornered.lab.fairplay.comparison import compare
    from cornered.lab.fairplay.games import game_of
    from cornered.lab.fairplay.judging import LINES
    from cornered.lab.fairplay.report import as_html, as_text
    from cornered.lab.fairplay.report import as_json as values
    from cornered.server.fair_play import rated_games

    settings = store_settings(data)
    known, own_events, other_events = run_until_signal(rated_games(settings, player, game, games))
    own, others = [[game_of(events) for events in each] for each in (own_events, other_events)]
    limit = Limit(nodes=nodes, lines=LINES) if nodes is not None else Limit(time=round(1000 * time_), lines=LINES)
    champion = create("champion")
    judged, left_out = interruptible(lambda: _judged(own, champion, limit), "Comparing the player's moves")
    beside, _ = interruptible(lambda: _judged(others, champion, limit), "Comparing the moves of others")
    comparison = compare(
        known.name,
        [one for one in judged if one.player == known.id],
        [one for one in judged if one.player != known.id],
        beside,
    )
    how = f"{nodes:,} nodes" if nodes is not None else f"{time_:g} s"
    about = [f"{len(own)} rated matches of {known.name} ({known.id}); the champion has {how} for each position."]
    if left_out:
        about.append(f"{left_out} of them are of games whose scores are no probabilities, and are left out.")
    if html is not None:
        html.write_text(as_html(comparison, about), encoding="utf-8")
    if as_json:
        facts = {"player_id": known.id, "matches": [one.match for one in own], "left_out": left_out, "limit": how}
        typer.echo(json.dumps(values(comparison, facts), ensure_ascii=False))
    else:
        typer.echo(as_text(comparison, about), nl=False)


def _judged(games: Sequence[FinishedGame], bot: Bot, limit: Limit) -> tuple[list[Judgement], int]:
    """Return the judgements of all games, and the number of games that are left out."""
    from cornered.bots.evaluate.chance import scale_of
    from cornered.lab.fairplay.judging import judge

    fitting = [one for one in games if scale_of(one.game) is not None]
    for each in {one.game for one in fitting}:
        bot.prepare(each)
    judged = [found for one in fitting for found in judge(one, bot, limit) if found is not None]
    return judged, len(games) - len(fitting)
