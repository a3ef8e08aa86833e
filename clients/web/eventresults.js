/** The results of an event as a table for spreadsheets: the standings, and each pairing of every round. */

import { askInTurn } from "./asking.js";
import { t } from "./grouptexts.js";

/** Rounds that are asked for at most: an arena counts as many as it pairs. */
const MAX_ROUNDS = 200;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * One value of a table (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it.
 * @param {string | number | null} value
 */
export function cell(value) {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {(string | number | null)[][]} rows */
export const table = (rows) => `${BYTE_ORDER_MARK}${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;

/** Return the file of a tournament's results. @param {Page} page @param {string} tournament */
export async function resultsFile({ link }, tournament) {
  const about = (await askInTurn(link, { type: "ask_tournament", tournament })).tournament;
  const rows = [[about.settings.name], [], [t("Place"), t("Name"), t("Points"), t("Games"), t("Won"), t("Drawn"), t("Lost")]];
  /** @type {(string | number | null)[][]} */
  const lines = rows;
  for (let after = /** @type {number | null} */ (null); ; ) {
    const page = await askInTurn(link, { type: "ask_standings", tournament, after });
    for (const one of page.standings) lines.push([one.rank, one.player.name, one.points, one.games, one.wins, one.draws, one.losses]);
    after = page.more;
    if (after === null) break;
  }
  lines.push([], [t("Round"), t("Board"), t("First"), t("Second"), t("Points of the first"), t("Points of the second"), t("How")]);
  for (let round = 1; round <= Math.min(about.round, MAX_ROUNDS); round++) {
    for (let after = /** @type {number | null} */ (null); ; ) {
      const page = await askInTurn(link, { type: "ask_pairings", tournament, round, after });
      for (const { board, players, points, how } of page.pairings)
        lines.push([round, board, players[0]?.name ?? "", players[1]?.name ?? "", points[0] ?? "", points[1] ?? "", HOW[how]]);
      after = page.more;
      if (after === null) break;
    }
  }
  const file = about.settings.name.normalize("NFKD").replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return { name: `${file || "results"}.csv`, text: table(lines) };
}

/** @type {Record<import("./protocol").PairingInfo["how"], string>} */
const HOW = {
  pending: t("goes on"),
  played: t("played"),
  forfeit: t("not played to the end"),
  bye: t("no opponent"),
  void: t("counts for nobody"),
};
