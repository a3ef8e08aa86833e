"""Writes PROTOCOL.md: hand-written prose, and tables that are generated from the models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from cornered.protocol.account import CODE_COUNT
from cornered.protocol.analysis import LEAST_ANALYSED_DELAY, MAX_ATTEMPTS, MAX_OPEN_ANALYSES
from cornered.protocol.codec import MAX_CONTAINERS, MAX_FRAME, MAX_NESTING
from cornered.protocol.feed import (
    LOBBY,
    STATE_EXPIRY_S,
    NodeStatus,
    PublicMatchState,
    events_topic,
    state_topic,
    status_topic,
)
from cornered.protocol.messages import ErrorCode
from cornered.protocol.text import MAX_MARKS
from cornered.protocol.traces import MAX_TRACE_CELLS, TRACE_GRAMMAR
from cornered.protocol.type_words import Schema, described, literal

__all__ = ["ERROR_WORDS", "write_manual"]

ERROR_WORDS: Final[dict[ErrorCode, str]] = {
    "malformed": "The message is not JSON or msgpack, or a field is missing, unknown, or has a wrong value; the text "
    "says which, and what belongs there.",
    "too_large": f"The message has more than {MAX_FRAME} bytes.",
    "too_deep": f"The message nests deeper than {MAX_NESTING}.",
    "unknown_type": "There is no message of this `type`.",
    "id_reused": "An earlier command of the player with other content had this `id`. Nothing is changed: send this one "
    "under a new id, and begin the ids of each run with something random.",
    "hello_first": "The first message must be `hello`.",
    "hello_again": "This socket has sent `hello` already.",
    "bad_token": "No player has this token, or it was revoked. Connect again without one.",
    "too_fast": "The rate limit is exceeded; `retry_after` says for how many milliseconds. The move that a match waits "
    "for is never refused for this.",
    "server_full": "The server is at its limit of connections, tables or challenges, or the player at its limit of "
    "connections; the text names it.",
    "shutting_down": "The server restarts. Connect again in a moment; nothing is lost.",
    "internal": "The command failed in the server, or may still be carried out. Send it again with the same `id`, a "
    "few times at most.",
    "unknown_game": "There is no such game; the text lists the games.",
    "bad_options": "The game has no such option, or the option no such value; the text lists what is valid.",
    "bad_position": "The text is no position of this game, or none that its rules allow; the text says what is wrong.",
    "unknown_match": "There is no such match.",
    "unknown_seek": "The table is gone.",
    "unknown_challenge": "The challenge is over.",
    "unknown_player": "There is no such player, or the player is not connected.",
    "unknown_pool": "There is no such pool of quick pairing, or the key is none of a rating pool. The text says more.",
    "not_a_player": "Only players of the match may do this.",
    "not_a_spectator": "Only spectators of the match may do this.",
    "not_yours": "The table or challenge is another player's.",
    "not_your_turn": "Another seat is to move.",
    "stale_ply": "The match has another number of plies than the command: the client has missed an event.",
    "illegal_move": "The rules forbid the move; the text has the reason.",
    "match_over": "The match is over.",
    "match_not_over": "The match is not over yet.",
    "no_draws": "The game has no draws under its options.",
    "nothing_offered": "There is no draw offer or takeback request that this player could answer.",
    "already_offered": "The player has offered or accepted this already.",
    "too_late": "The time for this is past: a flag fell, the player is out, or too much has been played to abort.",
    "paused": "The organiser has paused the match; until its clocks go on, players can only resign.",
    "nothing_to_take_back": "The player has made no move that can be taken back. An elimination is never undone.",
    "opponent_here": "No opponent has been away for long enough to claim victory.",
    "already_joined": "The player sits at this table already.",
    "too_few_players": "The game cannot start with so few players.",
    "seat_taken": "Another player has the seat.",
    "yourself": "A player cannot challenge itself.",
    "not_accepted": "The bot does not play this game, or not with these options or this clock.",
    "busy": "A player or an address is at its limit of games, tables or challenges; the text names it.",
    "not_a_bot": "Only bots declare what they play.",
    "not_allowed": "Only bots with the operator's key may do this.",
    "private": "Only its players see this match, and the members of the group whose event it is of.",
    "no_analyst": "No connected bot analyses this game.",
    "not_now": "Analysis is refused while the match is live: to its players, and to all while a person plays.",
    "nothing_to_analyse": "The game is decided in this position, or no player is to move.",
    "unknown_analysis": "The analysis is over, is not of this connection, or is another analyst's job now.",
    "unknown_group": "There is no such group, or the player is no member of it.",
    "unknown_code": "No group has this code. It may have been replaced or revoked.",
    "last_teacher": "A group has at least one teacher: another member has to become one first.",
    "no_guests": "This server is for accounts: sign in first.",
    "no_account": "This is for accounts, and the player is a guest: register first.",
    "already_registered": "The player has an account already.",
    "registration_closed": "No accounts are made here but by the operator.",
    "bad_invitation": "Registration needs an invitation that is valid: it is wrong, used up or past its time.",
    "name_taken": "The name is an account's, was one, is reserved, or somebody bears it just now.",
    "weak_password": "The password is too easy to guess: it is the name, or one of the commonest.",
    "bad_credentials": "The name, the password or the code is wrong; which of them is not said.",
    "not_permitted": "The token's scopes, or the player's role, do not permit this.",
    "unknown_session": "The player has no such session; it may have ended already.",
    "unknown_token": "The player has no such personal token; it may be revoked already.",
    "no_passkeys": "Passkeys do not work at this address, or the server lacks the package for them: use the password.",
    "passkey_known": "This passkey is an account's already.",
    "unknown_passkey": "The account has no such passkey; it may be removed already.",
    "last_way_in": "This is the account's last way to sign in: add another passkey, or set a password first.",
    "sign_in_again": "The account has neither password nor passkey, and this session is no new one: sign in again.",
    "no_oidc": "This server signs nobody in at a provider.",
    "oidc_refused": "The visit to the provider is over, was begun elsewhere, or is not accepted here. Begin again.",
    "already_linked": "The identity is linked to an account already, or the account to an identity.",
    "conflict": "The account was changed at the same time, and nothing of this was done. Look at it and try again.",
    "unknown_tournament": "There is no tournament with this id, or it is one of a group that the player is not in.",
    "tournament_over": "The tournament is finished or cancelled.",
    "banned": "An administrator keeps this player or address out. The text says why and until when; the socket closes.",
    "muted": "An administrator refuses this player's chat lines. The text says why and until when.",
    "no_chat": "The server has no chat.",
    "forbidden_words": "The text or the name has a word that this server does not accept.",
    "unknown_ban": "No such ban or mute holds.",
    "unknown_report": "No such report is open.",
}

PROSE: Final = f"""\
<!-- Generated by `python -m cornered.protocol.reference`: do not edit. -->
# The protocol, version 1

