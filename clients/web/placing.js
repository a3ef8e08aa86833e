/** The buttons of a move that waits for its second tap. */

import { button, h } from "./dom.js";
import { t } from "./language.js";
import { isCell } from "./position.js";

export class Placing {
  /** @param {import("./board.js").Board} board @param {() => import("./hand.js").Hand} hand */
  constructor(board, hand) {
    this.board = board;
    this.place = button("", () => hand().place(), "primary", { type: "button" });
    this.turn = button(t("Turn it"), () => hand().turn(), "", { type: "button" });
    this.element = h("div.walltools.row", { hidden: true }, this.place, this.turn);
  }

  /** Show the buttons of a wall or a cell, or none. @param {string | null} move */
  show(move) {
    this.element.hidden = !move;
    if (!move) return;
    this.turn.hidden = isCell(move);
    this.place.textContent = isCell(move) ? t("Play {move}", { move }) : t("Place the wall");
    this.place.disabled = !this.board.hints.moves.has(move);
  }
}
