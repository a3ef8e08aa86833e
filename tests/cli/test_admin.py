"""`cornered admin`: what the operator types and reads."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
from sqlalchemy import text
from typer.core import TyperGroup
from typer.main import get_command

from cornered.cli.admin import app as admin
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.runtime.rating_service import rate_all
from tests.cli.conftest import run
from tests.conftest import free_port
from tests.server.adapters.conftest import Sample


@pytest.fixture
async def stored(sqlite_url: str, tmp_path: Path) -> Path:
    """A database with one player."""
    database = await Database.open(sqlite_url)
    await SqlAccounts(database).create("Anna", "person")
    await database.close()
    return tmp_path / "cornered.db"


def test_a_copy_says_what_was_copied(stored: Path, tmp_path: Path) -> None:
    arguments = ("admin", "copy", f"sqlite:///{stored}")
    result = run(*arguments, f"sqlite:///{tmp_path / 'one.db'}")
    assert result.exit_code == 0, result.output
    assert "copied and verified" in result.stdout
    assert "1 players" in result.stdout
    result = run(*arguments, f"sqlite:///{tmp_path / 'two.db'}", "--json")
    copied = json.loads(result.stdout)
    assert copied["rows"]["tokens"] == 1
    assert len(copied["checksum"]) == 64


def test_a_copy_that_fails_is_one_line_without_the_password(stored: Path, tmp_path: Path) -> None:
    target = f"postgresql://anna:secret@127.0.0.1:{free_port()}/cornered"
    result = run("admin", "copy", f"sqlite:///{stored}", target)
    assert result.exit_code == 2
    assert "cornered: nothing was copied: " in result.stderr
    assert "secret" not in result.output
    assert "Traceback" not in result.output
    result = run("admin", "copy", f"sqlite:///{stored}", f"sqlite:///{stored}")
    assert result.exit_code == 2
    assert "cornered: source and target are the same database" in result.stderr


ARGUMENTS: Final = {"copy": ("sqlite:///{store}", "sqlite:///{store}.copy"), "revoke": ("Anna",)}
"""Of the commands of `cornered admin` that answer in JSON and have arguments."""


def answering_in_json(command: Any, *path: str) -> Iterator[str]:
    """Yield the names of the commands below a group that have the option `--json`."""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from answering_in_json(inner, *path, name)
    elif any("--json" in one.opts for one in command.params):
        yield " ".join(path)


def test_standard_output_has_the_json_alone_and_the_log_is_on_standard_error(
    stored: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    # The server takes away others' rights, and logs it.
    stored.chmod(0o644)
    commands = sorted(answering_in_json(get_command(admin)))
    assert len(commands) > 10
    for command in commands:
        with subtests.test(command):
            structlog.reset_defaults()
            given = (one.format(store=stored) for one in ARGUMENTS.get(command, ()))
            json.loads(run("admin", *command.split(), *given, "--json", CORNERED_DATA=str(stored.parent)).stdout)
            structlog.get_logger().warning("logged after the command")
            assert "logged after the command" in capsys.readouterr().err


def test_the_token_of_a_bot_is_all_that_is_on_standard_output(stored: Path) -> None:
    stored.chmod(0o644)
    result = run("token", "Bert", "--data", str(stored.parent))
    assert result.exit_code == 0, result.output
    assert len(result.stdout.split()) == 1
    assert "other users could read these" in result.stderr


async def token_of(path: Path, name: str) -> tuple[str, str]:
    """Store a player; return its id and token."""
    database = await Database.open(f"sqlite:///{path}")
    identity, token = await SqlAccounts(database).create(name, "person")
    await database.close()
    return identity.player.id, token


async def has_token(path: Path, token: str) -> bool:
    database = await Database.open(f"sqlite:///{path}")
    known = await SqlAccounts(database).by_token(token)
    await database.close()
    return known is not None


def test_a_token_is_revoked_by_its_players_name_or_id(stored: Path) -> None:
    first, second = (asyncio.run(token_of(stored, "Ben")) for _ in range(2))
    arguments = ("admin", "revoke", "--data", str(stored.parent))
    several = run(*arguments, "Ben")
    assert several.exit_code == 2
    assert "several players are called Ben" in several.stderr
    assert first[0] in several.stderr
    assert second[0] in several.stderr
    by_id = run(*arguments, first[0])
    assert (by_id.exit_code, by_id.stdout) == (0, f"the token of Ben is revoked; its id is {first[0]}\n")
    by_name = run(*arguments, "Ben", "--json")
    assert json.loads(by_name.stdout) == {"id": second[0], "name": "Ben", "kind": "person"}
    assert not asyncio.run(has_token(stored, first[1]))
    assert not asyncio.run(has_token(stored, second[1]))
    again = run(*arguments, first[0])
    assert again.exit_code == 2
    assert f"no player with a token has the id or the name {first[0]}" in again.stderr


def test_no_store_is_made_to_revoke_a_token_or_to_look_at_ratings(tmp_path: Path) -> None:
    for command in (("revoke", "Ben"), ("ratings", "check")):
        result = run("admin", *command, "--data", str(tmp_path / "nowhere"))
        assert result.exit_code == 2
        assert "no server has run there yet" in result.stderr
        assert not (tmp_path / "nowhere").exists()


async def rated_store(path: Path) -> None:
    """Store a rated match with its changes, of which one is wrong."""
    database = await Database.open(f"sqlite:///{path}")
    journal, ratings = SqlJournal(database), SqlRatings(database)
    await journal.append("m", 0, [Sample.started("m")])
    await journal.append("m", 1, [Sample.ended(2, rated=True)])
    await journal.close()
    await rate_all(ratings)
    async with database.writing() as connection:
        await connection.execute(text("UPDATE ratings SET rating = 1000 WHERE player = 'anna'"))
    await database.close()


def test_wrong_ratings_are_found_and_mended(stored: Path) -> None:
    asyncio.run(rated_store(stored))
    arguments, where = ("admin", "ratings"), ("--data", str(stored.parent))
    found = run(*arguments, "check", *where)
    assert found.exit_code == 1
    assert "1 results, 0 of them unreadable" in found.stdout
    assert "0 matches and 1 ratings wrong" in found.stdout
    assert "recompute" in found.stdout
    mended = run(*arguments, "recompute", *where, "--json")
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["wrong_ratings"] == 1
    again = run(*arguments, "check", *where)
    assert (again.exit_code, "0 matches and 0 ratings wrong" in again.stdout) == (0, True)


# Moderation


def moderation(stored: Path, *arguments: str) -> tuple[int, str]:
    result = run("admin", "moderation", *arguments, "--data", str(stored.parent))
    return result.exit_code, result.stdout or result.stderr


def test_an_operator_bans_mutes_and_lifts(stored: Path) -> None:
    player, _ = asyncio.run(token_of(stored, "Ben"))
    code, said = moderation(stored, "ban", "Ben", "Insults", "--hours", "24")
    assert (code, f"operator: Ben ({player}) is banned: Insults" in said) == (0, True)
    answer = run("admin", "moderation", "mute", player, "Noise", "--data", str(stored.parent))
    assert "is muted: Noise" in answer.stdout
    assert answer.stdout.startswith("2  "), "log lines go to standard error"
    assert len(moderation(stored, "list")[1].splitlines()) == 2
    assert moderation(stored, "lift", "1", "Sorry")[0] == 0
    code, said = moderation(stored, "lift", "1", "Again")
    assert (code, "there is no such ban" in said) == (2, True)
    assert len(moderation(stored, "list")[1].splitlines()) == 1
    assert len(moderation(stored, "log")[1].splitlines()) == 3


def test_an_edited_log_is_an_error(stored: Path) -> None:
    asyncio.run(token_of(stored, "Ben"))
    for grounds in ("Insults", "More insults"):
        assert moderation(stored, "ban", "Ben", grounds)[0] == 0
    with sqlite3.connect(stored) as connection:
        connection.execute("UPDATE moderation SET body = replace(body, 'Insults', 'Nothing') WHERE number = 1")
    code, said = moderation(stored, "log")
    assert (code, "entry 1 of the log was changed" in said) == (2, True)


def test_nobody_is_banned_who_is_not_there(stored: Path) -> None:
    code, said = moderation(stored, "ban", "Nobody", "Insults")
    assert (code, "no player has the id or the name Nobody" in said) == (2, True)
