/**
 * The conditions of a search of the archive, as addresses have them: in the words of the server's downloads, so that one
 * text is the end of both.
 */

/** @typedef {Omit<Fields["ask_archive"], "after">} Conditions */

const WORDS = /** @type {const} */ (["player", "opponent", "game", "result", "reason", "clock", "order"]);
const NUMBERS = /** @type {const} */ (["least_plies", "most_plies", "least_rating", "most_rating", "ended_from", "ended_until"]);
const TICKS = /** @type {const} */ (["exact", "rated"]);

/** The value of an option. @param {string} word */
export function valueOf(word) {
  if (word === "true" || word === "false") return word === "true";
  return word === "none" ? null : Number(word);
}

/** Read conditions; words that are none of them are left out. @param {string} text @returns {Conditions} */
export function readConditions(text) {
  const query = new URLSearchParams(text);
  const options = Object.fromEntries(
    query.getAll("option").map((pair) => pair.split("=")).map(([name, word = "none"]) => [name, valueOf(word)]),
  );
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const name of WORDS) if (query.get(name)) found[name] = query.get(name);
  for (const name of NUMBERS) if (query.get(name) && Number.isFinite(Number(query.get(name)))) found[name] = Number(query.get(name));
  for (const name of TICKS) if (query.has(name)) found[name] = query.get(name) === "true";
  const moves = movesIn(query.get("opening") ?? "");
  return /** @type {Conditions} */ ({
    ...found,
    ...(Object.keys(options).length && { options }),
    ...(moves.length && { opening: moves }),
  });
}

/** Write conditions, each where it is not what holds by itself. @param {Conditions} conditions */
export function writeConditions(conditions) {
  const query = new URLSearchParams();
  for (const name of [...WORDS, ...NUMBERS]) {
    const value = conditions[name];
    if (value !== undefined && value !== null && !(name === "order" && value === "newest")) query.set(name, String(value));
  }
  for (const name of TICKS) if (conditions[name] || (name === "rated" && conditions[name] === false)) query.set(name, String(conditions[name]));
  for (const [name, value] of Object.entries(conditions.options ?? {})) query.append("option", `${name}=${value === null ? "none" : value}`);
  if (conditions.opening?.length) query.set("opening", conditions.opening.join(" "));
  return query.toString();
}

/** The moves in a text, such as "1. e2 e8 2.e3". @param {string} text */
export const movesIn = (text) => text.toLowerCase().replace(/(^|[\s,;])\d+\.+/g, "$1 ").split(/[\s,;]+/).filter(Boolean);

/** The route of a search. @param {Conditions} conditions */
export const archiveRoute = (conditions) => `#/archive/${writeConditions(conditions)}`;

/** The route of a position in the opening explorer. @param {GameSpecInput} game @param {readonly string[]} moves */
export const openingRoute = (game, moves) =>
  `#/openings/${writeConditions({ game: game.name, options: game.options ?? {}, opening: [...moves] })}`;
