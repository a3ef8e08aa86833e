/** One board in SVG, drawn from a position text, without the game's rules. */

import { s, set } from "./dom.js";
import { Layout } from "./geometry.js";
import { piece } from "./marks.js";
import { contents, isCell, parsePosition, parted, trails } from "./position.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {{moves: Set<string>, refused: Record<string, string>, notes: Record<string, string>, seat: number}} Hints */

/** @type {Hints} */
const NO_HINTS = { moves: new Set(), refused: {}, notes: {}, seat: -1 };

const MANY_TARGETS = 20;
/** The hatching of each seat, and of cells that several seats control. */
const HATCH = [
  "M-30 0L0 -30M-30 30L30 -30M0 30L30 0",
  "M-30 0L0 30M-30 -30L30 30M0 -30L30 0",
  "M-30 -15H30M-30 15H30",
  "M-15 -30V30M15 -30V30",
];

export class Board {
  /** @param {{tiny?: boolean, walled?: boolean, label?: string, names?: (seat: number) => string}} [how] */
  constructor({ tiny = false, walled = false, label = "Board", names = (seat) => `player ${seat + 1}` } = {}) {
    this.tiny = tiny;
    this.walled = walled;
    this.names = names;
    this.element = s("svg", tiny ? { class: "board tiny", "aria-hidden": "true" } : { class: "board" });
    this.label = label;
    this.flipped = false;
    this.hints = NO_HINTS;
    /** @type {Position | null} */
    this.position = null;
    this.layout = new Layout(parsePosition(""));
    /** @type {Map<string, {group: SVGGElement, tile: SVGPathElement, content: string}>} */
    this.cells = new Map();
    /** @type {Map<string, {seat: number, element: SVGGElement}>} */
    this.pieces = new Map();
    /** @type {Map<string, SVGRectElement>} */
    this.walls = new Map();
    this.focused = "";
    this.shape = "";
    /** @type {Map<string, number>} */
    this.trail = new Map();
    this.last = "";
    this.from = "";
    this.ghostSign = "";
    /** @type {string | null} the position whose pawns' edges tell the goals */
    this.goalsFrom = null;
    /** @type {OverlayPicture | null} what an analyst has drawn */
    this.picture = null;
    /** @type {Map<string, string>} what that says of each cell */
    this.said = new Map();
  }

