"""A wrong request is one line that says what is wrong, exit code 2, and leaves nothing behind."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import run

ABBREVIATIONS: Final = {
    "QUICK": "--game trapgrid -o size=5 --depth 3 --workers 1",
    "THREE": "--game isolation -o players=3 -o width=4 -o height=4 --depth 1",
    "SMALL": "trapgrid -o size=4 --depth 2 --workers 1 --shard 4 --out data",
    "FILE": str(Path(__file__).resolve().parents[2] / "examples" / "first_bot.py"),
    "PYTHON": sys.executable,
    "DEVNULL": os.devnull,
    "LONG": "x" * 200,
    "HUGE": str(10**30),
}
REQUESTS: Final = {
    "playing": """
        play chess --plain => there is no game 'chess'
        play trapgrid --option size=99 => option 'size' takes 3 to 8, not 99
        play --option size=5 => name the game
        play trapgrid --rated => add --bot or --seek
        play trapgrid --rated --with-help --bot level-1 => choose one of
        play trapgrid --with-help => name one with --bot
        play trapgrid --clock soon => a clock is 5+3
        token '' => a name has 1 to 24 characters
        token LONG => a name has 1 to 24 characters
        serve --lan --host 127.0.0.1 --no-bots => leave out either --lan or --host
    """,
    "the rules": """
        moves chess => there is no game 'chess'; there are bamboo
        moves trapgrid -o size=9 => option 'size' takes 3 to 8, not 9
        moves trapgrid -o colour=1 => no option 'colour'; its options are size
        moves trapgrid -o size => not 'size'
        moves quoridor --moves z9 => z9
        show trapgrid -m 'a6 a7' => 'a7' is not legal: a7 is blocked
        perft trapgrid -d 1 -p nonsense => 'nonsense' is no position
        check no-such-file.jsonl => No such file
        bench rules nosuch => there is no game 'nosuch'
    """,
    "bots": """
        bot random --server http://host:18420x => looks like http://host:port
        bot random --server ws:// => looks like http://host:port
        bot nosuch => there is no bot 'nosuch'
        bot random greedy --against level-3 => are for one bot, which comes alone
        bot random --against level-3 --rated --exhibition => are for several bots or those of the roster
        bot FILE random --games 2 => are for one bot, which comes alone
        bot FILE --exhibition => are for several bots or those of the roster
        bot FILE --clock 1+0 => name an opponent
        bot FILE --against level-3 --clock soon => a clock is 5+3
        bot FILE --on-error ignore => resign, random or raise
        bot ./nosuch.py => there is no file
        replay => name one file of requests
        replay --match m => whose requests
        replay FILE => which bot answers
        replay FILE --bot random => first_bot.py, line 1 is no request
        replay none.jsonl --bot random => none.jsonl
        replay FILE --match m => name one file of requests
    """,
    "thinking": """
        think chess => no game 'chess'
        think trapgrid --bot deep-thought => no bot 'deep-thought'
        think trapgrid --bot minimax:depth=3 => has no setting 'depth'
        think trapgrid -o size=3 -m 'b3 c2 c3 b2' => the game is over
        think isolation -o dice=true -m 'a1 g7' => the dice have to be rolled
        think => name a game
        think trapgrid --file x.jsonl --out y => brings its own games
        think --file x.jsonl => needs --out
        think trapgrid --out y => --out and --resume belong to --file
        think trapgrid --resume => --out and --resume belong to --file
        think trapgrid --time inf => Invalid value for '--time'
        think trapgrid --time nan => Invalid value for '--time'
        think trapgrid --time 1e12 => Invalid value for '--time'
        think trapgrid --nodes 99999999999999999999 => Invalid value for '--nodes'
        think trapgrid --depth 1001 => Invalid value for '--depth'
    """,
    "contests": """
        tournament random greedy THREE => name 3 bots or more
        tournament random greedy maxn THREE --games 4 => give --games a multiple of 3, such as 6
        tournament random greedy maxn THREE --kind knockout => games of 3 players are for --kind round-robin
        tournament random greedy linear THREE => linear does not play isolation
        tournament random greedy maxn THREE --server ws://127.0.0.1:1 => leave out --server
        match random nosuch QUICK => there is no bot 'nosuch'
        match random greedy --game chess => there is no game 'chess'
        match random greedy QUICK -o walls=3 => walls
        match random quoridor-path QUICK => quoridor-path does not play trapgrid
        match exec:./nothing random QUICK => there is no program './nothing'
        match random greedy QUICK --games 7 => an even number, 6 or 8
        match random greedy QUICK --games 0 => --games
        match random greedy --game isolation -o players=3 => contests are for two players
        match random greedy QUICK --sprt 3 => as in 0,3, not '3'
        match random greedy QUICK --sprt 3,0 => between a smaller and a larger difference
        match random greedy QUICK --alpha 0.01 => give --sprt
        match random greedy QUICK --seed HUGE => --seed
        match random greedy QUICK --out DEVNULL => DEVNULL is no folder; choose another with --out
        match random greedy QUICK --openings PYTHON => this is no UTF-8 text
        match random greedy QUICK --clock 5+3 => give --server
        match random greedy QUICK --server ws://127.0.0.1:1 --clock soon => a clock is 5+3
        match random greedy QUICK --server ws:// => looks like http://host:port
        match random greedy QUICK --plies 2 --openings x => give one of them
        match random greedy QUICK --openings nosuch => nosuch: No such
        tournament random QUICK => two bots or more
        tournament random greedy random QUICK => random is there twice
        tournament level:level=3 'level:level= 3' QUICK => level-3 is there twice as level:level=3 and as level:level= 3
        tournament random greedy QUICK --games 3 => an even number
        tournament random greedy QUICK --rounds 3 => is for --kind swiss
        tournament random greedy QUICK --kind gauntlet --tested 2 => no bot is left
        tournament random greedy QUICK --kind swiss --tested 1 => is for --kind gauntlet
    """,
    "research": """
        dataset SMALL --games 2 --bot nosuch => there is no bot 'nosuch'
        dataset SMALL --games 2 --bot bamboo-outer => does not play
        dataset SMALL --games 2 --plies 90 => take fewer
        train bamboo-neural --radius 1 --out none => there is no folder
        train bamboo-neural --radius 1 --out . --mix people=1 => a mix looks like
        train bamboo-neural --radius 1 --out . --seed -3 => Invalid value for '--seed'
        puzzles chess => bamboo, isolation, quoridor, trapgrid
        reproduce bamboo-table-9 --tiny => there is no experiment 'bamboo-table-9'
        tune settings mcts --game trapgrid => name a setting to tune with its range
        tune settings mcts --game trapgrid --range c=0:99 => c is a number from 0 to 10
        tune settings puct --game trapgrid --range loss=0:1 => puct:loss=0.25 does not play
        tune settings mcts --game chess --range c=0:1 => chess
        tune td --game chess => there are no weights for 'chess'
        tune td --game quoridor -o players=4 => contests are for two players
        tune td --game quoridor --tune luck => quoridor has no weight 'luck'; there are path, progress, wall
        tune spsa --game quoridor --range path=3 => a range looks like path=0:10
        tune spsa --game quoridor --range path=x:3 => 'x' is no number
        tune grid --game quoridor --level path => NAME=VALUE, not 'path'
        tune grid --game trapgrid => combinations are too many
        tune td --game trapgrid --out no-folder/x.json => there is no folder no-folder
        tune td --game trapgrid --out . => is a folder; name a file in it
        tune test no-file.json => no-file.json: No such file or directory
    """,
    "load": """
        bench load nosuch => a profile is one of play, watch, idle, capacity, not 'nosuch'
        bench load --place here => a place is one of any, same, different, not 'here'
        bench load --store mysql => a store is one of sqlite, postgresql, not 'mysql'
        bench load --game chess => there is no game 'chess'
        bench load --server ws://127.0.0.1:1 --yes => no server listens at ws://127.0.0.1:1
        bench load --server nowhere --yes => a server's address looks like http://host:port
        bench load --store sqlite --server ws://127.0.0.1:1 => those of --server have theirs
        bench load --pid 1 => --pid names processes of the servers that --server gives
        bench load --pairs 2 --bot-pairs 3 => --bot-pairs 3 are more than the 2 pairs
        bench load --pairs 5 --matches 3 => leaves some of the 5 pairs without a match
        bench load watch --watchers 0 => watch needs --watchers
        bench load idle --idle 0 => idle needs --idle
        bench load watch --rate 100 --seconds 200 => a match ends after 10,000 moves
        bench load idle --idle 100000000 => open files
        bench growth --store mysql => a store is one of sqlite, postgresql
    """,
}


@pytest.mark.parametrize("about", REQUESTS)
def test_a_wrong_request_is_one_line_and_leaves_nothing_behind(
    about: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: None, subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)
    for row in REQUESTS[about].strip().splitlines():
        with subtests.test(row.strip()):
            written = row
            for short, whole in ABBREVIATIONS.items():
                written = written.replace(short, whole)
            command, said = written.strip().split(" => ")
            result = run(*shlex.split(command), CORNERED_DATA=str(tmp_path))
            assert (result.exit_code, result.stdout) == (2, "")
            assert said in result.stderr
            first, *others = result.stderr.strip().splitlines()
            assert first.startswith("Usage: ") or (first.startswith("cornered: ") and not others)
            assert list(tmp_path.iterdir()) == []


def test_what_is_secret_is_never_printed() -> None:
    for token in ("bogus", "s3cret" * 50):
        result = run("bot", "random", CORNERED_TOKEN=token)
        assert (result.exit_code, "this is no token" in result.stderr) == (2, True)
        assert token[:5] not in result.output
    result = run("bot", "random", "--analyse=random", "--server=ws://127.0.0.1:1", CORNERED_ANALYST_KEY="secret word")
    assert result.exit_code == 2
    assert result.stderr == "cornered: CORNERED_ANALYST_KEY: a key has 20 to 100 characters\n"
