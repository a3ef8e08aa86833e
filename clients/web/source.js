/** Where the positions of a record come from: a match on the server, or a line of play that belongs to no match. */

import { isRoll } from "./position.js";

/** @typedef {{text: string, moves: string[], gauges: [string, number][]}} Place where a line leads, and what is legal there */
/** @typedef {import("./protocol").Line} Line */
/** @typedef {{lines: number, milliseconds?: number}} Wanted */
/**
 * `legal` is about a ply of the record, `variation` about moves after it; `analyse` returns the id of an analysis.
 * @typedef {{legal: (ply: number) => Promise<Omit<Place, "text">>, variation: (ply: number, moves: readonly string[]) => Promise<Place>,
 *   analyse: (ply: number, moves: readonly string[], text: string, wanted: Wanted) => Promise<string>}} Source
 */

const MAX_KEPT = 200;
/** What the rules said of positions, in the order of the first answers: they say the same again. @type {Map<string, Line>} */
const kept = new Map();

/**
 * Play moves from a position by the rules. After the answer its last position is known too, so that a click which follows
 * at once meets legal moves.
 * @param {Page["link"]} link @param {import("./protocol").GameSpec} game
 * @param {string | undefined} position the start of the game where there is none @param {readonly string[]} moves
 */
export async function askLine(link, game, position, moves) {
  const key = JSON.stringify([game, position, moves]);
  const known = kept.get(key);
  if (known) return known;
  const line = await link.ask({ type: "ask_line", game, ...(position ? { position } : {}), moves: [...moves] });
  const last = /** @type {string} */ (line.positions.at(-1));
  kept.set(key, line);
  kept.set(JSON.stringify([line.game, last, []]), { ...line, positions: [last] });
  for (const [oldest] of kept) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return line;
}

/** @param {Page} page @param {MatchRecord} record @returns {Source} */
export function sourceOf({ link }, record) {
  const { id: match } = record;
  return match ? ofMatch(link, match) : ofLine(link, record);
}

/** @param {Page["link"]} link @param {string} match @returns {Source} */
function ofMatch(link, match) {
  return {
    legal: (ply) => link.ask({ type: "ask_moves", match, ply }),
    variation: async (ply, line) => {
      const { positions, moves, gauges } = await link.ask({ type: "ask_variation", match, ply, moves: [...line] });
      return { text: positions[positions.length - 1], moves, gauges: gauges.at(-1) ?? [] };
    },
    analyse: async (ply, own, _text, wanted) => {
      const moves = own.length ? { moves: [...own] } : {};
      return (await link.ask({ type: "ask_analysis", match, ply, ...moves, ...wanted })).ref;
    },
  };
}

/** @param {Page["link"]} link @param {MatchRecord} record @returns {Source} */
function ofLine(link, record) {
  const { spec: game } = record;
  // Where dice are rolled, the position after the roll is looked at, as in a match.
  const at = (/** @type {number} */ ply) =>
    /** @type {string} */ (record.positions[isRoll(record.moves[ply]) ? ply + 1 : ply]);
  const line = async (/** @type {number} */ ply, /** @type {readonly string[]} */ own) => {
    const answer = await askLine(link, game, at(ply), own);
    // The dice of a variation are not rolled.
    const moves = answer.to_move < 0 ? [] : answer.moves;
    return { text: /** @type {string} */ (answer.positions.at(-1)), moves, gauges: answer.gauges };
  };
  return {
    legal: (ply) => line(ply, []),
    variation: line,
    analyse: async (ply, own, text, wanted) => {
      const position = own.length ? text : at(ply);
      return (await link.ask({ type: "ask_study", game, position, ...wanted })).ref;
    },
  };
}