  /**
   * Show a position.
   * @param {string} text
   * @param {{last?: string, from?: string, trail?: Map<string, number>, still?: boolean}} [how] `last` is the move that led here; without
   *   a trail the board uses the cells that it saw each seat leave
   */
  show(text, { last = "", from = "", trail, still = false } = {}) {
    const position = parsePosition(text, this.walled);
    const shape = `${position.rows.map((row) => row.length)} ${position.walled} ${this.flipped}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build(position);
      still = true;
    }
    const before = this.position;
    this.position = position;
    this.trail = trail ?? (before ? new Map([...this.trail, ...trails([before.text, text])]) : new Map());
    this.element.classList.toggle("still", still);
    this.#drawCells(position);
    this.from = from;
    this.#drawPieces(contents(position), before);
    this.#drawWalls(position.walls, last);
    this.#markLast(last);
    this.last = last;
    this.paint(this.picture);
  }

  /** Discard the state of the previous match. */
  forget() {
    this.shape = "";
    this.position = null;
    this.trail = new Map();
  }

  /** Make every element of a board of this shape, once. @param {Position} position */
  #build(position) {
    const layout = new Layout(position, { flipped: this.flipped, tiny: this.tiny });
    this.layout = layout;
    const { x, y, width, height } = layout.box;
    set(this.element, { viewBox: `${x} ${y} ${width} ${height}` });
    this.element.replaceChildren();
    this.element.classList.toggle("hex", layout.hex);
    this.element.classList.toggle("walled", layout.walled);
    this.cells.clear();
    this.pieces.clear();
    this.walls.clear();
    const outline = layout.frameOutline();
    const frame = outline ? s("path.frame", { d: outline }) : s("rect.frame", { ...layout.frame, rx: 22 });
    const goals = layout.walled ? this.#goals(position) : [];
    const labels = layout.labels.map((label) => {
      const text = s("text.coordinate", { x: label.x, y: label.y });
      text.textContent = label.text;
      return text;
    });
    const d = layout.outline();
    const grid = s("g", this.tiny ? {} : { class: "grid", role: "grid", "aria-label": this.label });
    for (let row = 0; row < layout.height; row++) {
      const line = s("g", this.tiny ? {} : { role: "row" });
      for (const place of layout.places.filter((other) => other.row === row)) {
        const tile = s("path.tile", { d });
        const group = s("g.cell", { transform: `translate(${place.x} ${place.y})` }, tile);
        if (!this.tiny) {
          set(group, { role: "gridcell", tabindex: -1, data: { cell: place.name } });
          group.append(
            s("path.cross", { d: "M-16 -16L16 16M16 -16L-16 16" }),
            s("circle.dot", { r: 13 }),
            s("path.dash", { d: "M-12 0H12" }),
            s("path.ring", { d: layout.outline(-3) }),
          );
        }
        this.cells.set(place.name, { group, tile, content: "" });
        line.append(group);
      }
      grid.append(line);
    }
    const layer = (/** @type {string} */ name) => s(`g.${name}`, { "aria-hidden": "true" });
    this.wallLayer = layer("walls");
    this.pictureLayer = layer("overlay");
    this.linkLayer = layer("links");
    this.pieceLayer = layer("pieces");
    this.noteLayer = layer("pieces");
    this.ghostLayer = layer("ghosts");
    this.element.append(
      frame,
      ...goals,
      ...labels,
      grid,
      this.pictureLayer,
      this.linkLayer,
      this.wallLayer,
      this.pieceLayer,
      this.noteLayer,
      this.ghostLayer,
    );
    if (!this.tiny) this.focus(this.cells.has(this.focused) ? this.focused : layout.places[0].name, false);
  }

  /**
   * Goal edges of the pawns, from the first position of a walled board with pawns on its rim, or from `goalsFrom`.
   * @param {Position} position
   */
  #goals(position) {
    const start = this.goalsFrom ? parsePosition(this.goalsFrom) : position;
    const { x, y, width, height } = this.layout.frame;
    const found = [];
    for (const [name, content] of contents(start)) {
      if (content === "." || content === "x") continue;
      const place = this.layout.byName.get(name);
      if (!place) continue;
      const rect =
        Math.abs(place.y) > Math.abs(place.x)
          ? { x: x + 30, y: place.y > 0 ? y + 2 : y + height - 9, width: width - 60, height: 7 }
          : { x: place.x > 0 ? x + 2 : x + width - 9, y: y + 30, width: 7, height: height - 60 };
      found.push(s("rect", { class: `goal seat-${content}`, ...rect, rx: 3.5 }));
    }
    return found;
  }

  /** @param {Position} position */
  #drawCells(position) {
    for (const [name, content] of contents(position)) {
      const cell = this.cells.get(name);
      if (!cell) continue;
      const owner = content === "x" ? (this.trail.get(name) ?? "") : "";
      const state = `${content}${owner}`;
      if (cell.content === state) continue;
      cell.content = state;
      const kind = content === "x" ? `cell blocked${owner === "" ? "" : ` seat-${owner}`}` : "cell";
      const kept = [...cell.group.classList].filter((word) => ["target", "refused", "last", "from"].includes(word));
      cell.group.setAttribute("class", [kind, ...kept].join(" "));
    }
  }

  /** @param {Map<string, string>} now @param {Position | null} before */
  #drawPieces(now, before) {
    /** @type {Map<number, string[]>} */
    const left = new Map();
    for (const [name, { seat }] of this.pieces) {
      if (now.get(name) !== String(seat)) left.set(seat, [...(left.get(seat) ?? []), name]);
    }
    for (const [name, content] of now) {
      const place = this.layout.byName.get(name);
      if (!place || content === "." || content === "x") continue;
      const seat = Number(content);
      if (this.pieces.get(name)?.seat === seat) continue;
      const from = left.get(seat)?.shift();
      const moved = from !== undefined ? this.pieces.get(from) : undefined;
      const element = moved?.element ?? piece(seat, this.layout.radius);
      if (from !== undefined) this.pieces.delete(from);
      this.pieces.get(name)?.element.remove();
      element.style.transform = `translate(${place.x}px, ${place.y}px)`;
      if (!moved) {
        this.pieceLayer?.append(element);
        if (before) element.classList.add("new");
      }
      this.pieces.set(name, { seat, element });
    }
    for (const names of left.values()) {
      for (const name of names) {
        if (now.get(name) === String(this.pieces.get(name)?.seat)) continue;
        this.pieces.get(name)?.element.remove();
        this.pieces.delete(name);
      }
    }
    if (this.layout.hex) this.#drawLinks(now);
  }

  /** Draw links between adjacent stones of one colour. @param {Map<string, string>} now */
  #drawLinks(now) {
    /** @type {string[]} */
    const lines = ["", "", "", ""];
    for (const place of this.layout.places) {
      const content = now.get(place.name) ?? ".";
      if (content === "." || content === "x") continue;
      for (const other of this.layout.touching(place)) {
        if (other.name > place.name && now.get(other.name) === content) {
          lines[Number(content)] +=
            `M${place.x.toFixed(1)} ${place.y.toFixed(1)}L${other.x.toFixed(1)} ${other.y.toFixed(1)}`;
        }
      }
    }
    this.linkLayer?.replaceChildren(
      ...lines.flatMap((d, seat) => (d ? [s("path", { class: `link seat-${seat}`, d })] : [])),
    );
  }

  /** @param {string[]} names @param {string} last */
  #drawWalls(names, last) {
    const there = new Set(names);
    for (const [name, element] of this.walls) {
      if (!there.has(name)) {
        element.remove();
        this.walls.delete(name);
      }
    }
    for (const name of names) {
      const wall = this.walls.get(name) ?? this.#wall(name, "wall");
      if (!wall) continue;
      if (!this.walls.has(name)) {
        this.walls.set(name, wall);
        this.wallLayer?.append(wall);
      }
      wall.classList.toggle("last", name === last);
    }
  }

  /** @param {string} name @param {string} kind */
  #wall(name, kind) {
    const rect = this.layout.wall(name);
    return rect && s("rect", { class: kind, ...rect, rx: 5 });
  }

  /** @param {string} last */
  #markLast(last) {
    for (const [name, { group }] of this.cells) {
      group.classList.toggle("last", name === last && isCell(last));
      group.classList.toggle("from", name === this.from);
    }
  }

  /** Mark the legal moves; null removes the marks. @param {Hints | null} hints */
  hint(hints) {
    this.hints = hints ?? NO_HINTS;
    this.element.classList.toggle("mine", this.hints.moves.size > 0);
    // Where most cells are legal the dots are fainter.
    const targets = [...this.hints.moves].filter(isCell).length;
    this.element.classList.toggle("many", targets > MANY_TARGETS);
    this.element.classList.toggle("exceptions", Object.keys(this.hints.refused).length < targets);
    for (const [name, { group }] of this.cells) {
      group.classList.toggle("target", this.hints.moves.has(name));
      group.classList.toggle("refused", name in this.hints.refused);
    }
    this.#label();
  }

  /** Write the number of each note on its cell, such as the size of a group. @param {boolean} on */
  showNotes(on) {
    const notes = on ? Object.entries(this.hints.notes) : [];
    this.noteLayer?.replaceChildren(
      ...notes.flatMap(([name, words]) => {
        const place = this.layout.byName.get(name);
        const number = /\d+/.exec(words)?.[0];
        if (!place || !number) return [];
        const text = s("text", { class: `count seat-${this.pieces.get(name)?.seat ?? ""}`, x: place.x, y: place.y });
        text.textContent = number;
        return [text];
      }),
    );
  }

  /** Draw an overlay over the cells; null removes it. @param {OverlayPicture | null} picture */
  paint(picture) {
    this.picture = picture;
    this.said.clear();
    /** @type {SVGGElement[]} */
    const drawn = [];
    const rows = picture?.cells.split("/") ?? [];
    for (const { name, row, column, x, y } of this.layout.places) {
      const mark = rows[row]?.[column] ?? ".";
      if (!picture || mark === ".") continue;
      const cell = s("g", { transform: `translate(${x} ${y})` }, s("path", { d: this.layout.outline() }));
      if (picture.kind === "heat") {
        cell.style.setProperty("--heat", mark);
        cell.append(s("text.coordinate", mark));
        this.said.set(name, `${picture.title} ${mark} of 9`);
      } else {
        cell.setAttribute("class", mark === "b" ? "both" : `seat-${mark}`);
        cell.append(s("path.hatch", { d: HATCH[Number(mark)] ?? HATCH[0] + HATCH[1] }));
        this.said.set(name, `${picture.title}: ${mark === "b" ? "both" : this.names(Number(mark))}`);
      }
      drawn.push(cell);
    }
    this.pictureLayer?.replaceChildren(...drawn);
    this.pictureLayer?.classList.toggle("heat", picture?.kind === "heat");
    this.#label();
  }

  /** Label every cell with its state for screen readers. */
  #label() {
    if (this.tiny || !this.position) return;
    const walls = parted(this.position.walls);
    for (const [name, content] of contents(this.position)) {
      const cell = this.cells.get(name);
      if (!cell) continue;
      const what = content === "." ? "free" : content === "x" ? "blocked" : this.names(Number(content));
      const words = [name, what];
      if (walls.has(name)) words.push(`wall towards ${walls.get(name)?.join(" and ")}`);
      if (name === this.last) words.push("last move");
      if (this.hints.moves.has(name)) words.push("playable");
      if (this.hints.refused[name]) words.push(this.hints.refused[name]);
      if (this.hints.notes[name]) words.push(this.hints.notes[name]);
      const said = this.said.get(name);
      if (said) words.push(said);
      const label = words.join(", ");
      if (cell.group.getAttribute("aria-label") !== label) cell.group.setAttribute("aria-label", label);
    }
  }

  /**
   * Show a move that is not made yet: hovered, armed by a first tap, sent, or unsent.
   * @param {string} move
   * @param {number} seat
   * @param {"hover" | "wrong" | "armed" | "sent" | "unsent"} state
   */
  ghost(move, seat, state) {
    const sign = `${move} ${seat} ${state}`;
    if (sign === this.ghostSign) return;
    this.ghostSign = sign;
    const place = this.layout.byName.get(move);
    let element = null;
    if (place) {
      element = piece(seat, this.layout.radius);
      element.style.transform = `translate(${place.x}px, ${place.y}px)`;
    } else {
      element = this.#wall(move, "wall");
    }
    element?.classList.add("ghost", state);
    this.ghostLayer?.replaceChildren(...(element ? [element] : []));
  }

  clearGhost() {
    this.ghostSign = "";
    this.ghostLayer?.replaceChildren();
  }

  /** Move the focus ring. @param {string} name @param {boolean} [really] take the keyboard's focus too */
  focus(name, really = true) {
    const cell = this.cells.get(name);
    if (!cell) return;
    this.cells.get(this.focused)?.group.setAttribute("tabindex", "-1");
    this.focused = name;
    cell.group.setAttribute("tabindex", "0");
    if (really) cell.group.focus({ preventScroll: true });
  }

  /** Turn the board round. @param {boolean} flipped */
  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.shape = "";
    if (this.position)
      this.show(this.position.text, { last: this.last, from: this.from, trail: this.trail, still: true });
    this.hint(this.hints);
  }

  /** Convert a pointer's position into board units. @param {{clientX: number, clientY: number}} event */
  point(event) {
    const matrix = this.element.getScreenCTM();
    if (!matrix) return { x: NaN, y: NaN };
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return { x: point.x, y: point.y };
  }
}
