"""Mosquitto of one's own."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cornered.services.service import NotInstalled, Service, run, write

__all__ = ["MOSQUITTO_ACL", "Mosquitto", "mosquitto_program"]

SYSTEM_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""Where mosquitto may be beside PATH, which holds no `sbin` for ordinary users of Debian."""

MOSQUITTO_ACL: Final = """\
# Every client may subscribe to public topics; only the servers publish, and only they read cornered/v1/nodes/#,
# by which several servers talk to each other.
topic read cornered/v1/pub/#
topic read cornered/v1/node/+/status

user server
topic readwrite cornered/v1/#
"""
"""The rights of deploy/mosquitto.acl, which is not in the wheel."""


def mosquitto_program() -> Path:
    """Return the path of Mosquitto. Raises ServiceError."""
    found = shutil.which("mosquitto", path=os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_FOLDERS)))
    if found is None:
        raise NotInstalled("Mosquitto is not installed: apt install mosquitto")
    return Path(found)


class Mosquitto(Service):
    """A broker whose feed anyone on this machine may read, and to which only the user `server` may publish. It keeps
    nothing on disk."""

    title = "Mosquitto"
    account = "mosquitto"
    end_signal = signal.SIGTERM
    kill_signal = signal.SIGKILL

    def __init__(self, folder: Path, program: Path | None = None, *, acl: str = MOSQUITTO_ACL) -> None:
        """An empty `acl` lets anyone publish. Raises ServiceError where it is not installed."""
        self._acl = acl
        self._program = program or mosquitto_program()
        self._password = secrets.token_hex(24)
        super().__init__(folder)

    @property
    def url(self) -> str:
        return f"mqtt://server:{self._password}@127.0.0.1:{self.port}"

    def _prepare(self) -> Sequence[str]:
        passwords, acl, config = (self.folder / name for name in ("passwords", "acl", "mosquitto.conf"))
        write(passwords, f"server:{self._password}\n", self._user)
        hashing = shutil.which("mosquitto_passwd") or str(self._program.with_name("mosquitto_passwd"))
        # Hashes the file in place: an argument would be visible to every user.
        run([hashing, "-U", str(passwords)], user=self._user)
        lines = [
            *(f"listener {self.port} 127.0.0.1", "allow_anonymous true", f"password_file {passwords}"),
            *("set_tcp_nodelay true", "max_queued_messages 10000", "persistence false"),
            *("log_dest stderr", "log_type error", "log_type warning"),
        ]
        if self._acl:
            write(acl, self._acl, self._user)
            lines.append(f"acl_file {acl}")
        write(config, "\n".join(lines) + "\n", self._user)
        return [str(self._program), "-c", str(config)]
