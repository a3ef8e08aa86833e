/** The dialog of keys and marks. */

import { h } from "./dom.js";
import { t } from "./language.js";
import { openSheet } from "./sheet.js";

const KEYS = [
  ["← ↑ → ↓", t("move the ring over the board")],
  ["Enter", t("play there")],
  ["a1, e3h …", t("type a move; Enter plays it, Esc forgets it")],
  ["W", t("walls or pawn (Quoridor)")],
  ["R", t("turn the wall")],
  ["< and >", t("one move back, one move on")],
  [t("Home, End"), t("the start, the newest position")],
  ["X", t("turn the board round")],
  ["Z", t("show group sizes and other notes")],
  ["A", t("analysis, when the game is over")],
  ["T", t("a hint, in a game with help")],
  ["?", t("this help")],
];

export function showHelp() {
  if (document.querySelector("dialog.help")) return;
  openSheet(
    t("Keys"),
    "small help",
    h(
      "dl.keys",
      KEYS.map(([key, does]) => h("div", h("dt", h("kbd", key)), h("dd", does))),
    ),
    h("p.quiet", t("A dot marks where you may go. The tinted cell is the last move. Crossed cells are blocked for ever.")),
  );
}
