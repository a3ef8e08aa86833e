"""The state that the fork server inherits from the program that started it."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

import pytest

from cornered.clients.sdk.worker_process import MAIN_FILE, MAIN_NAME, pass_for_main


@pytest.mark.parametrize("file", ["", "/games/my_bot.py"])
def test_a_program_without_a_file_leaves_none_behind(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    main = ModuleType("__main__")
    main.__file__ = "/usr/lib/forkserver.py"
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setenv(MAIN_FILE, file)
    monkeypatch.setenv(MAIN_NAME, "")
    pass_for_main()
    assert getattr(main, "__file__", "") == file
    # Looks at every loaded module that has a file, and fails at one that is empty.
    inspect.getmodule(compile("", "<unknown>", "exec"))
