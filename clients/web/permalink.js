/** The addresses of positions: `#/p/trapgrid/size~5/0....-...-.._0/e1-a4` here, and the same below `/position/` to share. */

import { partsOf } from "./route.js";

/** @typedef {Record<string, number | boolean | null>} Options */
/** @typedef {{game: string, options: Options, position: string, moves: string[]}} Line */

/** The text of a position in an address, and back. @param {string} text */
const segment = (text) => text.replace(/[/,]/g, "-").replaceAll("=", "~").replaceAll(" ", "_");

/** @param {string} words */
function textOf(words) {
  const [rows, ...rest] = words.split("_");
  return [rows.replaceAll("-", "/"), ...rest.map((word) => word.replace("~", "=").replaceAll("-", ","))].join(" ");
}

/** The options that a game does not have by itself. @param {Options} options @param {OfferedGame | undefined} offered */
function optionsOf(options, offered) {
  const own = Object.entries(options).filter(([name, value]) => {
    const option = offered?.options.find((each) => each.name === name);
    return !option || option.default === null ? value !== null : value !== option.default;
  });
  return own.map(([name, value]) => `${name}~${value === null ? "none" : value}`).join("-");
}

/** The parts of an address. @param {GameSpecInput} spec @param {OfferedGame | undefined} offered @param {string} text */
function parts(spec, offered, text) {
  const options = optionsOf(/** @type {Options} */ (spec.options ?? {}), offered);
  return [spec.name, ...(options ? [options] : []), segment(text)].join("/");
}

/** The route of a line of play. @param {GameSpecInput} spec @param {OfferedGame | undefined} offered @param {string} start @param {readonly string[]} moves */
export function lineRoute(spec, offered, start, moves) {
  return `#/p/${parts(spec, offered, start)}${moves.length ? `/${moves.join("-")}` : ""}`;
}

/** The address of a position, to share. @param {GameSpecInput} spec @param {OfferedGame | undefined} offered @param {string} text */
export function positionAddress(spec, offered, text) {
  return new URL(`position/${parts(spec, offered, text)}`, location.href.split(/[?#]/)[0]).href;
}

/** The address of a finished match after a ply, to share. @param {string} match @param {number} ply */
export function gameAddress(match, ply) {
  return new URL(`g/${match}/${ply}`, location.href.split(/[?#]/)[0]).href;
}

/** What a route names, or nothing. @param {string} hash @returns {Line | null} */
export function readLine(hash) {
  const [, , game, ...rest] = partsOf(hash);
  if (!game) return null;
  const words = /^[a-z]/.test(rest[0] ?? "") ? (rest.shift() ?? "") : "";
  const [position = "", moves = ""] = rest;
  const value = (/** @type {string} */ word) =>
    word === "true" ? true : word === "false" ? false : word === "none" ? null : Number(word);
  const pairs = words.split("-").filter(Boolean).map((pair) => pair.split("~"));
  /** @type {Options} */
  const options = Object.fromEntries(pairs.map(([name, word = ""]) => [name, value(word)]));
  return { game, options, position: position ? textOf(position) : "", moves: moves.split("-").filter(Boolean) };
}
