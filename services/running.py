"""A database and a broker of one's own that run together."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cornered.services.mosquitto import Mosquitto, mosquitto_program
from cornered.services.postgres import Postgres

__all__ = ["Services", "passing_services", "running_services"]


@dataclass(slots=True)
class Services:
    """A running database and broker, which nodes share."""

    postgres: Postgres
    mosquitto: Mosquitto
    _made: int = 0

    @property
    def mqtt(self) -> str:
        """The broker's address with the user of the servers."""
        return self.mosquitto.url

    def new_database(self) -> str:
        """Return the address of an empty database. Raises ServiceError."""
        self._made += 1
        return self.postgres.database(f"made{self._made}")

    def kill_database(self) -> None:
        """End the database at once."""
        self.postgres.kill()

    def start_database(self) -> None:
        """Start it again. Raises ServiceError."""
        self.postgres.start()


@contextlib.contextmanager
def running_services(folder: Path, *, is_durable: bool = True) -> Iterator[Services]:
    """Run the database and the broker inside the block. Raises ServiceError."""
    program = mosquitto_program()
    with contextlib.ExitStack() as stack:
        postgres = Postgres(folder / "postgres", is_durable=is_durable)
        stack.callback(postgres.stop)
        postgres.start()
        mosquitto = Mosquitto(folder / "mosquitto", program)
        stack.callback(mosquitto.stop)
        mosquitto.start()
        yield Services(postgres, mosquitto)


@contextlib.contextmanager
def passing_services() -> Iterator[Services]:
    """Run a database and a broker inside the block, whose data are gone afterwards. Raises ServiceError."""
    with tempfile.TemporaryDirectory(prefix="cornered-services-") as name:
        # The users of the services go through it to their own folders.
        Path(name).chmod(0o711)
        with running_services(Path(name), is_durable=False) as services:
            yield services
