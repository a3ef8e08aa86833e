"""`cornered lessons`: completes the lessons and the rules in pictures with positions, as the page loads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cornered import engine
from cornered.cli.errors import CommandGroup
from cornered.cli.rules import warm_up

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def lessons(
    out: Annotated[Path | None, typer.Option("--out", help="The folder; by default the page's.")] = None,
) -> None:
    """Write the page's lessons.json and rules.json; what a lesson claims is proven on the way."""
    from cornered import clients
    from cornered.engine.records.files import replacing
    from cornered.lab.lessons.collection import lessons_text
    from cornered.lab.lessons.pictures import rules_text

    warm_up(*(game.name for game in engine.games()))
    folder = out or Path(clients.__file__).parent / "web"
    for name, text in {"lessons.json": lessons_text(), "rules.json": rules_text()}.items():
        with replacing(folder / name) as new:
            new.write_text(text, encoding="utf-8")
        typer.echo(str(folder / name))