Programs and pages talk to the server in messages over one WebSocket, at `/ws`. `protocol/schema.json` is the same
reference for machines (JSON Schema 2020-12), `clients/typescript/src/protocol.ts` for TypeScript.
[docs/starters.md](docs/starters.md) has whole bots in Python, TypeScript and Go, to begin with.

## Connecting

The subprotocol chooses how messages travel; both carry exactly the same ones.

| subprotocol | a message is | meant for |
| --- | --- | --- |
| `cornered.v1.json` | one text frame: a JSON object | browsers, and programs in any language |
| `cornered.v1.msgpack` | one binary frame: a msgpack map with text keys | programs with many games |

A handshake that names neither is refused with status 400, and the body says which there are. The first message is
`hello`. Without a token the server creates a guest of that name, or of a name like `Guest 4821` if
there is none, and `welcome` carries a token: a bearer credential, with which the next `hello` resumes the same player.
Tokens travel in messages only, never in a URL. A bot sends `"kind": "bot"`, and then `declare`s what it plays.

A `hello` is refused without an `id`. After `too_fast`, `server_full`, `shutting_down` and `internal` a client connects
again later; any other code will not change by itself, and a program ends with its text.

Before `hello` a client may `ask_policies`, `register`, `sign_in` and `recover`, or sign in by a passkey, a link or at a
provider: see [Accounts](#accounts).

## Commands and answers

Every later message of a client is a command with an `id` of the client's own choice, unique for its player (of
letters, digits and `_.:-`, at most 40). A program begins its ids with something random: with the ids of an earlier run
its commands would be repeats of that run's, or refused. Every command is answered once: by `acknowledged`, by the
message that its description names, or by `refused` with a code for programs and a text for people.

