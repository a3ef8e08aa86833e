/** Words of rating pools. */

import { t } from "./playertexts.js";
import { optionText } from "./words.js";

/** @typedef {import("./protocol").PoolRating["speed"]} Speed */

/** @type {Record<Speed, string>} */
const SPEEDS = {
  bullet: t("bullet"),
  blitz: t("blitz"),
  rapid: t("rapid"),
  classical: t("classical"),
  correspondence: t("days a move"),
  untimed: t("no clock"),
};

/** The speed of a pool in a word. @param {Speed} speed */
export const speedText = (speed) => SPEEDS[speed];

/** A pool in a line: "Quoridor, 5 × 5, blitz". @param {Page} page @param {{game: GameSpecInput, speed: Speed}} pool */
export function poolText({ store }, { game, speed }) {
  return [store.title(game.name), optionText(game, store.offered(game.name), true), speedText(speed)].filter(Boolean).join(", ");
}
