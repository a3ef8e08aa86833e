"""PostgreSQL of one's own."""

from __future__ import annotations

import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cornered.services.service import (
    POLL_INTERVAL_S,
    STOP_TIMEOUT_S,
    NotInstalled,
    Service,
    ServiceError,
    environment,
    finished,
    run,
    write,
)

__all__ = ["Postgres", "postgres_programs"]

MAX_CONNECTIONS: Final = 200
POSTGRES_FOLDERS: Final = "/usr/lib/postgresql"


def postgres_programs(version: str | None = None) -> Path:
    """Return the folder of PostgreSQL's programs: of `version`, or of the newest. Raises ServiceError."""
    folders = [path.parent for path in Path(POSTGRES_FOLDERS).glob("*/bin/postgres")]
    folders.sort(key=lambda folder: [int(part) for part in folder.parent.name.split(".") if part.isdigit()])
    on_path = shutil.which("postgres")
    if on_path is not None:
        folders.insert(0, Path(on_path).resolve().parent)
    fitting = [folder for folder in folders if version is None or _version_of(folder) == version]
    if not fitting:
        package = "postgresql" if version is None else f"postgresql-{version}"
        raise NotInstalled(f"PostgreSQL{f' {version}' if version else ''} is not installed: apt install {package}")
    return fitting[-1]


def _version_of(programs: Path) -> str:
    """Return the major version, as it stands in the file PG_VERSION of its data."""
    printed = subprocess.run(
        [programs / "postgres", "--version"], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    return printed.split()[2].partition(".")[0]


class Postgres(Service):
    """A database server whose data stay in the folder. Its one user is `cornered`, with a random password."""

    title = "PostgreSQL"
    account = "postgres"
    end_signal = signal.SIGINT  # A fast shutdown: transactions are rolled back, and nothing is left to recover.
    kill_signal = signal.SIGQUIT

    def __init__(
        self,
        folder: Path,
        programs: Path | None = None,
        *,
        is_durable: bool = True,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Makes the data where there are none; without `is_durable` no commit waits for the disk.

        `variables` are added to the environment of the server.

        Raises ServiceError where it is not installed, or not in the version of the data.
        """
        self._data = folder / "data"
        self._password_file = folder / "password"
        self._is_durable = is_durable
        made_by = self._data / "PG_VERSION"
        self._programs = programs or postgres_programs(
            made_by.read_text(encoding="utf-8").strip() if made_by.is_file() else None
        )
        super().__init__(folder, variables)
        if not made_by.is_file():
            self._initialise()
        self._password = self._password_file.read_text(encoding="utf-8").strip()

    def url(self, database: str, *, port: int | None = None) -> str:
        """Return the address of a database of this server, which may be reached through another port."""
        return f"postgresql://cornered:{self._password}@127.0.0.1:{port or self.port}/{database}"

    def database(self, name: str, *, template: str = "template1") -> str:
        """Return the address of a database, which is made where it is missing, as a copy of `template`. Raises
        ServiceError."""
        where = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "cornered")
        try:
            run([self._program("createdb"), *where, "-T", template, name], PGPASSWORD=self._password)
        except ServiceError as error:
            if "already exists" not in str(error):
                raise
        return self.url(name)

    def _initialise(self) -> None:
        """Make the data beside their place, so that what was interrupted does not look complete."""
        write(self._password_file, secrets.token_hex(24) + "\n", self._user)
        part = self.folder / "data.part"
        shutil.rmtree(part, ignore_errors=True)
        options = ["-U", "cornered", "-A", "scram-sha-256", f"--pwfile={self._password_file}"]
        options += ["-E", "UTF8", "--locale=C", *(() if self._is_durable else ("--no-sync",))]
        run([self._program("initdb"), "-D", str(part), *options], user=self._user)
        part.rename(self._data)

    def _prepare(self) -> Sequence[str]:
        # A server whose parent was killed may be shutting down still.
        status = [self._program("pg_ctl"), "status", "-D", str(self._data)]
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while finished(status, self._user).returncode == 0:
            if time.monotonic() > deadline:
                raise ServiceError(f"another PostgreSQL uses {self._data}: stop it, or choose another folder")
            time.sleep(POLL_INTERVAL_S)
        options = ["-h", "127.0.0.1", "-p", str(self.port), "-k", "", "-c", f"max_connections={MAX_CONNECTIONS}"]
        return [self._program("postgres"), "-D", str(self._data), *options, *(() if self._is_durable else ("-F",))]

    def _is_ready(self) -> bool:
        asked = [self._program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "cornered"]
        return subprocess.run(asked, check=False, env=environment()).returncode == 0

    def _program(self, name: str) -> str:
        return str(self._programs / name)
