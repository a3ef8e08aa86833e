/** Help in a game against a bot: hints in two steps, and what a move has given away. An analyst finds it out. */

import { drawAdvice } from "./arrows.js";
import { announce, button, fill, h } from "./dom.js";
import { counted, t } from "./studytexts.js";
import { Looks } from "./looks.js";
import { backed, mistakesOf } from "./mistakes.js";
import { isRoll, isWalled, parseWall } from "./position.js";
import { movesIn, percent, shareOf } from "./values.js";
import { nameOf, sentence } from "./words.js";

/** @typedef {import("./protocol").Report} Report */
/** @typedef {import("./mistakes.js").Mistake & {reply: Report}} Blunder */
/**
 * `go` shows a ply and `preview` a line, `takeBack` takes one's last move back, and `advise` draws on the board.
 * @typedef {{go: (ply: number) => void, preview: (shown: import("./study.js").Shown) => void, takeBack: () => void, advise: (draw: ((board: import("./board.js").Board) => SVGElement[]) | null) => void}} Wishes
 */

/** A hint that a busy bot came to nothing with is looked for once more. */
const MORE_MILLISECONDS = 1000;
/** Moves of a line that are told. */
const TOLD = 5;

export class Coach {
  /** @param {Page} page @param {MatchRecord} record @param {Wishes} wishes */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.wishes = wishes;
    this.element = h("div.coach", { hidden: true });
    /** The position that was last looked at, its ply, and the move that was last judged. */
    this.seen = "";
    this.ply = 0;
    this.judged = "";
    /** The position of the hint on show, and whether it names the move. */
    this.hinted = "";
    this.tells = false;
    /** @type {Blunder | null} */
    this.blunder = null;
    /** The ply of the marks on the board. */
    this.marked = -1;
    this.looks = new Looks(page, record);
  }

  close() {
    this.looks.close();
  }

  /** Keep up with the game, of which `shown` is on the board. @param {number} shown */
  follow(shown) {
    const { record } = this;
    if (shown !== this.marked) this.#mark(-1, []);
    if (record.over) {
      this.#mark(-1, []);
      this.#say();
      return;
    }
    if (record.position !== this.seen) {
      this.seen = record.position;
      this.hinted = "";
      // A move that was taken back may be made again.
      if (record.ply < this.ply) this.judged = "";
      this.ply = record.ply;
      this.#mark(-1, []);
      const { blunder } = this;
      const stands = blunder && record.moves[blunder.ply] === blunder.move && record.ply <= blunder.ply + 2;
      if (!stands) this.blunder = null;
      this.#draw();
      // What is found now judges the move that comes.
      if (record.myTurn && !this.#isRolled) this.looks.at(record.ply).catch(() => {});
    }
    this.#judge();
  }

  /** Say what to think about; asked again, show the move. */
  async hint() {
    const { record } = this;
    const text = record.position;
    if (!record.myTurn || (this.hinted === text && this.tells)) return;
    this.wishes.go(record.ply);
    this.tells = this.hinted === text;
    this.hinted = this.looks.urgent = text;
    if (!this.looks.found.has(text)) this.#say(t("A bot looks for a hint…"));
    let trouble = t("The bot that studies positions found nothing here. Ask again.");
    let report = null;
    try {
      report = (await this.looks.at(record.ply)) ?? (await this.looks.at(record.ply, MORE_MILLISECONDS));
    } catch (error) {
      trouble = sentence(/** @type {Error} */ (error).message);
    }
    if (record.position !== text || this.hinted !== text) return;
    if (report) this.#draw();
    else {
      this.hinted = "";
      this.#say(trouble);
    }
  }

  get #isRolled() {
    return this.record.moves.some(isRoll);
  }

  // Judging

  /** Look whether one's last move has given something away. Luck with the dice is not judged. */
  async #judge() {
    const { record } = this;
    const ply = record.moves.findLastIndex((_, each) => record.moverOf(each) === record.seat);
    const [before, after, move] = [record.positions[ply], record.positions[ply + 1], record.moves[ply]];
    const sign = `${before} ${move}`;
    if (ply < 0 || !before || !after || this.#isRolled || this.judged === sign) return;
    this.judged = sign;
    const [report, reply] = await Promise.all([this.looks.at(ply), this.looks.at(ply + 1)]).catch(() => [null, null]);
    const stands = record.positions[ply] === before && record.positions[ply + 1] === after && record.ply <= ply + 2;
    if (!report || !reply || !stands || record.over || report.lines[0].move === move) return;
    /** @type {(Report | undefined)[]} */
    const found = [];
    [found[ply], found[ply + 1]] = [report, reply];
    const mistake = mistakesOf(record, backed(record, found), (_, each) => t("Your {move}", { move: each })).find((each) => each.ply === ply);
    if (!mistake) return;
    this.blunder = { ...mistake, reply };
    if (!this.hinted) this.#draw();
  }

  // Words

  #draw() {
    if (this.hinted) this.#drawHint();
    else if (this.blunder) this.#drawBlunder(this.blunder);
    else this.#say();
  }

  #drawHint() {
    const report = this.looks.found.get(this.hinted);
    if (!report) return;
    const { record } = this;
    const [best, second] = report.lines;
    const seat = /** @type {number} */ (record.seat);
    if (this.tells || !second) {
      this.#mark(record.ply, [{ move: best.move, seat, kind: "best" }]);
      const next = second && worth(t("The next best, {move},", { move: second.move }), second, report);
      this.#say([worth(best.move, best, report), next, expected(best.pv)].filter(Boolean).join(" "));
      return;
    }
    this.#mark(record.ply, report.lines.map(({ move }) => ({ move, seat, kind: "good" })));
    const which = isWalled(record.spec)
      ? parseWall(best.move)
        ? t("The best move is a wall: which of those marked?")
        : t("The best move is a step: which of those marked?")
      : t("The best move is one of those marked. Which?");
    this.#say(`${standing(report)} ${which}`.trim(), button(t("Show it"), () => this.hint()));
  }

  /** @param {Blunder} blunder */
  #drawBlunder(blunder) {
    this.#say(
      `${blunder.words}.`,
      button(t("Why?"), () => this.#explain(blunder)),
      button(t("Take it back"), this.wishes.takeBack),
    );
  }

  /** Show the best reply to a blunder. @param {Blunder} blunder */
  #explain(blunder) {
    const { record } = this;
    const { ply, move, reply } = blunder;
    const [best] = reply.lines;
    const seat = 1 - /** @type {number} */ (record.seat);
    this.wishes.go(ply + 1);
    this.#mark(ply + 1, [{ move: best.move, seat, kind: "best" }]);
    const name = nameOf(record.seats[seat].player);
    this.#say(
      worth(t("After {move}, {best} by {name}", { move, best: best.move, name }), best, reply),
      this.#steps(ply + 1, best.pv),
      button(t("What was better?"), () => this.#improve(blunder)),
      button(t("Take it back"), this.wishes.takeBack),
    );
  }

  /** Show what was better than a blunder. @param {Blunder} blunder */
  #improve(blunder) {
    const { record } = this;
    const { ply, move, better } = blunder;
    const seat = /** @type {number} */ (record.seat);
    const report = this.looks.found.get(record.positions[ply] ?? "");
    const [best] = report?.lines ?? [];
    if (!report || !best) return;
    this.wishes.go(ply);
    this.#mark(ply, [
      { move: better, seat, kind: "best" },
      { move, seat, kind: "played" },
    ]);
    this.#say(
      worth(t("In place of {move}, {better}", { move, better }), best, report),
      this.#steps(ply, best.pv),
      button(t("Why?"), () => this.#explain(blunder)),
      button(t("Take it back"), this.wishes.takeBack),
    );
  }

  /** A line whose moves can be stepped through on the board. @param {number} ply @param {readonly string[]} line */
  #steps(ply, line) {
    const step = (/** @type {string} */ move, /** @type {number} */ index) =>
      button(move, () => this.#walk(ply, line.slice(0, index + 1)), "", { title: t("Play it out on the board") });
    return h("div.onward", { role: "group", "aria-label": t("How it goes on") }, line.slice(0, TOLD).map(step));
  }

  /** Show the position after the moves of a line. @param {number} ply @param {readonly string[]} moves */
  async #walk(ply, moves) {
    try {
      const question = { match: this.record.id, ply, moves: [...moves] };
      const { positions, gauges } = await this.page.link.ask({ type: "ask_variation", ...question });
      this.wishes.go(ply);
      this.#mark(ply, []);
      this.wishes.preview({ text: positions[positions.length - 1], moves: [...moves], gauges: gauges.at(-1) });
      announce(t("After {moves}", { moves: moves.join(" ") }));
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** Say a sentence, with a line and buttons, or nothing. @param {string} [text] @param {...HTMLElement} more */
  #say(text = "", ...more) {
    const [lines, buttons] = [more.filter((each) => each.matches(".onward")), more.filter((each) => !each.matches(".onward"))];
    this.element.hidden = !text;
    fill(this.element, text ? [h("p", text), ...lines, buttons.length ? h("div.row", buttons) : null] : []);
    if (text) announce(text);
  }

  /** @param {number} ply @param {import("./arrows.js").Advice[]} advice */
  #mark(ply, advice) {
    if (!advice.length && this.marked < 0) return;
    this.marked = ply;
    this.wishes.advise(advice.length ? (board) => drawAdvice(board, advice) : null);
  }
}

