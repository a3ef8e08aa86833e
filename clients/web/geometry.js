/** Geometry of a board in units of 100 per cell, without DOM. */

import { cells, parseWall, wallName } from "./position.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {{name: string, row: number, column: number, x: number, y: number}} Place */

/** The distance of two cells, in units. */
export const PITCH = 100;
const HEX_PITCH = 86.6;
const RIM = 16;
const WALLED_RIM = 30;
const HEX_RIM = 98;
const LABELS = 34;

export class Layout {
  /** @param {Position} position @param {{flipped?: boolean, tiny?: boolean}} [how] */
  constructor(position, { flipped = false, tiny = false } = {}) {
    this.hex = position.hex;
    this.walled = position.walled;
    this.flipped = flipped;
    this.height = position.rows.length;
    this.width = Math.max(...position.rows.map((row) => row.length));
    this.size = position.hex ? 92 : position.walled ? 80 : 92;
    this.gap = PITCH - this.size;
    /** The radius of pieces. */
    this.radius = position.hex ? 32 : position.walled ? 28 : 31;
    const sign = flipped ? -1 : 1;
    /** @type {Place[]} */
    this.places = cells(position).map(({ name, row, column }) => {
      const length = position.rows[row].length;
      return {
        name,
        row,
        column,
        x: sign * (column - (length - 1) / 2) * PITCH,
        y: sign * (row - (this.height - 1) / 2) * (position.hex ? HEX_PITCH : PITCH),
      };
    });
    this.byName = new Map(this.places.map((place) => [place.name, place]));
    this.reach = ((this.width - 1) / 2) * PITCH + HEX_RIM;
    const rim = position.walled && !tiny ? WALLED_RIM : RIM;
    const wide = position.hex ? this.reach : (this.width * PITCH) / 2 + rim;
    const high = position.hex ? this.reach * 0.866 : (this.height * PITCH) / 2 + rim;
    /** The frame around the cells. */
    this.frame = { x: -wide, y: -high, width: 2 * wide, height: 2 * high };
    const edge = tiny ? 2 : 9;
    const left = tiny || position.hex ? edge : LABELS;
    const below = tiny || position.hex ? edge : LABELS;
    this.box = { x: -wide - left, y: -high - edge, width: 2 * wide + left + edge, height: 2 * high + below + edge };
    this.labels = tiny ? [] : this.#labels(position);
  }

