/** The sheet in which a position is set up by hand. The server says whether it is one. */

import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { cellOf } from "./hand.js";
import { t, told } from "./studytexts.js";
import { seatMark } from "./marks.js";
import { lineRoute, positionAddress } from "./permalink.js";
import { cells, isWalled, mover, parsePosition } from "./position.js";
import { openSheet } from "./sheet.js";
import { sentence } from "./words.js";

/** @typedef {Record<string, number | boolean | null>} Options */

const CHECK_DELAY_MS = 250;
/** How far from a cell's side a click still means a wall, in hundredths of a cell. */
const WALL_REACH = 22;

/** Open the sheet. @param {Page} page @param {GameSpecInput} spec @param {string} text the position to begin with */
export function editPosition(page, spec, text) {
  return new Editor(page, { name: spec.name, options: { .../** @type {Options} */ (spec.options) } }, text);
}

class Editor {
  /** @param {Page} page @param {{name: string, options: Options}} spec @param {string} text */
  constructor(page, spec, text) {
    this.page = page;
    this.spec = spec;
    this.text = text;
    /** What a click puts on a cell: a seat, `x`, `.`, or `wall`. */
    this.tool = "0";
    this.timer = 0;
    this.boardBox = h("div.editing");
    this.tools = h("div.row", { role: "radiogroup", "aria-label": t("What a click does") });
    this.settings = h("div.fields");
    this.rules = h("div.fields");
    this.facts = h("div.fields");
    this.field = h("input", { value: text, spellcheck: "false", on: { change: () => this.#set(this.field.value.trim()) } });
    this.verdict = h("p.verdict", { role: "status" });
    this.analyse = button(t("Analyse"), () => this.#analyse(), "primary", { type: "button" });
    this.copy = button(t("Copy link"), () => this.#copy(), "", { type: "button" });
    const { dialog } = openSheet(
      t("Set up a position"),
      "editor",
      this.settings,
      this.boardBox,
      this.tools,
      this.facts,
      this.verdict,
      this.rules,
      h("label.field", h("span", t("The position as text")), this.field),
      h("footer", this.copy, this.analyse),
    );
    this.dialog = dialog;
    dialog.addEventListener("close", () => clearTimeout(this.timer));
    this.#rebuild();
  }

  get offered() {
    return this.page.store.offered(this.spec.name);
  }

  /** Make everything that depends on the game. */
  #rebuild() {
    const { spec, offered } = this;
    this.board = new Board({ walled: isWalled(spec), label: t("The position") });
    const { element } = this.board;
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusin", (event) => this.board?.focus(cellOf(event) ?? "", false));
    fill(this.boardBox, element);
    const games = this.page.store.games.map(({ name, title }) => /** @type {[string, string]} */ ([name, title]));
    const options = (offered?.options ?? []).map((option) => {
      const values = option.kind === "bool" ? ["false", "true"] : option.choices.map(String);
      const words = { false: t("no"), true: t("yes") };
      const list = values.map((value) => [value, words[/** @type {"true"} */ (value)] ?? value]);
      if (option.optional) list.unshift(["null", "–"]);
      const now = String(spec.options[option.name] ?? null);
      return choice(told(option.title), /** @type {[string, string][]} */ (list), now, (value) =>
        this.#restart(spec.name, { ...this.#independent(), [option.name]: JSON.parse(value) }),
      );
    });
    fill(this.settings, choice(t("Game"), games, spec.name, (name) => this.#restart(name, {})));
    fill(this.rules, options);
    this.#drawTools();
    this.#set(this.text);
  }

  /** The options that keep their values where another one changes: the rest depend on others. */
  #independent() {
    const isFixed = (/** @type {string} */ name) => this.offered?.options.find((each) => each.name === name)?.default !== null;
    return Object.fromEntries(Object.entries(this.spec.options).filter(([name]) => isFixed(name)));
  }

  /** Begin anew with another game or board. @param {string} name @param {Options} options */
  async #restart(name, options) {
    try {
      const line = await this.page.link.ask({ type: "ask_line", game: { name, options } });
      this.spec = { name, options: /** @type {Options} */ (line.game.options) };
      [this.text] = line.positions;
      this.#rebuild();
    } catch (error) {
      // Some options depend on others: then the game has its own.
      if (Object.keys(options).length > 1) await this.#restart(name, Object.fromEntries(Object.entries(options).slice(0, 1)));
      else this.page.complain(error);
    }
  }

  #drawTools() {
    const { seats } = this;
    const hasWalls = isWalled(this.spec);
    /** @type {[string, Content][]} */
    const tools = [
      ...seats.map((seat) => /** @type {[string, Content]} */ ([String(seat), [seatMark(seat), t("Player {number}", { number: seat + 1 })]])),
      ...(hasWalls ? [/** @type {[string, Content]} */ (["wall", t("Wall")])] : [/** @type {[string, Content]} */ (["x", t("Blocked")])]),
      [".", t("Empty")],
    ];
    if (parsePosition(this.text).hex) tools.splice(seats.length, 1);
    if (!tools.some(([tool]) => tool === this.tool)) this.tool = "0";
    fill(
      this.tools,
      tools.map(([tool, words]) =>
        button(words, () => this.#choose(tool), "", {
          type: "button",
          role: "radio",
          "aria-checked": String(tool === this.tool),
          data: { tool },
        }),
      ),
    );
  }

  /** @param {string} tool */
  #choose(tool) {
    this.tool = tool;
    for (const each of this.tools.querySelectorAll("button"))
      each.setAttribute("aria-checked", String(each.dataset.tool === tool));
  }

  /** The seats of the game. */
  get seats() {
    return Array.from({ length: Number(this.spec.options.players ?? 2) }, (_, seat) => seat);
  }

  /** Take a position, draw it, and have it checked. @param {string} text */
  #set(text) {
    this.text = text;
    this.field.value = text;
    try {
      this.board?.show(text, { still: true });
    } catch {
      // What is wrong with it the server says.
    }
    this.#drawFacts();
    this.verdict.textContent = "…";
    this.analyse.disabled = this.copy.disabled = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.#check(), CHECK_DELAY_MS);
  }

