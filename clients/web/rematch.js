/** The offer to play again: who waits for whom, what ended the wait, and what to play instead. */

import { button, fill, h } from "./dom.js";
import { counted, t, told } from "./language.js";
import { nearestBot } from "./opponents.js";
import { nameOf, sentence } from "./words.js";

export class Rematch {
  /** @param {Page} page @param {MatchRecord} record */
  constructor(page, record) {
    this.page = page;
    this.record = record;
    this.element = h("div.rematch");
    /** That another step is proposed before a rematch. */
    this.isSecond = false;
    /** The sentence about an offer that has ended. */
    this.ended = "";
    /** @type {Presence | undefined} a bot that is free instead of the one that is not */
    this.instead = undefined;
    /** The challenge by which a bot is asked, which reaches it wherever it is; empty while it is being sent. */
    this.challenge = /** @type {string | null} */ (null);
    /** @type {import("./protocol").ChallengeClosed | null} the end of a challenge that came before its id */
    this.early = null;
    this.abort = new AbortController();
    page.link.hear(
      {
        challenge_closed: (closed) => {
          if (this.challenge === "") this.early = closed;
          else if (closed.challenge === this.challenge) this.#closed(closed);
        },
      },
      this.abort.signal,
    );
  }

  close() {
    this.abort.abort();
  }

  /** @param {import("./protocol").ChallengeClosed} closed */
  #closed({ how, reason }) {
    this.challenge = null;
    if (how === "declined") this.ended = reason ? sentence(reason) : t("{name} declined.", { name: this.#other() });
    if (how === "expired") this.ended = t("{name} did not answer.", { name: this.#other() });
    this.draw();
  }

  /** Take note of the match's events. @param {MatchEvent[]} events */
  happened(events) {
    for (const event of events) {
      if (event.type === "rematch_offered") this.ended = "";
      if (event.type !== "rematch_declined") continue;
      const { seat, reason } = event;
      if (seat === null || seat === undefined) this.ended = t("The offer of a rematch was not answered in time.");
      else if (seat === this.record.seat) this.ended = "";
      else {
        const values = { name: nameOf(this.record.seats[seat].player), reason: told(reason ?? "") };
        this.ended = reason ? t("{name} does not play again: {reason}.", values) : t("{name} does not play again.", values);
      }
    }
  }

  /** The bot that is the only opponent. */
  get #bot() {
    const { seats, seat } = this.record;
    const player = seats.length === 2 && seat !== null ? seats[1 - seat].player : null;
    return player?.kind === "bot" ? player : null;
  }

  /** The name of the opponent, or of all. */
  #other() {
    const { seats, seat } = this.record;
    return seats.length === 2 && seat !== null ? nameOf(seats[1 - seat].player) : t("The others");
  }

  /** @param {Needing<"match">} type */
  #send(type) {
    this.page.link.ask({ type, match: this.record.id }, { lasting: true }).catch((error) => this.#refused(error));
  }

  /** Challenge a bot to the same game with the seats changed. @param {Player} bot */
  async #ask(bot) {
    const { spec, clock, seat } = this.record;
    this.challenge = "";
    this.ended = "";
    this.instead = undefined;
    this.draw();
    try {
      const terms = { game: spec, clock, seat: 1 - /** @type {number} */ (seat), with_help: this.record.withHelp, rated: this.record.begunRated };
      const { ref } = await this.page.link.ask({ type: "challenge", to: bot.id, ...terms }, { lasting: true });
      this.challenge = ref;
      if (this.early?.challenge === ref) this.#closed(this.early);
    } catch (error) {
      this.challenge = null;
      await this.#refused(error, bot);
    }
    this.draw();
  }

  /** @param {unknown} error @param {Player} [bot] */
  async #refused(error, bot) {
    const { code, message } = /** @type {Refused} */ (error);
    this.ended = sentence(message);
    this.draw();
    if (!bot || (code !== "busy" && code !== "unknown_player")) return;
    try {
      const command = { type: /** @type {const} */ ("ask_lobby"), section: /** @type {const} */ ("players") };
      const { players } = await this.page.link.ask({ ...command, game: this.record.spec.name });
      this.instead = nearestBot(
        players.filter((each) => each.player.kind === "bot" && each.player.id !== bot.id),
        bot.name,
      ).bot;
    } catch {
      // The sentence stands without a suggestion.
    }
  }

  #withdraw() {
    const { challenge } = this;
    if (challenge === null) return this.#send("decline_rematch");
    this.challenge = null;
    this.draw();
    if (challenge) this.page.link.ask({ type: "cancel_challenge", challenge }, { lasting: true }).catch(() => {});
  }

  draw() {
    const { record } = this;
    const { seat, rematch, seats, next, connected } = record;
    if (seat === null || next) {
      fill(this.element, next ? h("div.row", h("a.button.primary", { href: `#/m/${next}` }, t("To the rematch"))) : []);
      return;
    }
    const mine = rematch.includes(seat);
    if (mine || this.challenge !== null) {
      const away = seats.filter((_, each) => each !== seat && !connected[each]).map((each) => nameOf(each.player));
      const missing = seats.length === 2 ? this.#other() : counted(seats.length - rematch.length, "{count} player", "{count} players");
      fill(
        this.element,
        h("p.quiet", t("Waiting for {name} to answer.", { name: missing })),
        away.length ? h("p.quiet", counted(away.length, "{names} is not here just now.", "{names} are not here just now.", { names: away.join(", ") })) : null,
        h("div.row", button(t("Withdraw"), () => this.#withdraw(), "", { data: { does: "decline_rematch" } })),
      );
      return;
    }
    const again = () => (this.#bot ? this.#ask(this.#bot) : this.#send("rematch"));
    const names = rematch.map((each) => nameOf(seats[each].player)).join(", ");
    const instead = this.instead?.player;
    fill(
      this.element,
      rematch.length ? h("p", counted(rematch.length, "{names} wants a rematch.", "{names} want a rematch.", { names })) : null,
      this.ended ? h("p", this.ended, instead ? ` ${t("{name} is free.", { name: nameOf(instead) })}` : "") : null,
      h(
        "div.row",
        instead ? button(t("Play {name}", { name: nameOf(instead) }), () => this.#ask(instead), "primary") : null,
        button(t("Rematch"), again, instead || this.isSecond ? "" : "primary", { data: { does: "rematch" } }),
        rematch.length
          ? button(t("No, thanks"), () => this.#send("decline_rematch"), "", { data: { does: "decline_rematch" } })
          : null,
      ),
    );
  }
}
