"""Kernels load from the disk cache as they were compiled, and never from older sources."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.engine.programs import run_python

ROOT = Path(__file__).resolve().parents[3]

PLAY_EVERYTHING = """
import hashlib, random, sys
from numba.core.dispatcher import Dispatcher
from tests.engine.programs import run_python
from cornered import engine
from cornered.engine.warming import is_warm

digest = hashlib.sha256()
rng = random.Random(5)
for game in engine.games():
    assert is_warm(game.name)
    start = game().start()
    for _ in range(3):
        state = start
        while state.outcome is None:
            digest.update(f"{state} {state.moves()} {state.gauges()} {dict(state.notes())} {state.perft(2)}".encode())
            state = state.play(rng.choice(state.moves()))
print(digest.hexdigest())
kernels = {
    id(kernel): kernel
    for name, module in sys.modules.items() if name.startswith("cornered.engine")
    for kernel in vars(module).values() if isinstance(kernel, Dispatcher)
}
assert len(kernels) > 20
for kernel in kernels.values():
    assert len(kernel.signatures) <= 1, (kernel, kernel.signatures)
    assert not kernel.stats.cache_misses, (kernel, "was compiled again")
"""

COUNT = """
from cornered import engine
print(engine.perft(engine.load("trapgrid").start(), 1))
"""

COUNT_BEFORE_AND_AFTER_AN_EDIT = """
import subprocess, sys
from pathlib import Path

from tests.engine.programs import run_python
from cornered import engine
print(engine.perft(engine.load("trapgrid").start(), 1))
bits = Path("cornered/engine/kernels/bits.py")
bits.write_text(bits.read_text().replace("return _ctpop(word)", "return _ctpop(word) + 40"))
print(subprocess.run([sys.executable, "-c", sys.argv[1]], check=True, capture_output=True, text=True).stdout)
"""


def test_kernels_do_the_same_in_two_fresh_processes_and_have_one_signature_each() -> None:
    first, second = run_python(PLAY_EVERYTHING), run_python(PLAY_EVERYTHING)
    assert first == second
    assert len(first) == 65


def test_an_edit_reaches_kernels_of_other_files_also_in_a_child_that_inherits_the_environment(tmp_path: Path) -> None:
    package = tmp_path / "cornered"
    shutil.copytree(ROOT / "engine", package / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "cornered" / "__init__.py", package)
    for other in ("bamboo", "isolation", "quoridor"):
        (package / "engine" / "games" / f"{other}.py").unlink()
    printed = run_python(COUNT_BEFORE_AND_AFTER_AN_EDIT, COUNT, at=tmp_path, CORNERED_KERNELS=str(tmp_path / "kernels"))
    assert printed.split() == ["2", "42"]
    kept = [path.name.rpartition("-")[0] for path in (tmp_path / "kernels").iterdir()]
    # The edited file and the files that import it are compiled again, no others.
    assert kept.count("cornered.engine.kernels.bits") == kept.count("cornered.engine.games.trapgrid") == 2


def test_kernels_compile_where_nothing_can_be_kept(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    assert run_python(COUNT, CORNERED_KERNELS=str(occupied)).split() == ["2"]
