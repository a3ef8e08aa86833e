/** Puzzles: one move wins at every turn. Positions, moves and solutions come from files that the engine made. */

import { button, fill, h } from "./dom.js";
import { Drill, gaugesText, tell } from "./drill.js";
import { counted, t, told } from "./studytexts.js";
import { loadFile } from "./lazy.js";
import { seatMark } from "./marks.js";
import { day, GAMES, progress, record } from "./progress.js";
import { optionText } from "./words.js";

/** @typedef {import("./drill.js").Scene} Scene */
/** @typedef {{id: string, board: number, seat: number, n: number, grade: number, goal: string, line: string[], scenes: Scene[]}} Puzzle */
/** @typedef {{game: string, title: string, boards: {options: Record<string, number>, start: string}[], puzzles: Puzzle[]}} PuzzleFile */

const REPLY_MS = 700;
/** The least depth of search of each grade, with its word. */
const GRADES = /** @type {const} */ ([
  [0, t("Easy")],
  [2, t("Medium")],
  [4, t("Hard")],
  [7, t("Very hard")],
]);
/** Sentences for wrong moves, in turn. */
const WRONG = [
  t("Not that one: the other side gets away. Try again."),
  t("That lets the win slip. Look for the move after which nothing helps the other side."),
  t("No, there is an answer to that. Which move leaves none?"),
];

/** @param {string} game @returns {Promise<PuzzleFile>} */
const load = (game) => loadFile(`puzzles-${game}.json`);

/** A grade in a word. @param {number} grade */
const gradeText = (grade) => GRADES.findLast(([least]) => grade >= least)?.[1] ?? "";

/** The puzzle of a day: the games take turns, and each goes through its puzzles. @param {PuzzleFile} file @param {number} of */
const daily = ({ puzzles }, of) => puzzles[(Math.floor(of / GAMES.length) * 7) % puzzles.length];