/** @param {readonly string[]} line */
const expected = (line) => (line.length > 1 ? t("Expect {moves}.", { moves: line.slice(1, TOLD).join(" ") }) : "");

/** What a move is worth to its player, in a sentence. @param {string} subject the move in words @param {ScoredLine} line @param {Report} report */
function worth(subject, { score, proven, plies }, { scale }) {
  if (proven === "draw") return t("{subject} holds a draw.", { subject });
  if (proven && plies) {
    const moves = movesIn(plies);
    return proven === "win"
      ? counted(moves, "{subject} wins in {count} move.", "{subject} wins in {count} moves.", { subject })
      : counted(moves, "{subject} loses in {count} move.", "{subject} loses in {count} moves.", { subject });
  }
  if (proven) return proven === "win" ? t("{subject} wins.", { subject }) : t("{subject} loses.", { subject });
  if (!scale) return t("{subject} looks best.", { subject });
  return t("{subject} wins {share} of such games.", { subject, share: percent(shareOf({ score, proven }, scale)) });
}

/** How one stands, in a sentence. @param {Report} report */
function standing(report) {
  const { proven, plies, scale } = report;
  if (proven === "win" && plies) return counted(movesIn(plies), "You can win in {count} move.", "You can win in {count} moves.");
  if (proven === "win") return t("You can win.");
  if (proven === "draw") return t("You can hold a draw.");
  if (proven) return t("You are lost if the bot finds everything; make it hard.");
  return scale ? t("You stand to win {share} of such games.", { share: percent(shareOf(report, scale)) }) : "";
}