  /** Row and file names beside the board. @param {Position} position */
  #labels(position) {
    if (this.hex) return this.#hexLabels(position);
    const found = [];
    for (const place of this.places) {
      if (place.column === (this.flipped ? position.rows[place.row].length - 1 : 0))
        found.push({ x: this.frame.x - LABELS / 2, y: place.y, text: place.name.slice(1) });
      if (place.row === (this.flipped ? 0 : this.height - 1)) {
        found.push({ x: place.x, y: this.frame.y + this.frame.height + LABELS / 2 + 4, text: place.name[0] });
      }
    }
    return found;
  }

  /**
   * A hexagon's labels lie in its frame: the row's letter at the left, and the number of every cell on the rest of the rim.
   * @param {Position} position
   */
  #hexLabels(position) {
    const found = [];
    const across = HEX_RIM - this.size / 2;
    for (const { name, row, column, x, y } of this.places) {
      const last = position.rows[row].length - 1;
      const [left, right] = this.flipped ? [last, 0] : [0, last];
      if (column === left) found.push({ x: x - this.size / 2 - across / 2, y, text: name[0] });
      if (column === right) found.push({ x: x + this.size / 2 + across / 2, y, text: name.slice(1) });
      else if (row === 0 || row === this.height - 1)
        found.push({ x, y: y + Math.sign(y) * (this.size / 2 / 0.866 + 16), text: name.slice(1) });
    }
    return found;
  }

  /** The outline of one cell, around its own centre. @param {number} [inset] */
  outline(inset = 0) {
    if (this.hex) return hexagon(this.size / 2 / 0.866 - inset);
    const half = this.size / 2 - inset;
    return roundedSquare(half, this.walled ? 12 : 14);
  }

  /** The board's own outline. */
  frameOutline() {
    if (!this.hex) return null;
    const points = [0, 60, 120, 180, 240, 300].map((degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return [this.reach * Math.cos(angle), this.reach * Math.sin(angle)];
    });
    return `M${points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}Z`;
  }

  /** The rectangle of a wall. @param {string} name */
  wall(name) {
    const wall = parseWall(name);
    if (!wall) return null;
    const { x, y } = this.crossing(wall.file, wall.rank);
    const long = PITCH + this.size;
    const thick = this.gap - 4;
    return wall.lies
      ? { x: x - long / 2, y: y - thick / 2, width: long, height: thick }
      : { x: x - thick / 2, y: y - long / 2, width: thick, height: long };
  }

  /** Where four cells meet; file and rank are those of the cell nearest a1, from 0. @param {number} file @param {number} rank */
  crossing(file, rank) {
    const sign = this.flipped ? -1 : 1;
    return {
      x: sign * (file + 1 - this.width / 2) * PITCH,
      y: sign * (this.height / 2 - rank - 1) * PITCH,
    };
  }

  /**
   * The wall at a pointer: at the nearest crossing, along the nearest side. Null in the middle of a cell or off the board.
   * @param {number} x
   * @param {number} y
   * @param {number} reach largest distance from a side, in units
   */
  wallAt(x, y, reach) {
    const sign = this.flipped ? -1 : 1;
    const across = (sign * x) / PITCH + this.width / 2;
    const up = this.height / 2 - (sign * y) / PITCH;
    if (across < 0 || up < 0 || across > this.width || up > this.height) return null;
    const aside = Math.abs(across - clamp(Math.round(across), 1, this.width - 1)) * PITCH;
    const above = Math.abs(up - clamp(Math.round(up), 1, this.height - 1)) * PITCH;
    if (Math.min(aside, above) > reach) return null;
    const file = clamp(Math.round(across), 1, this.width - 1) - 1;
    const rank = clamp(Math.round(up), 1, this.height - 1) - 1;
    return wallName(file, rank, above < aside);
  }

  /** The cell under a point, or null. @param {number} x @param {number} y */
  cellAt(x, y) {
    let best = null;
    let nearest = Infinity;
    for (const place of this.places) {
      const distance = this.hex
        ? Math.hypot(place.x - x, place.y - y)
        : Math.max(Math.abs(place.x - x), Math.abs(place.y - y));
      if (distance < nearest) [best, nearest] = [place, distance];
    }
    return best && nearest <= (this.hex ? 56 : PITCH / 2) ? best.name : null;
  }

  /**
   * The neighbour in the direction of an arrow key. `aim` is the x coordinate that vertical steps keep.
   * @param {string} name
   * @param {string} key
   * @param {number} aim
   */
  step(name, key, aim) {
    const from = this.byName.get(name);
    if (!from) return this.places[0].name;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
    if (dx) {
      const there = this.places.find((place) => place.row === from.row && Math.abs(place.x - from.x - dx * PITCH) < 1);
      return there?.name ?? name;
    }
    const rowAway = this.hex ? HEX_PITCH : PITCH;
    const row = this.places.filter((place) => Math.abs(place.y - from.y - dy * rowAway) < 1);
    row.sort((one, two) => Math.abs(one.x - aim) - Math.abs(two.x - aim));
    return row[0]?.name ?? name;
  }

  /** Cells that touch this one: four on squares, six on a hexagon. @param {Place} place */
  touching(place) {
    const limit = this.hex ? 101 : 100.5;
    return this.places.filter((other) => other !== place && Math.hypot(other.x - place.x, other.y - place.y) < limit);
  }
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** @param {number} radius */
function hexagon(radius) {
  const corner = radius * 0.866;
  return `M0 ${-radius}L${corner} ${-radius / 2}V${radius / 2}L0 ${radius}L${-corner} ${radius / 2}V${-radius / 2}Z`;
}

/** @param {number} half @param {number} round */
export function roundedSquare(half, round) {
  const side = 2 * (half - round);
  const arc = (/** @type {string} */ to) => `a${round} ${round} 0 0 1 ${to}`;
  return (
    `M${-half + round} ${-half}h${side}${arc(`${round} ${round}`)}v${side}${arc(`${-round} ${round}`)}` +
    `h${-side}${arc(`${-round} ${-round}`)}v${-side}${arc(`${round} ${-round}`)}Z`
  );
}
