"""The modules that importing the SDK loads."""

from __future__ import annotations

import subprocess
import sys


def test_the_kit_is_there_without_loading_the_compiler() -> None:
    code = "import sys, cornered.clients.sdk; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
