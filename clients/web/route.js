/** The address of a view, as it stands after the page's own. */

/** A part of an address as text. Anyone can write one: what is no encoding of a text stands for itself. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts of an address between its slashes. @param {string} hash */
export const partsOf = (hash) => hash.split("/").map(decoded);
