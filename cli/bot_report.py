"""`cornered bot-report` and `cornered replay`: how a bot fares on a server, and what it was asked there, again here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeVar

import typer

from cornered.cli.bot_word import LONGEST_MS, Longest, choose_of_word
from cornered.cli.errors import CommandGroup
from cornered.cli.players import DEFAULT_SERVER, Server, write_lines
from cornered.cli.rules import Json
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.clients.sdk import Client
    from cornered.clients.sdk.bot_word import ChooseState
    from cornered.clients.sdk.request_file import MatchRequest
    from cornered.protocol.bot_reports import BotGame, BotReport

__all__ = ["app"]

T = TypeVar("T")
Token = Annotated[
    str | None, typer.Option(envvar="CORNERED_TOKEN", help="The bot's token; by default the stored one of its name.")
]

app = typer.Typer(cls=CommandGroup, no_args_is_help=False, pretty_exceptions_enable=False)


@app.command()
def bot_report(
    name: Annotated[str, typer.Argument(help="The name of the bot, whose token is stored here.")],
    games: Annotated[int, typer.Option(min=1, max=1_000, help="The most games to show.")] = 20,
    link: Annotated[bool, typer.Option("--link", help="Print a link to the bot's page instead.")] = False,
    server: Server = DEFAULT_SERVER,
    token: Token = None,
    as_json: Json = False,
) -> None:
    """Show how a bot of yours fares: games, time for its moves, and what went wrong.

    A link shows the bot's page to everyone who has it, for a week or until the bot's token is revoked.
    """
    from cornered.clients.sdk.address import page_url
    from cornered.clients.terminal.bot_report_words import report_lines

    if link:
        code = _as_bot(name, server, token, lambda client: client.bot_reports.link()).code
        typer.echo(f"{page_url(server)}/#/bot/{code}")
        return

    async def read(client: Client) -> tuple[BotReport, list[BotGame]]:
        report = await client.bot_report()
        found: list[BotGame] = []
        async for game in client.bot_reports.games():
            found.append(game)
            if len(found) == games:
                break
        return report, found

    report, found = _as_bot(name, server, token, read)
    if as_json:
        shown = report.model_copy(update={"games": tuple(found)})
        typer.echo(shown.model_dump_json(exclude={"id", "type", "more"}))
        return
    write_lines(report_lines(report, found))


@app.command()
def replay(
    file: Annotated[Path | None, typer.Argument(help="A file of requests, as the bot's page downloads it.")] = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", metavar="BOT", help="The bot, as for `match`.")] = None,
    match: Annotated[str | None, typer.Option(help="A finished match on the server, in the place of a file.")] = None,
    name: Annotated[str | None, typer.Option(help="The name that the bot has there.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the requests of the match into this file.")] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="Only the request at this ply.")] = None,
    longest: Longest = LONGEST_MS,
    server: Server = DEFAULT_SERVER,
    token: Token = None,
    as_json: Json = False,
) -> None:
    """Ask a bot again what it was asked in a match: the same positions, with the same limits. A summary ends the list.

    The exit code is 1 where an answer is no legal move, or the bot raises. A limit that the bot did not report follows
    from its clock, as in run_bot.
    """
    from cornered.clients.sdk.request_file import MatchRequest, lines_of, read_requests
    from cornered.engine.records.files import replacing

    if (file is None) == (match is None):
        raise ValueError("name one file of requests, or --match ID with --name BOT")
    if match is not None and name is None:
        raise ValueError("whose requests? add --name BOT")
    if bot is None and save is None:
        raise ValueError("which bot answers? add --bot ./my_bot.py")
    if file is not None:
        requests = read_requests(file)
    else:
        assert match is not None
        assert name is not None
        about, found = _as_bot(name, server, token, lambda client: client.bot_reports.requests(match))
        lines = lines_of(about, found)
        if save is not None:
            with replacing(save) as part:
                part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        requests = [MatchRequest.model_validate_json(line) for line in lines]
    if bot is None:
        typer.echo(f"{len(requests)} requests are in {save}")
        return
    wanted = [request for request in requests if ply in (None, request.ply)]
    if not wanted:
        # A file has requests of one match, in their order.
        known = ", ".join(str(request.ply) for request in requests)
        raise ValueError(f"there is no request of ply {ply}; there are {known}" if requests else "there is no request")
    choose = choose_of_word(bot)
    done: list[tuple[MatchRequest, Replayed]] = []
    if not as_json:
        write_lines([HEADING])
    for request in wanted:
        replayed = run_until_signal(_replayed(choose, request, longest))
        done.append((request, replayed))
        if as_json:
            typer.echo(json.dumps({**json.loads(request.model_dump_json()), "replayed": replayed._asdict()}))
        else:
            write_lines(replayed.lines(request))
    if not as_json:
        write_lines(["", *_summary(done)])
    if any(replayed.answer is None for _, replayed in done):
        raise typer.Exit(1)


ROW: Final = "{:>3}  {:8} {:8} {:6}  {:>7}  {:>7}  {}"
HEADING: Final = ROW.format("ply", "then", "now", "move", "seconds", "limit", "position")


class Replayed(NamedTuple):
    """What a bot answers now; `answer` is None where it fails, and `error` says how. `limit` is in milliseconds."""

    verdict: Literal["same", "other", "new", "failed"]
    answer: str | None
    error: str
    limit: int | None
    seconds: float

    def lines(self, request: MatchRequest) -> list[str]:
        """Return the lines for people."""
        then = request.answer or ("failed" if request.failure else "no move")
        limit = "none" if self.limit is None else f"{self.limit / 1000:.2f}"
        now = self.answer or "FAILED"
        lines = [ROW.format(request.ply, then, now, self.verdict, f"{self.seconds:.2f}", limit, request.position)]
        if request.failure:
            lines += [f"    then: {line}" for line in request.failure.split("\n")]
        return [*lines, *(f"    now: {line}" for line in self.error.split("\n") if line)]


def _summary(done: Sequence[tuple[MatchRequest, Replayed]]) -> Iterator[str]:
    """Yield the lines that count the answers, and the times: of the bot alone now, of the server's clock then."""
    counts = Counter(replayed.verdict for _, replayed in done)
    yield (
        f"{len(done)} {'move' if len(done) == 1 else 'moves'} asked again: {counts['same']} same, "
        f"{counts['other']} other, {counts['new']} new where it had none, {counts['failed']} failed"
    )
    seconds = [replayed.seconds for _, replayed in done]
    yield f"time now:  {_times(seconds)}"
    if then := [request.spent / 1000 for request, _ in done if request.spent is not None]:
        yield f"time then: {_times(then)}, on the server's clock"


