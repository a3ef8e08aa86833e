"""A proof run in a folder: jobs until a claim is settled, then certificates of its parts, then the result.

`jobs.jsonl` holds the result of every job, so that a run that was interrupted repeats none; `certificates/` one file
for each part of the proof, and `result.json` what was proven.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Final

from cornered.bots.proofs.search import ProofSearch
from cornered.bots.proofs.strategy import find_strategy
from cornered.engine import State
from cornered.engine.progress import Progress, Report
from cornered.engine.records.files import LineWriter, read_lines, replacing
from cornered.lab.contests.folder import PLAN
from cornered.lab.execution.workforce import Workforce
from cornered.lab.proofs.certificate import Flaw, certify, check, read, write
from cornered.lab.proofs.plan import ProofPlan
from cornered.lab.proofs.tree import ClaimTree

__all__ = ["CERTIFICATES", "RESULTS", "ProofResult", "check_folder", "plan_of", "prove"]

JOBS: Final = "jobs.jsonl"
CERTIFICATES: Final = "certificates"
RESULT: Final = "result.json"
RESULTS: Final = JOBS
"""The pattern of the files whose existence binds a folder to its plan."""


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What a run came to. `winner` is None while no claim is proven; `is_refuted` says whether all claims are refuted,
    so that neither seat wins within the plan's plies. `seconds` are those of the jobs, summed over workers;
    `positions` and `certificate_bytes` are of all certificates."""

    value: str | None
    winner: int | None
    is_refuted: bool
    nodes: int
    jobs: int
    seconds: float
    positions: int = 0
    certificate_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """The search of one position for one attacker."""

    attacker: int
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job found out: the numbers of its position and of those after each move, in proof and disproof numbers."""

    attacker: int
    moves: tuple[str, ...]
    proof: int
    disproof: int
    nodes: int
    seconds: float
    children: tuple[tuple[int, int], ...]


_searches: Final[dict[tuple[str, int], ProofSearch]] = {}
"""The searches of this process for the last plan, with their tables, which later jobs go on with."""


def _search_of(plan: ProofPlan, attacker: int) -> ProofSearch:
    key = json.dumps(plan.as_json()), attacker
    if key not in _searches:
        for other in [known for known in _searches if known[0] != key[0]]:
            del _searches[other]
        share = (plan.table_mib << 20) // len(plan.attackers)
        _searches[key] = ProofSearch(plan.load(), attacker, share)
    return _searches[key]


def _carry_out(plan: ProofPlan, job: Job) -> JobResult:
    """Search one position."""
    began = perf_counter()
    distance = _distance(plan, len(job.moves))
    found = _search_of(plan, job.attacker).prove(plan.state(job.moves), plan.nodes, plies=distance)
    # A settled position needs no further numbers.
    children = found.children if found.is_proven is None else ()
    return JobResult(
        job.attacker, job.moves, found.proof, found.disproof, found.nodes, perf_counter() - began, children
    )


def _distance(plan: ProofPlan, made: int) -> int:
    """Return the plies within which a claim has to be won after `made` moves from the plan's position."""
    return plan.plies - made if plan.is_cyclic else plan.plies


def _certify(plan: ProofPlan, attacker: int, winner: int, folder: Path, moves: tuple[str, ...]) -> tuple[int, int]:
    """Write the certificate of a settled position; return its number of positions and its size in bytes."""
    path = folder / f"{'-'.join(moves) or 'start'}.proof"
    if not path.is_file():
        state = plan.state(moves)
        search = _search_of(plan, attacker)
        distance = _distance(plan, len(moves))
        chosen = find_strategy(search, state, winner, distance)
        made = certify(
            plan.load(),
            (*plan.moves, *moves),
            winner,
            lambda here, _: chosen[here.position],  # type: ignore[attr-defined]  # every game of ours has one
        )
        write(made, path)
    return read(path).positions, path.stat().st_size


def prove(
    plan: ProofPlan, folder: Path, workforce: Workforce, report: Report, seconds: float | None = None
) -> ProofResult:
    """Carry out a plan in a folder that the caller holds, or the rest of it; return what is proven.

    After `seconds` no job is begun; the result is then open, and a later call goes on.
    """
    until = None if seconds is None else monotonic() + seconds
    start = plan.state()
    trees = {attacker: ClaimTree(start, attacker) for attacker in plan.attackers}
    done, spent = 0, 0.0
    with closing(LineWriter(folder / JOBS)) as lines:
        for line in read_lines(folder / JOBS)[0]:
            found = _from_json(json.loads(line))
            _enter(trees, found)
            done, spent = done + 1, spent + found.seconds
        while _open(trees) and (until is None or monotonic() < until):
            # The claims take turns: the one that has had fewer nodes is next.
            following = min(_open(trees), key=lambda tree: tree.nodes)
            jobs = [Job(following.attacker, moves) for moves in following.take(workforce.workers)]
            with closing(workforce.carry_out(partial(_carry_out, plan), jobs, batch=1)) as work:
                for _, found in work:
                    lines.append(json.dumps(asdict(found)))
                    _enter(trees, found)
                    done, spent = done + 1, spent + found.seconds
                    report(Progress("jobs", done, None, _note(trees)))
    nodes = sum(tree.nodes for tree in trees.values())
    winner, tree = _winner(plan, trees)
    if winner is None or tree is None:
        is_refuted = not any(not tree.root.is_settled for tree in trees.values())
        return _concluded(folder, ProofResult(None, None, is_refuted, nodes, done, round(spent, 1)))
    (folder / CERTIFICATES).mkdir(exist_ok=True)
    parts = list(tree.parts(winner))
    positions, size, written = 0, 0, 0
    certify_part = partial(_certify, plan, tree.attacker, winner, (folder / CERTIFICATES).absolute())
    with closing(workforce.carry_out(certify_part, parts, batch=1)) as work:
        for _, (count, many) in work:
            positions, size, written = positions + count, size + many, written + 1
            report(Progress("certificates", written, len(parts), f"{positions:,} positions"))
    value = "win" if winner == start.to_move else "loss"
    return _concluded(folder, ProofResult(value, winner, False, nodes, done, round(spent, 1), positions, size))


