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
    const claimable = record.claimAt.some(
      (/** @type {number | null} */ at, /** @type {number} */ seat) =>
        at !== null && at <= this.page.link.now() && seat !== record.seat,
    );
    const sign = JSON.stringify([
      record.over,
      Math.min(record.ply, 3),
      record.draw,
      record.takeback,
      record.rematch,
      record.next,
      claimable,
      extra,
      replayed !== null,
      record.myTurn,
    ]);
    if (sign === this.sign) return;
    this.sign = sign;
    fill(this.asked, record.over ? [] : this.#asked());
    fill(this.result, record.over ? this.#afterwards() : []);
    fill(
      this.element,
      extra.map((move) =>
        h("button", { class: "primary", on: { click: () => this.wishes.play(move) } }, move === "pass" ? "Pass" : move),
      ),
      replayed !== null && !record.over
        ? h("button", { class: "primary", on: { click: () => this.wishes.replay(record.ply) } }, "Back to the game")
        : null,
      record.seat !== null && !record.over ? this.#live(claimable) : null,
    );
  }

  /** @param {boolean} claimable */
  #live(claimable) {
    const { record } = this;
    return [
      claimable ? this.#button("Claim victory", "claim", "primary") : null,
      record.ply < 2 ? this.#twice("Abort", "Really abort?", "abort") : null,
      record.moves.some((/** @type {string} */ _, /** @type {number} */ ply) => record.moverOf(ply) === record.seat) &&
      !record.takeback.length
        ? this.#button("Take back", "request_takeback")
        : null,
      record.hasDraws && !record.draw.length ? this.#button("Offer draw", "offer_draw") : null,
      record.ply >= 2 ? this.#twice("Resign", "Really resign?", "resign") : null,
    ];
  }

  /** What somebody asks of me, or I of them. */
  #asked() {
    const { record } = this;
    const name = (/** @type {number} */ seat) => record.seats[seat].player.name;
    const block = (
      /** @type {number[]} */ those,
      /** @type {string} */ theirs,
      /** @type {string} */ mine,
      /** @type {any[]} */ answers,
      /** @type {any} */ withdraw,
    ) => {
      if (!those.length) return null;
      if (record.seat === null) return h("p", { class: "quiet" }, `${name(those[0])} ${theirs}.`);
      if (!those.includes(record.seat)) return question(`${name(those[0])} ${theirs}.`, ...answers);
      return question(those[0] === record.seat ? mine : `You agreed; ${name(those[0])} ${theirs}.`, withdraw);
    };
    return [
      block(
        record.draw,
        "offers a draw",
        "You offered a draw.",
        [this.#button("Accept", "accept_draw", "primary"), this.#button("Decline", "decline_draw")],
        this.#button("Withdraw", "decline_draw"),
      ),
      block(
        record.takeback,
        "asks to take a move back",
        "You asked to take your move back.",
        [this.#button("Allow", "accept_takeback", "primary"), this.#button("Refuse", "decline_takeback")],
        this.#button("Withdraw", "decline_takeback"),
      ),
    ];
  }

  /** What comes after the end. */
  #afterwards() {
    const { record } = this;
    const offered = record.rematch.length;
    const mine = record.seat !== null && record.rematch.includes(record.seat);
    return [
      offered && !record.next && !mine && record.seat !== null
        ? h(
            "p",
            {},
            `${record.rematch.map((/** @type {number} */ seat) => record.seats[seat].player.name).join(", ")} ${offered === 1 ? "wants" : "want"} a rematch.`,
          )
        : null,
      mine && !record.next
        ? h("p", { class: "quiet" }, `Waiting for ${plural(record.seats.length - offered, "player")}.`)
        : null,
      h(
        "div",
        { class: "row" },
        record.next ? h("a", { class: "button primary", href: `#/m/${record.next}` }, "To the rematch") : null,
        record.seat !== null && !record.next && !mine ? this.#button("Rematch", "rematch", "primary") : null,
        record.ply ? h("button", { on: { click: () => this.wishes.replay(0) } }, "Replay") : null,
        h("a", { class: "button", href: "#/" }, "Lobby"),
        record.private
          ? null
          : h("a", { class: "button", href: `matches/${record.id}.txt`, download: `${record.id}.txt` }, "Record"),
      ),
    ];
  }
}

/** @param {string} text @param {...any} buttons */
function question(text, ...buttons) {
  return h("div", { class: "question" }, h("p", {}, text), h("div", { class: "row" }, buttons));
}