def _times(seconds: Sequence[float]) -> str:
    return f"{fmean(seconds):.2f} s a move, at most {max(seconds):.2f} s"


async def _replayed(choose: ChooseState, request: MatchRequest, longest: int) -> Replayed:
    from cornered.clients.sdk.choosing import BotFailed, TimeUsed, legal_answer
    from cornered.engine import load

    state = load(request.game.name, **request.game.options).parse(request.position)
    used, limit = TimeUsed(), request.limit_for(longest)
    try:
        answer = await legal_answer(partial(choose, state, limit), state, used)
    except BotFailed as failure:
        return Replayed("failed", None, failure.crash or str(failure), limit.time, round(used.last, 3))
    verdict: Literal["same", "other", "new"] = (
        "new" if request.answer is None else "same" if answer == request.answer else "other"
    )
    return Replayed(verdict, answer, "", limit.time, round(used.last, 3))


def _as_bot(name: str, server: str, token: str | None, ask: Callable[[Client], Awaitable[T]]) -> T:
    """Return what `ask` returns for the client of a bot, beside its program. Raises ValueError and ClientError."""
    from cornered.clients.sdk import Client, TokenStore

    known = token or TokenStore().get(server, name)
    if known is None:
        raise ValueError(
            f"there is no token of {name} for {server} here: run this where the bot runs, or give its --token"
        )

    async def run() -> T:
        async with Client.connect(server, token=known, kind="bot", beside=True) as client:
            return await ask(client)

    return run_until_signal(run())
