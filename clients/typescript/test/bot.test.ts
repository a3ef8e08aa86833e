/** Bots and people on the server that CORNERED_SERVER names. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { type Choose, Client, type Heard, type Match, type Presence, runBot } from "../src/index.ts";

const TRAPGRID = { name: "trapgrid", options: { size: 3 } };
const ISOLATION = { name: "isolation", options: { width: 4, height: 4 } };

function first(client: Client, is: (heard: Heard["changed"]) => boolean): Promise<Match> {
  return new Promise((resolve) => {
    const end = client.on("changed", (heard) => {
      if (is(heard)) {
        end();
        resolve(heard.match);
      }
    });
  });
}

const isTheirTurn = ({ match }: Heard["changed"]) => match.isOver || match.toMove === match.seat;

/** Wait until the bot is in the lobby and has declared what it plays; return its player id. */
async function ready(client: Client, name: string): Promise<string> {
  const id = ({ players }: { players: Presence[] }) =>
    players.find((one) => one.player.name === name && one.accepts.length > 0)?.player.id;
  const later = new Promise<string>((resolve) => {
    client.on("lobby_changed", (changed) => {
      const found = id(changed);
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  return id(await client.ask("watch_lobby", {})) ?? later;
}

/** Start a bot, challenge it, and return the challenger with its match, in which it is to move. */
async function play(
  context: TestContext,
  choose: Choose,
  game: typeof TRAPGRID | typeof ISOLATION,
): Promise<{ client: Client; match: Match; logged: (what: RegExp) => Promise<void> }> {
  const ending = new AbortController();
  let log = "";
  let look = () => {};
  const name = `bot ${Math.floor(Math.random() * 1e9)}`;
  const running = runBot(name, choose, {
    signal: ending.signal,
    log: (text) => {
      log += `${text}\n`;
      look();
    },
  });
  // The challenger may hear the end of a match before the bot does.
  const logged = (what: RegExp) =>
    new Promise<void>((resolve) => {
      look = () => what.test(log) && resolve();
      look();
    });
  const client = new Client({ name: "Ada" });
  context.after(async () => {
    client.close();
    ending.abort();
    await running;
  });
  await client.connect();
  const to = await ready(client, name);
  client.on("paired", ({ match }) => client.follow(match));
  const begun = first(client, isTheirTurn);
  await client.ask("challenge", { to, game, seat: 0 });
  return { client, match: await begun, logged };
}

test("a bot plays a game to its end, given the legal moves of each position", async (context) => {
  const turns: string[] = [];
  const { client, match, logged } = await play(context, async (turn) => {
    assert.equal(turn.game.name, "trapgrid");
    assert.equal(turn.seat, 1);
    assert.deepEqual(turn.clocks.left, [null, null]);
    turns.push(turn.position);
    return turn.legal[0]!;
  }, TRAPGRID);
  while (!match.isOver) {
    const answered = first(client, isTheirTurn);
    await client.ask("play", { match: match.id, ply: match.ply, move: match.legal![0]! });
    await answered;
  }
  assert.ok(turns.length > 0);
  await logged(/begins, seat 1\n.* is over: (won|lost) \(rules\)/);
});

test("a bot grants a takeback, and moves again", async (context) => {
  const { client, match } = await play(context, ({ legal }) => legal[0]!, ISOLATION);
  const { ply } = match;
  const answered = first(client, isTheirTurn);
  await client.ask("play", { match: match.id, ply, move: match.legal![0]! });
  await answered;
  assert.equal(match.ply, ply + 2);
  const taken = first(client, ({ events }) => events.some((event) => event.type === "taken_back"));
  await client.ask("request_takeback", { match: match.id });
  await taken;
  assert.equal(match.ply, ply);
  const again = first(client, isTheirTurn);
  await client.ask("play", { match: match.id, ply, move: match.legal![1]! });
  await again;
  assert.equal(match.ply, ply + 2);
});

for (const [what, choose] of [
  ["returns an illegal move", () => "z9"],
  ["throws", () => { throw new Error("no idea"); }],
] as [string, Choose][]) {
  test(`a bot whose function ${what} resigns that game`, async (context) => {
    const { client, match, logged } = await play(context, choose, TRAPGRID);
    const end = first(client, () => match.isOver);
    await client.ask("play", { match: match.id, ply: match.ply, move: match.legal![0]! });
    await end;
    await logged(/resigns match .*: (Error: "z9" is not legal|Error: no idea)/);
    await logged(/is over: lost \(resignation\)/);
  });
}
