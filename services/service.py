"""A service of one's own: a program on a free port of 127.0.0.1, with its files in a folder. It runs as an ordinary
user and ends with this process, however it ends."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from cornered.services.bound_process import bound

__all__ = ["NotInstalled", "Service", "ServiceError", "accepts", "environment", "finished", "free_port", "run", "write"]

START_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 30.0
COMMAND_TIMEOUT_S: Final = 120.0
POLL_INTERVAL_S: Final = 0.02
PORT_ATTEMPTS: Final = 3
"""Ports that a first start tries: another process may take a free one before the service does."""
PORTS: Final = (15_000, 30_000)


class ServiceError(ValueError):
    """A service does not start; the text is for the operator."""


class NotInstalled(ServiceError):
    """The program of a service is missing."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that is not in use, below those that systems take for outgoing connections: a program
    that looks for a service that died would otherwise take its port, or even connect to itself there."""
    while True:
        port = random.randrange(*PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Service:
    """One process of a service, which can be stopped, killed, and started again on the same port."""

    title: str
    account: str
    """The user that it runs as where this process is root's; Debian's package makes it."""
    end_signal: signal.Signals
    kill_signal: signal.Signals

    def __init__(self, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        """`variables` are added to the environment of the program."""
        self.folder = folder
        self._variables = variables or {}
        self.port = free_port()
        self._has_run = False
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _account(self.title, self.account) if os.geteuid() == 0 else None
        _make_folder(folder, self.title, self._user)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The process, for those who want to kill it; None before the first start."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Return when it accepts connections. Raises ServiceError. The thread that calls this has to live on."""
        for attempt in range(PORT_ATTEMPTS):
            try:
                self._start_once()
            except ServiceError:
                if self._has_run or attempt + 1 == PORT_ATTEMPTS or not accepts(self.port):
                    raise
                self.port = free_port()
            else:
                self._has_run = True
                return

    def stop(self) -> None:
        """End it in order; kill it where that takes too long."""
        self._end(self.end_signal)

    def kill(self) -> None:
        """End it at once: connections break, and what it does not keep on disk is lost."""
        self._end(self.kill_signal)

    def crash(self) -> None:
        """End it by SIGKILL, with its children: nothing of it can clean up."""
        process, self._process = self._process, None
        if process is not None:
            _signal_tree(process.pid, signal.SIGKILL)
            process.wait(STOP_TIMEOUT_S)

    def pause(self) -> None:
        """Stop its processes without ending them."""
        if self._process is not None:
            _signal_tree(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let paused processes go on."""
        if self._process is not None:
            _signal_tree(self._process.pid, signal.SIGCONT)

    def _start_once(self) -> None:
        if accepts(self.port):
            raise ServiceError(f"{self.title} does not start: port {self.port} is in use")
        command = self._prepare()
        log = self.folder / "log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                bound(command, self.end_signal, user=self._user),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**environment(), **self._variables},
                cwd="/",
                # Ctrl-C reaches the parent alone, which ends its services after their users.
                start_new_session=True,
            )
        try:
            _wait(self._is_ready, self._process, self.title, log)
        except BaseException:
            self.kill()
            raise

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.send_signal(self.kill_signal)
            process.wait(STOP_TIMEOUT_S)

    def _prepare(self) -> Sequence[str]:
        """Write what the program needs, and return its command."""
        raise NotImplementedError

    def _is_ready(self) -> bool:
        return accepts(self.port)


def accepts(port: int) -> bool:
    """Return whether something listens on a port of 127.0.0.1."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _signal_tree(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, then to its children: one that is killed or paused starts no more of them."""
    children = list[int]()
    with contextlib.suppress(OSError):
        children += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split())
    for each in (pid, *children):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, number)


def _wait(is_ready: Callable[[], bool], process: subprocess.Popen[bytes], title: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_ready() or process.poll() is not None:
        if process.poll() is not None:
            lines = log.read_text("utf-8", "replace").strip().splitlines() or ["it printed nothing"]
            raise ServiceError(f"{title} does not start: {lines[-1]}; its log is {log}")
        if time.monotonic() > deadline:
            raise ServiceError(f"{title} is not ready after {START_TIMEOUT_S:.0f} s; its log is {log}")
        time.sleep(POLL_INTERVAL_S)


def _account(title: str, name: str) -> str:
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        advice = "run this as an ordinary user, or add that user"
        raise ServiceError(f"{title} does not run as root but as the user {name}, who is missing: {advice}") from None
    return name


def _make_folder(folder: Path, title: str, user: str | None) -> None:
    """Make a folder for the service's user alone. Raises ServiceError where that user cannot get to it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if user is None:
        return
    import pwd

    account = pwd.getpwnam(user)
    os.chown(folder, account.pw_uid, account.pw_gid)
    for above in folder.resolve().parents:
        status = above.stat()
        owned = (status.st_uid == account.pw_uid, status.st_gid == account.pw_gid, True)
        bits = next(bit for is_own, bit in zip(owned, (0o100, 0o010, 0o001), strict=True) if is_own)
        if not status.st_mode & bits:
            raise ServiceError(
                f"{title} runs as the user {user}, who cannot get to {folder}, since {above} is closed to others: "
                "choose another folder"
            )


def write(path: Path, text: str, user: str | None) -> None:
    """Write a file that only the service's user reads."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    if user is not None:
        shutil.chown(path, user)


def run(command: Sequence[str], *, user: str | None = None, **variables: str) -> None:
    """Run a program to its end. Raises ServiceError with its message."""
    done = finished(command, user, **variables)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ServiceError(f"{Path(command[0]).name} failed: {lines[0]}")


def finished(command: Sequence[str], user: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        bound(command, signal.SIGTERM, user=user),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=COMMAND_TIMEOUT_S,
        env=environment() | variables,
        cwd="/",
    )


def environment() -> dict[str, str]:
    """Return the environment without what PostgreSQL's programs take for options, and with messages in English."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}
