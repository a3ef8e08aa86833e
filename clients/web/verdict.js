/** What a report says of a position, in words. Without DOM. */

import { counted, language, number, t } from "./studytexts.js";
import { movesIn, percent, shareOf, signed } from "./values.js";
import { nameOf } from "./words.js";

/** @typedef {import("./protocol").Report} Report */

const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });

/** The seat that stands better. @param {MatchRecord} record @param {Report} report @param {number} seat the one to move */
export function better(record, { score, proven }, seat) {
  const bad = proven ? proven === "loss" : (score ?? 0) < 0;
  return bad && record.seats.length === 2 ? 1 - seat : seat;
}

/** @param {MatchRecord} record @param {Report} report @param {number} seat the one to move */
export function verdictText(record, report, seat) {
  const { score, proven, plies, scale } = report;
  const two = record.seats.length === 2;
  const name = nameOf(record.seats[better(record, report, seat)].player);
  if (proven === "draw") return t("A draw");
  if (proven && two && plies) return counted(movesIn(plies), "{name} wins in {count} move", "{name} wins in {count} moves", { name });
  if (proven) return two || proven === "win" ? t("{name} wins", { name }) : t("{name} does not win", { name });
  if (score === null) return t("{name} is to move", { name });
  const share = shareOf(report, scale);
  if (scale && two) return t("{share} for {name}", { share: percent(Math.max(share, 1 - share)), name });
  if (Math.abs(score) < 0.05) return t("Even");
  return t("{score} moves for {name}", { score: signed(two ? Math.abs(score) : score), name });
}

/** The search's figures by name. @param {Report} report @returns {[string, string][]} */
export function figuresOf({ depth, deepest, nodes, speed, efficiency, hits, seconds, score, proven }) {
  /** @type {[string, string][]} */
  const worth = score === null || proven ? [] : [[t("Score"), t("{score} moves", { score: signed(score) })]];
  return [
    [t("Depth"), `${depth}${deepest > depth ? ` (${deepest})` : ""}`],
    [t("Positions"), short.format(nodes)],
    [t("A second"), speed ? short.format(speed) : "–"],
    [t("Pruned"), `${Math.round(efficiency)} %`],
    [t("Table hits"), short.format(hits)],
    [t("Time"), t("{seconds} s", { seconds: number(seconds, 1) })],
    ...worth,
  ];
}
