/** The shapes that distinguish seats without colour: disc, diamond, triangle, square. */

import { s } from "./dom.js";
import { roundedSquare } from "./geometry.js";
import { settings } from "./settings.js";

/**
 * A piece of one seat, around its own centre: the seat's shape, or of the set `tokens` a disc with that shape on it.
 * @param {number} seat @param {number} r @param {string} [set]
 */
export function piece(seat, r, set = settings.pieces) {
  const isToken = set === "tokens";
  const outline = silhouette(isToken ? 0 : seat, r);
  return s(
    "g",
    { class: `piece ${isToken ? "token " : ""}seat-${seat}` },
    s("path.shade", { d: outline, transform: `translate(0 ${r * 0.22})` }),
    s("path.side", { d: outline, transform: `translate(0 ${r * 0.11})` }),
    s("path.body", { d: outline }),
    s("path.heart", { d: silhouette(seat, r * (isToken ? 0.6 : 0.46)) }),
  );
}

/** A seat's mark for texts: its silhouette in its colour. @param {number} seat */
export function seatMark(seat) {
  return s("svg.mark", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, piece(seat, 9.5));
}

/** The outline of a seat's piece. @param {number} seat @param {number} r */
function silhouette(seat, r) {
  switch (seat) {
    case 0:
      return `M${-r} 0a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;
    case 1:
      return diamond(r * 1.12);
    case 2:
      return `M0 ${-r * 1.08}L${r * 1.06} ${r * 0.8}H${-r * 1.06}Z`;
    default:
      return roundedSquare(r * 0.86, r * 0.18);
  }
}

/** @param {number} r */
function diamond(r) {
  const c = r * 0.16;
  return (
    `M${-c} ${-r + c}Q0 ${-r} ${c} ${-r + c}L${r - c} ${-c}Q${r} 0 ${r - c} ${c}` +
    `L${c} ${r - c}Q0 ${r} ${-c} ${r - c}L${-r + c} ${c}Q${-r} 0 ${-r + c} ${-c}Z`
  );
}
