"""The containers: what compose starts is hardened, has no default secrets, and also runs without compose."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import http.server
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiomqtt import Client, MqttError

from cornered.cli.screenshots import running_server
from tests.conftest import accepts, free_port, require, wait_until
from tests.docs.arguments import check_arguments
from tests.schema import complaints
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {"cornered", "cornered-lab"}
"""The images that the Dockerfile builds."""
SECRET = re.compile(r"PASSWORD|KEY|TOKEN|SECRET")


def test_the_compose_file_follows_the_compose_schema(tmp_path: Path) -> None:
    assert complaints("compose-spec", ROOT / "docker-compose.yml") == ""
    (tmp_path / "bad.yml").write_text("services: {server: {image: 7, comand: x}}")
    assert "comand" in complaints("compose-spec", tmp_path / "bad.yml")


def packages_in(image: str) -> set[str]:
    """Return the packages that the Dockerfile installs into an image."""
    builds = [service["build"] for service in SERVICES.values() if service["image"] == image and "build" in service]
    default = re.findall(r"^ARG LOCK=(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    (lock,) = [build["args"]["LOCK"] for build in builds if isinstance(build, dict)] or default
    return set(re.findall(r"^([\w-]+)==", (ROOT / lock).read_text(), re.MULTILINE))


def test_each_image_has_the_packages_of_its_programs_and_the_servers_has_no_laboratory() -> None:
    assert {"sqlalchemy", "asyncpg", "aiomqtt", "numba"} <= packages_in("cornered")
    assert not {"matplotlib", "distributed", "optuna", "textual"} & packages_in("cornered")
    for service in SERVICES.values():
        if service.get("command", [""])[0] == "dask":
            assert "distributed" in packages_in(service["image"])


def test_every_container_runs_a_command_that_exists() -> None:
    # Services of a profile are not ours; the tests of clusters run them.
    mine = [one for one in SERVICES.values() if one.get("image") == "cornered" and "profiles" not in one]
    assert len(mine) > 1
    for service in mine:
        check_arguments(shlex.join(service["command"]))


@pytest.fixture
def composed_broker(mosquitto_program: Path, tmp_path: Path) -> Iterator[int]:
    """A broker with the configuration of the compose file, and `secret` as the server's password; its port."""
    acl, passwords, port = tmp_path / "acl", tmp_path / "passwords", free_port()
    acl.write_text((DEPLOY / "mosquitto.acl").read_text())
    hashing = shutil.which("mosquitto_passwd") or str(mosquitto_program.with_name("mosquitto_passwd"))
    subprocess.run([hashing, "-b", "-c", passwords, "server", "secret"], check=True, capture_output=True)
    config = tmp_path / "mosquitto.conf"
    config.write_text(
        (DEPLOY / "mosquitto.conf")
        .read_text()
        # A broker started by root reads its files as another user.
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
async def test_any_client_may_subscribe_to_the_broker_but_only_the_server_may_publish(composed_broker: int) -> None:
    topic, status = "cornered/v1/pub/match/m/state", "cornered/v1/node/home/status"
    async with (
        asyncio.timeout(60),
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


def test_every_container_has_only_what_it_needs(subtests: pytest.Subtests) -> None:
    for name, service in SERVICES.items():
        with subtests.test(name):
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else [])
            assert service["security_opt"] == ["no-new-privileges:true"]
            assert not {"privileged", "network_mode", "pid", "ipc", "devices"} & set(service)
            assert service["mem_limit"]
            assert 0 < service["pids_limit"] <= 4096
            assert service["logging"]["options"].keys() == {"max-size", "max-file"}
            assert any(mount.startswith("/tmp:size=") for mount in service["tmpfs"])
            assert "healthcheck" in service or service["image"] in OURS  # Whose image has one.


def test_every_program_but_caddy_runs_as_an_ordinary_user() -> None:
    users = {name: service.get("user") for name, service in SERVICES.items() if service["image"] not in OURS}
    assert users == {"postgres": "postgres", "mosquitto": "mosquitto", "caddy": None}
    assert re.search(r"^USER cornered$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_only_the_site_is_open_to_other_machines() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports.pop("caddy") == ["80:80", "443:443"]
    assert all(port.startswith("127.0.0.1:") for mapped in ports.values() for port in mapped)


def test_the_database_is_reachable_by_the_server_alone() -> None:
    assert COMPOSE["networks"]["store"] == {"internal": True}
    members = {name for name, service in SERVICES.items() if "store" in service.get("networks", ["default"])}
    assert members == {"server", "postgres"}
    assert SERVICES["postgres"]["networks"] == ["store"]


def test_nodes_of_one_service_share_no_folder() -> None:
    server = SERVICES["server"]
    assert not {"container_name", "hostname"} & server.keys()
    assert "CORNERED_NODE" not in server["environment"]
    assert server["volumes"] == ["kernels:/opt/kernels"]
    assert any(mount.startswith("/data:") for mount in server["tmpfs"])
    assert SERVICES["caddy"]["environment"]["CORNERED_UPSTREAM"] == "server 8420"


def test_the_server_believes_the_proxy_alone() -> None:
    address = SERVICES["caddy"]["networks"]["default"]["ipv4_address"]
    assert SERVICES["server"]["environment"]["CORNERED_PROXIES"] == address


def test_no_secret_has_a_default_and_compose_says_how_to_make_each() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    readme = (ROOT / "README.md").read_text()
    used = re.findall(r"(?<!\$)\$\{(\w+)([^}]*)\}", text)
    secrets = {name for name, _ in used if SECRET.search(name)}
    assert secrets == {"POSTGRES_PASSWORD", "MQTT_PASSWORD", "METRICS_TOKEN", "ANALYST_KEY"}
    for name, rest in used:
        if name in secrets:
            assert rest.startswith(":?"), name
            assert "openssl rand -hex 24" in rest, name
            assert name in readme
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if SECRET.search(variable):
                assert re.fullmatch(r"\$\{\w+:\?[^}]*\}", value), (name, variable)


def test_secrets_are_neither_committed_nor_built_into_an_image() -> None:
    for name in (".gitignore", ".dockerignore"):
        assert ".env" in (ROOT / name).read_text().splitlines(), name


def test_every_configuration_is_a_file() -> None:
    # Docker cannot copy an inline configuration into a read-only container.
    for name, config in COMPOSE["configs"].items():
        assert (ROOT / config["file"]).is_file(), name


@pytest.fixture(scope="module")
def caddy() -> Path:
    return require("caddy")


@contextlib.contextmanager
def running_caddy(program: Path, folder: Path, upstream: str, *, resolver: int | None = None) -> Iterator[int]:
    """Run Caddy with the configuration of the compose file, without TLS, and yield its port.

    `resolver` is the port of a name server in place of the system's.
    """
    site, health = free_port(), free_port()
    config = folder / "Caddyfile"
    text = (DEPLOY / "Caddyfile").read_text().replace("8079", str(health))
    if resolver is not None:
        text = text.replace("refresh 1s", f"refresh 1s\nresolvers udp/127.0.0.1:{resolver}")
    config.write_text(text)
    environment = os.environ | {
        "CORNERED_SITE": f"http://play.example:{site}",
        "CORNERED_UPSTREAM": upstream,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder)),
    }
    command = [str(program), "run", "--adapter", "caddyfile", "--config", str(config)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: accepts(site) and accepts(health), process, "Caddy")
        yield site
    finally:
        process.terminate()
        try:
            process.wait(30)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def proxied(caddy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Caddy in front of a server that trusts it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORNERED_PROXIES", "127.0.0.1")
        patch.setenv("CORNERED_METRICS_TOKEN", "secret")
        patch.setenv("CORNERED_HOSTS", "play.example")
        folder = tmp_path_factory.mktemp("caddy")
        with (
            running_server("--no-bots") as address,
            running_caddy(caddy, folder, address.removeprefix("http://").replace(":", " ")) as port,
        ):
            yield port


def exchanged(port: int, first_line: str, *fields: str, body: bytes = b"") -> tuple[int, str]:
    """Send a request verbatim; return the status and the whole answer."""
    head = "\r\n".join([first_line, "Host: play.example", "Connection: close", *fields, "", ""])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head.encode() + body)
        parts = []
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                parts.append(part)
    answer = b"".join(parts).decode(errors="replace")
    return int(answer.split()[1]), answer


