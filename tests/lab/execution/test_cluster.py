"""Work on a Dask cluster: the same games as on one machine, though workers and schedulers die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
import dask
import pytest
import yaml
from distributed import LocalCluster, Security
from distributed.cli import dask_scheduler, dask_worker
from distributed.versions import VersionMismatchWarning
from typer.testing import CliRunner

from cornered.cli.main import app
from cornered.lab.contests import arena
from cornered.lab.contests.arena import lost
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.execution import cluster as cluster_module
from cornered.lab.execution.workforce import Workforce
from tests.conftest import DEADLINE, accepts, free_port, require, wait_until
from tests.lab.errands import act, play, play_where, square

ROOT = Path(__file__).resolve().parents[3]
WORKERS = 3

# Serial in one process: the tests share the workers, and some kill them.
pytestmark = pytest.mark.xdist_group("cluster")


class LocalMachines:
    """A scheduler and its workers, each in a process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        scheduler = self._start("scheduler", "--port", str(port))
        wait_until(lambda: accepts(port), scheduler, "the scheduler")
        for _ in range(WORKERS):
            self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments),
                    *("--host", "127.0.0.1", "--no-dashboard"),
                ],
                cwd=ROOT,
                # One death may be the machine's fault, two are the batch's.
                env={**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"},
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def kill(self, pid: int) -> None:
        """Kill a worker; raise StopIteration for a process that is none."""
        process = next(process for process in self._processes[1:] if process.pid == pid)
        process.kill()
        process.wait(DEADLINE)

    def end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(DEADLINE)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalMachines]:
    machines = LocalMachines(tmp_path_factory.mktemp("cluster"))
    yield machines
    machines.end()


def fixtures(count: int) -> list[Fixture]:
    return [Fixture(number, ("random", "greedy") if number % 2 else ("greedy", "random")) for number in range(count)]


def test_a_cluster_that_loses_a_worker_in_mid_run_plays_the_same_games_as_one_machine(machines: LocalMachines) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 5}, seed=11)
    expected = [arena.play(terms, fixture) for fixture in fixtures(60)]
    played = {}
    workers: set[int] = set()
    with Workforce.open(1, machines.address) as workforce:
        for place, (pid, game) in workforce.carry_out(partial(play_where, terms), fixtures(60)):
            if not workers:
                machines.kill(pid)
            assert place not in played
            played[place] = game
            workers.add(pid)
    assert {place: (game.moves, game.winner) for place, game in played.items()} == {
        place: (game.moves, game.winner) for place, game in enumerate(expected)
    }
    assert len(workers) > 1


def test_a_data_set_is_the_same_from_a_cluster_and_from_one_machine(machines: LocalMachines, tmp_path: Path) -> None:
    asked = ["dataset", "trapgrid", "-o", "size=4", "--games", "6", "--bot", "random", "--depth", "1", "--shard", "3"]
    written = []
    for name, where in (("here", ["--workers", "1"]), ("there", ["--cluster", machines.address])):
        result = CliRunner().invoke(app, [*asked, *where, "--out", str(tmp_path / name), "--json"])
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["games"] == 6
        files = sorted((tmp_path / name / "data").iterdir())
        written.append({file.name: file.read_bytes() for file in files})
    assert len(written[0]) == 2
    assert written[0] == written[1]


def test_what_a_function_raises_on_a_worker_is_raised_here(machines: LocalMachines) -> None:
    with Workforce.open(1, machines.address) as workforce:
        with pytest.raises(TypeError):
            list(workforce.carry_out(square, [1, "two"]))  # type: ignore[arg-type]
        assert list(workforce.carry_out(act, ["fine"])) == [(0, "fine is done")]


def test_machines_with_other_sources_refuse_to_work(machines: LocalMachines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "sources_digest", lambda: "something else")
    with (
        Workforce.open(1, machines.address) as workforce,
        pytest.raises(ValueError, match="different versions of cornered"),
    ):
        list(workforce.carry_out(square, [1]))


