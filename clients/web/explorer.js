/** The opening explorer: which moves followed the first ones of a game in finished matches, and how these ended. */

import { counted, number, t } from "./archivetexts.js";
import { askInTurn } from "./asking.js";
import { Board } from "./board.js";
import { optionChoice } from "./conditionfields.js";
import { archiveRoute, openingRoute, readConditions, valueOf } from "./conditions.js";
import { button, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { seatMark } from "./marks.js";
import { lineRoute } from "./permalink.js";
import { isCell, isRoll, isWalled } from "./position.js";
import { resultsBar } from "./results.js";
import { askLine } from "./source.js";
import { optionText } from "./words.js";

/** @typedef {import("./protocol").Opening} Opening */
/** @typedef {import("./protocol").OpeningMove} OpeningMove */

/** `MAX_OPENING_PLIES` of the protocol: the plies of a match that are counted. */
const MOST_PLIES = 8;

/** @implements {View} */
export class ExplorerView {
  /** @param {Page} page @param {string} query game, options and moves in the address */
  constructor(page, query) {
    this.page = page;
    const { game, options = {}, opening = [] } = readConditions(query);
    this.name = game ?? "";
    this.options = options;
    this.moves = [...opening].slice(0, MOST_PLIES);
    /** @type {Opening | null} */
    this.opening = null;
    this.asked = 0;
    this.abort = new AbortController();
    this.board = new Board({ label: t("Position") });
    this.board.element.addEventListener("click", (event) => {
      const cell = /** @type {Element} */ (event.target).closest("[data-cell]")?.getAttribute("data-cell");
      if (cell && this.board.hints.moves.has(cell)) this.#step(cell);
    });
    this.titles = h("nav.games.row", { "aria-label": t("Game") });
    this.choices = h("div.condition-grid");
    this.boards = h("details.rare", { hidden: true }, h("summary", t("Board and rules")), this.choices);
    this.terms = h("p.quiet");
    this.path = h("nav.path-of-moves.row", { "aria-label": t("Moves so far") });
    this.words = h("p.quiet", { role: "status" }, t("Loading…"));
    this.rows = h("tbody");
    this.table = h(
      "table.outcomes",
      { hidden: true },
      h("caption.unseen", t("Moves from here")),
      h("thead", h("tr", h("th", { scope: "col" }, t("Move")), h("th.figure", { scope: "col" }, t("Games")), h("th", { scope: "col" }, t("Results of who moves")))),
      this.rows,
    );
    this.links = h("div.row");
    this.element = h(
      "div.lobby.explorer",
      h("header.flow", h("h1", t("Opening explorer")), h("a.button", { href: "#/archive/" }, t("Archive"))),
      this.titles,
      this.boards,
      h("div.explored", h("div.opening-board", this.board.element), h("div.panel.findings", this.terms, this.path, this.words, h("div.scrolled", this.table), this.links)),
    );
    document.title = `${t("Opening explorer")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#learn() }, signal);
    page.store.addEventListener("change", () => this.#drawTitles(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    if (page.link.state === "online") this.#learn();
    this.#drawTitles();
  }

  close() {
    this.abort.abort();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.key !== "ArrowLeft" || !this.moves.length || target.closest("input, select, textarea, dialog")) return;
    event.preventDefault();
    this.#back(this.moves.length - 1);
  }

  #drawTitles() {
    const { games } = this.page.store;
    if (!this.name && games.length) {
      this.name = games[0].name;
      this.#learn();
    }
    const sign = `${games.length} ${this.name}`;
    if (this.titles.dataset.sign === sign) return;
    this.titles.dataset.sign = sign;
    fill(
      this.titles,
      games.map(({ name, title }) => h("a.button", { href: openingRoute({ name }, []), "aria-current": name === this.name ? "page" : null }, title)),
    );
  }

  /** @param {string} move */
  #step(move) {
    this.#to([...this.moves, move]);
  }

  /** Keep so many moves. @param {number} ply */
  #back(ply) {
    this.#to(this.moves.slice(0, ply));
  }

  /** @param {string[]} moves */
  #to(moves) {
    this.moves = moves;
    history.pushState(null, "", openingRoute({ name: this.name, options: this.options }, moves));
    this.#learn();
  }

  async #learn() {
    const { page, name, moves } = this;
    if (!name || page.link.state !== "online") return;
    const turn = ++this.asked;
    const isHere = () => turn === this.asked && !this.abort.signal.aborted;
    this.#drawPath();
    try {
      const spec = { name, options: this.options };
      // The last ply that is counted has no moves after it.
      const opening = await askInTurn(page.link, { type: "ask_opening", game: spec, moves: moves.slice(0, MOST_PLIES - 1) }, this.abort.signal);
      const line = await askLine(page.link, opening.game, undefined, moves);
      if (!isHere()) return;
      this.opening = moves.length < MOST_PLIES ? opening : { ...opening, games: 0, moves: [] };
      this.#draw(line);
    } catch (error) {
      if (isHere()) this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    const { code, message } = /** @type {Refused} */ (error);
    if (code === "offline") return;
    this.table.hidden = true;
    fill(this.links);
    fill(this.words, message, " ", button(t("From the start"), () => this.#back(0), "plain"));
  }

  #drawPath() {
    const { moves } = this;
    const crumb = (/** @type {string} */ text, /** @type {number} */ ply) =>
      button(text, () => this.#back(ply), "plain", { "aria-current": ply === moves.length ? "step" : null });
    fill(
      this.path,
      button(icon("back"), () => this.#back(Math.max(0, moves.length - 1)), "icon", { "aria-label": t("One move back"), title: t("One move back"), disabled: !moves.length }),
      crumb(t("Start[position]"), 0),
      moves.map((move, index) => crumb(move, index + 1)),
    );
  }

  /** @param {import("./protocol").Line} line */
  #draw(line) {
    const { board, opening, moves, page } = this;
    if (!opening) return;
    const { game } = opening;
    const offered = page.store.offered(game.name);
    this.#drawChoices(game);
    board.walled = isWalled(game);
    const position = line.positions[line.positions.length - 1];
    board.show(position, { last: moves[moves.length - 1] ?? "", past: line.positions.slice(0, -1) });
    board.hint({ moves: new Set(opening.moves.map(({ move }) => move).filter(isCell)), refused: {}, notes: {}, seat: line.to_move ?? -1 });
    fill(this.terms, [page.store.title(game.name), optionText(game, offered, true)].filter(Boolean).join(", "));
    this.table.hidden = !opening.moves.length;
    fill(this.rows, opening.moves.map((each) => this.#row(each, line.to_move)));
    fill(this.words, this.#told(line));
    fill(
      this.links,
      h("a.button", { href: archiveRoute({ game: game.name, options: game.options ?? {}, opening: moves }) }, t("Games that began so")),
      h("a.button", { href: lineRoute(game, offered, line.positions[0], moves) }, t("Analyse")),
    );
  }

  /** Choices of the game's options, from the start again. @param {import("./protocol").GameSpec} game */
  #drawChoices({ name, options }) {
    const offered = this.page.store.offered(name);
    const sign = JSON.stringify([name, options, Boolean(offered)]);
    if (!offered || this.choices.dataset.sign === sign) return;
    this.choices.dataset.sign = sign;
    const fields = offered.options.map((option) => ({ option, ...optionChoice(option, options[option.name] ?? "", option.optional || option.default === null ? t("none") : undefined) }));
    for (const { option, select } of fields)
      select.addEventListener("change", () => {
        this.options = { ...options, [option.name]: select.value ? valueOf(select.value) : null };
        this.#to([]);
      });
    this.boards.hidden = !fields.length;
    fill(this.choices, fields.map(({ element }) => element));
  }

  /** What is said above the moves. @param {import("./protocol").Line} line */
  #told({ places }) {
    const { games } = /** @type {Opening} */ (this.opening);
    if (places) return t("The game is over here.");
    if (this.moves.length >= MOST_PLIES) return t("The first {count} plies of each game are counted, and these are all of them. Go on in the analysis, or in the games that began so.", { count: MOST_PLIES });
    if (games) return counted(games, "{count} finished public game went on from here.", "{count} finished public games went on from here.");
    if (this.moves.length) return t("No finished public game went on from here. Go back a move, or go on in the analysis.");
    return t("No finished public game has this board yet. Play one, and its moves are counted here.");
  }

  /** @param {OpeningMove} each @param {number | null} seat who moves; nobody at a roll */
  #row({ move, games, wins, draws }, seat) {
    const roll = isRoll(move);
    const label = roll ? t("roll {roll}", { roll: move }) : move;
    const step = button([seat === null || roll ? null : seatMark(seat), label], () => this.#step(move), "plain move", { "aria-label": t("Go on with {move}", { move: label }) });
    return h(
      "tr",
      h("td", step),
      h("td.figure", number(games)),
      h("td.wide", roll ? null : resultsBar({ wins, draws, losses: games - wins - draws })),
    );
  }
}
