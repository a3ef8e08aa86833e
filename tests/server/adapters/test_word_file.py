"""The file with the list of forbidden words: read again when it changes, and kept when it cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cornered.server.adapters.word_file import LOOK_SECONDS, WordFile
from cornered.server.refusal import Refusal


class Scene:
    """A file, its reader and the time."""

    def __init__(self, path: Path, words: str) -> None:
        self.path = path
        self.now = 0.0
        self._changes = 0
        path.write_text(words, encoding="utf-8")
        self.words = WordFile(path, masks=False, monotonic=lambda: self.now)

    def write(self, words: str) -> None:
        self._changes += 1
        self.path.write_text(words)
        os.utime(self.path, ns=(self._changes, self._changes))
        self.now += LOOK_SECONDS

    def accepts(self, line: str) -> bool:
        try:
            return self.words().line(line) == line
        except Refusal:
            return False


def test_a_changed_list_holds_after_a_moment_and_one_that_cannot_be_read_leaves_the_one_before(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "words", "knave\n")
    for unreadable in ("two words\n", "x" * 2_000_000, None):
        assert not scene.accepts("knave")
        if unreadable is None:
            scene.path.unlink()
            scene.now += LOOK_SECONDS
        else:
            scene.write(unreadable)
    assert not scene.accepts("knave")
    scene.write("rogue\n")
    assert scene.accepts("knave")
    assert not scene.accepts("rogue")


def test_a_server_does_not_start_with_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    for words in (None, "two words\n"):
        path = tmp_path / "words"
        if words is not None:
            path.write_text(words)
        with pytest.raises(ValueError, match="words cannot be read"):
            WordFile(path, masks=False)


def test_a_list_may_come_from_any_editor(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "words", "\ufeffknave\r\nrogue\r\n")
    assert not any(map(scene.accepts, ("knave", "rogue")))
