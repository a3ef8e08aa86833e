"""`cornered match` and `cornered tournament`: output, storage, errors and resumption."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cornered.bots import roster
from cornered.cli.contest_setup import ContestConfig, ContestOptions, file_digests
from cornered.cli.match_report import MatchResult as MatchResult
from cornered.cli.match_report import note, stronger_bot
from cornered.cli.tournament import Tournament
from cornered.lab.contests.arena import play
from cornered.lab.contests.contest import Schedule
from cornered.lab.contests.folder import PLAN, held
from cornered.lab.contests.journal import GAMES_FILE, ContestJournal
from cornered.lab.contests.match import MatchTally, paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Effort, GameEnding, PlayedGame
from cornered.lab.statistics.sprt import Sprt
from tests.cli.conftest import run
from tests.conftest import program_group, wait_until

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("--game", "trapgrid", "-o", "size=5", "--depth", "3", "--workers", "1")
TERMS = ContestTerms.of("trapgrid", {"size": 5}, depth=3)


def played(
    *winners: int | None, ending: GameEnding = "rules", fault: str = "", first: str = "a", second: str = "b"
) -> list[PlayedGame]:
    """Return games of a match, by the index of the winning bot: 0, 1 or None."""
    fixtures = paired(first, second, random_plies(TERMS, 2), (len(winners) + 1) // 2)
    return [
        PlayedGame(
            fixture,
            (*fixture.opening, str(number)),
            None if winner is None else (winner + number) % 2,
            ending,
            (Effort(3, 0.3, 0.2, 30, 6), Effort(3, 0.6, 0.3, 60, 9)),
            fault,
        )
        for number, (fixture, winner) in enumerate(zip(fixtures, winners, strict=False))
    ]


def tallied(games: list[PlayedGame]) -> MatchTally:
    tally = MatchTally()
    for one, two in zip(games[::2], games[1::2], strict=True):
        tally = tally.after(one.score(0), two.score(1))
    return tally


def result(games: list[PlayedGame], test: Sprt | None = None, first: str = "a", second: str = "b") -> MatchResult:
    return MatchResult(first, second, TERMS, games, tallied(games), test)


def test_a_match_says_who_is_stronger_and_json_tells_everything(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    asked = ("match", "minimax", "random", *QUICK, "--games", "30", "--out", str(folder))
    printed = run(*asked)
    assert printed.exit_code == 0, printed.stderr
    assert printed.stdout.startswith("minimax is stronger than random, by ")
    assert str(folder) in printed.stdout
    kept = (folder / GAMES_FILE).read_bytes()

    told = json.loads(run(*asked, "--json").stdout)
    assert (folder / GAMES_FILE).read_bytes() == kept, "what is played is not played again"
    assert told["games"] == told["wins"] + told["draws"] + told["losses"] == 2 * sum(told["pairs"]) == 30
    assert told["stronger"] == "first"
    assert told["elo"]["low"] > 0
    assert told["score"]["low"] < told["score"]["share"] == told["wins"] / 30 <= told["score"]["high"]
    assert {bot["bot"] for bot in told["standings"]["bots"]} == {"minimax", "random"}
    assert "cornered match minimax random" in (folder / "report.md").read_text()
    assert run("check", str(folder / GAMES_FILE)).exit_code == 0


def test_a_program_plays_a_match_and_one_that_fails_loses_with_the_reason(tmp_path: Path) -> None:
    example = f"exec:{sys.executable} {ROOT / 'examples' / 'ugi_engine.py'}"
    told = json.loads(run("match", example, "random", *QUICK, "--games", "10", "--json").stdout)
    assert told["games"] == 10
    assert told["score"]["share"] > 0.5
    broken = tmp_path / "broken.py"
    broken.write_text("for line in open(0):\n    print('ugiok\\nreadyok\\nbestmove z9', flush=True)\n")
    failing = run("match", f"exec:{sys.executable} {broken}", "random", *QUICK, "--games", "2")
    assert failing.exit_code == 0, failing.stderr
    assert "'z9' is not legal" in failing.stdout


def test_a_program_that_cannot_play_is_refused_before_the_games(tmp_path: Path) -> None:
    program = tmp_path / "engine.py"
    for source, said in (
        (
            "import sys\nprint('needs a licence', file=sys.stderr)\nsys.exit(7)",
            "ended with exit code 7: needs a licence",
        ),
        (
            "for line in open(0):\n    print('option name Game type combo var quoridor\\nugiok', flush=True)",
            "does not play trapgrid(size=5); it plays quoridor",
        ),
    ):
        program.write_text(source)
        for contest in ("match", "tournament"):
            refused = run(contest, f"exec:{sys.executable} {program}", "random", *QUICK)
            assert (refused.exit_code, refused.stdout) == (2, "")
            assert said in refused.stderr


def test_a_test_ends_a_match_at_the_same_game_however_many_workers_play() -> None:
    asked = ("match", "minimax", "random", *QUICK[:-2], "--sprt", "0,100", "--json")
    one, three = (json.loads(run(*asked, "--workers", workers).stdout) for workers in ("1", "3"))
    assert one["sprt"]["verdict"] == "H1"
    assert one["games"] < 1000
    for told in (one, three):
        for bot in told["standings"]["bots"]:
            for timed in ("seconds", "slowest", "seconds_a_move", "nodes_a_second"):
                del bot[timed]
    assert one == three


def cut_short(folder: Path) -> list[bytes]:
    """Leave four whole lines of the games in a folder and a part of the fifth, and return the four."""
    whole = (folder / GAMES_FILE).read_bytes().splitlines(keepends=True)
    (folder / GAMES_FILE).write_bytes(b"".join(whole[:4]) + whole[4][:50])
    return whole[:4]


def test_a_tournament_is_kept_reported_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("tournament", "random", "greedy", "minimax", *QUICK, "--games", "2", "--seed", "7")
    printed = run(*asked)
    assert printed.exit_code == 0, printed.stderr
    assert "round robin, 2 games a meeting: 6 games" in printed.stdout
    assert "nothing was played" not in printed.stdout
    assert "The games and a report are in tournament-trapgrid-7." in printed.stdout
    folder = tmp_path / "tournament-trapgrid-7"
    assert (folder / "report.html").exists()
    kept = cut_short(folder)
    told = json.loads(run(*asked, "--json").stdout)
    lines = (folder / GAMES_FILE).read_bytes().splitlines(keepends=True)
    assert (told["games"], len(lines), lines[:4]) == (6, 6, kept)
    assert "All 6 games are of an earlier run; nothing was played." in run(*asked).stdout
    other = run(*asked, "--nodes", "50")
    assert other.exit_code == 2
    assert "is the plan of another contest (nodes null there, 50 here)" in other.stderr


THREE = ("--game", "isolation", "-o", "players=3", "-o", "width=4", "-o", "height=4", "--depth", "1")


def test_a_tournament_of_three_rotates_their_seats_and_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("tournament", "random", "greedy", "maxn", *THREE, "--workers", "1", "--games", "6", "--seed", "7")
    printed = run(*asked)
    assert printed.exit_code == 0, printed.stderr
    assert "all groups of 3 bots, 6 games a group in rotated seats: 6 games" in printed.stdout
    folder = tmp_path / "tournament-isolation-7"
    assert "Each bot had each seat equally often." in (folder / "report.md").read_text()
    kept = cut_short(folder)
    told = json.loads(run(*asked, "--json").stdout)
    lines = (folder / GAMES_FILE).read_bytes().splitlines(keepends=True)
    assert (told["games"], len(lines), lines[:4]) == (6, 6, kept)
    assert sorted(line["games"] for line in told["bots"]) == [6, 6, 6]


def test_a_tournament_without_the_reports_packages_shows_its_standings_and_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    folder = tmp_path / "kept"
    asked = ("tournament", "random", "greedy", *QUICK, "--games", "2", "--out", str(folder))
    printed = run(*asked)
    assert printed.exit_code == 0, printed.stderr
    standings, _, left_out = printed.stdout.rstrip("\n").rpartition("\n")
    assert "round robin, 2 games a meeting: 2 games" in standings
    needed = "this needs jinja2, which is not installed: pip install 'cornered[lab]'"
    assert left_out == f"The games are in {folder}, without a report: {needed}"
    told = run(*asked, "--json")
    assert json.loads(told.stdout)["games"] == 2
    assert told.stderr.endswith(f"{left_out}\n")


CHOOSE = "def choose(state, limit):\n    return state.moves()[{}]\n"


def test_a_tournament_of_an_edited_file_is_refused_and_one_without_digests_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = Path("mine.py")
    mine.write_text(CHOOSE.format(0), encoding="utf-8")
    asked = ("tournament", "./mine.py", "random", *QUICK, "--games", "2", "--out", "kept")
    assert run(*asked).exit_code == 0
    mine.write_text(CHOOSE.format(-1), encoding="utf-8")
    refused = run(*asked)
    assert refused.exit_code == 2
    assert refused.stderr == (
        "cornered: ./mine.py has changed since the games in kept were played; choose another folder with --out, or "
        "remove kept\n"
    )
    plan = json.loads(Path("kept", PLAN).read_text(encoding="utf-8"))
    del plan["files"]
    Path("kept", PLAN).write_text(json.dumps(plan), encoding="utf-8")
    assert "All 2 games are of an earlier run" in run(*asked).stdout


def test_the_plan_has_a_digest_of_each_file_that_a_bot_word_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = {
        "./mine.py": "./mine.py",
        "./mine.py:depth=2": "./mine.py",
        "minimax:weights=mine.json": "mine.json",
        "exec:./engine --log log.txt": "./engine",
        "exec:python3 mine.py --log log.txt": "mine.py",
        "random": None,
    }
    digests = []
    for text in ("before", "after"):
        for name in ("mine.py", "mine.json", "engine", "log.txt"):
            Path(name).write_text(text, encoding="utf-8")
        digests.append({word: file_digests([word]) for word in words})
    before, after = digests
    assert {word: [*named] for word, named in before.items()} == {
        word: [file] * bool(file) for word, file in words.items()
    }
    assert all(after[word][file] != digest for word, named in before.items() for file, digest in named.items())


def test_an_edit_before_the_first_game_needs_no_other_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("before", "after"):
        Path("mine.py").write_text(text, encoding="utf-8")
        with held(tmp_path / "kept", {"files": {"mine.py": text}}, "contest", GAMES_FILE):
            pass
    assert json.loads((tmp_path / "kept" / PLAN).read_text()) == {"files": {"mine.py": "after"}}


def test_a_match_that_is_to_be_reported_needs_the_packages_before_it_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    folder = tmp_path / "kept"
    refused = run("match", "random", "greedy", *QUICK, "--games", "2", "--out", str(folder))
    assert refused.exit_code == 2
    assert refused.stderr == "cornered: this needs matplotlib, which is not installed: pip install 'cornered[lab]'\n"
    assert not folder.exists()


def test_an_interrupt_ends_with_130_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "cornered", "match", "random", "greedy", *QUICK, "--games", "100000")
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with program_group(process):
        wait_until(lambda: (tmp_path / GAMES_FILE).exists() and (tmp_path / GAMES_FILE).stat().st_size > 0, process)
        os.killpg(process.pid, signal.SIGINT)  # As in a terminal, the workers receive the signal too.
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "repeat the command to go on" in err
    assert "Traceback" not in err
    assert out == ""
    assert (tmp_path / PLAN).exists()
    assert (tmp_path / GAMES_FILE).read_bytes().endswith(b"\n")


def test_what_is_not_shown_is_said_so() -> None:
    level = result(played(0, 0, 1, 0, 0, 1, None, None, 1, 1))
    assert stronger_bot(level.tally, None) == "neither"
    assert level.words().startswith("Not shown either way: with 95% confidence the Elo difference of a to b is -")
    assert level.as_json()["stronger"] == "neither"


def test_the_second_bot_can_be_the_stronger_one() -> None:
    behind = result(played(*[1] * 40))
    assert stronger_bot(behind.tally, None) == "second"
    assert behind.words().startswith("b is stronger than a, by ")
    ahead = result(played(*[0] * 40))
    assert ahead.words().replace("a is stronger than b", "b is stronger than a") == behind.words()


def test_the_words_of_a_test_follow_its_bounds() -> None:
    won, lost, open_ = played(*[0] * 400), played(*[1] * 400), played(0, 1)
    for games, bounds, who, said in (
        (won, (0, 20), "first", "a is stronger than b: "),
        (lost, (0, 20), "neither", "a is not shown to be stronger: "),
        (lost, (-20, 0), "second", "b is stronger than a: "),
        (won, (-20, 0), "neither", "a is not shown to be weaker"),
        (open_, (0, 20), "neither", "Not decided"),
    ):
        tested = result(games, Sprt(*bounds))
        assert stronger_bot(tested.tally, tested.test) == who
        assert tested.words().startswith(said)


def test_a_test_that_does_not_ask_who_is_stronger_says_it_where_its_games_do() -> None:
    behind = result(played(*[1] * 400), Sprt(0, 20)).words()
    assert behind.startswith("a is not shown to be stronger: ")
    assert "and errs in at most 5% of such tests. b is stronger than a, by " in behind
    cut_short = result(played(*[0] * 14), Sprt(0, 3)).words()
    assert cut_short.startswith("Not decided: ")
    assert " a is stronger than b, by " in cut_short
    level = result(played(*[0, 1] * 200), Sprt(0, 200)).words()
    assert level.startswith("a is not shown to be stronger: ")
    assert level.endswith("of such tests.")


def test_a_clean_sweep_has_no_upper_bound() -> None:
    ahead, behind = result(played(0, 0)), result(played(1, 1))
    assert "Elo difference of a to b is at least -" in ahead.words()
    assert "Elo difference of a to b is at most +" in behind.words()
    assert "without bound (at most +" in "\n".join(behind.lines())


def test_the_lines_fit_the_terminal_and_break_between_words() -> None:
    told = result(played(*[1] * 400), Sprt(0, 20))
    assert max(map(len, told.lines())) > 80 >= max(map(len, told.lines(80)))
    assert " ".join(" ".join(told.lines(80)).split()) == " ".join(" ".join(told.lines()).split())


def test_a_server_that_rolls_dice_is_given_games_from_the_start() -> None:
    def agreed(server: str | None, plies: int | None) -> str:
        options = ContestOptions(game="isolation", option=["dice=true"], depth=2, server=server, plies=plies)
        return ContestConfig.of(options).opened

    assert agreed("ws://127.0.0.1:1", None) == "the start"
    assert agreed("ws://127.0.0.1:1", 2) == "2 random plies"
    assert agreed(None, None) != "the start"


def test_a_bot_against_itself_is_told_apart_by_number() -> None:
    same = result(played(0, 0, 1, 0, first="a", second="a"), first="a", second="a")
    assert same.names == ("a (1)", "a (2)")
    (standing,) = [each for each in same.standings().table if each.bot == "a (1)"]
    assert (standing.score.wins, standing.score.losses) == (same.tally.wins, same.tally.losses) == (3, 1)


def test_equal_games_are_counted_and_told() -> None:
    games = played(*[0, 1] * 10)
    assert result(games).different == 20
    again = [replace(game, moves=("b4",)) for game in games]
    assert result(again).different == 2
    assert "only 2 of the games differ" in "\n".join(result(again).lines())
    assert "of the games differ" not in "\n".join(result(games).lines())


def test_faults_are_listed_in_the_result() -> None:
    games = [*played(0, 0, 0, 0, ending="crashed", fault="b: RuntimeError: out of ideas"), *played(0, 0)]
    printed = "\n".join(result(games).lines())
    assert "game 3, crashed: b: RuntimeError: out of ideas" in printed
    assert "4 crashed" in printed
    assert "b lost 4 of its 6 games by failing, not by playing." in printed
    assert "by failing" not in result(played(0, 0)).words()


def test_a_bot_that_failed_in_all_games_is_told_in_place_of_the_statistics() -> None:
    games = played(0, 0, 0, 0, ending="crashed", fault="b: b.py, line 2: RuntimeError: out of ideas")
    said = "b failed in all 4 games, so that nothing is shown of its strength: b.py, line 2: RuntimeError: out of ideas"
    assert result(games).lines()[0] == said
    itself = [replace(game, fixture=replace(game.fixture, players=("b", "b"))) for game in games]
    assert result(itself, first="b").words().startswith("b (2) failed in all 4 games")


def test_a_crash_is_told_with_the_file_and_line_of_its_author(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import json\n\ndef choose(state, limit):\n    return json.loads('')\n")
    printed = run("match", str(path), "random", *QUICK, "--games", "2")
    assert printed.exit_code == 0, printed.stderr
    first = printed.stdout.splitlines()[0]
    assert first.startswith(f"{path} failed in all 2 games, ")
    assert "strength: mine.py, line 4: JSONDecodeError: Expecting value" in first


def test_the_note_beside_the_bar_has_all_that_the_test_goes_by() -> None:
    test = Sprt(0, 3)
    told = note(tallied(played(0, 0, 0, 1, None, 0)), test, 12.34)
    low, high = test.bounds
    assert told.startswith("+4 =1 -1  75.0% (")
    assert "12.3/s" in told
    assert "pairs 0 0 1 1 1" in told
    assert f"of {low:.2f} to {high:.2f}" in told
    assert note(MatchTally(), None, 0.0).startswith("+0 =0 -0  50.0% (0 to 100)")


def test_infinite_ratings_are_null_in_json() -> None:
    told = json.dumps(result(played(0, 0)).as_json(), allow_nan=False)
    assert json.loads(told)["elo"]["difference"] is None or math.isfinite(json.loads(told)["elo"]["difference"])


def won_by_the_later(schedule: Schedule, rounds: int) -> list[PlayedGame]:
    """Return the games of some rounds, which the bot wins that is later in the alphabet."""
    games: list[PlayedGame] = []
    for round_ in range(rounds):
        games += [
            PlayedGame(each, (*each.opening, "x"), int(each.players[1] > each.players[0]), "rules")
            for each in schedule.fixtures(round_, games)
        ]
    return games


def test_a_knockout_is_told_by_its_meetings_and_who_came_how_far(capsys: pytest.CaptureFixture[str]) -> None:
    bots = ("greedy", "minimax", "random")
    cup = Tournament.of("knockout", bots, 2, None, None)
    games = won_by_the_later(cup.schedule(random_plies(TERMS, 2)), 2)
    assert cup.places(games) == ["random", "greedy", "minimax"]
    told = cup.as_json(TERMS, games)
    assert told["order"] == "contest"
    assert [bot["bot"] for bot in told["bots"]] == told["places"]
    assert [meeting["winner"] for meeting in told["meetings"]] == ["random", "random"]
    cup.show(TERMS, games)
    printed = capsys.readouterr().out
    assert "semi-final: minimax 0 - 2 random; random goes on" in printed
    assert "final: greedy 0 - 2 random; random wins" in printed


def test_a_swiss_is_placed_by_its_own_rules_and_byes_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = ("greedy", "minimax", "random")
    cup = Tournament.of("swiss", bots, 2, 2, None)
    # So that byes count.
    games = won_by_the_later(cup.schedule(random_plies(TERMS, 2)), 2)
    told = cup.as_json(TERMS, games)
    byes = {place["name"]: place["byes"] for place in told["swiss"]}
    assert sum(byes.values()) == 2
    assert {bot["bot"]: bot["byes"] for bot in told["bots"]} == byes
    assert [bot["bot"] for bot in told["bots"]] == told["places"] == [place["name"] for place in told["swiss"]]
    for bot, place in zip(told["bots"], told["swiss"], strict=True):
        assert (bot["match_points"], bot["buchholz"]) == (place["points"], place["buchholz"])
    cup.show(TERMS, games)
    printed = capsys.readouterr().out
    assert [printed.index(f" {name} ") for name in told["places"]] == sorted(
        printed.index(f" {name} ") for name in told["places"]
    )
    cup.write(tmp_path, TERMS, games, {})
    report = (tmp_path / "report.md").read_text()
    assert "as the contest's rules place them" in report
    assert "| Places |" not in report
    assert f"| 1. `{told['places'][0]}` |" in report


def test_a_narrow_terminal_cuts_no_name_into_pieces(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    bots = ("greedy", "minimax", "quoridor-classic:depth=1,path=3")
    cup = Tournament.of("swiss", bots, 2, 1, None)
    fixtures = cup.schedule(random_plies(TERMS, 2)).fixtures(0, [])
    cup.show(TERMS, [PlayedGame(each, (*each.opening, "x"), 0, "rules") for each in fixtures])
    printed = capsys.readouterr().out
    assert all(bot in printed for bot in bots)
    assert "Buchholz" in printed
    assert "Glicko-2" not in printed
    monkeypatch.setenv("COLUMNS", "160")
    cup.show(TERMS, [PlayedGame(each, (*each.opening, "x"), 0, "rules") for each in fixtures])
    assert "Glicko-2" in capsys.readouterr().out


STRANGER = """
from cornered.bots.bot import Bot, Thought

