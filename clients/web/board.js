/** One board in SVG, drawn from a position text, without the game's rules. */

import { s, set } from "./dom.js";
import { Layout } from "./geometry.js";
import { list, t, told } from "./language.js";
import { piece } from "./marks.js";
import { builders, contents, isCell, parsePosition, parted, startCells, trails } from "./position.js";

/** @typedef {import("./position.js").Position} Position */
/** @typedef {{moves: Set<string>, refused: Record<string, string>, notes: Record<string, string>, seat: number}} Hints */

/** @type {Hints} */
const NO_HINTS = { moves: new Set(), refused: {}, notes: {}, seat: -1 };

const MANY_TARGETS = 20;
/** How thick the edges that pawns must reach are, in units: the viewer's has a label. */
const GOAL = { mine: 20, theirs: 9 };
/** The radius of a seat's mark in a zone of its own; two share the cell. */
const ZONE_MARK = 11;

export class Board {
  /** @param {{tiny?: boolean, walled?: boolean, label?: string, names?: (seat: number) => string}} [how] */
  constructor({ tiny = false, walled = false, label = t("Board"), names = (seat) => t("player {number}", { number: seat + 1 }) } = {}) {
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
    /** @type {Map<string, SVGGElement>} */
    this.walls = new Map();
    /** @type {Map<string, number>} the seat that placed each wall, where known */
    this.builders = new Map();
    /** @type {number | null} the seat whose goal is labelled as the viewer's */
    this.viewer = null;
    this.focused = "";
    this.shape = "";
    /** @type {Map<string, number>} */
    this.trail = new Map();
    this.last = "";
    this.from = "";
    this.ghostSign = "";
    /** @type {OverlayPicture | null} what an analyst has drawn */
    this.picture = null;
    /** @type {Map<string, string>} what that says of each cell */
    this.said = new Map();
    /** @type {((board: Board) => SVGElement[]) | null} what draws marks of moves */
    this.advice = null;
  }

