/** The list of moves of a match, with navigation. */

import { t } from "./language.js";
import { seatMark } from "./marks.js";
import { isRoll } from "./position.js";
import { button, fill, h, set } from "./dom.js";
import { icon } from "./icons.js";

export const DICE = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

export class MoveList {
  /** @param {MatchRecord} record @param {(ply: number) => void} go show the position after that many plies */
  constructor(record, go) {
    this.record = record;
    this.go = go;
    this.list = h("ol.movelist", { tabindex: 0, "aria-label": t("Moves") });
    const step = (/** @type {Icon} */ art, /** @type {string} */ label, /** @type {() => number} */ to) =>
      button(icon(art), () => go(to()), "plain", { "aria-label": label, title: label });
    this.shown = 0;
    this.controls = h(
      "div.steps",
      { role: "group", "aria-label": t("Replay") },
      step("first", t("The start"), () => 0),
      step("back", t("One move back"), () => this.before()),
      step("on", t("One move on"), () => this.after()),
      step("last", t("The newest position"), () => record.ply),
    );
    // The result, which resizes the list, is drawn after the move.
    new ResizeObserver(() => this.#follow()).observe(this.list);
    this.element = h("section.moves.panel", { "aria-label": t("Moves") }, this.list, this.controls);
    this.drawn = "";
  }

  /** Steps skip rolls, which belong to the following move. */
  before() {
    let ply = this.shown - 1;
    while (ply > 0 && isRoll(this.record.moves[ply - 1])) ply -= 1;
    return Math.max(0, ply);
  }

  after() {
    let ply = this.shown + 1;
    while (ply < this.record.ply && isRoll(this.record.moves[ply - 1])) ply += 1;
    return Math.min(this.record.ply, ply);
  }

  /** The number in this list of the move that led to a position, 0 for the start. @param {number} ply */
  numberOf(ply) {
    let row = 0;
    for (const { dataset } of this.list.querySelectorAll("button")) {
      if (Number(dataset.ply) > ply) break;
      row = Number(dataset.row);
    }
    return row;
  }

  /** @param {number} shown the position on the board, in plies */
  draw(shown) {
    const { record } = this;
    const seats = record.seats.length;
    const sign = `${record.moves.join(" ")}|${record.complete}`;
    if (sign !== this.drawn) {
      this.drawn = sign;
      this.list.style.setProperty("--seats", String(seats));
      /** @type {HTMLElement[]} */
      const rows = [];
      /** @type {HTMLElement | undefined} */
      let row;
      let last = Infinity;
      let roll = "";
      record.moves.forEach((move, ply) => {
        if (isRoll(move)) {
          roll = DICE[Number(move)] ?? move;
          return;
        }
        const seat = record.moverOf(ply) ?? (last === Infinity ? 0 : (last + 1) % seats);
        if (seat <= last) {
          row = h("li", h("span.number", String(rows.length + 1)));
          rows.push(row);
        }
        last = seat;
        const cell = button(
          [seatMark(seat), move, roll ? h("span.die", { title: t("the dice") }, roll) : null],
          () => this.go(ply + 1),
          "move plain",
          { data: { ply: String(ply + 1), row: String(rows.length) } },
        );
        cell.style.gridColumn = String(seat + 2);
        row?.append(cell);
        roll = "";
      });
      fill(this.list, rows);
      if (!rows.length) fill(this.list, h("li.quiet.empty", t("No move yet.")));
    }
    this.shown = shown;
    for (const move of this.list.querySelectorAll("button"))
      set(move, { "aria-current": Number(move.dataset.ply) === shown && "step" });
    this.#follow();
    const [first, back, on, end] = this.controls.querySelectorAll("button");
    first.disabled = back.disabled = shown === 0;
    on.disabled = end.disabled = shown === record.ply;
  }

  /** Scroll the list, and not the page, to the current move. */
  #follow() {
    const { list, shown } = this;
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    if (current) {
      const { offsetTop: top, offsetHeight: height } = current;
      if (top < list.scrollTop || top + height > list.scrollTop + list.clientHeight)
        list.scrollTop = top - (list.clientHeight - height) / 2;
    } else if (shown === 0) list.scrollTop = 0;
  }
}