def test_caddy_adds_its_headers_and_no_spelling_of_the_metrics_passes_it(proxied: int) -> None:
    status, page = exchanged(proxied, "GET / HTTP/1.1")
    assert status == 200
    assert "Strict-Transport-Security: max-age=31536000" in page
    assert page.count("X-Content-Type-Options: nosniff") == page.count("Content-Security-Policy:") == 1
    assert "default-src 'self'" in page
    assert "Server:" not in page
    for target in (
        "/metrics",
        "/metrics?x",
        "/METRICS",
        "/metrics/",
        "//metrics",
        "//a/metrics",
        "/%6detrics",
        "/%256detrics",
        "/./metrics",
        "/x/../metrics",
        "/x/%2e%2e/metrics",
        "/metrics%00",
        "/metrics%20",
        "/metrics;a",
        "/\\metrics",
        "http://play.example/metrics",
        "http://play.example//metrics",
    ):
        status, answer = exchanged(proxied, f"GET {target} HTTP/1.1", "Authorization: Bearer secret")
        assert status in (400, 404), target
        assert "cornered_players" not in answer, target


def test_caddy_tells_the_server_the_visitors_own_address_and_no_other(caddy: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as upstream:
        upstream.settimeout(60)
        with (
            running_caddy(caddy, tmp_path, f"127.0.0.1 {upstream.getsockname()[1]}") as port,
            socket.create_connection(("127.0.0.1", port), timeout=20) as visitor,
        ):
            visitor.sendall(b"GET / HTTP/1.1\r\nHost: play.example\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n")
            connection, _ = upstream.accept()
            with connection:
                connection.settimeout(60)
                forwarded = connection.recv(1 << 16).decode().splitlines()
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    assert [line for line in forwarded if line.lower().startswith("x-forwarded-for")] == ["X-Forwarded-For: 127.0.0.1"]
    assert "Host: play.example" in forwarded


class NameServer(threading.Thread):
    """Answers every question for IPv4 addresses with `addresses`, and any other with none."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.addresses: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def run(self) -> None:
        while True:
            query, sender = self._socket.recvfrom(512)
            if not query:
                return
            # The header has 12 bytes; a question ends with a null byte, its type and its class.
            end = query.index(b"\0", 12) + 5
            found = self.addresses if query[end - 4 : end - 2] == b"\0\x01" else []
            counts = struct.pack(">HHHH", 1, len(found), 0, 0)
            # The name of the question, type A, class IN, no time to live, four bytes.
            head = struct.pack(">HHHIH", 0xC00C, 1, 1, 0, 4)
            records = b"".join(head + socket.inet_aton(one) for one in found)
            self._socket.sendto(query[:2] + b"\x81\x80" + counts + query[12:end] + records, sender)

    def stop(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"", ("127.0.0.1", self.port))
        self.join()
        self._socket.close()


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = str(self.connection.getsockname()[0]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def upstream(address: str, port: int) -> Iterator[int]:
    """Answer HTTP with the own address, and yield the port."""
    with http.server.ThreadingHTTPServer((address, port), Upstream) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            serving.join()


def test_caddy_finds_nodes_that_are_added_and_skips_those_that_died(caddy: Path, tmp_path: Path) -> None:
    names = NameServer()
    names.start()

    def answers(site: int) -> set[str]:
        return {exchanged(site, "GET / HTTP/1.1")[1].rpartition("\r\n")[2] for _ in range(6)}

    def until_answers(site: int, wanted: set[str]) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while answers(site) != wanted:
            assert time.monotonic() < deadline, "the nodes are not found"

    try:
        with upstream("127.0.0.2", 0) as port, contextlib.ExitStack() as second:
            names.addresses = ["127.0.0.2"]
            with running_caddy(caddy, tmp_path, f"server.test {port}", resolver=names.port) as site:
                assert answers(site) == {"127.0.0.2"}
                second.enter_context(upstream("127.0.0.3", port))
                names.addresses = ["127.0.0.2", "127.0.0.3"]
                until_answers(site, {"127.0.0.2", "127.0.0.3"})
                # Dead, but named still.
                second.close()
                assert answers(site) == {"127.0.0.2"}
    finally:
        names.stop()


def test_caddy_refuses_other_methods_and_bodies(proxied: int) -> None:
    for method in ("POST", "PUT", "OPTIONS", "DELETE"):
        status, answer = exchanged(proxied, f"{method} / HTTP/1.1", "Content-Length: 5", body=b"hello")
        assert status == 405
        assert "Allow: GET, HEAD" in answer
    # Caddy from 2.7 on says 413; before, that the server could not be given the request.
    assert exchanged(proxied, "GET / HTTP/1.1", "Content-Length: 9999", body=b"x" * 9999)[0] in (413, 502)
