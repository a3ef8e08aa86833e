"""A file is replaced by a whole one or stays as it was; of appended lines only the last can be torn."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from cornered.engine.records.files import LineWriter, read_lines, read_text, replacing


def test_a_text_is_the_same_from_every_editor(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    for written in ("Łódź\nb3\n".encode(), b"\xef\xbb\xbf" + "Łódź\r\nb3\r\n".encode()):
        path.write_bytes(written)
        assert read_text(path) == "Łódź\nb3\n"
    path.write_bytes("b3\nŁódź\n".encode("iso8859-2"))
    with pytest.raises(ValueError, match=f"^{path}:2: this is no UTF-8 text"):
        read_text(path)


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    for text in ("first", "second"):
        with replacing(path) as part:
            part.write_text(text)
            assert part.parent == path.parent
        assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text("first")

    def interrupted() -> None:
        with replacing(path) as part:
            part.write_text("sec")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_a_new_file_has_the_mode_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.touch(0o644)
    with replacing(path, mode=0o600, sync=True) as part:
        part.write_text("secret")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "secret"


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "lines") == ([], b"")


def test_a_torn_line_is_told_apart_and_removed_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\nthr")
    assert read_lines(path) == ([b"one", b"two"], b"thr")
    with closing(LineWriter(path, sync_interval_s=0.0)) as lines:
        lines.append("drei")
        assert path.read_bytes() == b"one\ntwo\ndrei\n"


def test_a_writer_that_keeps_nothing_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n")
    with closing(LineWriter(path, keep=False)) as lines:
        lines.append("two")
    assert read_lines(path) == ([b"two"], b"")
