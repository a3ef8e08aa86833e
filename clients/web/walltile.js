/** One match on a wall of boards: its board, and each player's name, clock and result. */

import { Board } from "./board.js";
import { fill, h } from "./dom.js";
import { t } from "./grouptexts.js";
import { icon } from "./icons.js";
import { seatMark } from "./marks.js";
import { isRoll, isWalled, leftBehind } from "./position.js";
import { MatchRecord } from "./record.js";
import { isolated, resultText, timeLeft } from "./words.js";

const URGENT_MS = 30_000;
/** Refusals after which the match is asked for again, in milliseconds. */
const RETRY_MS = 3_000;

/** A match as a tile that keeps itself up to date. */
export class WallTile {
  /** @param {Page} page @param {string} match @param {() => void} changed is told of a pause, a result or the first position */
  constructor(page, match, changed) {
    this.page = page;
    this.match = match;
    this.changed = changed;
    /** @type {MatchRecord | null} */
    this.record = null;
    this.board = new Board({ tiny: true });
    this.picture = h("div.picture", this.board.element);
    this.lines = h("div.wall-players");
    this.state = h("p.wall-state");
    /** Whose turn it is, which those who see it know by the colour of the clock. */
    this.turn = h("span.unseen");
    /** @type {HTMLElement[]} */
    this.clocks = [];
    this.element = h("a.wall-tile.panel", { href: `#/m/${match}`, data: { match } }, h("div.wall-stage", this.picture, this.state), this.lines, this.turn);
    this.abort = new AbortController();
    page.link.hear(
      {
        online: () => this.#join(),
        snapshot: (snapshot) => snapshot.match === match && this.#load(snapshot),
        happened: (happened) => happened.match === match && this.#apply(happened),
      },
      this.abort.signal,
    );
    if (page.link.state === "online") this.#join();
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
    if (this.page.link.state === "online") this.page.link.ask({ type: "leave", match: this.match }).catch(() => {});
  }

  get isPaused() {
    return this.record !== null && this.record.pausedUntil !== null;
  }

  get isOver() {
    return this.record?.over ?? false;
  }

  async #join() {
    try {
      await this.page.link.ask({ type: "join", match: this.match });
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code === "too_fast" || code === "internal") this.timer = window.setTimeout(() => this.#join(), RETRY_MS);
      else if (code !== "offline") this.state.textContent = message;
    }
  }

  /** @param {Snapshot} snapshot */
  #load(snapshot) {
    this.record = new MatchRecord(snapshot);
    this.board.walled = isWalled(this.record.spec);
    const { seats } = this.record;
    this.clocks = seats.map(() => h("time.wall-clock", { dir: "ltr" }));
    fill(
      this.lines,
      seats.map(({ player }, seat) => h("div", { class: `wall-who flow seat-${seat}` }, seatMark(seat), h("bdi.grow", player.name), this.clocks[seat])),
    );
    this.#draw();
    this.changed();
  }

  /** @param {import("./protocol").Happened} happened */
  #apply(happened) {
    const events = this.record?.apply(happened);
    if (events === null) this.#join();
    if (!events?.length) return;
    this.#draw();
    if (events.some(({ type }) => type === "ended" || type === "clocks_paused" || type === "clocks_resumed")) this.changed();
  }

  #draw() {
    const record = /** @type {MatchRecord} */ (this.record);
    const last = record.moves.findLastIndex((move) => !isRoll(move));
    this.board.show(record.position, { last: record.moves[last] ?? "", from: leftBehind(record.positions[last], record.position) });
    const { width, height } = this.board.layout.box;
    this.picture.style.setProperty("--ratio", String(width / height));
    const { turn, over, winner } = record;
    [...this.lines.children].forEach((line, seat) => {
      line.classList.toggle("turn", turn === seat && !this.isPaused);
      line.classList.toggle("won", over && winner === seat);
    });
    this.element.classList.toggle("over", over);
    this.element.classList.toggle("paused", this.isPaused);
    const drawn = over && winner === null;
    fill(this.state, over ? [icon(drawn ? "drawn" : "won"), resultText(record)[0]] : this.isPaused ? t("Paused") : "");
    this.turn.textContent = over || this.isPaused || turn < 0 ? "" : t("{name} to move", { name: isolated(record.seats[turn].player.name) });
    this.tick();
  }

  /** Show the clocks as they are now. */
  tick() {
    const { record } = this;
    if (!record) return;
    const { left, running, at } = record.clocks;
    this.clocks.forEach((clock, seat) => {
      const full = left[seat];
      clock.hidden = full === null;
      if (full === null) return;
      const runs = running === seat && !record.over;
      const ms = Math.max(0, full - (runs ? Math.max(0, this.page.link.now() - at) : 0));
      const text = timeLeft(ms);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("runs", runs);
      clock.classList.toggle("urgent", runs && ms < URGENT_MS);
    });
  }
}
