"""PostgreSQL over TLS, as the parameters of its address ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from sqlalchemy import make_url, text

from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.inspection import inspect
from cornered.server.adapters.postgres import with_tls
from tests.conftest import Postgres, require
from tests.server.adapters.conftest import owning

_IS_ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


def certify(certificate: Path) -> None:
    """Write a certificate that signs itself, for 127.0.0.1, with its key beside it."""
    subject = ["-subj", "/CN=cornered", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(certificate.with_suffix(".key")), "-out", str(certificate)]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *files]
    subprocess.run(made, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def secure(postgres_programs: Path) -> Iterator[tuple[str, Path]]:
    """The address of a database at a server that offers TLS, and the file of its certificate."""
    require("openssl")
    with tempfile.TemporaryDirectory(prefix="cornered-tls-") as folder:
        server = Postgres(Path(folder), postgres_programs, is_durable=False)
        data = Path(folder) / "data"
        owner = data.stat()
        certify(data / "server.crt")
        for name in ("server.crt", "server.key"):
            os.chown(data / name, owner.st_uid, owner.st_gid)
            (data / name).chmod(0o600)
        with (data / "postgresql.conf").open("a") as configuration:
            configuration.write("ssl = on\n")
        with (data / "pg_hba.conf").open("w") as rules:
            rules.write("hostssl all all 127.0.0.1/32 scram-sha-256\n")
        server.start()
        yield server.new_database(), data / "server.crt"
        server.kill()


@pytest.mark.postgres
async def test_every_connection_is_encrypted(secure: tuple[str, Path], tmp_path: Path) -> None:
    address, certificate = secure
    authority = shutil.copy(certificate, tmp_path / "ca.pem")
    modes = f"ssl=verify-full&sslrootcert={authority}", f"sslmode=verify-ca&sslrootcert={authority}", "ssl=require"
    for url in (f"{address}?{mode}" for mode in modes):
        database = await Database.open(url)
        async with database.reading() as reader, database.writing() as writer:
            for connection in (reader, writer):
                assert (await connection.execute(text(_IS_ENCRYPTED))).scalar() is True, url
        await database.close()
    async with owning(url) as ownership:
        assert await ownership.time()
    assert (await inspect(url)).matches == 0


@pytest.mark.postgres
async def test_a_server_with_another_certificate_or_name_is_refused(secure: tuple[str, Path], tmp_path: Path) -> None:
    url, certificate = secure
    certify(tmp_path / "other.crt")
    shutil.copy(certificate, tmp_path / "ca.pem")
    with pytest.raises(STORE_ERRORS, match=r"(?i)certificate"):
        await Database.open(f"{url}?ssl=verify-full&sslrootcert={tmp_path / 'other.crt'}")
    named = make_url(url).set(host="localhost").render_as_string(hide_password=False)
    with pytest.raises(STORE_ERRORS, match=r"(?i)certificate"):
        await Database.open(f"{named}?ssl=verify-full&sslrootcert={tmp_path / 'ca.pem'}")
    # Without TLS the server refuses.
    with pytest.raises(STORE_ERRORS):
        await Database.open(f"{url}?ssl=disable")


@pytest.mark.postgres
async def test_wrong_parameters_are_named(secure: tuple[str, Path]) -> None:
    for wrong, what in (
        ("ssl=verify-some", "must be one of: disable"),
        ("ssl=verify-full&sslrootcert=/nowhere/ca.pem", "sslrootcert: there is no file /nowhere/ca.pem"),
    ):
        with pytest.raises((ValueError, *STORE_ERRORS), match=what):
            await Database.open(f"{secure[0]}?{wrong}")


def test_parameters_for_tls_go_to_the_driver_and_others_stay(tmp_path: Path) -> None:
    authority = tmp_path / "the ca.pem"
    authority.touch()
    url = make_url(f"postgresql://u@host/name?ssl=verify-full&sslrootcert={authority}&application_name=x")
    plain, arguments = with_tls(url)
    assert dict(plain.query) == {"application_name": "x"}
    assert arguments == {"dsn": f"postgresql://?sslmode=verify-full&sslrootcert={quote_plus(str(authority))}"}
    assert with_tls(plain)[1] == {}
