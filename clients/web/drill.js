/** A board on which one side's right moves are known beforehand: the common part of puzzles and lessons. */

import { Board } from "./board.js";
import { announce, h } from "./dom.js";
import { Hand } from "./hand.js";
import { t, told } from "./studytexts.js";
import { Placing } from "./placing.js";
import { isCell, leftBehind, parsePosition } from "./position.js";
import { moveSound } from "./settings.js";

/** @typedef {{moves?: string[], refused?: Record<string, string>, notes?: Record<string, string>, gauges?: string[], position: string}} Scene */
/** @typedef {{answer: (move: string) => void, explain: (text: string) => void}} Asked */

const ILLEGAL = t("That is not a legal move here. The dots show where you may go.");

export class Drill {
  /** @param {{label: string, walled: boolean, start: string, seat: number}} of @param {Asked} asked */
  constructor({ label, walled, start, seat }, asked) {
    this.seat = seat;
    this.asked = asked;
    this.open = false;
    /** @type {string[]} positions shown so far, whose blocked cells have owners */
    this.past = [start];
    this.board = new Board({
      walled,
      label,
      names: (other) => (other === seat ? t("your piece") : t("the other side's piece")),
    });
    const { rows } = parsePosition(start);
    const own = rows.findIndex((line) => line.includes(String(seat)));
    if (walled && own >= 0 && own < (rows.length - 1) / 2) this.board.flip(true);
    this.typing = h("output.typing");
    this.hand = new Hand(this.board, {
      play: (move) => this.#play(move),
      explain: asked.explain,
      typed: (text) => {
        this.typing.textContent = text;
        this.typing.classList.toggle("legal", this.board.hints.moves.has(text));
      },
      mayPlay: () => this.open,
      seat: () => seat,
      armed: (move) => this.placing.show(move),
      beside: (text) => {
        if (text) asked.explain(text);
      },
    });
    this.placing = new Placing(this.board, () => this.hand);
    this.box = h("div.boardbox", this.board.element, this.typing);
  }

  /** Show a scene after `last`; while `open`, its moves may be tried. @param {Scene} scene @param {{last?: string, open?: boolean, still?: boolean}} [how] */
  show(scene, { last = "", open = false, still = false } = {}) {
    const { board } = this;
    const before = this.past.at(-1);
    this.past.push(scene.position);
    this.open = open;
    board.clearGhost();
    board.show(scene.position, {
      last,
      from: still ? "" : leftBehind(before, scene.position),
      past: this.past.slice(0, -1),
      still,
    });
    this.box.style.setProperty("--ratio", String(board.layout.box.width / board.layout.box.height));
    const moves = new Set(open ? (scene.moves ?? []) : []);
    board.hint({ moves, refused: open ? (scene.refused ?? {}) : {}, notes: scene.notes ?? {}, seat: this.seat });
    board.showNotes(true);
    this.hand.reset();
    this.box.classList.toggle("waits", open);
    if (!board.element.contains(document.activeElement)) {
      const own = [...board.pieces].find(([, { seat }]) => seat === this.seat)?.[0];
      const first = [...moves].find(isCell);
      board.focus((board.layout.hex ? first : own) ?? first ?? "", false);
    }
  }

  /** Begin again, with no owners of blocked cells. @param {Scene} scene */
  start(scene) {
    this.past = [];
    this.board.forget();
    this.show(scene, { open: true, still: true });
  }

  /** @param {string} move */
  #play(move) {
    this.board.clearGhost();
    if (!this.board.hints.moves.has(move)) {
      this.asked.explain(ILLEGAL);
      return;
    }
    moveSound(move, this.board.position?.text ?? "");
    this.asked.answer(move);
  }

  /** Handle a key outside of controls. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    if (target.closest("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
    if (this.hand.key(event)) event.preventDefault();
  }
}

/** Write a sentence where it is read out too. @param {Element} element @param {string} text @param {string} kind */
export function tell(element, text, kind = "") {
  element.textContent = text;
  element.className = `told ${kind}`;
  if (text) announce(text);
}

/** The numbers of a position for both sides, or nothing. @param {Scene} scene @param {number} seat */
export function gaugesText({ gauges }, seat) {
  return gauges ? t("You: {mine} · The other side: {theirs}", { mine: told(gauges[seat]), theirs: told(gauges[1 - seat]) }) : "";
}