def _open(trees: dict[int, ClaimTree]) -> list[ClaimTree]:
    """Return the trees to go on with: none once a claim is proven."""
    if any(tree.root.proof == 0 for tree in trees.values()):
        return []
    return [tree for tree in trees.values() if not tree.root.is_settled]


def _winner(plan: ProofPlan, trees: dict[int, ClaimTree]) -> tuple[int | None, ClaimTree | None]:
    """Return the seat that is proven to win, and the tree that shows it."""
    for tree in trees.values():
        if tree.root.proof == 0:
            return tree.attacker, tree
        if tree.root.disproof == 0 and not plan.is_cyclic:
            return 1 - tree.attacker, tree
    return None, None


def _enter(trees: dict[int, ClaimTree], found: JobResult) -> None:
    trees[found.attacker].settle(found.moves, found.proof, found.disproof, found.nodes, found.children)


def _from_json(fields: dict[str, Any]) -> JobResult:
    children = tuple((proof, disproof) for proof, disproof in fields["children"])
    return JobResult(**{**fields, "moves": tuple(fields["moves"]), "children": children})


def _note(trees: dict[int, ClaimTree]) -> str:
    claims = (
        f"seat {tree.attacker}: {tree.root.proof} to prove, {tree.root.disproof} to refute, {tree.nodes:,} nodes"
        for tree in trees.values()
    )
    return "; ".join(claims)


def _concluded(folder: Path, result: ProofResult) -> ProofResult:
    with replacing(folder / RESULT) as part:
        part.write_text(json.dumps(asdict(result)), encoding="utf-8")
    return result


def plan_of(folder: Path) -> ProofPlan:
    """Return the plan of a folder. Raises Flaw where it has none."""
    try:
        plan = ProofPlan.from_json(json.loads((folder / PLAN).read_text(encoding="utf-8")))
        plan.load()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise Flaw(f"{folder} holds no proof") from None
    return plan


def check_folder(folder: Path, report: Report) -> tuple[ProofPlan, int, int]:
    """Check the proof in a folder by the rules alone; return its plan, the winner and the number of positions.

    The certificates have to be flawless and to cover the plan's position: after one move of the winner and all moves of
    the loser each line comes to one of them or to the winner's win. Raises Flaw.
    """
    plan = plan_of(folder)
    paths = sorted((folder / CERTIFICATES).glob("*.proof"))
    if not paths:
        raise Flaw(f"{folder} holds no certificate")
    lines: set[tuple[str, ...]] = set()
    winners: set[int] = set()
    positions = 0
    for number, path in enumerate(paths, 1):
        certificate = read(path)
        if certificate.game != plan.load() or certificate.moves[: len(plan.moves)] != plan.moves:
            raise Flaw(f"{path} is of another position")
        check(certificate)
        lines.add(certificate.moves[len(plan.moves) :])
        winners.add(certificate.winner)
        positions += certificate.positions
        report(Progress("certificates", number, len(paths), f"{positions:,} positions"))
    if len(winners) != 1:
        raise Flaw(f"the certificates of {folder} are of different winners")
    winner = winners.pop()
    _require_cover(plan.state(), winner, lines)
    return plan, winner, positions


def _require_cover(state: State, winner: int, lines: Iterable[tuple[str, ...]]) -> None:
    """Raise Flaw unless every line of play comes to the end of one of `lines`, or to the winner's win."""
    waiting = [(state, list(lines), 0)]
    while waiting:
        here, through, ply = waiting.pop()
        has_won = here.outcome is not None and here.outcome.winner == winner
        if has_won or any(len(line) == ply for line in through):
            continue
        begun = defaultdict(list)
        for line in through:
            begun[line[ply]].append(line)
        moves = [move for move in here.moves() if move in begun][:1] if here.to_move == winner else here.moves()
        if not moves:
            raise Flaw(f"no certificate covers {here}")
        waiting.extend((here.play(move), begun[move], ply + 1) for move in moves)
