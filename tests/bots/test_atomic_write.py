"""A file is replaced by a whole one, or stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.bots.atomic_write import replacing


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    for text in ("first", "second"):
        with replacing(path) as part:
            part.write_text(text)
            assert part.parent == path.parent
        assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_whoever_is_interrupted_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text("first")

    def interrupted() -> None:
        with replacing(path) as part:
            part.write_text("sec")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "first"
