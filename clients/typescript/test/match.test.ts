import assert from "node:assert/strict";
import { test } from "node:test";

import { Match } from "../src/match.ts";
import type { Happened, MatchEvent, Snapshot } from "../src/protocol.ts";
import { socketUrl } from "../src/socket.ts";

const SITUATION = { match: "m1", ply: 1, position: "x0./.../..1 1", to_move: 1, clocks: { left: [null, null], running: null, at: 5 } };

/** A snapshot with the fields that a Match reads. */
function snapshot(fields: Partial<Snapshot> = {}): Snapshot {
  const game = { name: "trapgrid", options: { size: 3 } };
  return { ...SITUATION, seq: 2, seat: 1, game, rated: false, over: false, takeback_agreed: [], ...fields } as Snapshot;
}

function happened(events: object[], fields: Partial<Happened> = {}): Happened {
  return { ...SITUATION, type: "happened", events: events as MatchEvent[], ...fields };
}

test("new events are taken with the position after them", () => {
  const match = new Match(snapshot());
  const played = { type: "played", seq: 3, seat: 1, move: "c2" };
  assert.deepEqual(match.update(happened([played], { ply: 2, position: "x0./..1/..x 0", to_move: 0 })), [played]);
  assert.deepEqual([match.seq, match.ply, match.toMove, match.legal], [3, 2, 0, null]);
});

test("known events change nothing", () => {
  const match = new Match(snapshot({ legal: ["b1", "c2"] }));
  assert.deepEqual(match.update(happened([{ type: "played", seq: 2 }], { ply: 7 })), []);
  assert.deepEqual([match.seq, match.ply, match.legal], [2, 1, ["b1", "c2"]]);
});

test("of a message with known and new events the new ones are taken", () => {
  const match = new Match(snapshot());
  const events = match.update(happened([{ type: "played", seq: 2 }, { type: "played", seq: 3 }], { ply: 2 }));
  assert.deepEqual(events?.map((event) => event.seq), [3]);
});

test("nothing is taken where events are missing", () => {
  const match = new Match(snapshot());
  assert.equal(match.update(happened([{ type: "played", seq: 4 }], { ply: 3 })), null);
  assert.deepEqual([match.seq, match.ply], [2, 1]);
});

test("an unknown event counts", () => {
  const match = new Match(snapshot());
  match.update(happened([{ type: "hinted", seq: 3 }], { ply: 1 }));
  assert.equal(match.seq, 3);
});

test("a takeback is requested until it is answered", () => {
  const match = new Match(snapshot());
  match.update(happened([{ type: "takeback_requested", seq: 3, seat: 0 }]));
  assert.deepEqual(match.takeback, [0]);
  match.update(happened([{ type: "agreed", seq: 4, seat: 2, to: "takeback" }]));
  assert.deepEqual(match.takeback, [0, 2]);
  match.update(happened([{ type: "takeback_declined", seq: 5, seat: 1 }]));
  assert.deepEqual(match.takeback, []);
});

test("the address of a page is that of its socket too", () => {
  for (const server of ["http://host:8420", "ws://host:8420/", "ws://host:8420/ws"]) {
    assert.equal(socketUrl(server), "ws://host:8420/ws");
  }
  assert.equal(socketUrl("https://games.example/cornered"), "wss://games.example/cornered/ws");
  for (const server of ["host:8420", "ftp://host", "", "ws://"]) {
    assert.throws(() => socketUrl(server), /looks like http:/);
  }
});
