/** What a player may do besides moving; what cannot be undone asks for a second press. */

import { fill, h } from "./dom.js";
import { plural } from "./words.js";

const SECOND_PRESS = 4000;

export class Actions {
  /**
   * @param {any} page
   * @param {any} record
   * @param {{play: (move: string) => void, explain: (text: string) => void, replay: (ply: number) => void}} wishes
   */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.wishes = wishes;
    this.element = h("div", { class: "actions" });
    this.asked = h("div", { class: "asked" });
    this.result = h("div", { class: "result" });
    this.sign = "";
  }

  /** @param {string} type @param {Record<string, any>} [more] */
  #send(type, more = {}) {
    return this.page.link
      .ask({ type, match: this.record.id, ...more }, { lasting: true })
      .catch((/** @type {Error} */ error) => this.wishes.explain(error.message));
  }

  /** @param {string} text @param {string} type @param {string} [className] */
  #button(text, type, className = "") {
    return h("button", { class: className, data: { does: type }, on: { click: () => this.#send(type) } }, text);
  }

  /** A button that asks once more. @param {string} text @param {string} again @param {string} type */
  #twice(text, again, type) {
    let timer = 0;
    const button = h("button", { data: { does: type } }, text);
    const calm = () => {
      clearTimeout(timer);
      timer = 0;
      button.textContent = text;
      button.classList.remove("danger");
    };
    button.addEventListener("click", () => {
      if (timer) {
        calm();
        this.#send(type);
        return;
      }
      button.textContent = again;
      button.classList.add("danger");
      timer = window.setTimeout(calm, SECOND_PRESS);
    });
    button.addEventListener("blur", () => timer && calm());
    return button;
  }

  /** @param {string[]} extra moves that are neither cell nor wall @param {number | null} [replayed] */
  draw(extra, replayed = null) {
    const { record } = this;
    const claimable = record.claimAt.some((/** @type {number | null} */ at, /** @type {number} */ seat) => at !== null && at <= this.page.link.now() && seat !== record.seat);
    const sign = JSON.stringify([record.over, Math.min(record.ply, 3), record.drawOffer, record.takeback, record.rematch, record.next, claimable, extra, replayed !== null, record.myTurn]);
    if (sign === this.sign) return;
    this.sign = sign;
    fill(this.asked, record.over ? [] : this.#asked());
    fill(this.result, record.over ? this.#afterwards() : []);
    fill(
      this.element,
      extra.map((move) => h("button", { class: "primary", on: { click: () => this.wishes.play(move) } }, move === "pass" ? "Pass" : move)),
      replayed !== null && !record.over ? h("button", { class: "primary", on: { click: () => this.wishes.replay(record.ply) } }, "Back to the game") : null,
      record.seat !== null && !record.over ? this.#live(claimable) : null,
    );
  }

  /** @param {boolean} claimable */
  #live(claimable) {
    const { record } = this;
    return [
      claimable ? this.#button("Claim victory", "claim", "primary") : null,
      record.ply < 2 ? this.#twice("Abort", "Really abort?", "abort") : null,
      record.moves.some((/** @type {string} */ _, /** @type {number} */ ply) => record.moverOf(ply) === record.seat) && record.takeback === null ? this.#button("Take back", "request_takeback") : null,
      record.hasDraws && record.drawOffer === null ? this.#button("Offer draw", "offer_draw") : null,
      record.ply >= 2 ? this.#twice("Resign", "Really resign?", "resign") : null,
    ];
  }

  /** What somebody asks of me, or I of them. */
  #asked() {
    const { record } = this;
    const found = [];
    if (record.drawOffer !== null) {
      const name = record.seats[record.drawOffer].player.name;
      if (record.seat === null || record.drawOffer === record.seat) found.push(h("p", { class: "quiet" }, record.seat === null ? `${name} offers a draw.` : "You offered a draw."));
      else found.push(question(`${name} offers a draw.`, this.#button("Accept", "accept_draw", "primary"), this.#button("Decline", "decline_draw")));
    }
    if (record.takeback !== null) {
      const name = record.seats[record.takeback].player.name;
      if (record.seat === null || record.takeback === record.seat) found.push(h("p", { class: "quiet" }, record.seat === null ? `${name} asks to take a move back.` : "You asked to take your move back."));
      else found.push(question(`${name} asks to take a move back.`, this.#button("Allow", "accept_takeback", "primary"), this.#button("Refuse", "decline_takeback")));
    }
    return found;
  }

  /** What comes after the end. */
  #afterwards() {
    const { record } = this;
    const offered = record.rematch.length;
    const mine = record.seat !== null && record.rematch.includes(record.seat);
    return [
      offered && !record.next && !mine && record.seat !== null
        ? h("p", {}, `${record.rematch.map((/** @type {number} */ seat) => record.seats[seat].player.name).join(", ")} ${offered === 1 ? "wants" : "want"} a rematch.`)
        : null,
      mine && !record.next ? h("p", { class: "quiet" }, `Waiting for ${plural(record.seats.length - offered, "player")}.`) : null,
      h(
        "div",
        { class: "row" },
        record.next ? h("a", { class: "button primary", href: `#/m/${record.next}` }, "To the rematch") : null,
        record.seat !== null && !record.next && !mine ? this.#button("Rematch", "rematch", "primary") : null,
        record.ply ? h("button", { on: { click: () => this.wishes.replay(0) } }, "Replay") : null,
        h("a", { class: "button", href: "#/" }, "Lobby"),
      ),
    ];
  }
}

/** @param {string} text @param {...any} buttons */
function question(text, ...buttons) {
  return h("div", { class: "question" }, h("p", {}, text), h("div", { class: "row" }, buttons));
}
