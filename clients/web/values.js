/** What an analysis says a position is worth: a proof, or a win probability by the curve that came with the scores. */

import { language, number, t } from "./studytexts.js";

/** @typedef {import("./protocol").Report} Report */

/** @typedef {{score: number | null, proven: string | null, plies?: number | null}} Worth */

const percents = new Intl.NumberFormat(language, { style: "percent" });

const SHARES = { win: 1, draw: 0.5, loss: 0 };
/** @type {Record<string, Report["proven"]>} */
const OPPOSITE = { win: "loss", draw: "draw", loss: "win" };
/** Without a curve, the score at which a bar is at three quarters; 1 is about one move. */
const CLEAR_SCORE = 4;

/**
 * The share of the point that the mover may expect, from 0 to 1: a probability where there is a curve, else only a picture.
 * @param {Worth} worth
 * @param {number | null} scale
 */
export function shareOf({ score, proven }, scale) {
  if (proven) return SHARES[/** @type {keyof typeof SHARES} */ (proven)];
  if (score === null) return 0.5;
  return scale ? 1 / (1 + Math.exp(-score / scale)) : 0.5 + score / (2 * (Math.abs(score) + CLEAR_SCORE));
}

/** A proof for the other one of two players. @param {string | null} proven @returns {Report["proven"]} */
export const opposite = (proven) => (proven ? OPPOSITE[proven] : null);

/** A share as a percentage; what is not proven is never certain. @param {number} share */
export const percent = (share) => percents.format(Math.min(0.99, Math.max(0.01, share)));

/** @param {number} plies */
export const movesIn = (plies) => Math.ceil(plies / 2);

/** The worth of a move for its player, in short. @param {Worth} worth @param {number | null} scale */
export function worthText(worth, scale) {
  const { score, proven, plies } = worth;
  if (proven === "draw") return t("draw");
  if (proven && plies) {
    const moves = movesIn(plies);
    return proven === "win" ? t("wins in {moves}", { moves }) : t("loses in {moves}", { moves });
  }
  if (proven) return proven === "win" ? t("wins") : t("loses");
  if (score === null) return "?";
  return scale ? percent(shareOf(worth, scale)) : signed(score);
}

/** @param {number} score */
export const signed = (score) => `${score < 0 ? "−" : "+"}${number(Math.abs(score), 1)}`;
