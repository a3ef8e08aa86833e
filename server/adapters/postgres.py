"""PostgreSQL through its driver, asyncpg: addresses with TLS, connections of their own, and arrays as parameters.

Imported only where a database is PostgreSQL, since the driver is an extra.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import asyncpg
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError

__all__ = ["POSTGRES_ERRORS", "connect", "fetch_row", "with_tls"]

POSTGRES_ERRORS: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)
"""Every error of the driver while the database is unavailable."""
CONNECT_SECONDS: Final = 5
_TLS_FILES: Final = {"sslrootcert", "sslcert", "sslkey", "sslcrl"}
_TLS_KEYS: Final = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "ssl_min_protocol_version")
"""Parameters of an address that libpq documents. The driver takes them in an address only, where they are completed by
the arguments that SQLAlchemy makes of the rest."""


def with_tls(address: URL) -> tuple[URL, Mapping[str, Any]]:
    """Return an address without its parameters for TLS, and the driver's arguments for them.

    They are named as in libpq: `sslmode=verify-full&sslrootcert=/path/ca.pem`; `ssl` is another name of `sslmode`.
    Raises ValueError where a file is missing.
    """
    query = dict(address.query)
    if "ssl" in query:
        query.setdefault("sslmode", query.pop("ssl"))
    tls: dict[str, object] = {key: query.pop(key) for key in _TLS_KEYS if key in query}
    for key in _TLS_FILES & tls.keys():
        if not Path(str(tls[key])).is_file():
            raise ValueError(f"{key}: there is no file {tls[key]}")
    return address.set(query=query), {"dsn": f"postgresql://?{urlencode(tls, doseq=True)}"} if tls else {}


async def connect(address: URL, settings: Mapping[str, str], *, command_timeout: float) -> asyncpg.Connection:
    """Open a connection outside SQLAlchemy's pools. Raises one of POSTGRES_ERRORS."""
    plain, tls = with_tls(address)
    _, arguments = plain.get_dialect()().create_connect_args(plain)
    return await asyncpg.connect(
        **arguments,
        **tls,
        timeout=min(CONNECT_SECONDS, command_timeout),
        command_timeout=command_timeout,
        server_settings=dict(settings),
    )


async def fetch_row(driver: object, sql: str, *arguments: object) -> Sequence[int]:
    """Execute one statement on the driver's connection, and return its only row. Raises SQLAlchemy's errors."""
    assert isinstance(driver, asyncpg.Connection)
    try:
        row: Sequence[int] = await driver.fetchrow(sql, *arguments)
    except asyncpg.UniqueViolationError as error:
        raise IntegrityError(None, None, error) from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DBAPIError(None, None, error) from error
    return row
