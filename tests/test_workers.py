"""The tests of one group run in one process: what its first test starts is there for the others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GROUP = """
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("one")


@pytest.mark.parametrize("number", range(20))
def test_it(number):
    (Path(__file__).parent / f"{os.environ['PYTEST_XDIST_WORKER']}.seen").touch()
"""


def test_a_group_of_tests_runs_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "test_group.py").write_text(GROUP)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadgroup"]
    subprocess.run([*command, "--rootdir", str(tmp_path)], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert len(list(tmp_path.glob("*.seen"))) == 1
