/** Parses position texts, in the same way for every game and without its rules. */

/**
 * The rows are from the top, one character a cell; `turn` is a seat, or -1 for the dice; walls may lie on `walled` boards.
 * @typedef {{text: string, rows: string[], turn: number, facts: Record<string, string>, hex: boolean, walled: boolean, walls: string[]}} Position
 */

const FILES = "abcdefghijklmnopqrstuvwxyz";

/** @param {string} text @param {boolean} [walled] that walls may come, where the text does not say so yet @returns {Position} */
export function parsePosition(text, walled = false) {
  const [joined, turn, ...rest] = text.split(" ");
  const rows = joined.split("/");
  const facts = Object.fromEntries(rest.map((word) => word.split("=", 2)));
  return {
    text,
    rows,
    turn: turn === "c" ? -1 : Number(turn),
    facts,
    hex: rows.some((row) => row.length !== rows[0].length),
    walled: walled || "walls" in facts || "left" in facts,
    walls: facts.walls ? facts.walls.split(",") : [],
  };
}

/**
 * Unfold a recorded game: its first rows, then for each ply the cells that change (their place in the rows in two digits to
 * the base 36, and what is there then), and `+` with a new wall.
 * @param {string} text
 * @returns {string[]} position texts
 */
export function unfold(text) {
  const [start, ...plies] = text.split(" ");
  const board = [...start];
  /** @type {string[]} */
  const walls = [];
  return plies.reduce(
    (positions, ply, index) => {
      const [changes, wall] = ply.split("+");
      for (const [, place, content] of changes.matchAll(/(\w\w)(.)/g)) board[parseInt(place, 36)] = content;
      if (wall) walls.push(wall);
      return [...positions, `${board.join("")} ${(index + 1) % 2}${walls.length ? ` walls=${walls}` : ""}`];
    },
    [`${start} 0`],
  );
}

/** Return a cell's name. @param {Position} position @param {number} row from the top @param {number} column */
function cellName(position, row, column) {
  const rank = position.rows.length - 1 - row;
  return position.hex ? `${FILES[rank]}${column + 1}` : `${FILES[column]}${rank + 1}`;
}

/** List every cell: its name, place, and what is on it. @param {Position} position @returns {{name: string, row: number, column: number, content: string}[]} */
export function cells(position) {
  return position.rows.flatMap((line, row) =>
    [...line].map((content, column) => ({ name: cellName(position, row, column), row, column, content })),
  );
}

/** Map cell names to contents. @param {Position} position @returns {Map<string, string>} */
export function contents(position) {
  return new Map(cells(position).map((cell) => [cell.name, cell.content]));
}

/** Return whether a game with these options has walls. @param {{options: Record<string, unknown> | {name: string}[]}} game */
export function isWalled(game) {
  const { options } = game;
  return Array.isArray(options) ? options.some((option) => option.name === "walls") : "walls" in options;
}

/**
 * The cells where the pawns of a walled board began, by seat, each in the middle of an edge and opposite its goal: two
 * players face each other, four sit around the board. A pawn that is out may be missing from the rows.
 * @param {Position} position
 */
export function startCells({ rows, facts }) {
  const pawns = rows.join("").replaceAll(/\D/g, "").length;
  const out = facts.out?.split(",").length ?? 0;
  const seats = facts.left?.split(",").length ?? (pawns + out > 3 ? 4 : 2);
  const [files, ranks] = [rows[0].length, rows.length];
  const [file, rank] = [FILES[files >> 1], (ranks >> 1) + 1];
  const around = [`${file}1`, `${FILES[0]}${rank}`, `${file}${ranks}`, `${FILES[files - 1]}${rank}`];
  return seats > 2 ? around : [around[0], around[2]];
}

/** The seat to move, also while the dice are rolled. @param {Position} position */
export function mover(position) {
  return position.turn >= 0 ? position.turn : Number(position.facts.mover ?? -1);
}

/** Parse a wall's name: `e3h` is file 4, rank 2 (from 0), lying. Null for anything else. @param {string} move */
export function parseWall(move) {
  const found = /^([a-z])(\d+)([hv])$/.exec(move);
  return found ? { file: FILES.indexOf(found[1]), rank: Number(found[2]) - 1, lies: found[3] === "h" } : null;
}

/** Name a wall. @param {number} file @param {number} rank from 0 @param {boolean} lies */
export function wallName(file, rank, lies) {
  return `${FILES[file]}${rank + 1}${lies ? "h" : "v"}`;
}

/** For each cell, the neighbours behind a wall. @param {string[]} walls @returns {Map<string, string[]>} */
export function parted(walls) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  const part = (/** @type {string} */ one, /** @type {string} */ other) => {
    found.set(one, [...(found.get(one) ?? []), other]);
    found.set(other, [...(found.get(other) ?? []), one]);
  };
  for (const name of walls) {
    const wall = parseWall(name);
    if (!wall) continue;
    const square = (/** @type {number} */ right, /** @type {number} */ up) =>
      `${FILES[wall.file + right]}${wall.rank + 1 + up}`;
    for (const along of [0, 1]) {
      if (wall.lies) part(square(along, 0), square(along, 1));
      else part(square(0, along), square(1, along));
    }
  }
  return found;
}

/** Return whether a move is a roll of the dice: a number alone. @param {string | undefined} move */
export function isRoll(move) {
  return move !== undefined && /^\d+$/.test(move);
}

/** Count the moves that players made: without rolls of the dice. @param {readonly string[]} moves */
export const movesAmong = (moves) => moves.filter((move) => !isRoll(move)).length;

/** Return whether a move names a cell. @param {string} move */
export function isCell(move) {
  return /^[a-z]\d+$/.test(move);
}

/** The cell that a piece left between two positions, or nothing. @param {string | undefined} before @param {string} after */
export function leftBehind(before, after) {
  if (before === undefined) return "";
  const now = contents(parsePosition(after));
  const moved = [...contents(parsePosition(before))].filter(
    ([name, content]) => /\d/.test(content) && now.get(name) !== content,
  );
  return moved.length === 1 && [...now.values()].includes(moved[0][1]) ? moved[0][0] : "";
}

/**
 * Return the seat that placed each wall, by comparison of positions in order. Walls that come over a gap have no known owner.
 * @param {(string | undefined)[]} positions
 * @returns {Map<string, number>}
 */
export function builders(positions) {
  /** @type {Map<string, number>} */
  const owner = new Map();
  if (!positions[positions.length - 1]?.includes("walls=")) return owner;
  /** @type {Position | null} */
  let before = null;
  for (const text of positions) {
    const now = text === undefined ? null : parsePosition(text);
    const added = before && now ? now.walls.filter((wall) => !before?.walls.includes(wall)) : [];
    if (before && added.length === 1) owner.set(added[0], mover(before));
    before = now;
  }
  return owner;
}

/**
 * Return the seat that left each blocked cell, by comparison of positions in order; gaps are allowed.
 * @param {(string | undefined)[]} positions
 * @returns {Map<string, number>}
 */
export function trails(positions) {
  /** @type {Map<string, number>} */
  const owner = new Map();
  if (!positions[positions.length - 1]?.includes("x")) return owner;
  /** @type {Map<string, string> | null} */
  let before = null;
  for (const text of positions) {
    if (text === undefined) continue;
    const now = contents(parsePosition(text));
    if (before) {
      for (const [name, content] of now) {
        const was = before.get(name);
        if (content === "x" && was !== undefined && was !== "x" && was !== ".") owner.set(name, Number(was));
      }
    }
    before = now;
  }
  return owner;
}
