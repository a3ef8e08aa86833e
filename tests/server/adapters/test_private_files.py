"""Files with secrets are accessible to the server's own user only, from their creation and after every start."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cornered.protocol.commands import Play
from cornered.server.adapters.private_files import NotPrivate, create_private, make_private
from cornered.server.runtime import timekeeping
from cornered.server.settings import SettingsError
from tests.server.conftest import Pair, Start
from tests.waiting import until


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(directory: Path) -> dict[str, int]:
    return {path.name: mode(path) for path in directory.iterdir()}


async def test_everything_that_a_server_makes_is_private_and_looser_modes_are_tightened_at_the_next_start(
    start: Start, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(timekeeping, "SIGN_SECONDS", 0.001)
    data = tmp_path / "data"
    before = os.umask(0)
    try:
        async with start(database="", data=data) as server, server.client("Ann") as ann, server.client("Ben") as ben:
            await ann.do(Play, match=await pair(ann, ben), ply=0, move="a2")
            await until((data / "alive").exists)
            found = modes(data)
    finally:
        os.umask(before)
    assert mode(data) == 0o700
    assert {"cornered.db", "cornered.db-wal", "cornered.db-shm", "cornered.db.lock", "alive"} <= found.keys()
    assert set(found.values()) == {0o600}

    (data / "house.json").write_text("{}")
    (data / "cornered.toml").write_text("")
    for path in (data, *data.iterdir()):
        path.chmod(0o755)
    capsys.readouterr()
    async with start(database="", data=data):
        assert set(modes(data).values()) == {0o600}
    assert mode(data) == 0o700
    assert capsys.readouterr().err.count("only this server's user can") == 1


async def test_a_database_elsewhere_is_private_too(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "games.db"
    create_private(path)
    path.chmod(0o644)
    async with start(database=f"sqlite:///{path}", data=tmp_path / "data"):
        assert set(modes(path.parent).values()) == {0o600}


@pytest.fixture(params=[0])
def guest(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process acts as a user who owns nothing; the files belong to root, or to the user of the parameter."""

    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    def owned(path: Path) -> os.stat_result:
        found = stat_of(path)
        return os.stat_result((*found[:4], request.param, *found[5:]))

    stat_of = Path.stat
    monkeypatch.setattr(Path, "stat", owned)
    monkeypatch.setattr(Path, "chmod", refuse)
    monkeypatch.setattr(os, "geteuid", lambda: 10_001)


@pytest.mark.usefixtures("guest")
@pytest.mark.parametrize("guest", [10_002], indirect=True)
def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotPrivate, match="belongs to another user"):
        make_private(tmp_path)


@pytest.mark.usefixtures("guest")
def test_what_root_keeps_from_all_but_a_group_is_accepted_and_the_rest_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cornered.toml"
    path.touch()
    os.chmod(tmp_path, 0o700)
    for loose, lines in ((0o700, 0), (0o770, 1), (0o640, 1)):
        os.chmod(path, loose)
        make_private(tmp_path)
        said = capsys.readouterr()
        assert (said.out + said.err).count(f"{path}") == lines, oct(loose)
    for loose in (0o705, 0o644, 0o702):
        os.chmod(path, loose)
        with pytest.raises(NotPrivate, match=r"cornered\.toml.*chmod"):
            make_private(tmp_path)


async def test_a_mode_that_cannot_be_changed_is_one_clear_line(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(SettingsError, match=r"^CORNERED_DATA: other users can read .*chmod go="):
        async with start(database="", data=data):
            pass


def test_windows_has_no_modes(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path, has_modes=False)
    assert mode(tmp_path) == 0o755
