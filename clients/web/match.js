/** One match of a player or spectator: its commands and messages. */

import { announce, fill, h } from "./dom.js";
import { t } from "./language.js";
import { noteResult } from "./nextstep.js";
import { MatchRecord } from "./record.js";
import { moveSound, sound } from "./settings.js";
import { Table } from "./table.js";
import { awayText, nameOf, resultText } from "./words.js";

const HINT_DELAY_MS = 300;
const RETRY_DELAY_MS = 500;
/** Refusals after which the same command may be accepted a moment later. */
const TRANSIENT_CODES = ["too_fast", "internal", "shutting_down"];
/** After these the legal moves are others: while the organiser pauses the game there are none. */
const POSITION_EVENTS = ["played", "rolled", "taken_back", "eliminated", "clocks_paused", "clocks_resumed"];

export class MatchView {
  /** @param {Page} page @param {string} match @param {number | null} [ply] the position to show first @param {boolean} [isStudied] whether a finished match is opened in the analysis */
  constructor(page, match, ply = null, isStudied = false) {
    this.page = page;
    this.match = match;
    this.ply = ply;
    this.isStudied = isStudied;
    /** @type {MatchRecord | null} */
    this.record = null;
    /** @type {Table | null} */
    this.table = null;
    /** @type {{move: string, ply: number, rewound: number} | null} a move that the server has not answered yet */
    this.pending = null;
    /** Server time of joining the match. */
    this.joined = 0;
    this.element = h("div.match.loading", h("p.quiet.empty", t("Opening the game…")));
    this.abort = new AbortController();
    const { signal } = this.abort;
    /** @template {{match: string}} M @param {(message: M) => void} listener @returns {(message: M) => void} */
    const here = (listener) => (message) => message.match === match && listener(message);
    page.link.hear(
      {
        online: () => this.#join(),
        offline: () => this.#drawPending(),
        snapshot: here((snapshot) => this.#snapshot(snapshot)),
        happened: here((happened) => this.#happened(happened)),
        rated: here(({ changes }) => {
          if (this.record) this.record.changes = changes;
          this.table?.drawRating();
        }),
        seat_presence: here((message) => this.#presence(message)),
        watchers: here(({ count }) => {
          if (this.record) this.record.watchers = count;
          this.table?.drawInfo();
        }),
        said: here((said) => this.table?.chat.hear(said, said.at < this.joined)),
      },
      signal,
    );
    document.addEventListener("keydown", (event) => this.table?.key(event), { signal });
    document.addEventListener("visibilitychange", () => this.#turned(), { signal });
    document.title = "Cornered";
    if (page.link.state === "online") this.#join();
  }

  close() {
    this.abort.abort();
    this.page.link.attend(false);
    this.table?.close();
    clearTimeout(this.movesTimer);
    clearTimeout(this.claimTimer);
    clearTimeout(this.joinTimer);
    if (this.page.link.state === "online") this.page.link.ask({ type: "leave", match: this.match }).catch(() => {});
  }

  /**
   * The page is shown or hidden. Who has a game by days behind another window does not look at it, and is notified: the
   * server takes whoever has joined it for somebody who looks.
   */
  #turned() {
    const { record } = this;
    const { link } = this.page;
    if (record?.clock.kind !== "correspondence" || record.seat === null || record.over || link.state !== "online") this.#askMoves();
    else if (document.hidden) link.ask({ type: "leave", match: this.match }).catch(() => {});
    else this.#join();
  }

  get playingIn() {
    return this.record !== null && !this.record.over && this.record.seat !== null ? this.match : undefined;
  }

  async #join() {
    clearTimeout(this.joinTimer);
    const since = this.record ? { since: this.record.seq } : {};
    this.joined ||= this.page.link.now();
    try {
      await this.page.link.ask({ type: "join", match: this.match, ...since });
    } catch (error) {
      const { code, message, wait } = /** @type {Refused} */ (error);
      if (code === "offline" || this.abort.signal.aborted) return;
      if (TRANSIENT_CODES.includes(code)) {
        this.joinTimer = window.setTimeout(() => this.#join(), Math.max(RETRY_DELAY_MS, wait));
        return;
      }
      this.element.className = "match loading";
      fill(
        this.element,
        h(
          "div.sheet.panel",
          h("h1", t("This game cannot be shown")),
          h("p", message),
          h("a.button.primary", { href: "#/" }, t("To the lobby")),
        ),
      );
      return;
    }
    // After a reconnection without events no message follows, but the hints are still to be requested.
    if (this.table && this.record?.seq === since.since) this.#askMoves();
  }

  /** @param {Snapshot} snapshot */
  #snapshot(snapshot) {
    if (this.record && this.record.seat === snapshot.seat) this.record.load(snapshot);
    else {
      this.table?.close();
      this.record = new MatchRecord(snapshot);
      this.table = new Table(this.page, this.record, this.element, {
        play: (move) => this.#play(move),
        learn: () => this.#learnHistory(),
      });
    }
    this.#learnHistory();
    this.#changed([]);
    if (this.ply !== null) this.table?.replay(this.ply);
    this.ply = null;
    if (this.isStudied && this.record?.over) this.table?.toggleStudy();
    this.isStudied = false;
  }

  /** @param {import("./protocol").Happened} happened */
  #happened(happened) {
    if (!this.record) return;
    const { draw, takeback, rated } = this.record;
    const events = this.record.apply(happened);
    if (events === null) this.#join();
    else if (events.length) {
      this.#changed(events);
      this.#tellDeclined(events, draw, takeback);
      if (rated && !this.record.rated && !this.record.over) this.table?.explain(t("A move was taken back, so this game is no longer rated."), true);
    }
  }

  /**
   * Say that an offer of this player's was declined, by a word or by a move.
   * @param {MatchEvent[]} events
   * @param {number[]} draw the seats that wanted a draw before
   * @param {number[]} takeback the same of a takeback
   */
  #tellDeclined(events, draw, takeback) {
    const { record, table } = this;
    if (!record || !table || record.seat === null) return;
    const asked = (/** @type {number[]} */ seats) => seats.includes(/** @type {number} */ (record.seat));
    for (const event of events) {
      if (!("seat" in event) || event.seat === null || event.seat === record.seat) continue;
      const name = nameOf(record.seats[event.seat].player);
      const plays = event.type === "played";
      if (asked(draw) && (event.type === "draw_declined" || (plays && !draw.includes(event.seat))))
        table.explain(t("{name} declines the draw.", { name }));
      if (asked(takeback) && (event.type === "takeback_declined" || plays))
        table.explain(t("{name} declines to take the move back.", { name }));
    }
  }