class Stranger(Bot):
    name = "{name}"
    description = "For tests."

    def choose(self, state, limit):
        {answer}

BOT = Stranger
"""


def test_bots_that_fail_lose_their_games_and_the_tournament_goes_on_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {"raising": 'raise RuntimeError("out of ideas")', "cheating": 'return Thought("a1")'}
    for name, answer in answers.items():
        (tmp_path / f"{name}.py").write_text(STRANGER.format(name=name, answer=answer))
    monkeypatch.setattr(roster, "__path__", [*roster.__path__, str(tmp_path)])
    bots = ("greedy", "raising", "random", "cheating")
    cup = Tournament.of("round-robin", bots, 2, None, None)
    games: list[PlayedGame] = []
    with ContestJournal.open(tmp_path / "cup", TERMS, {}) as journal:
        for fixture in cup.schedule(random_plies(TERMS)).fixtures(0, ()):
            games.append(play(TERMS, fixture))
            journal.append(games[-1])
    told = cup.as_json(TERMS, games)
    assert told["games"] == len(games) == 12
    faults = {bot["bot"]: bot["faults"] for bot in told["bots"]}
    assert faults["greedy"] == faults["random"] == 0
    assert faults["raising"] + faults["cheating"] == 10
    assert all(game.score_of(bot) == 1 for game in games for bot in ("greedy", "random") if is_mixed(game, bot))
    cup.show(TERMS, games)
    printed = capsys.readouterr().out
    assert "crashed: raising: raising.py, line 9: RuntimeError: out of ideas" in printed
    assert "illegal: cheating: " in printed
    assert run("check", str(tmp_path / "cup" / GAMES_FILE)).exit_code == 0


def is_mixed(game: PlayedGame, bot: str) -> bool:
    """Return whether a bot played against one that fails."""
    return bot in game.fixture.players and bool({"raising", "cheating"} & set(game.fixture.players))
