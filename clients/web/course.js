/** The course of a finished game: the pass over its positions, the curve and the list of mistakes. */

import { button, fill, h } from "./dom.js";
import { Graph } from "./graph.js";
import { t } from "./studytexts.js";
import { seatMark } from "./marks.js";
import { backed, decisiveOf, mistakesOf, sharesOf } from "./mistakes.js";
import { Pass } from "./pass.js";
import { sentence } from "./words.js";

/** @typedef {import("./mistakes.js").Mistake} Mistake */

export class Course {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {{choose: (ply: number) => void, changed: () => void}} wishes `choose` shows a ply that the reader has chosen
   */
  constructor(page, record, wishes) {
    this.record = record;
    this.wishes = wishes;
    /** The mistake that decided the game, as far as is known. @type {Mistake | null} */
    this.decisive = null;
    this.ply = -1;
    this.pass = new Pass(page, record, () => {
      this.draw();
      wishes.changed();
    });
    this.graph = new Graph(record, wishes.choose);
    this.words = h("span");
    this.progress = h("progress", { "aria-label": t("Positions looked at") });
    this.switch = button(t("Stop"), () => (this.#turn()), "plain");
    this.passing = h("div.passing.flow", this.words, this.progress, this.switch);
    this.mistakes = h("ol.mistakes", { "aria-label": t("Mistakes") });
    this.element = h("div.course", { hidden: true }, this.graph.element, this.passing, this.mistakes);
  }

  /** Whether every score that is not proven has a win probability. */
  get measured() {
    return this.pass.found.every((report) => !report || report.proven || report.scale);
  }

  /** Stop the pass, or go on. */
  #turn() {
    const { pass } = this;
    if (pass.running) {
      pass.stopped = true;
      pass.stop();
    } else pass.start();
  }

  /** Whether all positions that can be looked at were looked at, or will not be. */
  get settled() {
    const { done, running, stopped, trouble } = this.pass;
    return !running && (done || stopped || trouble !== "");
  }

  /** Closed, the pass stops; opened again, it may go on. @param {boolean} open */
  open(open) {
    const { pass } = this;
    if (open) [pass.stopped, pass.trouble] = [false, ""];
    else pass.stop();
  }

  /** Begin the pass, once every position is known. */
  survey() {
    const { pass, record } = this;
    if (record.over && record.complete && !pass.done && !pass.running && !pass.trouble && !pass.stopped) pass.start();
  }

  /** Show where the reader is. @param {number} ply -1 in a variation */
  show(ply) {
    this.ply = ply;
    if (ply >= 0) this.graph.show(ply);
    for (const row of this.mistakes.querySelectorAll("button"))
      row.setAttribute("aria-current", String(Number(row.dataset.ply) === ply));
  }

  draw() {
    const { pass, record } = this;
    this.element.hidden = !record.over || record.seats.length !== 2 || !record.complete;
    if (this.element.hidden) return;
    const all = pass.plies.length;
    const looked = all - pass.left.length;
    this.passing.hidden = !pass.running && !pass.trouble && looked === all;
    const words = pass.trouble
      ? sentence(pass.trouble)
      : pass.running
        ? t("Looking through the game: {looked} of {all}", { looked, all })
        : t("{looked} of {all} positions looked at", { looked, all });
    if (this.words.textContent !== words) this.words.textContent = words;
    this.progress.max = Math.max(1, all);
    this.progress.value = looked;
    this.switch.textContent = pass.running ? t("Stop") : t("Go on");
    const found = backed(record, pass.found);
    const mistakes = mistakesOf(record, found);
    this.decisive = decisiveOf(record, mistakes);
    this.graph.draw(sharesOf(record, found), mistakes, this.decisive?.ply, this.measured);
    this.#list(mistakes);
    this.show(this.ply);
  }

  /** @param {readonly Mistake[]} mistakes */
  #list(mistakes) {
    const { decisive, pass } = this;
    const sign = JSON.stringify([mistakes, decisive?.ply, pass.running]);
    if (sign === this.mistakes.dataset.drawn) return;
    this.mistakes.dataset.drawn = sign;
    const focused = [...this.mistakes.children].findIndex((row) => row.contains(document.activeElement));
    const rows = mistakes.map((each) => {
      const { ply, seat, move, words, better } = each;
      const said = better === move ? words : `${words}; ${t("{move} was better", { move: better })}`;
      const mark = each === decisive ? h("small", t("decisive")) : null;
      const label = [seatMark(seat), h("strong", move), h("span", said), mark];
      return h("li", button(label, () => this.wishes.choose(ply), "plain", { data: { ply: String(ply) } }));
    });
    const none = this.measured
      ? t("No mistake was found.")
      : t("This game has no win probabilities yet, so only proven mistakes are listed, and there is none.");
    fill(this.mistakes, rows.length || !pass.done ? rows : h("li.quiet", none));
    this.mistakes.querySelectorAll("button")[focused]?.focus();
  }
}
