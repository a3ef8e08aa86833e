/** The dialog of keys and marks. */

import { h } from "./dom.js";
import { openSheet } from "./sheet.js";

const KEYS = [
  ["← ↑ → ↓", "move the ring over the board"],
  ["Enter", "play there"],
  ["a1, e3h …", "type a move; Enter plays it, Esc forgets it"],
  ["W", "walls or pawn (Quoridor)"],
  ["R", "turn the wall"],
  ["< and >", "one move back, one move on"],
  ["Home, End", "the start, the newest position"],
  ["X", "turn the board round"],
  ["Z", "show group sizes and other notes"],
  ["A", "analysis, when the game is over"],
  ["?", "this help"],
];

export function showHelp() {
  if (document.querySelector("dialog.help")) return;
  openSheet(
    "Keys",
    "small help",
    h(
      "dl.keys",
      KEYS.map(([key, does]) => h("div", h("dt", h("kbd", key)), h("dd", does))),
    ),
    h("p.quiet", "A dot marks where you may go. The tinted cell is the last move. Crossed cells are blocked for ever."),
  );
}