The durability of an acknowledged command depends on its subject:

- Events of a match, its start included, are stored before they are acknowledged: they survive a power loss of the
  server.
- Tables, challenges and matches that were agreed are stored before they are acknowledged. After a restart their
  players have 30 seconds to connect again, as after any lost connection.
- Who is there and what bots declare is in the server's memory: a bot declares again on every new connection.

A message that is no valid command is refused as `malformed` or `unknown_type`. The text names the path of the field, as
in `settings.clock.kind`, what is expected there, what was found, and the nearest name where one is near. It is for
people and may change; a program goes by the code.

Commands are idempotent by their `id`: a client that does not know whether a command arrived sends it again, also on a
new socket. A command that was carried out is not repeated, and gets the same `seq` and `ref` again. A refused one
changed nothing, and is decided anew. The exception is `internal`: the store did not answer in time, and the command may
be carried out later. A repeat with the same `id` gets its answer. A repeat has the same content: a command with other
fields or of another type under an id that is remembered is refused with `id_reused`, and changes nothing. Such an id is
mostly that of an earlier run of the same program.

- A match remembers each seat's newest 64 commands, also when the server is restarted.
- The lobby remembers each player's newest 64 commands until 30 seconds after the last of the player's connections
  closed. A repeat after 64 newer ones or after a longer absence is a new command. Of a restarted server the commands of
  its last minute that were stored are known.

`play` carries the number of plies that the client knows. A move for another ply is refused with `stale_ply`, so that it
is never played in a position that its player has not seen.

## Limits

- A message has at most {MAX_FRAME} bytes and {MAX_CONTAINERS} maps and arrays, and nests at most {MAX_NESTING} deep.
  Its fields are strict: unknown fields, numbers in quotes and fractions for whole numbers are refused. Of a key that is
  repeated in one map the last counts.
