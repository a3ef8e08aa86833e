/** The rules of a game in moving pictures, on the real board. */

import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { t } from "./studytexts.js";
import { loadTaught, taught } from "./learntexts.js";
import { leftBehind } from "./position.js";
import { note } from "./progress.js";
import { openSheet } from "./sheet.js";

/** @typedef {import("./drill.js").Scene} Scene */
/** @typedef {{words: string, start: string, moves: string[], scenes: Scene[]}} Picture */
/** @typedef {Record<string, {title: string, pictures: Picture[]}>} RulesFile */

const PLY_MS = 1200;
const PAUSE_PLIES = 2;

/** Show the rules of a game; the promise ends when they are closed. @param {string} game @returns {Promise<void>} */
export async function showRules(game) {
  /** @type {RulesFile} */
  const file = await loadTaught("rules.json");
  const found = file[game];
  note("rules", game);
  if (!found || document.querySelector("dialog.rules")) return;
  const { title, pictures } = found;
  await new Promise((/** @type {(none: void) => void} */ closed) => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let at = 0;
    let ply = 0;
    let timer = 0;
    /** @type {Board} */
    let board;
    const box = h("div.boardbox");
    const words = h("p.caption", { "aria-live": "polite" });
    const spots = h(
      "div.pages.grow",
      { "aria-hidden": "true" },
      pictures.map(() => h("span.spot")),
    );
    const draw = () => {
      const { moves, scenes } = pictures[at];
      const scene = scenes[ply];
      const last = ply === moves.length;
      board.show(scene.position, {
        last: moves[ply - 1] ?? "",
        from: leftBehind(scenes[ply - 1]?.position, scene.position),
        past: scenes.slice(0, ply).map(({ position }) => position),
        still: ply === 0,
      });
      const seat = board.position?.turn ?? 0;
      board.hint({
        moves: new Set(last ? (scene.moves ?? []) : []),
        refused: last ? (scene.refused ?? {}) : {},
        notes: scene.notes ?? {},
        seat,
      });
      board.showNotes(true);
    };
    const tick = () => {
      const { moves } = pictures[at];
      ply = ply === moves.length ? 0 : ply + 1;
      draw();
      timer = window.setTimeout(tick, PLY_MS * (ply === moves.length ? 1 + PAUSE_PLIES : 1));
    };
    const turn = (/** @type {number} */ to) => {
      clearTimeout(timer);
      at = to;
      const { moves } = pictures[at];
      const caption = taught(pictures[at].words);
      ply = still ? moves.length : 0;
      board = new Board({ label: `${title}: ${caption}`, walled: game === "quoridor" });
      fill(box, board.element);
      draw();
      box.style.setProperty("--ratio", String(board.layout.box.width / board.layout.box.height));
      words.textContent = caption;
      [...spots.children].forEach((spot, index) => spot.classList.toggle("now", index === at));
      back.disabled = at === 0;
      on.textContent = at === pictures.length - 1 ? t("Got it") : t("Next");
      if (!still && moves.length) timer = window.setTimeout(tick, PLY_MS);
    };
    const back = button(t("Back"), () => turn(at - 1), "", { type: "button" });
    const on = button(t("Next"), () => (at === pictures.length - 1 ? dialog.close() : turn(at + 1)), "primary", {
      type: "button",
    });
    const skip = button(t("Skip"), () => dialog.close(), "plain", { type: "button" });
    const { dialog } = openSheet(
      t("{game}: the rules", { game: title }),
      "rules",
      h("div.picture", box),
      words,
      h("footer.flow", spots, skip, back, on),
    );
    // A match that begins meanwhile must not stay covered.
    const leave = () => dialog.close();
    addEventListener("hashchange", leave);
    dialog.addEventListener("close", () => {
      removeEventListener("hashchange", leave);
      clearTimeout(timer);
      closed();
    });
    turn(0);
    on.focus();
  });
}