  /** @param {import("./protocol").SeatPresence} message */
  #presence({ seat, connected, claim_at }) {
    const { record, table } = this;
    if (!record || !table) return;
    record.connected[seat] = connected;
    record.claimAt[seat] = connected ? null : claim_at;
    table.bars.draw();
    table.drawStatus();
    clearTimeout(this.claimTimer);
    const wait = Math.min(...record.claimAt.map((at) => at ?? Infinity)) - this.page.link.now();
    if (wait > 0 && wait < 2 ** 31) this.claimTimer = window.setTimeout(() => table.drawStatus(), wait + 50);
  }

  /** Draw the changes of these events; of everything without any. @param {MatchEvent[]} events */
  #changed(events) {
    const { record, table } = this;
    if (!record || !table) return;
    const moved = !events.length || events.some((event) => POSITION_EVENTS.includes(event.type));
    if (events.some((event) => event.type === "ended")) noteResult(record);
    const { pending } = this;
    if (pending && (record.ply > pending.ply || record.rewound !== pending.rewound || record.over)) this.pending = null;
    this.page.link.attend(record.myTurn);
    table.actions.rematch.happened(events);
    table.draw(moved, this.pending !== null);
    this.#drawPending();
    if (moved) this.#askMoves();
    if (record.over) table.drawRating();
    if (events.some((event) => event.type === "rolled")) this.#learnHistory();
    this.#speak(events);
  }

  /** Request the legal moves, at once for the player to move, after a delay for others. */
  #askMoves() {
    clearTimeout(this.movesTimer);
    const { record } = this;
    if (!record || (document.hidden && !record.myTurn)) return;
    const ask = async () => {
      const { ply, seq } = record;
      try {
        const answer = await this.page.link.ask({ type: "ask_moves", match: this.match, ply });
        if (!this.abort.signal.aborted && record.ply === ply && record.seq >= seq) this.table?.learnMoves(answer);
      } catch {
        // Requested again for the next position or connection.
      }
    };
    if (record.myTurn || record.over) ask();
    else this.movesTimer = window.setTimeout(ask, HINT_DELAY_MS);
  }

  async #learnHistory() {
    const { record } = this;
    if (!record || record.complete) return;
    try {
      record.learn(await this.page.link.ask({ type: "ask_history", match: this.match }));
    } catch {
      return;
    }
    if (!this.abort.signal.aborted) this.table?.drawPast();
  }

  /** Make a move, shown as unsent until it is acknowledged. @param {string} move */
  async #play(move) {
    const { record, table } = this;
    if (!record?.myTurn || this.pending) return;
    const pending = { move, ply: record.ply, rewound: record.rewound };
    this.pending = pending;
    table?.explain("");
    this.#drawPending();
    try {
      await this.page.link.ask({ type: "play", match: this.match, ply: record.ply, move }, { lasting: true });
    } catch (error) {
      // A takeback has ended it: another move may be on its way.
      if (this.pending !== pending) return;
      this.pending = null;
      table?.refuse(/** @type {Error} */ (error).message);
    }
  }

  #drawPending() {
    this.table?.pend(this.pending?.move ?? null, this.page.link.state === "online");
  }

  /** Announce events to screen readers and by sound. @param {MatchEvent[]} events */
  #speak(events) {
    const record = /** @type {MatchRecord} */ (this.record);
    for (const event of events) {
      const seat = "seat" in event ? event.seat : null;
      const mine = seat === record.seat;
      const name = seat === null ? "" : nameOf(record.seats[seat].player);
      if (event.type === "played") {
        const { move } = event;
        announce(mine ? t("You played {move}.", { move }) : t("{name} played {move}.", { name, move }));
      }
      if (event.type === "rolled") announce(t("The dice show {roll}.", { roll: event.move }));
      if (event.type === "eliminated") announce(mine ? t("You are out.") : t("{name} is out.", { name }));
      if (event.type === "draw_offered") announce(mine ? t("You offered a draw.") : t("{name} offered a draw.", { name }));
      if (event.type === "takeback_requested")
        announce(mine ? t("You asked to take your move back.") : t("{name} asked to take a move back.", { name }));
      if (event.type === "taken_back") announce(t("The last move was taken back."));
      if (event.type === "clocks_paused") announce(t("The organiser has paused the game."), true);
      if (event.type === "clocks_resumed") announce(t("The clocks go on."), true);
      if (event.type === "resumed") this.page.toast(awayText(event.refunded));
      if (event.type === "ended") announce(resultText(record).join(". "), true);
    }
    if (events.some((event) => event.type === "ended")) sound("end");
    else if (events.some((event) => event.type === "played")) {
      const { move } = /** @type {{move: string}} */ (events.findLast((event) => event.type === "played"));
      moveSound(move, record.position);
      if (record.myTurn && document.hidden) sound("turn");
      if (record.myTurn) announce(t("Your turn."));
    }
    const next = events.find((event) => event.type === "rematched");
    if (next && record.seat === null)
      this.page.toast(t("A rematch has begun."), [h("a.button", { href: `#/m/${next.match}` }, t("Watch it"))], 15);
  }
}