- Messages per second are limited for each player and for each address by token buckets, except the move that a match
  waits for. A plain command costs one token, and one that is long, malformed, or makes the server read or compute
  costs more. A player's bucket holds 400 tokens and regains 100 a second, unless the operator sets other numbers;
  [GAMES.md](GAMES.md#limits) has them and the address's.
- `too_fast` has `retry_after`: in so many milliseconds there are enough tokens for the same command. Until then a
  client sends nothing but its moves. A refused command costs a token too, and a client that goes on regardless is
  disconnected with code 1008. A page or handshake that is refused for its rate gets the status 429, and the seconds in
  `Retry-After`.
- New players from one address are limited more tightly than its messages: resume the first player by its token.
- A page of the lobby lists at most 50 tables, 50 matches and 200 players (see [The lobby](#the-lobby)).
- A player sits at no more than 5 open tables, and has no more than 5 open challenges sent and 20 received, 10 of them
  from one address. There are no more than 2,000 tables and 2,000 challenges in all, 100 and 200 from one address.
  No more than 2,000 players wait to be paired, 200 of them from one address.
- A player is in no more than 50 live matches; a bot in as many as it has declared, up to 200. One address has no more
  than 500: a match counts for the address that each player has when it begins, until it is over. After a restart of the
  server it counts for the address of the player's first connection. These numbers are settings of the server.
- A slow reader delays no other client: a watcher that falls behind gets a snapshot when it reads again, a player's
  socket is closed, and the client resumes.
- Two processes that are connected as one bot get the `notice` `also_here`, where both gave `hello` an `instance`: each
  of them plays all of the bot's matches, and of their moves the first one counts. Where one gave none, the newer
  connection alone gets it, since it may be the same program that has come back. People may have several windows.

## What version 1 may gain

The subprotocols name version 1, and what is described here stays within it. A server may gain more without a new
version. A client ignores messages, fields and events that it does not know, shows the text of a `refused` with an
unknown code, and takes a match with an unknown reason of its end for over. The position, ply, side to move and clocks
of `happened` hold also where an event among its `events` is unknown. The server itself refuses fields and types that it
does not know. [GAMES.md](GAMES.md#what-version-1-may-gain) has the rest, about games and limits.

## Text

Text that other people see holds no control, format, private or unassigned characters and no separators of lines, by
Unicode general category, and no invisible fillers. Lengths count after normalisation.

- Names (`hello`, `offer_analysis`) are taken in the form NFKC with single plain spaces. A name with a forbidden
  character, the zero-width joiners among them, with more than {MAX_MARKS} combining marks on one character, or without
  a visible character, is refused as `malformed`. `welcome` has the name in its normal form.
- Lines and remarks (`say`, a `reason`, an `error`, an overlay's words) are taken in the form NFC: breaks become spaces,
  forbidden characters and further combining marks are removed. The joiners U+200C and U+200D stay between letters of
  the scripts that need them and between emoji. A line that is empty after that is refused as `malformed`.
- A move is printable ASCII without spaces.
- Matches of earlier versions may have names that would be refused today. A client shows every text as text, isolates
  its direction (`<bdi>`), and on a terminal replaces non-printable characters.

## Matches

A match is a list of events, numbered by `seq` from 1 without gaps. `happened` carries them in order, with the resulting
position, side to move and clocks. A client needs no rules: a player that joins with `"legal": true` gets the legal
moves as `legal` of every `snapshot` and `happened` that comes when it is to move, until it joins without. All others
get no such field. In Quoridor on 9x9 the 131 moves of the start are 793 bytes of JSON or 530 of msgpack, and the server
makes and encodes a message with them in 12 us rather than 6, where `ask_moves` takes a round trip, 230 us and 7 kB:
it also says why other moves are not legal.

- Times are whole milliseconds of the server's clock; `pong` shows its offset from the client's.
- `clocks.left` is the remaining time at `clocks.at`, when the present turn began; the clock of the seat `running` runs
  since then. With a `delay` clock the first seconds of each turn are free. With `fischer` and `delay` no clock runs
  before every player has made a first move; a time for each move runs from the beginning.
- A match whose first moves are not made in time expires (`expired`), without a result.
- A flag falls by the server's clock alone. Network lag is compensated: at most 500 ms a move out of a quota of 1,000 ms
  that regains 100 ms a move, so the server waits that much longer before it decides that a flag has fallen.
- Time in which the server is unable to serve counts against no player: while its process is stopped or starved for more
  than a second, while it cannot store a match's events, and while it is restarted. `resumed` gives that part of the
  present turn back before anything else is decided. Steps of the server's wall clock change no player's time.
- Every match ends at `max_plies` of `games` as a draw between all remaining players (`ply_limit`). Moves and rolls
  count, also those that were taken back. An option of the game may set a lower limit.
- With more than two players, one who resigns, is gone or loses on time is `eliminated` in the last free place, and the
  others go on; draws and takebacks need the agreement of every remaining player (`agreed` lists the seats so far).
- Positions and moves are text. A position is `<rows> <turn> [key=value ...]`: the rows joined by `/`, the top one
  first, a cell each character (`.` free, `x` blocked, a digit that seat's piece), rows of different length make a
  hexagon; the turn is a seat, or `c` while the dice are rolled. [GAMES.md](GAMES.md) has
  the rules of the games, every key, how to draw a hexagon, and positions and counts to check a program against.

## The lobby

`watch_lobby` is answered by `lobby`: the first page of each list, and the lengths of the lists. `lobby_changed` follows
with entries that are new or different on the first page, and ids that are gone from any page; `ask_lobby` returns
further pages.

- Tables and matches are listed with the newest first. Of the players the bots come first, from the earliest arrival to
  the latest, then people, the newest first.
- `more` is the cursor of the next page; it stays valid whatever is added or removed meanwhile.
- An update is sent at most four times a second, and later the larger the one before it was: on average a watcher gets
  no more than 16,000 bytes a second. `moved` lists a match at most once a second.
- A watcher that does not read in time, or misses too much, gets a new `lobby` without an `id`.
- Names are unique among the players in the lobby: of two that read alike, whatever their case, width or punctuation,
  the second gets a number, `Ada (2)`, until that player leaves. The names of house bots are reserved for connections
  with the operator's `key` in `hello`: with one of them any other player gets a number.

## Accounts

A guest's only key is its token. `register` makes it an account: the same player, with a name that is its own and a
password. `sign_in` on another device answers with a new token, and `hello` with that token is the player; the socket
on which one signs in keeps the player that it has.

- Each sign-in is a session. `ask_sessions` lists them; one that is ended is refused at once, and its sockets close with
  code 1008 within a second, on every node.
- A personal token (`create_token`) is for a program: it has scopes and an end. It plays and reads as they permit, and
  manages no account: that takes a session. A new password ends all other sessions and all personal tokens.
- A recovery code sets a new password once (`recover`). There are {CODE_COUNT}; `renew_codes` replaces them.
- A passkey signs in without a name or a password. `ask_passkey_challenge` says what the browser's WebAuthn is asked
  with; `register_by_passkey`, `sign_in_by_passkey` and `add_passkey` take what it answers. A challenge is good once,
  for five minutes, for its purpose. What a password confirms, a `proof` of a passkey confirms too.
- Where `policies` name a provider in `oidc`, `begin_oidc` says where the browser goes and gives a secret to keep. The
  page is back at `#/oidc/CODE`, and `finish_oidc` with code and secret signs in, registers, or links the account. A
  link is confirmed when it begins, as a further passkey is.
- `ask_sign_in_link` makes a link to `#/enter/CODE`, with its QR code; `sign_in_by_link` takes the code, once.
- An account's name, and those that it had, can be no other's. A guest who asks for one gets a number.
- A wrong password is slowed down where it comes from: `too_fast`, with `retry_after`. No number of wrong ones keeps
  the account's owner out of a place where the account was signed in before.
- The server sends each secret once, stores hashes, and logs neither. A repeated command gets no secret again: its `id`
  is not remembered.

## Private tables and matches

A table with `private` set is listed, in `lobby` and `lobby_changed`, only for the players who sit at it. Its id is the
invitation: with it `ask_seek` shows the table, and `join_seek` joins it. The match that begins there is `private` too:
it is in no list, search, count or feed but those of its players' own matches, and only they may `join` it.

The matches of a tournament of a group are private as well. The members of the group find them in `pairings` and may
`join` them as spectators, live and finished, as long as they may see the tournament.

## Ratings

A table or challenge for two may be `rated`. Then the result changes both players' Glicko-2 ratings in one pool: that of
the game, of the options that differ from its defaults, and of the clock's speed. Persons and bots have their ratings in
the same pools and leaderboards of their own.

- A result does not count where the match ended before its second move (but not by the rules), had no result, or a
  takeback was granted: `ended.rated` tells. A match with help is never rated.
- `rated` follows the end: each seat's rating before and after. A client that joins later gets it after its snapshot.
- A rating begins at 1500 with a deviation of 350, and is provisional while the deviation is above 110. Leaderboards and
  ranks leave provisional ratings out. docs/ratings.md has the formula.

## Resuming

`join` without `since` is answered by a `snapshot`. A client that has the events up to number n of a match joins with
`"since": n` after its next `hello`: the answer is `acknowledged`, then one `happened` with exactly the events that it
missed, if there are any, and then every new one. The whole list is kept, so every `since` of the past can be answered.
A `since` beyond the newest event, as after a lost disk, is answered by a `snapshot`.

Where nothing was missed nothing follows the acknowledgement: the position that the client has is the newest, and so are
its legal moves. What was not answered before the connection broke is sent again under its `id`. Before each attempt to
connect a client waits for a random time, whose bound doubles up to 15 seconds: after a restart of the server all
clients come back at once.

A frame that holds no message at all, such as half a JSON text, is a sign that others were lost with it: the client
closes the connection and resumes on a new one. A message of an unknown `type` is no such sign; it is ignored.

## Analysis

The server does not search. Bots register as analysts (`offer_analysis`) and get jobs: `analyse` has a position, and
`analysed` answers, first with the result of a short search and then with deeper ones, until it is `final`.
`stop_analysis` ends a job early. An offer needs the operator's key. The server checks that every move of a report and
of a tree is legal; scores and `proven` are unverified, and clients show them as those of `by`.

`ask_analysis` requests the analysis of a position, or of a variation from it: of a finished match, for every player who
may see it; of a live one, for its watchers alone, as far as its delay lets them see. A watcher may be a player in
another window: while a person plays, only the very positions of a match that has a clock and a delay of at least
{LEAST_ANALYSED_DELAY} seconds are analysed, and no variations. The acknowledgement's `ref` is the analysis id, and
`analysis` carries all results so far, whenever there are new ones, a few times a second at most.

- Analyses wait in a queue that serves players in turn. One player has at most {MAX_OPEN_ANALYSES} of them at once:
  `cancel_analysis` ends one, and so does the end of the connection.
- Equal questions share one analysis, and recent answers are reused.
- A job whose analyst leaves, fails or times out is assigned to another, {MAX_ATTEMPTS} times at most.
- Analyses are not stored. When a server restarts, or several nodes have lost messages or another owner of the queue, an
  analysis ends with an `error` and may be asked for again; analysts stay registered unless their connection ends.
- Scores are from the point of view of the player to move in the requested position. A report's `scale` turns them into
  win probabilities, by a curve that was fitted to the bots' own games; `proven` values need none.
- For a pass over a whole game, ask for each of its positions with few `milliseconds`, a few at a time.
- `ask_variation` returns the positions along a line of moves, so that a client without rules can step through it.
- `ask_line` and `ask_study` do the same and have a bot look without a match: from any position of a game, as from a
  link to it or one that was set up by hand. `read_record` reads a game record, which is checked and not stored.

`ask_trace` requests a search to be shown step by step, as textbooks print it, on a board of at most {MAX_TRACE_CELLS}
cells: `trace_search` is the job for a bot that offered `traces`, and the final `traced` has its lines. The queue and
its limits are those of analyses. The server checks that each node is reached by a legal move, and adds its position. A
line begins with a letter:

{TRACE_GRAMMAR}

## Verifying the dice

- `started.commitment` is the SHA-256 of a 32-byte seed, in hexadecimal; `ended.seed` is that seed, in hexadecimal.
- The roll at ply k is decided by the number `HMAC-SHA256(key: seed, message: "<match>:<k>")`, read as a big-endian
  integer. Let n be the number of possible rolls (three) and L the largest multiple of n that is at most 2^256. If the
  number is below L its remainder by n is the index of the roll, counted from 0; otherwise the message
  `"<match>:<k>:1"` is tried, then `"<match>:<k>:2"`, and so on.
- A takeback does not change the roll at a ply.

In Python:

```python
import hashlib
import hmac


def verify(match, commitment, seed, ply, rolls=("1", "2", "3")):
    key = bytes.fromhex(seed)
    assert hashlib.sha256(key).hexdigest() == commitment
    limit, attempt = 2**256 - 2**256 % len(rolls), 0
    while True:
        message = f"{{match}}:{{ply}}" + (f":{{attempt}}" if attempt else "")
        number = int.from_bytes(hmac.digest(key, message.encode(), "sha256"), "big")
        if number < limit:
            return rolls[number % len(rolls)]
        attempt += 1
```

## An example

Lines beginning with `>` are the client's, with `<` the server's; `...` stands for fields left out here.

```text
> {{"type": "hello", "name": "Ada"}}
< {{"type": "welcome", "player": {{"id": "p1", "name": "Ada", "kind": "person"}}, "token": "...", ...}}
> {{"type": "create_seek", "id": "7f3a.1", "settings": {{"game": {{"name": "trapgrid", "options": {{"size": 5}}}}}}}}
< {{"type": "acknowledged", "id": "7f3a.1", "seq": null, "ref": "s1"}}
  ... another player joins the table ...
< {{"type": "paired", "match": "m1", "seat": 0}}
> {{"type": "join", "id": "7f3a.2", "match": "m1"}}
< {{"type": "snapshot", "id": "7f3a.2", "match": "m1", "seq": 1, "seat": 0, "ply": 0, "to_move": 0, ...}}
> {{"type": "ask_moves", "id": "7f3a.3", "match": "m1", "ply": 0}}
< {{"type": "moves", "id": "7f3a.3", "match": "m1", "ply": 0, "moves": ["a4", "b5"], ...}}
> {{"type": "play", "id": "7f3a.4", "match": "m1", "ply": 0, "move": "a4"}}
< {{"type": "acknowledged", "id": "7f3a.4", "seq": 2, "ref": null}}
< {{"type": "happened", "match": "m1", "events": [{{"seq": 2, "type": "played", "move": "a4", ...}}], "ply": 1, ...}}
```

A bot gets its games by challenges, and here the legal moves with each position. A message that is no answer, such as
`paired`, may also come before the acknowledgement:

```text
> {{"type": "hello", "name": "Bo", "kind": "bot"}}
< {{"type": "welcome", "player": {{"id": "p2", "name": "Bo", "kind": "bot"}}, "token": "...", "matches": [], ...}}
> {{"type": "declare", "id": "c05e.1", "accepts": [{{"game": "trapgrid"}}], "concurrency": 4}}
< {{"type": "acknowledged", "id": "c05e.1", "seq": null, "ref": null}}
< {{"type": "challenged", "challenge": "c1", "by": {{"id": "p1", ...}}, "to": {{"id": "p2", ...}}, ...}}
> {{"type": "accept_challenge", "id": "c05e.2", "challenge": "c1"}}
< {{"type": "acknowledged", "id": "c05e.2", "seq": null, "ref": "m2"}}
< {{"type": "paired", "match": "m2", "seat": 1}}
> {{"type": "join", "id": "c05e.3", "match": "m2", "legal": true}}
< {{"type": "snapshot", "id": "c05e.3", "match": "m2", "seq": 1, "seat": 1, "ply": 0, "to_move": 0, ...}}
< {{"type": "happened", "match": "m2", "events": [{{"seq": 2, ...}}], "ply": 1, "legal": ["f1", "g2"], ...}}
> {{"type": "play", "id": "c05e.4", "match": "m2", "ply": 1, "move": "f1"}}
```
"""

MQTT: Final = f"""\
## The MQTT feed

A server with a broker (`CORNERED_MQTT`) publishes all public matches to it, as JSON. Private matches are never
published, and the server reads nothing from the broker: one that is down, or loses messages, delays no match.

| topic | payload | retained | QoS |
| --- | --- | --- | --- |
| `{state_topic("{id}")}` | a [PublicMatchState](#publicmatchstate), the newest one; empty once the match is over | yes, for {STATE_EXPIRY_S:,} s unless published again | 0, the end 1 |
| `{events_topic("{id}")}` | one [event](#events-of-a-match) each | no | 0 |
| `{LOBBY}` | a [`lobby`](#lobby), at most once in five seconds when something changed, and each [`lobby_changed`](#lobby_changed) | the `lobby`, for {STATE_EXPIRY_S:,} s unless published again | 1, changes 0 |
| `{status_topic("{node}")}` | a [NodeStatus](#nodestatus); `offline` is the server's last will | yes | 1 |

Events come before the state that they led to; states in between may be left out. After a gap in `seq` a client
continues from the next state, or requests the missing events from the server. The end is in the `ended` event, and in
no state.

The `lobby` is that of a client without tables of its own: without private tables, and bounded like every update. It is
published when the server starts, and again after a reconnection to the broker.
"""  # noqa: E501


def write_manual(schema: Schema) -> str:
    """Return PROTOCOL.md."""
    definitions = schema["$defs"]
    unions = {name: _members(definitions[name]) for name in ("ClientMessage", "ServerMessage", "MatchEvent")}
    messages = {name for members in unions.values() for name in members} | set(unions)
    documents = (PublicMatchState.__name__, NodeStatus.__name__)
    values = [name for name in definitions if name not in messages and name not in documents]
    parts = [PROSE, "## Messages of a client\n", *(_section(definitions[name]) for name in unions["ClientMessage"])]
    parts += ["## Messages of the server\n", *(_section(definitions[name]) for name in unions["ServerMessage"])]
    parts += ["## Events of a match\n", *(_section(definitions[name]) for name in unions["MatchEvent"])]
    parts += [MQTT, *(_section(definitions[name], name) for name in documents)]
    parts += ["## Values\n", *(_section(definitions[name], name) for name in values)]
    rows = [f"| `{code}` | {ERROR_WORDS[code]} |" for code in get_args(ErrorCode)]
    parts += ["## Error codes\n", "\n".join(["| code | meaning |", "| --- | --- |", *rows]) + "\n"]
    return "\n".join(parts)


def _members(union: Schema) -> list[str]:
    return [str(variant["$ref"]).removeprefix("#/$defs/") for variant in union["oneOf"]]


def _section(definition: Schema, title: str | None = None) -> str:
    """Return one message or value: its name, its meaning, and a table of its fields."""
    if "oneOf" in definition:
        return f"### {title}\n\nOne of {_described(definition)}, distinguished by `kind`.\n"
    properties = definition["properties"]
    title = title or f"`{properties['type']['const']}`"
    text = definition.get("description", "")
    if answers := definition.get("answers"):
        text += f"\n\nAnswered by {' or '.join(f'`{answer}`' for answer in answers)}."
    rows = list(_rows(properties, definition.get("required", [])))
    table = "\n".join(["| field | is | meaning |", "| --- | --- | --- |", *rows]) if rows else ""
    return "\n\n".join(part for part in (f"### {title}", text, table) if part) + "\n"


def _rows(properties: Schema, required: list[str]) -> Iterable[str]:
    for name, value in properties.items():
        if name != "type":
            default = "" if name in required else f"; default {_code(literal(value.get('default')))}"
            meaning = " ".join(value.get("description", "").split())
            yield f"| `{name}` | {_described(value)}{default} | {meaning} |"


def _code(text: str) -> str:
    return f"`{text}`"


def _link(name: str) -> str:
    return "event" if name == "MatchEvent" else f"[{name}](#{name.lower()})"


def _described(schema: Schema) -> str:
    return described(schema, _code, _link)
