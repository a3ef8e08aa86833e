"""`cornered archive`: the finished public matches of a server that meet some conditions, as records."""

from __future__ import annotations

import contextlib
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Any, Final
from urllib.parse import urlencode, urljoin

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.rules import split_moves

__all__ = ["app"]

TIMEOUT_S: Final = 60.0
CHUNK_BYTES: Final = 1 << 16
_NEXT: Final = re.compile(r'<([^>]+)>; rel="next"')

app = typer.Typer(cls=CommandGroup, no_args_is_help=False, pretty_exceptions_enable=False)


@app.command()
def archive(
    player: Annotated[str | None, typer.Option(help="The id of a player in the match.")] = None,
    opponent: Annotated[str | None, typer.Option(help="The id of another player in it.")] = None,
    game: Annotated[str | None, typer.Option(help="A game; `cornered games` lists them.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be repeated."),
    ] = None,
    exact: Annotated[bool, typer.Option(help="The other options have the values of a new match.")] = False,
    result: Annotated[str | None, typer.Option(help="win or loss of the player, draw, decided or none.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why it ended, such as rules, resignation or time.")] = None,
    clock: Annotated[
        str | None, typer.Option(help="The kind: fischer, delay, per_move, correspondence or none.")
    ] = None,
    least_plies: Annotated[int | None, typer.Option(help="The least length.")] = None,
    most_plies: Annotated[int | None, typer.Option(help="The greatest length.")] = None,
    least_rating: Annotated[int | None, typer.Option(help="The least rating of any player before it.")] = None,
    most_rating: Annotated[int | None, typer.Option(help="The greatest rating of any player before it.")] = None,
    opening: Annotated[str | None, typer.Option(help='The first moves, as in "c2 c4".')] = None,
    order: Annotated[str | None, typer.Option(help="newest, oldest or longest.")] = None,
    lines: Annotated[bool, typer.Option("--jsonl", help="One JSON object a line in the place of text.")] = False,
    server: Annotated[str, typer.Option(envvar="CORNERED_SERVER", help="The server.")] = "ws://127.0.0.1:8420",
    out: Annotated[Path | None, typer.Option(help="The file to write; by default standard output.")] = None,
) -> None:
    """Download finished public matches of a server, all that meet the conditions, in parts that it paces."""
    wanted: list[tuple[str, Any]] = [("option", each) for each in option or []]
    if opening:
        wanted.append(("opening", " ".join(split_moves(opening))))
    if exact:
        wanted.append(("exact", "true"))
    given = {
        "player": player,
        "opponent": opponent,
        "game": game,
        "result": result,
        "reason": reason,
        "clock": clock,
        "least_plies": least_plies,
        "most_plies": most_plies,
        "least_rating": least_rating,
        "most_rating": most_rating,
        "order": order,
    }
    from cornered.clients.sdk.address import page_url

    wanted += [(name, value) for name, value in given.items() if value is not None]
    path = "archive.jsonl" if lines else "archive.txt"
    with _opened(out) as file:
        download(f"{page_url(server)}/{path}?{urlencode(wanted)}", file)


def download(address: str, file: IO[bytes]) -> None:
    """Write all parts of a download into `file`. Raises a ValueError with what the server says, or that it is away."""
    target: str | None = address
    while target is not None:
        try:
            with urllib.request.urlopen(target, timeout=TIMEOUT_S) as answer:
                while chunk := answer.read(CHUNK_BYTES):
                    file.write(chunk)
                following = _NEXT.search(answer.headers.get("Link") or "")
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(CHUNK_BYTES).decode(errors="replace").strip()
            raise ValueError(said) from None
        except OSError as error:
            raise ValueError(f"the server does not answer: {error}") from None
        target = None if following is None else urljoin(target, following[1])


@contextlib.contextmanager
def _opened(out: Path | None) -> Iterator[IO[bytes]]:
    """Lend standard output, or a file that replaces the one at `out` when all is written."""
    if out is None:
        yield sys.stdout.buffer
        return
    from cornered.engine.records.files import replacing

    with replacing(out) as part, part.open("wb") as file:
        yield file
