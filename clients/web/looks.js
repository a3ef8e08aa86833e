/** Short looks of an analyst at positions of a live game with help. What nobody waits for gives way to others. */

/** @typedef {import("./protocol").Report} Report */

const LINES = 3;
/** All looks are alike, so that a hint and what is said of a move afterwards agree; so short that no overlays are made. */
const MILLISECONDS = 190;

export class Looks {
  /** @param {Page} page @param {MatchRecord} record */
  constructor(page, record) {
    this.page = page;
    this.record = record;
    /** The position that the player waits for. */
    this.urgent = "";
    /** @type {Map<string, Report>} by position text */
    this.found = new Map();
    /** @type {Map<string, Promise<Report | null>>} under way, by position text */
    this.begun = new Map();
    /** @type {Map<string, {text: string, resolve: (report: Report | null) => void}>} by analysis */
    this.waiting = new Map();
    /** The newest look, which the next one waits for. @type {Promise<Report | null>} */
    this.last = Promise.resolve(null);
    this.abort = new AbortController();
    const { signal } = this.abort;
    page.link.hear({ analysis: (analysis) => this.#hear(analysis), offline: () => this.#giveUp() }, signal);
  }

  close() {
    this.abort.abort();
    for (const analysis of this.waiting.keys()) this.#cancel(analysis);
    this.#giveUp();
  }

  /** What an analyst finds at a ply; null where it finds nothing, or has no time for what nobody waits for. @param {number} ply @param {number} [milliseconds] */
  at(ply, milliseconds = MILLISECONDS) {
    const text = /** @type {string} */ (this.record.positions[ply]);
    const known = this.found.get(text);
    if (known) return Promise.resolve(known);
    const begun = this.begun.get(text);
    if (begun) return begun;
    // One after the other, or each would count as others' work that the next one gives way to.
    const look = this.last.then(() => this.#ask(ply, text, milliseconds)).finally(() => this.begun.delete(text));
    this.last = look.catch(() => null);
    this.begun.set(text, look);
    return look;
  }

  /** @param {number} ply @param {string} text @param {number} milliseconds @returns {Promise<Report | null>} */
  async #ask(ply, text, milliseconds) {
    if (this.record.positions[ply] !== text || this.abort.signal.aborted) return null;
    const question = { match: this.record.id, ply, lines: LINES, milliseconds };
    const { ref } = await this.page.link.ask({ type: "ask_analysis", ...question });
    return new Promise((resolve) => this.waiting.set(ref, { text, resolve }));
  }

  /** @param {Analysis} analysis */
  #hear({ analysis, ahead, final, position, report }) {
    const waiting = this.waiting.get(analysis);
    if (!waiting) return;
    if (final) {
      this.waiting.delete(analysis);
      if (report) this.found.set(position, report);
      waiting.resolve(report);
    } else if (ahead && waiting.text !== this.urgent) {
      // Others wait for the analyst; what nobody has asked for is not worth their time.
      this.waiting.delete(analysis);
      this.#cancel(analysis);
      waiting.resolve(null);
    }
  }

  /** @param {string} analysis */
  #cancel(analysis) {
    this.page.link.ask({ type: "cancel_analysis", analysis }).catch(() => {});
  }

  #giveUp() {
    for (const { resolve } of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}
