/** A pass over all positions of a finished game: a short analysis of each, a few at a time, through the server's queue. */

import { ABSENT, ABSENT_RETRY_MS } from "./analysts.js";
import { isDoubtful } from "./mistakes.js";
import { isRoll } from "./position.js";
import { sourceOf } from "./source.js";

/** @typedef {import("./protocol").Report} Report */

/** The search times of the attempts at one position: a busy bot may come to nothing in a short one. */
const MILLISECONDS = [150, 400, 1000];
/** Analyses under way; the reader's own questions get their turns between them. */
const AT_ONCE = 2;
const RETRY_MS = 1500;
const TRANSIENT_CODES = ["busy", "too_fast", "internal", "shutting_down"];

export class Pass {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {() => void} changed
   */
  constructor(page, record, changed) {
    this.page = page;
    this.record = record;
    this.source = sourceOf(page, record);
    this.changed = changed;
    /** @type {(Report | undefined)[]} by ply; kept when the pass is stopped, which goes on where it was */
    this.found = [];
    /** Why the pass has ended early, or nothing. */
    this.trouble = "";
    this.running = false;
    /** Whether the reader has stopped it. */
    this.stopped = false;
    /** @type {Map<string, number>} the plies of analyses under way */
    this.refs = new Map();
    this.asking = 0;
    /** @type {number[]} */
    this.failures = [];
    this.abort = new AbortController();
    page.link.hear(
      {
        analysis: (analysis) => this.#hear(analysis),
        offline: () => this.refs.clear(),
        online: () => this.#next(),
      },
      this.abort.signal,
    );
  }

  /** The plies at which a player is to move. */
  get plies() {
    const { record } = this;
    return record.positions.flatMap((_, ply) => {
      const over = ply === record.ply && record.reason === "rules";
      return over || (record.moverOf(ply) ?? -1) < 0 || (ply < record.ply && isRoll(record.moves[ply])) ? [] : [ply];
    });
  }

  get left() {
    return this.plies.filter((ply) => this.#isOpen(ply) && (this.failures[ply] ?? 0) < MILLISECONDS.length);
  }

  /** @param {number} ply */
  #isOpen(ply) {
    return !this.found[ply] || isDoubtful(this.record, this.found, ply);
  }

  get done() {
    return !this.left.length;
  }

  /** Begin, or go on. */
  start() {
    this.running = true;
    this.stopped = false;
    this.#next();
    this.changed();
  }

  /** Ask for no more, and give up what is asked for. */
  stop() {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.running = false;
    for (const analysis of this.refs.keys())
      this.page.link.ask({ type: "cancel_analysis", analysis }).catch(() => {});
    this.refs.clear();
    this.changed();
  }

  close() {
    this.stop();
    this.abort.abort();
  }

  /** Take what a longer analysis has found. @param {number} ply @param {Report} report */
  learn(ply, report) {
    this.found[ply] = report;
    this.changed();
  }

  #next() {
    if (!this.running || this.page.link.state !== "online") return;
    const busy = new Set(this.refs.values());
    const waiting = this.left.filter((ply) => !busy.has(ply));
    if (!waiting.length && !busy.size && !this.asking) this.running = false;
    if (this.asking || !waiting.length || busy.size >= AT_ONCE) return;
    this.#ask(waiting[0]);
  }

  /** @param {number} ply */
  async #ask(ply) {
    this.asking = 1;
    try {
      const text = this.record.positions[ply] ?? "";
      const milliseconds = MILLISECONDS[this.failures[ply] ?? 0];
      const ref = await this.source.analyse(ply, [], text, { lines: 1, milliseconds });
      if (this.trouble) {
        this.trouble = "";
        this.changed();
      }
      if (this.running) this.refs.set(ref, ply);
      else this.page.link.ask({ type: "cancel_analysis", analysis: ref }).catch(() => {});
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (TRANSIENT_CODES.includes(code)) {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.#next(), RETRY_MS);
        return;
      }
      if (code === "no_analyst") {
        this.trouble = ABSENT;
        this.stop();
        this.timer = window.setTimeout(() => this.start(), ABSENT_RETRY_MS);
      } else if (code === "nothing_to_analyse") this.failures[ply] = MILLISECONDS.length;
      else if (code !== "offline") {
        this.trouble = message;
        this.stop();
      }
    } finally {
      this.asking = 0;
    }
    this.#next();
  }

  /** @param {Analysis} analysis */
  #hear({ analysis, final, report }) {
    const ply = this.refs.get(analysis);
    if (ply === undefined || !final) return;
    this.refs.delete(analysis);
    if (report && (report.proven || report.score !== null) && this.#isOpen(ply)) this.found[ply] = report;
    if (this.#isOpen(ply)) this.failures[ply] = (this.failures[ply] ?? 0) + 1;
    this.#next();
    this.changed();
  }
}
