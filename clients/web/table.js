/** A match on the page: board, players, status, moves, buttons and chat, drawn from its record. */

import { Actions } from "./actions.js";
import { Bars } from "./bars.js";
import { Board } from "./board.js";
import { Chat } from "./chat.js";
import { diceProof } from "./dice.js";
import { button, fill, h } from "./dom.js";
import { Hand } from "./hand.js";
import { icon } from "./icons.js";
import { seatMark } from "./marks.js";
import { DICE, MoveList } from "./movelist.js";
import { isCell, isRoll, isWalled, leftBehind, parsePosition, parseWall, trails } from "./position.js";
import { Study } from "./study.js";
import { clockText, nameOf, optionText, plural, resultText } from "./words.js";

const EXPLANATION_MS = 7000;

export class Table {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {HTMLElement} element
   * @param {{play: (move: string) => void, learn: () => void}} wishes `learn` requests earlier positions
   */
  constructor(page, record, element, wishes) {
    this.page = page;
    this.record = record;
    this.element = element;
    this.wishes = wishes;
    /** @type {number | null} the position on show, in plies; null follows the game */
    this.replayed = null;
    this.waiting = false;
    /** @type {{text: string, moves: string[]} | null} where a line leads that is only looked at */
    this.preview = null;
    this.showsNotes = false;
    this.oriented = false;
    /** @type {import("./board.js").Hints | null} */
    this.hints = null;
    /** @type {string[]} moves that are neither cell nor wall */
    this.extra = [];
    this.board = new Board({
      walled: isWalled(record.spec),
      label: `${record.title} board`,
      names: (seat) => this.#pieceOf(seat),
    });
    this.hand = new Hand(this.board, {
      play: wishes.play,
      explain: (text) => this.explain(text),
      typed: (text) => this.#typed(text),
      mayPlay: () => record.myTurn && !this.waiting && this.replayed === null,
      seat: () => record.seat ?? 0,
      armed: (wall) => this.#armed(wall),
    });
    this.bars = new Bars(record, () => page.link.now());
    this.moves = new MoveList(record, (ply) => this.replay(ply));
    this.actions = new Actions(page, record, {
      play: wishes.play,
      explain: (text) => this.explain(text),
      replay: (ply) => this.replay(ply),
      study: () => this.#toggleStudy(),
    });
    this.study = new Study(page, record, {
      preview: (shown) => this.#show(shown),
      overlay: (picture) => this.board.paint(picture),
      closed: () => this.#toggleStudy(),
    });
    this.chat = new Chat(page, record.id, record.seat === null ? "spectators" : "players");
    this.status = h("h1.status");
    this.explanation = h("p.explanation", { role: "status" });
    this.typing = h("output.typing");
    this.die = h("span.die.big", { hidden: true });
    this.facts = h("p.quiet");
    this.dice = h("div.proof");
    this.boardBox = h("div.boardbox", this.board.element, this.typing, this.study.bar);
    this.notesButton = button([icon("notes"), "Notes"], () => this.#toggleNotes(), "plain", {
      hidden: true,
      "aria-pressed": "false",
    });
    this.placing = button("Place the wall", () => this.hand.place(), "primary");
    this.wallTools = h(
      "div.walltools.row",
      { hidden: true },
      this.placing,
      button("Turn it", () => this.hand.turn()),
    );
    this.#layOut();
  }

  close() {
    this.bars.close();
    this.study.close();
    clearTimeout(this.explainTimer);
    setIcon(false);
  }

  #layOut() {
    const { record, page } = this;
    const mine = record.seat ?? 0;
    const count = record.seats.length;
    const others = record.seats.map((_, index) => (mine + 1 + index) % count).filter((seat) => seat !== mine);
    this.element.className = `match seats-${count}`;
    fill(
      this.element,
      h("section.stage", { "aria-label": "Board" }, this.boardBox),
      h(
        "div.bars.far",
        others.map((seat) => this.bars.element(seat)),
      ),
      h(
        "div.now",
        h("div.headline.flow", this.status, this.die),
        this.explanation,
        this.wallTools,
        this.actions.asked,
        this.actions.result,
      ),
      this.study.element,
      this.moves.element,
      this.actions.element,
      h("div.bars.near", this.bars.element(mine)),
      h(
        "aside.side",
        { "aria-label": "About this game" },
        h(
          "section.info.panel",
          h("h2", record.title),
          this.facts,
          h("p.quiet.about", page.store.offered(record.spec.name)?.summary ?? ""),
          h(
            "div.row",
            button([icon("link"), "Copy link"], () => page.copy(location.href, "The link is copied."), "plain"),
            button([icon("turn"), "Flip"], () => this.board.flip(!this.board.flipped), "plain"),
            this.notesButton,
          ),
          this.dice,
        ),
        this.chat.element,
      ),
    );
  }

  /** @param {number} seat */
  #pieceOf(seat) {
    return seat === this.record.seat
      ? "your piece"
      : `${this.record.seats[seat] ? nameOf(this.record.seats[seat].player) : `player ${seat + 1}`}'s piece`;
  }

  /** Draw everything. @param {boolean} moved that the position is new @param {boolean} waiting that a move is on its way */
  draw(moved, waiting) {
    const { record, board } = this;
    this.waiting = waiting;
    if (moved || record.over) {
      this.hints = null;
      this.extra = [];
      board.hint(null);
      this.preview = null;
      if (!waiting) {
        board.clearGhost();
        this.explain("");
      }
    }
    if (this.replayed !== null && this.replayed >= record.ply) this.replayed = null;
    this.#orient();
    this.#drawBoard();
    if (moved) this.hand.reset();
    this.#startRing();
    this.bars.draw();
    this.moves.draw(this.shown);
    this.drawStatus();
    this.drawInfo();
    this.study.follow(this.shown);
  }

  /** The displayed ply. */
  get shown() {
    return this.replayed ?? this.record.ply;
  }

  /** Show that earlier positions are known. */
  drawPast() {
    this.#orient();
    this.#drawBoard();
    this.moves.draw(this.shown);
    this.study.follow(this.shown);
  }

  /** Flip the board for a player who starts at the far side. */
  #orient() {
    const { record, board } = this;
    const first = record.positions[0];
    if (this.oriented || first === undefined) return;
    this.oriented = true;
    board.goalsFrom = first;
    board.shape = "";
    const { rows } = parsePosition(first);
    const row = record.seat === null ? -1 : rows.findIndex((line) => line.includes(String(record.seat)));
    if (row >= 0 && row < (rows.length - 1) / 2) board.flip(true);
  }

  #drawBoard() {
    const { record, board, element } = this;
    const ply = this.shown;
    const known = record.positions[ply] ?? record.position;
    const text = this.preview?.text ?? known;
    let last = ply - 1;
    while (last >= 0 && isRoll(record.moves[last])) last -= 1;
    board.show(text, {
      last: this.preview?.moves.at(-1) ?? record.moves[last] ?? "",
      from: this.preview ? "" : leftBehind(record.positions[last], text),
      trail: trails([...record.positions.slice(0, ply + 1), text]),
    });
    const position = parsePosition(text);
    this.boardBox.style.setProperty("--ratio", String(board.layout.box.width / board.layout.box.height));
    this.boardBox.classList.toggle("replayed", this.replayed !== null && !this.study.isOpen);
    this.boardBox.classList.toggle("preview", this.preview !== null);
    element.style.setProperty("--turn", this.replayed === null ? `var(--seat-${record.turn})` : "");
    element.classList.toggle("myturn", record.myTurn && this.replayed === null);
    const roll = position.facts.roll;
    this.die.hidden = !roll && position.turn !== -1;
    this.die.textContent = roll ? DICE[Number(roll)] : "…";
    this.die.title = roll ? `The dice show ${roll}` : "The dice roll";
  }

  drawStatus() {
    const { record } = this;
    const ended = record.over && this.replayed === null;
    const mine = record.myTurn && this.replayed === null;
    const words = this.#statusWords();
    const marked = this.replayed === null ? record.turn : -1;
    if (this.status.dataset.sign !== `${marked} ${words}`) {
      this.status.dataset.sign = `${marked} ${words}`;
      fill(this.status, marked >= 0 ? seatMark(marked) : null, words);
    }
    this.status.classList.toggle("mine", mine);
    this.element.classList.toggle("over", ended);
    if (record.over) this.explain(ended ? resultText(record)[1] : "", true);
    this.actions.draw(this.extra, this.replayed);
    const names = record.seats.map((seat) => nameOf(seat.player)).join(" – ");
    document.title = record.myTurn
      ? `● Your turn – ${record.title}`
      : `${record.over ? "Finished: " : ""}${names} – ${record.title}`;
    setIcon(record.myTurn);
  }

  #statusWords() {
    const { record } = this;
    if (this.preview) return `After ${this.preview.moves.join(" ")}`;
    if (this.replayed !== null) return `Move ${this.replayed} of ${record.ply}`;
    if (record.over) return resultText(record)[0];
    if (record.toMove < 0) return "The dice roll…";
    if (record.myTurn) return "Your turn";
    const name = nameOf(record.seats[record.toMove].player);
    return record.seat === null ? `${name} to move` : `Waiting for ${name}`;
  }

  drawInfo() {
    const { record, page } = this;
    const words = [
      optionText(record.spec, page.store.offered(record.spec.name), true),
      clockText(record.clock),
      record.private ? "private" : "",
      record.delay ? `shown ${record.delay} s late` : "",
      record.watchers ? plural(record.watchers, "watcher") : "",
    ];
    this.facts.textContent = words.filter(Boolean).join(" · ");
    diceProof(this.dice, record);
  }

  /** Apply the legal moves and the notes on cells and players. @param {import("./protocol").Moves} answer */
  learnMoves(answer) {
    const { record } = this;
    const mine = record.myTurn;
    this.bars.gauges = answer.gauges;
    this.bars.draw();
    this.extra = mine ? answer.moves.filter((move) => !isCell(move) && !parseWall(move)) : [];
    this.hints = {
      moves: new Set(mine ? answer.moves : []),
      refused: mine ? answer.refused : {},
      notes: answer.notes,
      seat: record.seat ?? 0,
    };
    this.notesButton.hidden = !Object.keys(answer.notes).length;
    this.#drawHints();
    this.#startRing();
    this.actions.draw(this.extra, this.replayed);
  }

  /** Without keyboard focus the ring is on one's own piece, or else on a legal cell. */
  #startRing() {
    const { board, record } = this;
    if (board.element.contains(document.activeElement)) return;
    const own = [...board.pieces].find(([, { seat }]) => seat === record.seat);
    board.focus(own?.[0] ?? [...(this.hints?.moves ?? [])].find(isCell) ?? "", false);
  }

  #drawHints() {
    const now = this.replayed === null;
    this.board.hint(now ? this.hints : null);
    this.board.showNotes(now && this.showsNotes);
  }

  /** Show an earlier position, or the newest again. @param {number} ply */
  replay(ply) {
    const { record } = this;
    if (!record.complete) this.wishes.learn();
    this.replayed = ply >= record.ply ? null : Math.max(0, ply);
    this.board.clearGhost();
    this.#show(null);
    this.#drawHints();
    this.moves.draw(this.shown);
    this.study.follow(this.shown);
  }

  /** Show the position of a line, or with null that of the match. @param {{text: string, moves: string[]} | null} shown */
  #show(shown) {
    this.preview = shown;
    this.study.mark(shown?.moves ?? []);
    this.#drawBoard();
    this.drawStatus();
  }

  /** Open or close the analysis, after a decided game at the last decision. */
  #toggleStudy() {
    const { record, study } = this;
    if (!record.over && record.seat !== null) {
      this.explain("There is no help while you play. Analysis opens when the game is over.");
      return;
    }
    study.toggle(!study.isOpen);
    this.element.classList.toggle("studied", study.isOpen);
    const decided = study.isOpen && record.reason === "rules" && this.replayed === null;
    this.replay(decided ? this.moves.before() : study.isOpen ? this.shown : record.ply);
  }

  /** Show a move that is sent, or waits for a connection. @param {string | null} move @param {boolean} online */
  pend(move, online) {
    this.waiting = move !== null;
    if (move === null || this.replayed !== null) return;
    if (this.board.hints.moves.has(move)) this.board.ghost(move, this.record.seat ?? 0, online ? "sent" : "unsent");
    if (!online) this.explain(`${move} is not sent yet; it goes out as soon as the connection is back.`, true);
  }

  /** Show the server's refusal. @param {string} text */
  refuse(text) {
    this.waiting = false;
    this.board.clearGhost();
    this.explain(text);
    this.hand.reset();
  }

  /** Show one sentence, for a while or until it is replaced. @param {string} text @param {boolean} [stays] */
  explain(text, stays = false) {
    clearTimeout(this.explainTimer);
    if (this.explanation.textContent !== text) this.explanation.textContent = text;
    if (text && !stays) this.explainTimer = window.setTimeout(() => this.explain(""), EXPLANATION_MS);
  }

  /** @param {string} text */
  #typed(text) {
    this.typing.textContent = text;
    this.typing.classList.toggle("legal", this.board.hints.moves.has(text));
  }

  /** @param {string | null} wall */
  #armed(wall) {
    this.wallTools.hidden = !wall;
    this.placing.disabled = Boolean(wall && !this.board.hints.moves.has(wall));
  }

  #toggleNotes() {
    this.showsNotes = !this.showsNotes;
    this.notesButton.setAttribute("aria-pressed", String(this.showsNotes));
    this.#drawHints();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    if (target.closest("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
    if (this.#walk(event.key, target.closest(".moves") !== null) || (this.replayed === null && this.hand.key(event)))
      event.preventDefault();
  }

  /** Handle a key of the whole match; arrows walk through the list of moves. @param {string} key @param {boolean} inList */
  #walk(key, inList) {
    const { record, moves } = this;
    const back = () => this.replay(moves.before());
    const on = () => this.replay(moves.after());
    const does = {
      ...(inList && { ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on }),
      ...(this.preview && { Escape: () => this.#show(null) }),
      // In one's own turn an A begins a cell's name.
      ...(!record.myTurn && { a: () => this.#toggleStudy() }),
      "<": back,
      ",": back,
      ">": on,
      ".": on,
      Home: () => this.replay(0),
      End: () => this.replay(record.ply),
      x: () => this.board.flip(!this.board.flipped),
      z: () => this.#toggleNotes(),
    }[key.length > 1 ? key : key.toLowerCase()];
    does?.();
    return does !== undefined;
  }
}

/** The browser's tab shows whose turn it is. @param {boolean} turn */
function setIcon(turn) {
  document.querySelector("link[rel=icon]")?.setAttribute("href", turn ? "icon-turn.svg" : "icon.svg");
}
