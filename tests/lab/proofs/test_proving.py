"""A proof run: interrupted and resumed, divided into many jobs, and checked by the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cornered import engine
from cornered.engine.progress import Progress, no_report
from cornered.lab.contests.folder import PLAN, held
from cornered.lab.proofs.certificate import Certificate, Flaw, write
from cornered.lab.proofs.plan import ProofPlan
from cornered.lab.proofs.proving import CERTIFICATES, RESULTS, ProofResult, check_folder, prove
from tests.lab.inline import Inline


def plan(game: str, nodes: int = 4_000_000, winner: int | None = None, **options: int) -> ProofPlan:
    return ProofPlan.of(engine.load(game, **options).start(), (), winner, nodes=nodes, table_mib=16)


def run(plan: ProofPlan, folder: Path, *, seconds: float | None = None, jobs: int | None = None) -> ProofResult:
    """Carry a plan out; `jobs` interrupts it after so many."""

    def report(progress: Progress) -> None:
        if progress.step == "jobs" and jobs is not None and progress.done >= jobs:
            raise KeyboardInterrupt

    with held(folder, plan.as_json(), "proof", RESULTS):
        return prove(plan, folder, Inline(), report, seconds)


def test_a_run_that_is_interrupted_repeats_no_job(tmp_path: Path) -> None:
    small = plan("isolation", nodes=500, width=4, height=3)
    with pytest.raises(KeyboardInterrupt):
        run(small, tmp_path, jobs=3)
    jobs = (tmp_path / RESULTS).read_text().splitlines()
    assert len(jobs) == 3
    found = run(small, tmp_path)
    assert (found.value, found.winner) == ("loss", 1)
    assert (tmp_path / RESULTS).read_text().splitlines()[:3] == jobs
    assert found.jobs > 3
    again = run(small, tmp_path)
    assert (again.jobs, again.nodes, again.positions) == (found.jobs, found.nodes, found.positions)
    assert check_folder(tmp_path, no_report)[1:] == (1, found.positions)


def test_a_proof_of_quoridor_in_many_parts_is_flawless(tmp_path: Path) -> None:
    found = run(plan("quoridor", nodes=2_000, size=3, walls=2), tmp_path)
    assert (found.value, found.winner) == ("loss", 1)
    assert check_folder(tmp_path, no_report)[1] == 1


def test_a_wrong_claim_is_refuted_and_certifies_nothing(tmp_path: Path) -> None:
    # The first player's win is claimed alone; the second player wins.
    found = run(plan("quoridor", winner=0, size=3, walls=1), tmp_path)
    assert (found.value, found.winner, found.is_refuted) == (None, None, True)
    with pytest.raises(Flaw, match="holds no certificate"):
        check_folder(tmp_path, no_report)


def test_without_time_nothing_is_begun_and_the_result_is_open(tmp_path: Path) -> None:
    found = run(plan("isolation", width=4, height=4), tmp_path, seconds=0)
    assert (found.value, found.is_refuted, found.jobs) == (None, False, 0)


def test_a_folder_without_one_of_its_parts_proves_nothing(tmp_path: Path) -> None:
    # A plan of its own: a process keeps the table of its last search, where another test's proof would be found whole.
    run(plan("isolation", nodes=400, width=4, height=3), tmp_path)
    parts = sorted((tmp_path / CERTIFICATES).glob("*.proof"))
    assert len(parts) > 1
    for part in parts[:3]:
        content = part.read_bytes()
        part.unlink()
        with pytest.raises(Flaw, match="no certificate covers"):
            check_folder(tmp_path, no_report)
        part.write_bytes(content)
    check_folder(tmp_path, no_report)


def test_a_folder_of_another_board_proves_nothing(tmp_path: Path) -> None:
    run(plan("trapgrid", size=5), tmp_path)
    kept = json.loads((tmp_path / PLAN).read_text())
    (tmp_path / PLAN).write_text(json.dumps({**kept, "options": {"size": 7}}))
    with pytest.raises(Flaw, match="of another position"):
        check_folder(tmp_path, no_report)
    for unreadable in ("{}", "[" * 100_000, json.dumps({**kept, "game": []})):
        (tmp_path / PLAN).write_text(unreadable)
        with pytest.raises(Flaw, match="holds no proof"):
            check_folder(tmp_path, no_report)


def test_a_line_to_a_certificate_may_have_more_plies_than_pythons_recursion_limit(tmp_path: Path) -> None:
    small = plan("quoridor", winner=1, size=3, walls=0)
    # Both pawns go to and fro, then seat 1 walks to its goal: one of the many plays that a proof has to cover.
    to_and_fro = ("a1", "a3", "b1", "b3") * 300
    moves = (*to_and_fro, "a1", "b2", "a2", "b1")
    with held(tmp_path, small.as_json(), "proof", RESULTS):
        (tmp_path / CERTIFICATES).mkdir()
        write(Certificate(small.load(), moves, 1, 1, b""), tmp_path / CERTIFICATES / "one.proof")
    with pytest.raises(Flaw, match="no certificate covers"):
        check_folder(tmp_path, no_report)


def test_plans_out_of_bounds_are_refused() -> None:
    over = engine.load("trapgrid", size=3).start()
    while over.outcome is None:
        over = over.play(over.moves()[0])
    with pytest.raises(ValueError, match="the game is over"):
        ProofPlan.of(over, ())
    with pytest.raises(ValueError, match="leave --plies out"):
        ProofPlan.of(engine.load("trapgrid").start(), (), plies=10)
    with pytest.raises(ValueError, match="1 to 126"):
        ProofPlan.of(engine.load("quoridor").start(), (), plies=127)
    with pytest.raises(ValueError, match="without dice or draw rules"):
        ProofPlan.of(engine.load("isolation", dice=True).start(), ())