  /**
   * Show a position.
   * @param {string} text
   * @param {{last?: string, from?: string, past?: (string | undefined)[], still?: boolean}} [how] `last` is the move that led here; `past`
   *   are the positions before it, which tell who left a cell and placed a wall; without them the board uses what it has seen
   */
  show(text, { last = "", from = "", past, still = false } = {}) {
    const position = parsePosition(text, this.walled);
    const shape = `${position.rows.map((row) => row.length)} ${position.walled} ${this.flipped}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build(position);
      still = true;
    }
    const before = this.position;
    this.position = position;
    const seen = past ?? (before ? [before.text] : []);
    this.trail = new Map([...(past ? [] : this.trail), ...trails([...seen, text])]);
    this.builders = new Map([...(past ? [] : this.builders), ...builders([...seen, text])]);
    this.element.classList.toggle("still", still);
    this.#drawCells(position);
    this.from = from;
    this.#drawPieces(contents(position), before);
    this.#drawWalls(position.walls, last);
    this.#markLast(last);
    this.last = last;
    this.paint(this.picture);
    this.advise(this.advice);
  }

  /** Discard the state of the previous match. */
  forget() {
    this.shape = "";
    this.position = null;
    this.trail = new Map();
    this.builders = new Map();
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
    const frame = ["under", "frame"].map((name) =>
      outline ? s(`path.${name}`, { d: outline }) : s(`rect.${name}`, { ...layout.frame, rx: 22 }),
    );
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
    this.adviceLayer = layer("advices");
    this.ghostLayer = layer("ghosts");
    this.element.append(
      ...frame,
      ...goals,
      ...labels,
      grid,
      this.pictureLayer,
      this.linkLayer,
      this.wallLayer,
      this.pieceLayer,
      this.noteLayer,
      this.adviceLayer,
      this.ghostLayer,
    );
    if (!this.tiny) this.focus(this.cells.has(this.focused) ? this.focused : layout.places[0].name, false);
  }

  /** The edges that the pawns walk to. @param {Position} position */
  #goals(position) {
    const { x, y, width, height } = this.layout.frame;
    const found = [];
    for (const [seat, name] of startCells(position).entries()) {
      const place = this.layout.byName.get(name);
      if (!place) continue;
      const lies = Math.abs(place.y) > Math.abs(place.x);
      const isMine = seat === this.viewer;
      const thick = isMine ? GOAL.mine : GOAL.theirs;
      const rect = lies
        ? { x: x + 30, y: place.y > 0 ? y + 4 : y + height - thick - 4, width: width - 60, height: thick }
        : { x: place.x > 0 ? x + 4 : x + width - thick - 4, y: y + 30, width: thick, height: height - 60 };
      found.push(s("rect", { class: `goal seat-${seat}${isMine ? " mine" : ""}`, ...rect, rx: thick / 2 }));
      if (!isMine || this.tiny) continue;
      const text = s("text.goal-label", {
        transform: `translate(${rect.x + rect.width / 2} ${rect.y + rect.height / 2})${lies ? "" : " rotate(-90)"}`,
      });
      text.textContent = t("your goal");
      found.push(text);
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
      const kind = content === "x" ? `cell blocked fresh${owner === "" ? "" : ` seat-${owner}`}` : "cell";
      const kept = [...cell.group.classList].filter((word) => ["target", "refused", "last", "from", "decisive"].includes(word));
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
      const owner = this.builders.get(name);
      wall.setAttribute("class", `wall${owner === undefined ? "" : ` seat-${owner}`}${name === last ? " last" : ""}`);
    }
  }

  /** @param {string} name @param {string} kind */
  #wall(name, kind) {
    const rect = this.layout.wall(name);
    if (!rect) return null;
    const { x, y, width, height } = rect;
    const lies = width > height;
    const groove = lies
      ? `M${x + 14} ${y + height / 2}H${x + width - 14}`
      : `M${x + width / 2} ${y + 14}V${y + height - 14}`;
    return s(
      "g",
      { class: kind },
      s("rect.shade", { ...rect, y: y + 6, rx: 5 }),
      s("rect.side", { ...rect, y: y + 3, rx: 5 }),
      s("rect.top", { ...rect, rx: 5 }),
      s("path.groove", { d: groove }),
    );
  }

  /** @param {string} last */
  #markLast(last) {
    for (const [name, { group }] of this.cells) {
      group.classList.toggle("last", name === last && isCell(last));
      group.classList.toggle("from", name === this.from);
    }
  }

  /** Mark the cells that decided the game, and the edge that a seat reached. @param {string[]} names @param {number | null} [home] */
  decide(names, home = null) {
    for (const [name, { group }] of this.cells) group.classList.toggle("decisive", names.includes(name));
    for (const edge of this.element.querySelectorAll(".goal"))
      edge.classList.toggle("reached", home !== null && edge.classList.contains(`seat-${home}`));
  }

  /** Mark the legal moves; null removes the marks. @param {Hints | null} hints */
  hint(hints) {
    this.hints = hints ?? NO_HINTS;
    this.element.classList.toggle("mine", this.hints.moves.size > 0);
    // Where most cells are legal the dots are fainter.
    const targets = [...this.hints.moves].filter(isCell).length;
    this.element.classList.toggle("many", targets > MANY_TARGETS);
    this.element.classList.toggle("exceptions", Object.keys(this.hints.refused).filter(isCell).length < targets);
    for (const [name, { group }] of this.cells) {
      group.classList.toggle("target", this.hints.moves.has(name));
      group.classList.toggle("refused", name in this.hints.refused);
      group.classList.toggle("movable", this.isMovable(name));
    }
    this.#label();
  }

  /** Whether a piece stands on a cell that the player may move; on hexagons pieces are placed, and stay. @param {string} name */
  isMovable(name) {
    const { moves, seat } = this.hints;
    return !this.layout.hex && this.pieces.get(name)?.seat === seat && [...moves].some(isCell);
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
    const numbers = picture?.numbers.split("/").map((row) => row.split(",")) ?? [];
    for (const { name, row, column, x, y } of this.layout.places) {
      const mark = rows[row]?.[column] ?? ".";
      if (!picture || mark === ".") continue;
      const cell = s("g", { transform: `translate(${x} ${y})` }, s("path", { d: this.layout.outline() }));
      if (picture.kind === "heat") {
        // Size tells the degree without colour.
        cell.style.setProperty("--heat", mark);
        const number = numbers[row]?.[column] ?? "";
        cell.append(number ? s("text.coordinate", number) : s("circle", { r: 3 + 2.4 * Number(mark) }));
        this.said.set(name, `${picture.title}: ${number || t("{count} of 9", { count: Number(mark) })}`);
      } else {
        const both = mark === "b";
        cell.setAttribute("class", both ? "both" : `seat-${mark}`);
        for (const [seat, aside] of both ? [[0, -15], [1, 15]] : [[Number(mark), 0]])
          cell.append(s("g", { transform: `translate(${aside} 0)` }, piece(seat, ZONE_MARK)));
        this.said.set(name, `${picture.title}: ${mark === "b" ? t("both") : this.names(Number(mark))}`);
      }
      drawn.push(cell);
    }
    this.pictureLayer?.replaceChildren(...drawn);
    this.pictureLayer?.classList.toggle("heat", picture?.kind === "heat");
    this.#label();
  }

  /** Have marks of moves drawn above the pieces, again whenever the board changes. @param {((board: Board) => SVGElement[]) | null} draw */
  advise(draw) {
    this.advice = draw;
    this.adviceLayer?.replaceChildren(...(draw?.(this) ?? []));
  }

  /** Label every cell with its state for screen readers. */
  #label() {
    if (this.tiny || !this.position) return;
    const walls = parted(this.position.walls);
    for (const [name, content] of contents(this.position)) {
      const cell = this.cells.get(name);
      if (!cell) continue;
      const what = content === "." ? t("free") : content === "x" ? t("blocked") : this.names(Number(content));
      const words = [name, what];
      if (walls.has(name)) words.push(t("wall towards {cells}", { cells: list(walls.get(name) ?? []) }));
      if (name === this.last) words.push(t("last move"));
      if (this.hints.moves.has(name)) words.push(t("playable"));
      if (this.hints.refused[name]) words.push(told(this.hints.refused[name]));
      if (this.hints.notes[name]) words.push(told(this.hints.notes[name]));
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
      element = this.#wall(move, `wall seat-${seat}`);
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
    this.rebuild();
  }

  /** Make every element anew, without motion. */
  rebuild() {
    this.shape = "";
    if (this.position) this.show(this.position.text, { last: this.last, from: this.from, still: true });
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
