/** A player's commands besides moves; irreversible ones need a second press. */

import { button, fill, h } from "./dom.js";
import { t } from "./language.js";
import { otherLevel } from "./nextstep.js";
import { isRoll, parsePosition } from "./position.js";
import { Rematch } from "./rematch.js";
import { twice } from "./twice.js";
import { nameOf } from "./words.js";

/** `MAX_TRACE_CELLS` and `MAX_TRACE_MOVES` of the protocol: the largest board and the longest line of `ask_trace`. */
const MOST_CELLS = 25;
const MOST_MOVES = 60;
/** Plies before the end at which a search is most worth a look. */
const BEFORE_THE_END = 4;

export class Actions {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {{play: (move: string) => void, explain: (text: string) => void, replay: (ply: number) => void, study: () => void, hint: () => void, share: () => void}} wishes
   */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.wishes = wishes;
    this.element = h("div.actions");
    this.asked = h("div.asked");
    this.result = h("div.result");
    this.rematch = new Rematch(page, record);
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

  /** Take one's last move back, or ask for it. */
  takeBack() {
    this.#send("request_takeback");
  }

  /** A button that needs a second press. @param {string} text @param {string} again @param {Needing<"match">} type */
  #twice(text, again, type) {
    return twice(text, again, () => this.#send(type), { data: { does: type } });
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
      claimable,
      extra,
      replayed !== null,
      record.myTurn,
    ]);
    if (record.over) this.rematch.draw();
    if (sign === this.sign) return;
    this.sign = sign;
    fill(this.asked, record.over ? [] : this.#asked());
    fill(this.result, record.over ? this.#afterwards() : []);
    fill(
      this.element,
      extra.map((move) => button(move === "pass" ? t("Pass") : move, () => this.wishes.play(move), "primary")),
      replayed !== null && !record.over
        ? button(t("Back to the game"), () => this.wishes.replay(record.ply), "primary")
        : null,
      record.over ? null : record.seat === null ? button(t("Analyse"), this.wishes.study) : this.#live(claimable),
    );
  }

  /** @param {boolean} claimable */
  #live(claimable) {
    const { record } = this;
    return [
      claimable ? this.#button(t("Claim victory"), "claim", "primary") : null,
      record.helped && record.myTurn
        ? button(t("Hint"), this.wishes.hint, "", { title: t("What to think about, then the move (T)") })
        : null,
      record.ply < 2 && !record.tournament ? this.#twice(t("Abort"), t("Really abort?"), "abort") : null,
      !record.tournament && record.moves.some((_, ply) => record.moverOf(ply) === record.seat) && !record.takeback.length
        ? this.#button(t("Take back"), "request_takeback")
        : null,
      record.hasDraws && !record.draw.length ? this.#button(t("Offer draw"), "offer_draw") : null,
      record.ply >= 2 || record.tournament ? this.#twice(t("Resign"), t("Really resign?"), "resign") : null,
    ];
  }

  /** The open offers: draws and takebacks, received and sent. */
  #asked() {
    const { record } = this;
    const name = (/** @type {number} */ seat) => nameOf(record.seats[seat].player);
    const block = (
      /** @type {number[]} */ those,
      /** @type {(name: string) => string} */ theirs,
      /** @type {string} */ mine,
      /** @type {Child[]} */ answers,
      /** @type {Child} */ withdraw,
    ) => {
      if (!those.length) return null;
      const asks = theirs(name(those[0]));
      if (record.seat === null) return h("p.quiet", asks);
      if (!those.includes(record.seat)) return question(asks, ...answers);
      return question(those[0] === record.seat ? mine : t("You agreed; {asks}", { asks }), withdraw);
    };
    return [
      block(
        record.draw,
        (who) => t("{name} offers a draw.", { name: who }),
        t("You offered a draw."),
        [this.#button(t("Accept"), "accept_draw", "primary"), this.#button(t("Decline"), "decline_draw")],
        this.#button(t("Withdraw"), "decline_draw"),
      ),
      block(
        record.takeback,
        (who) => t("{name} asks to take a move back.", { name: who }),
        t("You asked to take your move back."),
        [this.#button(t("Allow"), "accept_takeback", "primary"), this.#button(t("Refuse"), "decline_takeback")],
        this.#button(t("Withdraw"), "decline_takeback"),
      ),
    ];
  }

  /** The buttons after the end. */
  #afterwards() {
    const { record } = this;
    const other = record.rematch.length || record.next ? null : otherLevel(this.page, record);
    this.rematch.isSecond = other !== null;
    return [
      record.tournament ? null : this.rematch.element,
      h(
        "div.row",
        other,
        record.ply ? button(t("Analyse"), this.wishes.study, record.seat === null && !record.next ? "primary" : "") : null,
        record.ply ? button(t("Replay"), () => this.wishes.replay(0)) : null,
        isSmall(record) ? h("a.button", { href: thinkingOf(record) }, t("Watch a search think")) : null,
        record.tournament ? h("a.button.primary", { href: `#/tournament/${record.tournament}` }, t("Back to the tournament")) : null,
        h("a.button", { href: "#/" }, t("Lobby")),
        record.private ? null : button(t("Share"), this.wishes.share),
      ),
    ];
  }
}

/** Whether searches are shown on such a board, and after so many moves. @param {MatchRecord} record */
const isSmall = ({ position, moves }) =>
  parsePosition(position).rows.join("").length <= MOST_CELLS && moves.length <= MOST_MOVES;

/** The address of a search of a position shortly before the end. @param {MatchRecord} record */
function thinkingOf({ spec, moves }) {
  let ply = Math.max(0, moves.length - BEFORE_THE_END);
  while (isRoll(moves[ply])) ply++;
  const options = Object.entries(spec.options).map(([name, value]) => `${name}=${value}`);
  return `#/think/${spec.name}/${encodeURIComponent(options.join())}/${encodeURIComponent(moves.slice(0, ply).join())}`;
}

/** @param {string} text @param {...Child} buttons */
function question(text, ...buttons) {
  return h("div.question", h("p", text), h("div.row", buttons));
}
