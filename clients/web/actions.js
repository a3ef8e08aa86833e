/** A player's commands besides moves; irreversible ones need a second press. */

import { button, fill, h } from "./dom.js";
import { nameOf, plural } from "./words.js";

const CONFIRM_TIMEOUT_MS = 4000;

export class Actions {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {{play: (move: string) => void, explain: (text: string) => void, replay: (ply: number) => void, study: () => void}} wishes
   */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.wishes = wishes;
    this.element = h("div.actions");
    this.asked = h("div.asked");
    this.result = h("div.result");
    this.sign = "";
  }

  /** @param {Needing<"match">} type */
  #send(type) {
    return this.page.link
      .ask({ type, match: this.record.id }, { lasting: true })
      .catch((/** @type {Error} */ error) => this.wishes.explain(error.message));
  }

  /** @param {string} text @param {Needing<"match">} type @param {string} [className] */
  #button(text, type, className = "") {
    return button(text, () => this.#send(type), className, { data: { does: type } });
  }

  /** A button that needs a second press. @param {string} text @param {string} again @param {Needing<"match">} type */
  #twice(text, again, type) {
    let timer = 0;
    const calm = () => {
      clearTimeout(timer);
      timer = 0;
      element.textContent = text;
      element.classList.remove("danger");
    };
    const press = () => {
      if (timer) {
        calm();
        this.#send(type);
        return;
      }
      element.textContent = again;
      element.classList.add("danger");
      timer = window.setTimeout(calm, CONFIRM_TIMEOUT_MS);
    };
    const element = button(text, press, "", { data: { does: type } });
    element.addEventListener("blur", () => timer && calm());
    return element;
  }

  /** @param {string[]} extra moves that are neither cell nor wall @param {number | null} [replayed] */
  draw(extra, replayed = null) {
    const { record } = this;
    const claimable = record.claimAt.some(
      (at, seat) => at !== null && at <= this.page.link.now() && seat !== record.seat,
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
      extra.map((move) => button(move === "pass" ? "Pass" : move, () => this.wishes.play(move), "primary")),
      replayed !== null && !record.over
        ? button("Back to the game", () => this.wishes.replay(record.ply), "primary")
        : null,
      record.over ? null : record.seat === null ? button("Analyse", this.wishes.study) : this.#live(claimable),
    );
  }

  /** @param {boolean} claimable */
  #live(claimable) {
    const { record } = this;
    return [
      claimable ? this.#button("Claim victory", "claim", "primary") : null,
      record.ply < 2 ? this.#twice("Abort", "Really abort?", "abort") : null,
      record.moves.some((_, ply) => record.moverOf(ply) === record.seat) && !record.takeback.length
        ? this.#button("Take back", "request_takeback")
        : null,
      record.hasDraws && !record.draw.length ? this.#button("Offer draw", "offer_draw") : null,
      record.ply >= 2 ? this.#twice("Resign", "Really resign?", "resign") : null,
    ];
  }

  /** The open offers: draws and takebacks, received and sent. */
  #asked() {
    const { record } = this;
    const name = (/** @type {number} */ seat) => nameOf(record.seats[seat].player);
    const block = (
      /** @type {number[]} */ those,
      /** @type {string} */ theirs,
      /** @type {string} */ mine,
      /** @type {Child[]} */ answers,
      /** @type {Child} */ withdraw,
    ) => {
      if (!those.length) return null;
      if (record.seat === null) return h("p.quiet", `${name(those[0])} ${theirs}.`);
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

  /** The buttons after the end. */
  #afterwards() {
    const { record } = this;
    const offered = record.rematch.length;
    const mine = record.seat !== null && record.rematch.includes(record.seat);
    return [
      offered && !record.next && !mine && record.seat !== null
        ? h(
            "p",
            `${record.rematch.map((seat) => nameOf(record.seats[seat].player)).join(", ")} ${offered === 1 ? "wants" : "want"} a rematch.`,
          )
        : null,
      mine && !record.next ? h("p.quiet", `Waiting for ${plural(record.seats.length - offered, "player")}.`) : null,
      h(
        "div.row",
        record.next ? h("a.button.primary", { href: `#/m/${record.next}` }, "To the rematch") : null,
        record.seat !== null && !record.next && !mine ? this.#button("Rematch", "rematch", "primary") : null,
        record.ply ? button("Analyse", this.wishes.study) : null,
        record.ply ? button("Replay", () => this.wishes.replay(0)) : null,
        h("a.button", { href: "#/" }, "Lobby"),
        record.private
          ? null
          : h("a.button", { href: `matches/${record.id}.txt`, download: `${record.id}.txt` }, "Record"),
      ),
    ];
  }
}

/** @param {string} text @param {...Child} buttons */
function question(text, ...buttons) {
  return h("div.question", h("p", text), h("div.row", buttons));
}
