/** The best lines of a position, whose moves can be stepped through. */

import { fill, button, h } from "./dom.js";
import { t } from "./studytexts.js";
import { worthText } from "./values.js";

export class Lines {
  /** @param {(line: readonly string[], step: number) => void} walk show the position after the first moves of a line */
  constructor(walk) {
    this.walk = walk;
    /** The line on the board, and the number of its moves shown. @type {readonly string[]} */
    this.walked = [];
    this.step = 0;
    this.caption = h("p.quiet.caption");
    this.list = h("ol.ways", { "aria-label": t("Best lines") });
    this.element = h("div", this.caption, this.list);
  }

  /** The moves of a line that are on the board. */
  get shown() {
    return this.walked.slice(0, this.step);
  }

  /** @param {readonly string[]} line @param {number} step */
  stand(line, step) {
    this.walked = line;
    this.step = step;
  }

  /** @param {readonly ScoredLine[]} lines @param {number | null} scale @param {string} name whose moves they are */
  draw(lines, scale, name) {
    const focused = [...this.list.children].findIndex((row) => row.contains(document.activeElement));
    const caption = lines.every(({ proven }) => proven)
      ? t("Best moves for {name}.", { name })
      : scale
        ? t("Best moves for {name}; % is how often {name} wins.", { name })
        : t("Best moves for {name}; scores are in moves' worth.", { name });
    this.caption.textContent = lines.length ? caption : "";
    fill(
      this.list,
      lines.map((line) => h("li", button(this.#content(line, scale), (event) => this.#go(event, line.pv), "plain", HOW))),
    );
    this.stand([], 0);
    this.list.querySelectorAll("button")[focused]?.focus();
  }

  /** @param {ScoredLine} line @param {number | null} scale */
  #content(line, scale) {
    const steps = line.pv.flatMap((move, index) => [h("span", { data: { step: String(index + 1) } }, move), " "]);
    return [h("strong", worthText(line, scale)), " ", ...steps, (line.plies ?? 0) > line.pv.length ? "…" : ""];
  }

  /** @param {Event} event @param {readonly string[]} line */
  #go(event, line) {
    const step = /** @type {Element} */ (event.target).closest("[data-step]")?.getAttribute("data-step");
    const next = String(this.walked) === String(line) ? this.step % line.length : 0;
    this.walk(line, Number(step) || next + 1);
  }

  /** The moves on the board are marked in the list. @param {readonly string[]} moves */
  mark(moves) {
    for (const row of this.list.children) {
      const steps = [...row.querySelectorAll("[data-step]")];
      const same = moves.every((move, index) => steps[index]?.textContent === move);
      steps.forEach((span, index) => span.classList.toggle("shown", same && index < moves.length));
    }
  }
}

const HOW = { title: t("Play it out on the board") };