export class PuzzleView {
  /** @param {Page} page @param {string} id a puzzle, `daily`, a game, or nothing for the list */
  constructor(page, id) {
    this.page = page;
    this.abort = new AbortController();
    /** @type {Drill | null} */
    this.drill = null;
    this.timer = 0;
    this.mistakes = 0;
    this.ply = 0;
    this.revealed = false;
    this.day = 0;
    this.element = h("div.learn", h("p.quiet.empty", t("Opening the puzzles…")));
    document.title = t("Puzzles – Cornered");
    document.addEventListener("keydown", (event) => this.drill?.key(event), { signal: this.abort.signal });
    this.#open(id).catch((error) => {
      if (!this.abort.signal.aborted) this.#fail(error);
    });
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  /** @param {Error} error */
  #fail(error) {
    fill(
      this.element,
      h("h1", t("Puzzles")),
      h("p", error.message),
      h("div.row", button(t("Try again"), () => this.page.go(location.hash), "primary"), h("a.button", { href: "#/puzzles" }, t("All puzzles"))),
    );
  }

  /** @param {string} id */
  async #open(id) {
    const game = id === "daily" ? GAMES[day() % GAMES.length] : id.split("-")[0];
    if (!game) {
      const all = await Promise.all(GAMES.map(load));
      if (!this.abort.signal.aborted) this.#list(all);
      return;
    }
    if (!GAMES.includes(game)) throw new Error(t("This puzzle does not exist any more. Choose another one."));
    const file = await load(game);
    if (this.abort.signal.aborted) return;
    const puzzle = id === "daily" ? daily(file, day()) : file.puzzles.find((one) => one.id === id);
    if (!puzzle) throw new Error(t("This puzzle does not exist any more. Choose another one."));
    this.#show(file, puzzle, id === "daily");
  }

  /** @param {PuzzleFile[]} all */
  #list(all) {
    const { solved, streak, best } = progress().puzzles;
    const total = all.reduce((sum, { puzzles }) => sum + puzzles.length, 0);
    const done = all.reduce((sum, { puzzles }) => sum + puzzles.filter((one) => solved.includes(one.id)).length, 0);
    fill(
      this.element,
      h("h1", t("Puzzles")),
      h("p.quiet", t("In each position one move wins, and only one. The other side defends as long as it can.")),
      h(
        "p.facts",
        t("{done} of {all} solved", { done, all: total }),
        streak ? ` · ${t("{streak} in a row without a mistake", { streak })}` : "",
        best > streak ? ` · ${t("best {best}", { best })}` : "",
      ),
      h("div.row", h("a.button.primary", { href: "#/puzzle/daily" }, t("Puzzle of the day"))),
      all.map(({ title, puzzles }) => {
        const next = puzzles.find((one) => !solved.includes(one.id));
        return h(
          "section.panel.shelf",
          h(
            "header.flow",
            h("h2.grow", title),
            next ? h("a.button", { href: `#/puzzle/${next.id}` }, t("Next one")) : h("span", t("All solved ✓")),
          ),
          GRADES.map(([least, word], index) => {
            const below = GRADES[index + 1]?.[0] ?? Infinity;
            const here = puzzles.filter(({ grade }) => grade >= least && grade < below);
            return here.length
              ? h(
                  "div.grade",
                  h("h3", word),
                  h(
                    "div.numbers",
                    here.map((one) => {
                      const ticked = solved.includes(one.id);
                      const values = { grade: word, number: puzzles.indexOf(one) + 1, moves: one.n };
                      const name = t("{grade}: puzzle {number}, win in {moves}", values);
                      const label = ticked ? `${name}, ${t("solved")}` : name;
                      return h(
                        "a",
                        { href: `#/puzzle/${one.id}`, class: ticked ? "done" : "", "aria-label": label, title: label },
                        ticked ? "✓" : String(puzzles.indexOf(one) + 1),
                      );
                    }),
                  ),
                )
              : null;
          }),
        );
      }),
    );
  }

  /** @param {PuzzleFile} file @param {Puzzle} puzzle @param {boolean} isDaily */
  #show(file, puzzle, isDaily) {
    const { options, start } = file.boards[puzzle.board];
    // The walls in hand are shown with the position.
    const { walls, ...board } = options;
    const index = file.puzzles.indexOf(puzzle);
    const next = file.puzzles.slice(index + 1).find((one) => !progress().puzzles.solved.includes(one.id));
    this.puzzle = puzzle;
    this.revealed = false;
    this.day = isDaily ? day() : 0;
    this.told = h("p.told", { "aria-hidden": "true" });
    this.gauges = h("p.quiet.gauges");
    this.streak = h("p.quiet");
    this.drill = new Drill(
      { label: t("{game} puzzle", { game: file.title }), walled: walls !== undefined, start, seat: puzzle.seat },
      { answer: (move) => this.#answer(move), explain: (text) => this.#say(text) },
    );
    this.nextLink = h(
      "a.button.primary",
      { href: next ? `#/puzzle/${next.id}` : "#/puzzles", hidden: true },
      next ? t("Next puzzle") : t("All puzzles"),
    );
    this.reveal = button(t("Show the solution"), () => this.#reveal());
    this.retry = button(t("Start again"), () => this.#begin());
    fill(
      this.element,
      h(
        "div.drill",
        h("section.stage", { "aria-label": t("Board") }, this.drill.box),
        h(
          "div.words",
          h(
            "p.quiet",
            isDaily ? `${t("Puzzle of the day")} · ` : "",
            h("a", { href: "#/puzzles" }, file.title),
            ` · ${optionText({ name: file.game, options: board })} · ${gradeText(puzzle.grade)}`,
          ),
          h("h1.status", seatMark(puzzle.seat), puzzle.n === 1 ? t("Win at once") : t("Win in {moves}", { moves: puzzle.n })),
          h("p", told(puzzle.goal.replace(/^[^:]*: (.)/, (_, letter) => letter.toUpperCase()))),
          this.gauges,
          this.told,
          this.drill.placing.element,
          h("div.row", this.nextLink, this.retry, this.reveal),
          this.streak,
        ),
      ),
    );
    document.title = `${t("Win in {moves}", { moves: puzzle.n })} – ${t("{game} puzzle", { game: file.title })}`;
    this.mistakes = 0;
    this.#begin();
  }

  #begin() {
    clearTimeout(this.timer);
    const { puzzle, drill } = this;
    if (!puzzle || !drill) return;
    this.ply = 0;
    this.element.classList.remove("solved");
    if (this.nextLink) this.nextLink.hidden = true;
    if (this.reveal) this.reveal.hidden = false;
    drill.start(puzzle.scenes[0]);
    this.#draw(puzzle.scenes[0]);
    this.#say(puzzle.n === 1 ? t("You are to move.") : t("You are to move. The other side answers as well as it can."));
  }

  /** @param {Scene} scene */
  #draw(scene) {
    const { streak, best } = progress().puzzles;
    fill(/** @type {Element} */ (this.gauges), gaugesText(scene, this.puzzle?.seat ?? 0));
    fill(
      /** @type {Element} */ (this.streak),
      streak < 2
        ? ""
        : best > streak
          ? t("{streak} puzzles in a row without a mistake; your best is {best}.", { streak, best })
          : t("{streak} puzzles in a row without a mistake.", { streak }),
    );
  }

  /** @param {string} text @param {string} [kind] */
  #say(text, kind) {
    if (this.told) tell(this.told, text, kind);
  }

  /** @param {string} move */
  #answer(move) {
    const { puzzle, drill, ply } = this;
    if (!puzzle || !drill) return;
    if (move !== puzzle.line[ply]) {
      if (!this.mistakes && !this.revealed) record({ puzzle: puzzle.id, solved: false });
      this.#say(`${move}? ${WRONG[this.mistakes % WRONG.length]}`, "wrong");
      this.mistakes += 1;
      this.#draw(puzzle.scenes[ply]);
      return;
    }
    this.#step();
    if (this.ply === puzzle.line.length) this.#solve();
    else {
      const left = Math.ceil((puzzle.line.length - this.ply) / 2);
      this.#say(t("Yes, {move}. Wait for the answer…", { move }), "right");
      this.timer = window.setTimeout(() => {
        this.#step(true);
        const now = left === 1 ? t("Now win.") : counted(left, "{count} move to go.", "{count} moves to go.");
        this.#say(`${t("The other side plays {move}.", { move: puzzle.line[ply + 1] })} ${now}`);
      }, REPLY_MS);
    }
  }

  /** Make the next move of the line. @param {boolean} [open] that it is the player's turn then */
  #step(open = false) {
    const { puzzle, drill } = this;
    if (!puzzle || !drill) return;
    this.ply += 1;
    const scene = puzzle.scenes[this.ply];
    drill.show(scene, { last: puzzle.line[this.ply - 1], open });
    this.#draw(scene);
  }

  #solve() {
    const { puzzle } = this;
    if (!puzzle) return;
    const isNew = !progress().puzzles.solved.includes(puzzle.id);
    if (!this.revealed) record({ puzzle: puzzle.id, solved: true, clean: this.mistakes === 0 && isNew, daily: this.day });
    this.element.classList.add("solved");
    this.#say(this.revealed ? t("That was the solution.") : this.mistakes ? t("Solved.") : t("Solved, without a mistake."), "right");
    this.#draw(puzzle.scenes[puzzle.line.length]);
    if (this.nextLink) {
      this.nextLink.hidden = false;
      this.nextLink.focus({ preventScroll: true });
    }
    if (this.reveal) this.reveal.hidden = true;
  }

  /** Play the solution from here. */
  #reveal() {
    clearTimeout(this.timer);
    const { puzzle } = this;
    if (!puzzle || !this.drill) return;
    if (!this.mistakes && !this.revealed) record({ puzzle: puzzle.id, solved: false });
    this.revealed = true;
    if (this.reveal) this.reveal.hidden = true;
    const on = () => {
      this.#step();
      if (this.ply === puzzle.line.length) this.#solve();
      else {
        this.#say(t("The solution: {moves}", { moves: puzzle.line.slice(0, this.ply).join(" ") }));
        this.timer = window.setTimeout(on, REPLY_MS);
      }
    };
    on();
  }
}