def test_what_kills_worker_after_worker_is_lost_and_its_neighbours_are_played_here(machines: LocalMachines) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 5}, seed=11)
    listed = fixtures(8)
    listed[3] = Fixture(3, ("greedy", "fatal"))
    with Workforce.open(2, machines.address) as workforce:
        games = dict(workforce.carry_out(partial(play, terms), listed, batch=8, lost=partial(lost, terms)))
    assert [games[place].ending for place in range(8)] == [*["rules"] * 3, "crashed", *["rules"] * 4]
    assert games[3].winner == 0
    assert "fatal: the process was ended by SIGSEGV" in games[3].fault
    for place in (0, 1, 2, 4, 5, 6, 7):
        assert games[place].moves == arena.play(terms, listed[place]).moves


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key and a self-signed certificate."""
    folder = tmp_path_factory.mktemp("tls")
    key, file = folder / "key.pem", folder / "certificate.pem"
    command: list[str | Path] = [
        require("openssl"),
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
    ]
    subprocess.run(
        [*command, "-nodes", "-days", "2", "-subj", "/CN=cornered", "-keyout", key, "-out", file],
        check=True,
        capture_output=True,
    )
    return key, file


def test_a_cluster_may_be_behind_tls(certificate: tuple[Path, Path]) -> None:
    key, file = map(str, certificate)
    of_all = {"tls_ca_file": file, "require_encryption": True}
    of_each = {
        f"tls_{role}_{part}": path
        for role in ("scheduler", "worker", "client")
        for part, path in (("key", key), ("cert", file))
    }
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tls://",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        security=Security(**of_all, **of_each),  # type: ignore[no-untyped-call]
    ) as machine:
        address = machine.scheduler_address
        assert address.startswith("tls://")
        with pytest.raises(ValueError, match=r"needs certificates: set tls\.ca-file"):
            list(open_and_square(address))
        names = {"ca-file": file, "client.key": key, "client.cert": file}
        with dask.config.set({f"distributed.comm.tls.{name}": path for name, path in names.items()}):
            assert sorted(open_and_square(address)) == [(0, 0), (1, 1), (2, 4)]


def open_and_square(address: str) -> Iterator[tuple[int, int]]:
    with Workforce.open(1, address) as workforce:
        yield from workforce.carry_out(square, range(3))


def test_an_address_says_how_to_get_there(subtests: pytest.Subtests) -> None:
    for address in ("localhost:8786", "udp://127.0.0.1:1", "ws://127.0.0.1:1"):
        with subtests.test(address=address), pytest.raises(ValueError, match="looks like tcp://host:8786"):
            list(open_and_square(address))


def test_a_scheduler_that_does_not_answer_is_named_and_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_TIMEOUT_S", 0.2)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ValueError, match=f"no Dask scheduler answers at {address}"):
        list(open_and_square(address))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"pip install 'cornered\[cluster\]'"):
        list(open_and_square("tcp://127.0.0.1:1"))


def test_versions_that_differ_are_logged_and_stop_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with cluster_module.mismatches_logged():
        warnings.warn(VersionMismatchWarning("tornado differs"), stacklevel=1)
    assert "tornado differs" in caplog.text
    with pytest.raises(UserWarning, match="something else"), cluster_module.mismatches_logged():
        warnings.warn("something else", stacklevel=1)


def compute_commands() -> list[list[str]]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return [service["command"] for service in services.values() if service.get("profiles") == ["compute"]]


@pytest.mark.parametrize("command", compute_commands(), ids=lambda command: command[1])
def test_the_containers_of_the_compute_profile_run_commands_that_dask_understands(command: list[str]) -> None:
    assert command[0] == "dask"
    main = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[command[1]]
    assert main.make_context(command[1], command[2:]).params["dashboard"] is False
    with pytest.raises(click.NoSuchOption):
        main.make_context(command[1], [*command[2:], "--no-such-option"])


def test_the_compute_profile_is_a_scheduler_and_workers_that_find_it() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    names = [name for name, service in services.items() if service.get("profiles") == ["compute"]]
    assert names == ["scheduler", "compute"]
    assert services["scheduler"]["ports"] == ["127.0.0.1:8786:8786"]
    assert "--port=8786" in services["scheduler"]["command"]
    assert "tcp://scheduler:8786" in services["compute"]["command"]
    assert "--nthreads=1" in services["compute"]["command"]
