"""A broker that asks for passwords, or has a certificate."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import accepts, free_port, wait_until

__all__ = ["SecuredMosquitto", "encrypted"]


class SecuredMosquitto:
    """A broker with the repository's configuration, in which every name is a user, or with a certificate of its own."""

    def __init__(self, program: Path, folder: Path, lines: list[str]) -> None:
        self.port = free_port()
        self.folder = folder
        self._config = folder / "secured.conf"
        self._config.write_text("\n".join([*lines, ""]).replace("PORT", str(self.port)))
        self._program = program
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen([self._program, "-c", self._config], stderr=subprocess.DEVNULL)
        wait_until(lambda: accepts(self.port), self.process, "Mosquitto")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


def make_certificates(folder: Path) -> None:
    """Make two authorities `ca.pem` and `other.pem`, and a certificate of the first one for 127.0.0.1."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    for name in ("ca", "other"):
        openssl("req", "-x509", *curve, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("req", *curve[:-2], "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=broker")
    signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
    openssl("x509", "-req", "-in", "broker.csr", "-out", "broker.pem", *signing)


@pytest.fixture
def encrypted(mosquitto_program: Path, tmp_path: Path) -> Iterator[SecuredMosquitto]:
    """A broker with a certificate of its own authority."""
    make_certificates(tmp_path)
    lines = ["listener PORT 127.0.0.1", "allow_anonymous true", "user root"]
    lines += [f"cafile {tmp_path}/ca.pem", f"certfile {tmp_path}/broker.pem", f"keyfile {tmp_path}/broker.key"]
    broker = SecuredMosquitto(mosquitto_program, tmp_path, lines)
    broker.start()
    yield broker
    broker.kill()
