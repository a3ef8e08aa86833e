"""docs/client-kit.md: its examples run one after the other, against a server."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from tests.clients.sdk.test_own_account import url

__all__ = ["url"]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "client-kit.md"


async def test_the_examples_of_the_page_run_in_their_order(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 8
    names: dict[str, object] = {}
    for number, block in enumerate(blocks):
        code = compile(block, f"{PAGE.name}, block {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        # As the shell `python -m asyncio` does it.
        waiting = eval(code, names)
        if inspect.iscoroutine(waiting):
            await waiting
        names["SERVER"] = url
    told = capsys.readouterr().out
    for line in (
        "Anna 10 recovery codes",
        "True ('play', 'bot', 'read') ['a script', 'cornered-sdk']",
        "['my bot']",
        "1500 -> 1662",
        "1500 -> 1338",
        "trapgrid:bullet 1338 290 1",
        "['trapgrid:bullet']",
        "resignation",
        "[('trapgrid', 0, 1)]",
        "2.1",
        "['Friday cup']",
        "finished [(1, '",
        "True 0 []\nWatched\n[]",
    ):
        assert line in told
