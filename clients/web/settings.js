/** Settings stored in this browser: the look, how moves are made, the last forms, and what was learned. */

import { parsePosition, parseWall } from "./position.js";

const KEY = "cornered.settings";

export const BOARDS = /** @type {const} */ (["wood", "slate", "paper"]);
export const CONFIRMS = /** @type {const} */ (["auto", "always", "never"]);
export const PIECES = /** @type {const} */ (["shapes", "tokens"]);

/**
 * @typedef {object} Settings
 * @property {"system" | "light" | "dark"} theme
 * @property {string} language one of `language.js`, or `system` for that of the browser
 * @property {(typeof BOARDS)[number]} board its material
 * @property {(typeof PIECES)[number]} pieces
 * @property {boolean} sound
 * @property {(typeof CONFIRMS)[number]} confirm whether moves to cells need a second tap; `auto` on small cells
 * @property {boolean} premove that a move may be chosen before one's turn
 * @property {boolean} [follows] whether I follow anybody, as far as this browser knows
 * @property {Record<string, LastForm>} forms the last values of each form
 * @property {Record<string, {bot: string, count: number}>} losses in a row, of each game against one level
 * @property {Learned} [learned] puzzles, lessons and rules
 */

/** @type {Settings} */
export const settings = { theme: "system", language: "system", board: "wood", pieces: "shapes", sound: true, confirm: "auto", premove: false, forms: {}, losses: {} };

try {
  Object.assign(settings, JSON.parse(localStorage.getItem(KEY) ?? "{}"));
} catch {
  // Without storage, or with invalid settings, the defaults apply.
}
pin();

/** Change settings and keep them. @param {Partial<typeof settings>} changes */
export function keep(changes) {
  Object.assign(settings, changes);
  pin();
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage they last as long as the page.
  }
}

/** Apply a pinned theme, or follow the system, and the board's material. */
function pin() {
  document.documentElement.dataset.board = settings.board;
  if (settings.theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = settings.theme;
}

/**
 * Play sounds, if they are on. Nothing can sound before the first gesture, so their code is loaded with the first sound after it.
 * @param {...import("./sounds.js").Sound} kinds
 */
export function sound(...kinds) {
  if (!settings.sound || !navigator.userActivation?.hasBeenActive) return;
  import("./sounds.js").then(
    ({ play }) => play(kinds),
    () => {
      // Without a connection the page stays silent; the next sound tries again.
    },
  );
}

/** Play the sound of a move that led to a position. @param {string} move @param {string} text */
export function moveSound(move, text) {
  const kind = parseWall(move) ? "wall" : parsePosition(text).hex ? "stone" : "slide";
  sound(kind, ...(text.includes("x") && kind === "slide" ? /** @type {const} */ (["crumble"]) : []));
}