  async #check() {
    const { text, spec } = this;
    /** @param {string} words @param {boolean} isGood */
    const say = (words, isGood) => {
      if (text !== this.text) return;
      this.verdict.textContent = words;
      this.verdict.classList.toggle("trouble", !isGood);
      this.analyse.disabled = this.copy.disabled = !isGood;
    };
    try {
      const line = await this.page.link.ask({ type: "ask_line", game: spec, position: text });
      say(line.places ? t("The game is decided here.") : t("This position is possible."), true);
    } catch (error) {
      say(sentence(/** @type {Error} */ (error).message), false);
    }
  }

  /** Who moves, the dice, and the walls that are left. */
  #drawFacts() {
    const position = parsePosition(this.text);
    const { seats, spec } = this;
    const names = seats.map((seat) => /** @type {[string, string]} */ ([String(seat), t("Player {number}", { number: seat + 1 })]));
    const parts = [choice(t("To move"), names, String(Math.max(0, mover(position))), (seat) => this.#turn(seat, position.facts.roll))];
    if (spec.options.dice) {
      const now = position.facts.roll ?? (position.turn < 0 ? "c" : "");
      /** @type {[string, string][]} */
      const rolls = [["", t("none")], ["c", t("to be rolled")], ["1", "1"], ["2", "2"], ["3", "3"]];
      parts.push(choice(t("Dice"), rolls, now, (roll) => this.#turn(String(Math.max(0, mover(position))), roll)));
    }
    if (isWalled(spec)) {
      const most = Number(spec.options.walls ?? 0);
      const counts = Array.from({ length: most + 1 }, (_, count) => /** @type {[string, string]} */ ([String(count), String(count)]));
      const left = this.#left(position);
      for (const seat of seats)
        parts.push(
          choice(t("Walls left, player {number}", { number: seat + 1 }), counts, String(left[seat]), (count) =>
            this.#write({ left: left.map((each, other) => (other === seat ? count : each)).join(",") }),
          ),
        );
    }
    fill(this.facts, parts);
  }

  /** @param {import("./position.js").Position} position */
  #left(position) {
    return position.facts.left?.split(",") ?? this.seats.map(() => String(this.spec.options.walls ?? 0));
  }

  /** @param {string} seat @param {string | undefined} roll a number, or `c` before a roll */
  #turn(seat, roll) {
    const facts = roll === "c" ? { mover: seat, roll: "" } : { mover: "", roll: roll ?? "" };
    this.#write(facts, { turn: roll === "c" ? "c" : seat });
  }

  /** Write the position with other facts; empty ones are left out. @param {Record<string, string>} facts @param {{rows?: string[], turn?: string}} [board] */
  #write(facts, { rows, turn } = {}) {
    const position = parsePosition(this.text);
    // Counters of plies belong to the game that was played, as do the seats that left it.
    const { ply: _, quiet: __, out: ___, ...kept } = position.facts;
    const words = Object.entries({ ...kept, ...facts }).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
    const side = turn ?? (position.turn < 0 ? "c" : String(position.turn));
    this.#set([(rows ?? position.rows).join("/"), side, ...words].join(" "));
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { board, tool } = this;
    if (!board) return;
    const { x, y } = board.point(event);
    const cell = board.layout.cellAt(x, y);
    if (tool === "wall") {
      const wall = board.layout.wallAt(x, y, WALL_REACH);
      if (wall) this.#toggleWall(wall);
    } else if (cell) this.#put(cell);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { board } = this;
    if (!board) return;
    if (event.key === "Enter" || event.key === " ") this.#put(board.focused);
    else if (event.key.startsWith("Arrow"))
      board.focus(board.layout.step(board.focused, event.key, board.layout.byName.get(board.focused)?.x ?? 0));
    else return;
    event.preventDefault();
  }

  /** Put what is chosen on a cell, or take it away again. @param {string} name */
  #put(name) {
    const position = parsePosition(this.text);
    const at = cells(position).find((cell) => cell.name === name);
    if (!at || this.tool === "wall") return;
    const isPawn = /\d/.test(this.tool) && !position.hex;
    const wanted = at.content === this.tool ? "." : this.tool;
    const rows = position.rows.map((row, number) =>
      [...row]
        .map((content, column) => {
          if (number === at.row && column === at.column) return wanted;
          // A player has one pawn, which moves; stones are many.
          return isPawn && content === this.tool ? "." : content;
        })
        .join(""),
    );
    this.#write({}, { rows });
  }

  /** Put up a wall of the player who has most left, or take one away. @param {string} name */
  #toggleWall(name) {
    const position = parsePosition(this.text);
    const { walls } = position;
    const left = this.#left(position).map(Number);
    const isThere = walls.includes(name);
    const seat = left.indexOf(isThere ? Math.min(...left) : Math.max(...left));
    left[seat] += isThere ? 1 : -1;
    const kept = isThere ? walls.filter((wall) => wall !== name) : [...walls, name];
    this.#write({ walls: kept.join(","), left: left.join(",") });
  }

  #analyse() {
    this.dialog.close();
    this.page.go(lineRoute(this.spec, this.offered, this.text, []));
  }

  #copy() {
    this.page.copy(positionAddress(this.spec, this.offered, this.text), t("The link to this position is copied."));
  }
}

/** A labelled select. @param {string} label @param {[string, string][]} options @param {string} now @param {(value: string) => void} change */
function choice(label, options, now, change) {
  const select = h(
    "select",
    { on: { change: () => change(select.value) } },
    options.map(([value, words]) => h("option", { value, selected: value === now }, words)),
  );
  return h("label.field", h("span", label), select);
}
