/** A wall of boards: every match of an event at once, as large as the screen allows. */

import { fill, h, keyed } from "./dom.js";
import { counted, t } from "./grouptexts.js";
import { WallTile } from "./walltile.js";

/** `MAX_ROOMS` of the server is 64: a wall leaves room for others. */
const MAX_BOARDS = 40;
const TICK_MS = 200;
/** The space between tiles, and what a tile needs besides its board, in root em. */
const GAP_EM = 0.5;
const PADDING_EM = 0.75;
const LINE_EM = 1.12;

/**
 * Return the number of columns in which `count` tiles have the largest boards.
 * @param {number} count @param {number} width @param {number} height in pixels
 * @param {{ratio: number, beside: number, below: number, gap: number}} tile width to height of a board, and what a tile has around it
 */
export function bestColumns(count, width, height, { ratio, beside, below, gap }) {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const across = (width - gap * (columns - 1)) / columns - beside;
    const down = (height - gap * (rows - 1)) / rows - below;
    const size = Math.min(across, down * ratio);
    if (size > best.size) best = { columns, size };
  }
  return best;
}

/** The tiles of some matches, laid out to fill the window. */
export class Boards {
  /** @param {Page} page @param {() => void} changed is told of pauses and results */
  constructor(page, changed) {
    this.page = page;
    this.changed = changed;
    /** @type {Map<string, WallTile>} */
    this.tiles = new Map();
    this.element = h("div.wall-boards");
    this.abort = new AbortController();
    window.addEventListener("resize", () => this.layOut(), { signal: this.abort.signal });
    this.timer = window.setInterval(() => {
      for (const tile of this.tiles.values()) tile.tick();
    }, TICK_MS);
  }

  close() {
    this.abort.abort();
    clearInterval(this.timer);
    for (const tile of this.tiles.values()) tile.close();
  }

  /** Show these matches, the first of them where there are too many. @param {string[]} matches */
  show(matches) {
    const shown = matches.slice(0, MAX_BOARDS);
    for (const [match, tile] of this.tiles) {
      if (shown.includes(match)) continue;
      tile.close();
      this.tiles.delete(match);
    }
    for (const match of shown) {
      if (!this.tiles.has(match)) this.tiles.set(match, new WallTile(this.page, match, () => this.#tileChanged()));
    }
    keyed(this.element, shown, (match) => match, (match) => /** @type {WallTile} */ (this.tiles.get(match)).element);
    this.layOut();
  }

  #tileChanged() {
    this.layOut();
    this.changed();
  }

  /** Choose the columns with the largest boards. */
  layOut() {
    const { element } = this;
    if (!this.tiles.size || !element.isConnected) return;
    const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const known = [...this.tiles.values()].filter(({ record }) => record);
    const ratios = known.map(({ board }) => board.layout.box.width / board.layout.box.height);
    const lines = Math.max(2, ...known.map(({ clocks }) => clocks.length));
    const { top, width } = element.getBoundingClientRect();
    const height = Math.max(innerHeight - top - scrollY - GAP_EM * em, 200);
    const { columns, size } = bestColumns(this.tiles.size, width, height, {
      ratio: Math.min(1.6, ...ratios),
      beside: PADDING_EM * em,
      below: (PADDING_EM + lines * LINE_EM) * em,
      gap: GAP_EM * em,
    });
    element.style.setProperty("--columns", String(columns));
    element.style.setProperty("--board", `${Math.max(size, 90)}px`);
  }
}

/** @implements {View} */
export class WallView {
  /** @param {Page} page @param {string} matches the ids of matches, with plus signs between them */
  constructor(page, matches) {
    this.boards = new Boards(page, () => this.#draw());
    this.facts = h("p.quiet", { role: "status" });
    this.element = h("div.wall", h("header.flow", h("h1", t("Wall of boards")), this.facts), this.boards.element);
    document.title = `${t("Wall of boards")} – Cornered`;
    // The view is measured when it is in the document.
    queueMicrotask(() => this.boards.show(matches.split("+").filter(Boolean)));
  }

  close() {
    this.boards.close();
  }

  #draw() {
    const tiles = [...this.boards.tiles.values()];
    const going = tiles.filter((tile) => tile.record && !tile.isOver).length;
    fill(this.facts, counted(going, "{count} game goes on", "{count} games go on"));
  }
}
