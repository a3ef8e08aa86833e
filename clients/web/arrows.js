/** Marks of moves on a board: an arrow from the only piece of a seat, else a ring, and a bar for a wall. */

import { s } from "./dom.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {{move: string, seat: number, kind: string}} Advice */

/**
 * @param {Board} board
 * @param {readonly Advice[]} advice the most important one first
 * @returns {SVGElement[]}
 */
export function drawAdvice(board, advice) {
  // What comes first lies on top.
  return advice.toReversed().flatMap(({ move, seat, kind }) => {
    const to = board.layout.byName.get(move);
    const wall = board.layout.wall(move);
    if (wall) return [s("rect", { class: `advice ${kind}`, ...wall, rx: 5 })];
    if (!to) return [];
    const own = [...board.pieces].filter(([, piece]) => piece.seat === seat);
    const from = own.length === 1 ? board.layout.byName.get(own[0][0]) : undefined;
    if (!from || from === to)
      return [s("circle", { class: `advice ring ${kind}`, cx: to.x, cy: to.y, r: board.layout.radius + 4 })];
    return [s("path", { class: `advice ${kind}`, d: arrow(from, to, kind === "best" ? 9 : 6) })];
  });
}

/** @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} half half of the shaft's width */
function arrow(from, to, half) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [start, head] = [Math.min(30, length / 3), 34];
  /** @param {number} along @param {number} aside */
  const at = (along, aside) =>
    `${(from.x + x * along - y * aside).toFixed(1)} ${(from.y + y * along + x * aside).toFixed(1)}`;
  const tip = length - 6;
  const points = [
    at(start, half),
    at(tip - head, half),
    at(tip - head, 2.4 * half),
    at(tip, 0),
    at(tip - head, -2.4 * half),
    at(tip - head, -half),
    at(start, -half),
  ];
  return `M${points.join("L")}Z`;
}
