"""`cornered think` and `cornered solve`: one position, and files of many."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import Result

from cornered import engine
from cornered.cli.answers import score_text
from tests.cli.conftest import run

WON = ("trapgrid", "-o", "size=3", "-m", "b3 b1")


def think(*arguments: str) -> Result:
    return run("think", *arguments)


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def position(moves: list[str], **options: object) -> dict[str, object]:
    return {"game": "trapgrid", "options": {"size": 3, **options}, "moves": moves}


def test_a_won_position_is_answered_with_the_winning_move_and_a_proof() -> None:
    told = json.loads(think(*WON, "--json").stdout)
    assert told["move"] == "b2"
    assert told["proven"] == "win"
    assert told["position"] == "x0./.../.1x 0"


def test_the_answer_for_people_names_move_score_and_work() -> None:
    printed = think(*WON, "--bot", "minimax", "--depth", "4").stdout
    assert printed.startswith("b2  win")
    assert "minimax: depth" in printed
    assert "pruned" in printed


def test_a_program_thinks_and_what_is_wrong_with_it_is_one_line() -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "ugi_engine.py"
    told = json.loads(think(*WON, "--bot", f"exec:{sys.executable} {example}", "--json").stdout)
    assert told["move"] in ("b2", "c3")
    done = think(*WON, "--bot", "exec:true")
    assert done.exit_code == 2
    assert "ended with exit code 0" in done.stderr
    assert done.stderr.count("\n") == 1


def test_several_lines_are_told_best_first() -> None:
    told = json.loads(think("isolation", "-o", "width=5", "--nodes", "5000", "--multipv", "3", "--json").stdout)
    # The nodes may end an iteration in its middle: what it reached comes before the lines of the one before.
    ranks = [(line["depth"], line["score"]) for line in told["lines"][:3]]
    assert len(ranks) == 3
    assert ranks == sorted(ranks, reverse=True)
    assert told["lines"][0]["move"] == told["move"]


def test_nodes_and_depth_give_the_same_answer_every_time() -> None:
    asked = ("trapgrid", "-o", "size=5", "-m", "b5", "--nodes", "1000", "--json")
    first, second = (json.loads(think(*asked).stdout) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_file_is_answered_line_by_line_in_its_order(tmp_path: Path) -> None:
    moves = [["b3", "b1"], [], ["b3"], ["b3", "c2", "c3", "b2"], ["a2", "c2"]]
    file, out = write(tmp_path / "in", *map(position, moves)), tmp_path / "out"
    done = think("--file", str(file), "--out", str(out), "--bot", "minimax", "--depth", "1", "--workers", "2")
    assert done.exit_code == 0, done.output
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    start = engine.load("trapgrid", size=3).start()
    for answer, played in zip(answers, moves, strict=True):
        state = start
        for move in played:
            state = state.play(move)
        assert answer["position"] == str(state)
        assert answer["move"] is None if state.outcome else state.is_legal(answer["move"])
    assert {"move", "score", "proven", "depth", "nodes", "seconds"} <= answers[0].keys()


def test_a_line_that_cannot_be_read_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    file = write(tmp_path / "in", position([]), position(["b9"]))
    done = think("--file", str(file), "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "in:2: 'b9' is not legal" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_line_of_another_shape_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    file = write(tmp_path / "in", position([]))
    first = file.read_bytes()
    for line, complaint in (
        (b"[]", "should be an object"),
        (b"null", "should be an object"),
        (b"{", "Invalid JSON"),
        (b'{"moves":[]}', "game: Field required"),
        (b'{"game":"trapgrid","options":[1],"moves":[]}', "options: Input should be"),
        (b'{"game":"trapgrid","options":{"name":1},"moves":[]}', "name"),
        (b'{"game":"trapgrid","moves":"b3"}', "moves: Input should be"),
        (b'{"game":"trapgrid","moves":[3]}', "moves: 0: Input should be"),
        (b'{"game":"trapgrid"}', "neither moves nor a position"),
        (b'{"game":"trapgr\xff"}', "no UTF-8"),
    ):
        with subtests.test(complaint, line=line):
            file.write_bytes(first + line + b"\n")
            done = think("--file", str(file), "--out", str(tmp_path / "out"))
            assert done.exit_code == 2
            assert f"{file}:2: " in done.stderr
            assert complaint in done.stderr
            assert done.stderr.count("\n") == 1


def test_a_file_without_positions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("\n\n")
    done = think("--file", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "has no positions" in done.stderr


def test_answers_never_replace_their_own_positions(tmp_path: Path) -> None:
    file = write(tmp_path / "in", position([]))
    before = file.read_text()
    (tmp_path / "link").symlink_to(file)
    for out in ("in", "link"):
        done = think("--file", str(file), "--out", str(tmp_path / out), "--nodes", "100")
        assert done.exit_code == 2
        assert "the file of the positions itself" in done.stderr
        assert file.read_text() == before


def test_an_interrupted_file_goes_on_after_its_answers(tmp_path: Path) -> None:
    file, out = write(tmp_path / "in", position([]), position(["b3"])), tmp_path / "out"
    asked = ("--file", str(file), "--out", str(out), "--bot", "greedy", "--workers", "1")
    think(*asked)
    first, second = out.read_text().splitlines(keepends=True)
    marked = json.dumps({**json.loads(first), "seconds": 1234}) + "\n"
    out.write_text(marked + second[:20])
    think(*asked, "--resume")
    lines = out.read_text().splitlines(keepends=True)
    assert lines[0] == marked
    assert json.loads(lines[1])["position"] == json.loads(second)["position"]
    assert len(lines) == 2


def test_answers_of_other_positions_are_not_taken_for_ours(tmp_path: Path) -> None:
    file, out = write(tmp_path / "in", position([])), write(tmp_path / "out", {"position": "other"})
    done = think("--file", str(file), "--out", str(out), "--resume")
    assert done.exit_code == 2
    assert "answers another position" in done.stderr


def test_a_line_that_is_no_answer_is_named_and_kept(tmp_path: Path, subtests: pytest.Subtests) -> None:
    file, out = write(tmp_path / "in", position([])), tmp_path / "out"
    for line in (b"[]", b"not JSON", b'{"move":"b2"}', b'{"position":3}', b"\xff"):
        for text in (line + b"\n", line):
            with subtests.test(line=text):
                out.write_bytes(text)
                done = think("--file", str(file), "--out", str(out), "--resume")
                assert done.exit_code == 2
                assert f"{out}:1: this is no answer; " in done.stderr
                assert out.read_bytes() == text


def test_answers_by_another_bot_or_limit_are_not_gone_on_with(tmp_path: Path) -> None:
    # The game is over in the first position: answers without a thought state their limit too.
    file, out = write(tmp_path / "in", position(["b3", "c2", "c3", "b2"]), position([])), tmp_path / "out"
    asked = ("--file", str(file), "--out", str(out), "--workers", "1")
    assert think(*asked, "--bot", "greedy", "--depth", "2", "--time", "1.5").exit_code == 0
    for line in out.read_text().splitlines():
        assert json.loads(line)["bot"] == "greedy"
        assert json.loads(line)["limit"] == {"time": 1.5, "depth": 2, "nodes": None, "lines": 1}
    before = out.read_text()
    for others, complaint in (
        (("--bot", "random", "--depth", "2", "--time", "1.5"), "by another bot"),
        (("--bot", "greedy", "--depth", "3", "--time", "1.5"), "within another limit"),
        (("--bot", "greedy", "--depth", "2"), "within another limit"),
    ):
        done = think(*asked, *others, "--resume")
        assert done.exit_code == 2
        assert f"{out}:1 is an answer {complaint}" in done.stderr
        assert out.read_text() == before
    assert think(*asked, "--bot", "greedy", "--depth", "2", "--time", "1.5", "--resume").exit_code == 0
    assert out.read_text() == before


SEEDED = ("--bot", "random", "--seed", "7", "--json")


def answers_with_seed(folder: Path, seed: int, workers: int) -> list[str]:
    """Return the moves of the `random` bot in the first positions of six boards of increasing width."""
    lines = [{"game": "isolation", "options": {"width": width}, "moves": []} for width in range(3, 9)]
    file, out = write(folder / "in", *lines), folder / f"{seed}-{workers}"
    asked = ("--file", str(file), "--out", str(out), "--bot", "random", "--seed", str(seed))
    done = think(*asked, "--workers", str(workers))
    assert done.exit_code == 0, done.output
    return [json.loads(line)["move"] for line in out.read_text().splitlines()]


def test_a_seed_gives_the_same_answers_whatever_the_number_of_workers(tmp_path: Path) -> None:
    one_by_one = [
        json.loads(think("isolation", "-o", f"width={width}", *SEEDED).stdout)["move"] for width in range(3, 9)
    ]
    assert [answers_with_seed(tmp_path, 7, workers) for workers in (1, 2, 3)] == [one_by_one] * 3
    assert answers_with_seed(tmp_path, 8, 2) != one_by_one


def test_a_seed_holds_for_one_position_and_several_workers() -> None:
    told = [json.loads(think("isolation", *SEEDED, "--workers", workers).stdout)["move"] for workers in "1222"]
    assert told == [told[0]] * 4


def test_answers_with_another_seed_are_not_gone_on_with(tmp_path: Path) -> None:
    file, out = write(tmp_path / "in", position([])), tmp_path / "out"
    asked = ("--file", str(file), "--out", str(out), "--bot", "random", "--workers", "1")
    assert think(*asked, "--seed", "7").exit_code == 0
    before = out.read_text()
    assert json.loads(before)["seed"] == 7
    for others in ((), ("--seed", "8")):
        done = think(*asked, *others, "--resume")
        assert done.exit_code == 2
        assert f"{out}:1 is an answer with another seed, 7" in done.stderr
        assert out.read_text() == before
    assert think(*asked, "--seed", "7", "--resume").exit_code == 0


def test_the_tables_of_solve_keep_within_their_memory() -> None:
    board = "solve", "quoridor", "-o", "size=5", "-o", "walls=2"
    done = run(*board, "--memory", "1")
    assert done.exit_code == 1
    assert "needs more --memory" in done.stderr
    assert "loses in" in run(*board, "--memory", "64").stdout


def test_solve_proves_a_start_and_names_the_winning_moves() -> None:
    told = json.loads(run("solve", "isolation", "-o", "width=3", "-o", "height=3", "--json").stdout)
    assert told["value"] == "win"
    assert told["winning"] == ["b2"]
    assert len(told["moves"]) == 9
    printed = run("solve", "bamboo", "-o", "radius=1").stdout
    assert printed.startswith("seat 0, to move, loses")


def test_what_is_beyond_the_limit_is_not_guessed() -> None:
    done = run("solve", "isolation", "--time", "0.05", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["value"] is None
    assert "not solved within the limit" in done.stderr


def test_scores_read_as_people_say_them() -> None:
    assert score_text(9993.0, "win", 7) == "win within 7"
    assert score_text(-9988.0, "loss", 12) == "loss within 12"
    assert score_text(0.0, "draw", None) == "draw"
    assert score_text(-1.25, None, None) == "-1.25"
    assert score_text(0.5, None, None, is_bound=True) == "at most +0.50"
    assert score_text(9993.0, "win", 7, is_bound=True) == "at most +9993.00"
    assert score_text(-9988.0, "loss", 12, is_bound=True) == "loss within 12"
    assert score_text(None, None, None) == "-"
