/** What a client does about what no real server does on request, shown with a server that follows a script. */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";

import { type WebSocket, WebSocketServer } from "ws";

import { Client, Refusal } from "../src/client.ts";

type Message = Record<string, unknown> & { type: string; id?: string };
type Script = (message: Message, say: (answer: object) => void, socket: WebSocket, connection: number) => void;

const PLAYER = { id: "p1", name: "Ada", kind: "person" };
const WELCOME = { type: "welcome", player: PLAYER, token: "a".repeat(20), now: 1, matches: [], server: "", scopes: [] };
const SNAPSHOT = { type: "snapshot", match: "m1", seat: 0, seq: 1, ply: 0, position: "0 0", to_move: 0, takeback_agreed: [] };

/** Run a server that calls `script` for each message, and return a client of it and all that the server heard. */
async function talk(context: TestContext, script: Script): Promise<{ client: Client; heard: Message[] }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const heard: Message[] = [];
  let connections = 0;
  server.on("connection", (socket) => {
    const connection = ++connections;
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as Message;
      heard.push(message);
      script(message, (answer) => socket.send(JSON.stringify(answer)), socket, connection);
    });
  });
  const client = new Client({ server: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, name: "Ada" });
  context.after(() => {
    client.close();
    server.close();
  });
  return { client, heard };
}

function acknowledged(id: string | undefined, seq: number | null = null): object {
  return { type: "acknowledged", id, seq, ref: null };
}

test("after `too_fast` only moves are sent until `retry_after`, and the command again under its id", async (context) => {
  let refuse: () => void = () => {};
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const { client, heard } = await talk(context, (message, say) => {
    if (message.type === "hello") {
      say(WELCOME);
    } else if (heard.length === 2) {
      refuse();
      say({ type: "refused", id: message.id, code: "too_fast", text: "slow down", retry_after: 300 });
    } else {
      say(acknowledged(message.id, 2));
    }
  });
  await client.connect();
  const line = client.ask("say", { match: "m1", room: "players", text: "hello" });
  await refused;
  // The refusal comes before the answer to this.
  await client.ask("play", { match: "m1", ply: 0, move: "a1" });
  const other = client.ask("resign", { match: "m1" });
  await client.ask("play", { match: "m1", ply: 2, move: "a2" });
  await Promise.all([line, other]);
  const sent = heard.map((message) => message.type);
  assert.deepEqual(sent.slice(0, 4), ["hello", "say", "play", "play"]);
  assert.deepEqual(sent.slice(4).sort(), ["resign", "say"]);
  const lines = heard.filter((message) => message.type === "say");
  assert.equal(lines[0]?.id, lines[1]?.id);
});

test("where events are missing it joins again with the newest that it has", async (context) => {
  let joins = 0;
  const happened = { ...SNAPSHOT, type: "happened", ply: 3 };
  const { client, heard } = await talk(context, (message, say) => {
    if (message.type === "hello") {
      say(WELCOME);
    } else if (++joins === 1) {
      say({ ...SNAPSHOT, id: message.id });
      say({ ...happened, events: [{ type: "played", seq: 4 }] });
    } else {
      say(acknowledged(message.id, 4));
      say({ ...happened, events: [2, 3, 4].map((seq) => ({ type: "played", seq })) });
    }
  });
  await client.connect();
  const seen = new Promise<number[]>((resolve) => {
    client.on("changed", ({ events }) => events.length > 0 && resolve(events.map((event) => event.seq)));
  });
  client.follow("m1");
  assert.deepEqual(await seen, [2, 3, 4]);
  assert.deepEqual(
    heard.filter((message) => message.type === "join").map((message) => [message["since"], message["legal"]]),
    [[null, true], [1, true]],
  );
});

test("what a lost connection left unanswered is sent again under its id, by the same player", async (context) => {
  const { client, heard } = await talk(context, (message, say, socket, connection) => {
    if (message.type === "hello") {
      say(WELCOME);
    } else if (connection === 1) {
      socket.terminate();
    } else {
      say(acknowledged(message.id, 2));
    }
  });
  await client.connect();
  assert.equal((await client.ask("play", { match: "m1", ply: 0, move: "a1" })).seq, 2);
  const [first, second] = heard.filter((message) => message.type === "play");
  assert.deepEqual(first, second);
  assert.equal(heard.filter((message) => message.type === "hello")[1]?.["token"], WELCOME.token);
});

test("after what is no JSON the command is sent again on a new connection, under its id", async (context) => {
  const { client, heard } = await talk(context, (message, say, socket, connection) => {
    if (message.type === "hello") {
      say(WELCOME);
    } else if (connection === 1) {
      socket.send('{"type": "acknow');
    } else {
      say(acknowledged(message.id, 2));
    }
  });
  await client.connect();
  assert.equal((await client.ask("play", { match: "m1", ply: 0, move: "a1" })).seq, 2);
  const [first, second] = heard.filter((message) => message.type === "play");
  assert.deepEqual(first, second);
});

test("a refusal is typed, and a message of no known kind is skipped", async (context) => {
  const { client } = await talk(context, (message, say, socket) => {
    if (message.type === "hello") {
      say(WELCOME);
    } else {
      socket.send("[1, 2]");
      socket.send("null");
      say({ type: "happened", later: true });
      say({ type: "weather", outlook: ["rain"] });
      say({ type: "refused", id: message.id, code: "unknown_match", text: "there is no such match", retry_after: null });
    }
  });
  await client.connect();
  await assert.rejects(client.ask("resign", { match: "m1" }), (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.retryAfter], ["unknown_match", null]);
    return true;
  });
});

test("a player whom the server does not admit is told", async (context) => {
  const { client } = await talk(context, (_message, say) => {
    say({ type: "refused", id: null, code: "bad_token", text: "no player has this token", retry_after: null });
  });
  await assert.rejects(client.connect(), /no player has this token \(bad_token\)/);
  await assert.rejects(client.ask("ask_games", {}), /ended before ask_games was answered/);
});
