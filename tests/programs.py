"""The programs of the system that tests need: what is missing is said once at the start, and installed in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock

from cornered.cli.screenshots import find_chromium
from cornered.services import mosquitto, postgres
from cornered.services.service import ServiceError

__all__ = ["INSTALL_LOCK", "INSTALL_SECONDS", "IN_CI", "PROGRAMS", "require", "said_of_missing_programs"]

IN_CI: Final = os.environ.get("CI") == "true"
INSTALL_SECONDS: Final = 240.0
INSTALL_LOCK: Final = Path(tempfile.gettempdir()) / f"cornered-tests-{os.getuid()}.lock"
"""Two processes that run tests must not install a package at the same time."""

Find = Callable[[], Path | None]


def on_path(*names: str) -> Find:
    return lambda: next((Path(found) for name in names if (found := shutil.which(name))), None)


def service(find: Callable[[], Path]) -> Find:
    def found() -> Path | None:
        try:
            return find()
        except ServiceError:
            return None

    return found


PROGRAMS: Final[dict[str, Find]] = {
    "chromium-headless-shell": on_path("chromium-headless-shell"),
    "chromium": lambda: Path(found) if (found := find_chromium()) else None,
    "postgresql": service(postgres.postgres_programs),
    "mosquitto": service(mosquitto.mosquitto_program),
    "nodejs": on_path("node"),
    "npm": on_path("npm"),
    "golang-go": on_path("go"),
    "gcc": on_path("cc"),
    "sqlite3": on_path("sqlite3"),
    "openssl": on_path("openssl"),
    "caddy": on_path("caddy"),
    "firefox-esr": on_path("firefox-esr"),
    "webkit2gtk-driver": on_path("WebKitWebDriver"),
    "xvfb": on_path("Xvfb"),
}
"""By the name of Debian's package."""


def said_of_missing_programs() -> str:
    """Return what the tests say at their start about what this machine lacks."""
    missing = [package for package, find in PROGRAMS.items() if find() is None]
    if not missing:
        return "programs: all that tests need are installed"
    what = "installed when a test needs it" if IN_CI else "their tests are skipped; Debian: apt install it"
    return f"programs that are missing, {what}: {', '.join(missing)}"


def install(package: str) -> None:
    """Install a package of Debian's."""
    root = [] if os.geteuid() == 0 else ["sudo"]
    limits = ["-o", "Acquire::Retries=3", "-o", "Acquire::http::Timeout=30", "-o", "DPkg::Lock::Timeout=60"]
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", package]):
        subprocess.run(
            [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *limits, *command],
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=INSTALL_SECONDS,
        )


def require(package: str) -> Path:
    """Return the path of a package's program; where it is missing install it in CI, and skip the test elsewhere."""
    look = PROGRAMS[package]
    found = look()
    if found is None and IN_CI:
        with FileLock(INSTALL_LOCK):
            if look() is None:
                install(package)
            found = look()
    if found is None:
        if IN_CI:
            pytest.fail(f"{package} is not installed and could not be")
        pytest.skip(f"{package} is not installed")
    return found
