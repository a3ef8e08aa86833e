"""The frame itself: lock files, containers, and what the README promises."""

from __future__ import annotations

import asyncio
import getpass
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from aiomqtt import Client, MqttError

from tests.conftest import accepts, free_port, wait_until

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")


def locked(name: str) -> dict[str, list[str]]:
    """Return each locked package with the lines of its entry."""
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (ROOT / name).read_text().splitlines():
        if not line.startswith(" "):
            current = entries.setdefault(re.split(r"[=\[ ]", line)[0], [])
        current.append(line.strip())
    return entries


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_address(name: str) -> None:
    entries = locked(name)
    assert len(entries) > 20
    for package, lines in entries.items():
        assert any(line.startswith("--hash=sha256:") for line in lines), package
        assert not any("://" in line or "index-url" in line for line in lines), package


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = [re.split(r"[\[<>=; ]", dependency)[0] for dependency in project["project"]["dependencies"]]
    assert set(names) <= set(locked("requirements.lock"))
    development = [
        re.split(r"[\[<>=; ]", item)[0] for item in project["dependency-groups"]["dev"] if isinstance(item, str)
    ]
    assert set(development) | set(names) <= set(locked("requirements-dev.lock"))


def check_compose(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_compose_file_follows_the_compose_schema() -> None:
    result = check_compose(ROOT / "docker-compose.yml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_wrong_compose_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("services: {server: {image: 7, comand: x}}")
    assert check_compose(tmp_path / "bad.yml").returncode == 1


def container_commands() -> list[list[str]]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    mine = [service for service in services.values() if service.get("image") == "cornered"]
    # Those of the profile are not ours; the tests of clusters run them.
    return [service["command"] for service in mine if "profiles" not in service]


@pytest.mark.parametrize("command", container_commands(), ids=lambda command: command[1])
def test_every_container_runs_a_command_that_exists(command: list[str]) -> None:
    assert command[0] == "cornered"
    usage = subprocess.run(
        [sys.executable, "-m", "clients.cli", command[1], "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for flag in (word for word in command if word.startswith("--")):
        assert flag.partition("=")[0] in usage.stdout


@pytest.fixture
def composed_broker(mosquitto_program: Path, tmp_path: Path) -> Iterator[int]:
    """A broker under the configuration of the compose file, with `secret` as the server's password; its port."""
    configs = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["configs"]
    acl, passwords, port = tmp_path / "acl", tmp_path / "passwords", free_port()
    acl.write_text(configs["mosquitto-acl"]["content"])
    hashing = shutil.which("mosquitto_passwd") or str(mosquitto_program.with_name("mosquitto_passwd"))
    subprocess.run([hashing, "-b", "-c", passwords, "server", "secret"], check=True, capture_output=True)
    config = tmp_path / "mosquitto.conf"
    config.write_text(
        configs["mosquitto"]["content"]
        # A broker that root starts reads its files as another user.
        .replace("listener 1883", f"user {getpass.getuser()}\nlistener {port} 127.0.0.1")
        .replace("/tmp/passwords", str(passwords))
        .replace("/mosquitto/config/acl", str(acl))
    )
    process = subprocess.Popen([mosquitto_program, "-c", config], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: accepts(port), process, "Mosquitto")
        yield port
    finally:
        process.terminate()
        process.wait()


@pytest.mark.mqtt
async def test_anybody_may_listen_to_the_broker_but_only_the_server_may_speak(composed_broker: int) -> None:
    topic, status = "cornered/v1/pub/match/m/state", "cornered/v1/node/home/status"
    async with (
        asyncio.timeout(20),
        Client("127.0.0.1", composed_broker) as anybody,
        Client("127.0.0.1", composed_broker, username="server", password="secret") as server,
    ):
        await anybody.subscribe("#")
        await anybody.publish(topic, "forged", qos=1)
        await server.publish("cornered/v1/private", "whispered", qos=1)
        await server.publish(topic, "told", qos=1)
        await server.publish(status, "online", qos=1)
        heard = [str((await anext(anybody.messages)).payload, "ascii") for _ in range(2)]
        assert heard == ["told", "online"]
        with pytest.raises(MqttError):
            async with Client("127.0.0.1", composed_broker, username="server", password="wrong"):
                pass


def test_the_front_door_explains_itself() -> None:
    result = subprocess.run([sys.executable, "run", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "./run serve" in result.stderr


def test_the_readme_shows_the_example_bot_as_it_is() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks[0].strip() == (ROOT / "examples" / "first_bot.py").read_text().strip()
