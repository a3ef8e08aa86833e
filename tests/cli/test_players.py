"""`cornered register`, `sign-in`, `sign-out`, `profile` and `leaders`, against a server."""

from __future__ import annotations

import json
import stat

from cornered.clients.sdk import Client, TokenStore, sign_in
from cornered.clients.terminal.connecting import connected
from cornered.protocol.account import CODE_COUNT
from tests.cli.conftest import Served

PASSWORD = "seven quiet herons"


async def id_of_terminal(url: str) -> str:
    """Return the id of the player that the terminal's tokens are of."""
    async with connected(url, None, None) as client:
        return client.player.id


async def id_of_account(url: str, name: str) -> str:
    async with Client.connect(url, token=await sign_in(url, name, PASSWORD)) as client:
        return client.player.id


def test_the_guest_of_the_terminal_becomes_an_account_whose_password_is_nowhere(served: Served) -> None:
    guest = served.do(id_of_terminal(served.url))
    made = served.run("register", "Anna", typed=f"{PASSWORD}\n")
    assert made.exit_code == 0, made.output
    assert len(made.output.splitlines()) == 1 + CODE_COUNT
    kept = TokenStore().path
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert PASSWORD not in made.output + kept.read_text()
    assert served.do(id_of_account(served.url, "Anna")) == guest
    shown = served.run("profile")
    assert shown.output.splitlines() == [f"Anna  {guest}", "No rated game yet."]
    for word in (guest, "Anna", " anna "):
        assert served.run("profile", word).output == shown.output
    unknown = served.run("profile", "no such name")
    assert (unknown.exit_code, len(unknown.output.splitlines())) == (2, 1)
    assert "no account has this name" in unknown.output


def test_signing_in_and_out_changes_who_plays(served: Served) -> None:
    served.run("register", "Berta", typed=f"{PASSWORD}\n")
    berta = served.do(id_of_terminal(served.url))
    assert served.run("sign-out").output == "You are signed out.\n"
    assert served.do(id_of_terminal(served.url)) != berta
    wrong = served.run("sign-in", "Berta", typed="seven quiet pigeons\n")
    assert wrong.exit_code == 2
    assert "bad_credentials" in wrong.output
    assert "pigeons" not in wrong.output
    assert served.run("sign-in", "Berta", typed=f"{PASSWORD}\n").output == "You are signed in as Berta.\n"
    assert served.do(id_of_terminal(served.url)) == berta


def test_a_password_that_is_too_short_and_a_taken_name_are_refused_in_one_line(served: Served) -> None:
    short = served.run("register", "Cyd", typed="short\n")
    assert (short.exit_code, short.output) == (2, "cornered: a password has 8 to 128 characters\n")
    served.run("register", "Cyd", typed=f"{PASSWORD}\n")
    served.run("sign-out")
    taken = served.run("register", "cyd", typed=f"{PASSWORD}\n")
    assert taken.exit_code == 2
    assert "name_taken" in taken.output


def test_leaderboards_and_profiles_are_lines_and_json(served: Served) -> None:
    assert served.run("leaders").output == "Nobody has played a rated game here yet.\n"
    assert json.loads(served.run("leaders", "--json").output) == []
    board = served.run("leaders", "trapgrid:blitz", "--bots")
    assert board.output == "TrapGrid blitz: 0 bots with an established rating\n"
    found = json.loads(served.run("leaders", "trapgrid:blitz", "--json").output)
    assert (found["kind"], found["entries"]) == ("person", [])
    assert json.loads(served.run("profile", "--json").output)["ratings"] == []
    unknown = served.run("leaders", "chess:blitz")
    assert unknown.exit_code == 2
    assert "chess" in unknown.output
