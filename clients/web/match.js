/** One match on the page: its board, players, moves and buttons, for players and for spectators. */

import { Actions } from "./actions.js";
import { Bars } from "./bars.js";
import { Board, seatMark } from "./board.js";
import { Chat } from "./chat.js";
import { diceProof } from "./dice.js";
import { announce, fill, h } from "./dom.js";
import { Hand } from "./hand.js";
import { showHelp } from "./help.js";
import { icon } from "./icons.js";
import { MoveList } from "./movelist.js";
import { isCell, isWalled, leftBehind, parsePosition, trails } from "./position.js";
import { MatchRecord } from "./record.js";
import { sound } from "./settings.js";
import { clockText, optionText, plural, reasonText } from "./words.js";

const UNHURRIED = 300;
const EXPLAINED = 7000;

export class MatchView {
  /** @param {any} page @param {string} match */
  constructor(page, match) {
    this.page = page;
    this.match = match;
    /** @type {MatchRecord} */
    this.record = /** @type {any} */ (null);
    /** @type {number | null} the position on show, in plies; null follows the game */
    this.replayed = null;
    /** @type {{move: string, ply: number} | null} */
    this.pending = null;
    this.showsNotes = false;
    this.element = h("div", { class: "match loading" }, h("p", { class: "quiet empty" }, "Opening the game…"));
    this.abort = new AbortController();
    const { signal } = this.abort;
    const on = (/** @type {string} */ type, /** @type {(message: any) => void} */ listener) =>
      page.link.addEventListener(type, (/** @type {any} */ event) => {
        if (!event.detail?.match || event.detail.match === match) listener(event.detail);
      }, { signal });
    on("online", () => this.#join());
    on("offline", () => this.#drawPending());
    on("snapshot", (snapshot) => this.#snapshot(snapshot));
    on("happened", (happened) => this.#happened(happened));
    on("seat_presence", (message) => this.#presence(message));
    on("watchers", ({ count }) => {
      this.record.watchers = count;
      this.#drawInfo();
    });
    on("said", (said) => this.chat?.hear(said));
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("visibilitychange", () => this.record && this.#askMoves(), { signal });
    document.title = "Cornered";
    if (page.link.state === "online") this.#join();
  }

  close() {
    this.abort.abort();
    this.bars?.close();
    clearTimeout(this.movesTimer);
    clearTimeout(this.explainTimer);
    clearTimeout(this.claimTimer);
    setIcon(false);
    if (this.page.link.state === "online") this.page.link.ask({ type: "leave", match: this.match }).catch(() => {});
  }

  isPlaying() {
    return Boolean(this.record && !this.record.over && this.record.seat !== null);
  }

  async #join() {
    const since = this.record ? { since: this.record.seq } : {};
    try {
      await this.page.link.ask({ type: "join", match: this.match, ...since });
    } catch (error) {
      const { code, message } = /** @type {any} */ (error);
      if (code === "offline") return;
      this.element.className = "match loading";
      fill(this.element, h("div", { class: "sheet" }, h("h1", {}, "This game cannot be shown"), h("p", {}, message), h("a", { class: "button primary", href: "#/" }, "To the lobby")));
    }
  }

  /** @param {any} snapshot */
  #snapshot(snapshot) {
    if (this.record && this.record.seat === snapshot.seat) this.record.load(snapshot);
    else {
      this.record = new MatchRecord(snapshot);
      this.#build();
    }
    this.#learnHistory();
    this.#changed([]);
  }

  /** Make the whole view, once the match is known. */
  #build() {
    const { record, page } = this;
    this.bars?.close();
    const offered = page.store.offered(record.spec.name);
    this.board = new Board({ walled: isWalled(record.spec), label: `${record.title} board`, names: (seat) => this.#who(seat, "your piece", "'s piece") });
    this.hand = new Hand(this.board, {
      play: (move) => this.#play(move),
      explain: (text) => this.#explain(text),
      typed: (text) => this.#typed(text),
      mayPlay: () => record.myTurn && !this.pending && this.replayed === null,
      seat: () => record.seat ?? 0,
      armed: (wall) => this.#armed(wall),
    });
    this.bars = new Bars(record, () => page.link.now());
    this.moves = new MoveList(record, (ply) => this.#replay(ply));
    this.actions = new Actions(page, record, {
      play: (move) => this.#play(move),
      explain: (text) => this.#explain(text),
      replay: (ply) => this.#replay(ply),
    });
    this.chat = new Chat(page, this.match, record.seat === null ? "spectators" : "players");
    this.status = h("h1", { class: "status" });
    this.explanation = h("p", { class: "explanation", role: "status" });
    this.typing = h("output", { class: "typing" });
    this.wallTools = h(
      "div",
      { class: "walltools", hidden: true },
      h("button", { class: "primary", on: { click: () => this.hand?.place() } }, "Place the wall"),
      h("button", { on: { click: () => this.hand?.turn() } }, "Turn it"),
    );
    this.die = h("span", { class: "die big", hidden: true });
    this.facts = h("p", { class: "quiet" });
    this.dice = h("div", { class: "proof" });
    const mine = record.seat ?? 0;
    const others = record.seats.map((_, index) => (mine + 1 + index) % record.seats.length).filter((seat) => seat !== mine);
    this.boardBox = h("div", { class: "boardbox" }, this.board.element, this.typing);
    this.element.className = `match seats-${record.seats.length}`;
    fill(
      this.element,
      h("section", { class: "stage", "aria-label": "Board" }, this.boardBox),
      h("div", { class: "bars far" }, others.map((seat) => this.bars?.element(seat))),
      h("div", { class: "now" }, h("div", { class: "headline" }, this.status, this.die), this.explanation, this.wallTools, this.actions.asked, this.actions.result),
      this.moves.element,
      this.actions.element,
      h("div", { class: "bars near" }, this.bars.element(mine)),
      h(
        "aside",
        { class: "side" },
        h("section", { class: "info" }, h("h2", {}, record.title), this.facts, h("p", { class: "quiet about" }, offered?.summary ?? ""),
          h("div", { class: "row" },
            h("button", { class: "plain", on: { click: () => this.#share() } }, icon("link"), "Copy link"),
            h("button", { class: "plain", on: { click: () => this.#flip() } }, icon("turn"), "Flip"),
            h("button", { class: "plain notes", "aria-pressed": "false", on: { click: () => this.#toggleNotes() } }, icon("notes"), "Notes")),
          this.dice),
        this.chat.element,
      ),
    );
    this.oriented = false;
  }

  /** Whoever sits at the far side sees the board from there. */
  #orient() {
    const first = this.record.positions[0];
    if (this.oriented || first === undefined || !this.board) return;
    this.oriented = true;
    this.board.goalsFrom = first;
    this.board.shape = "";
    if (this.record.seat === null) return;
    const { rows } = parsePosition(first);
    const row = rows.findIndex((line) => line.includes(String(this.record.seat)));
    if (row >= 0 && row < (rows.length - 1) / 2) this.board.flip(true);
  }

  /** @param {any} happened */
  #happened(happened) {
    if (!this.record) return;
    const events = this.record.apply(happened);
    if (events === null) this.#join();
    else if (events.length) this.#changed(events);
  }

  /** @param {any} message */
  #presence({ seat, connected, claim_at }) {
    if (!this.record) return;
    this.record.connected[seat] = connected;
    this.record.claimAt[seat] = connected ? null : (claim_at ?? null);
    this.bars?.draw();
    this.#claims();
    this.actions?.draw([]);
  }

  /** Look again once victory may be claimed. */
  #claims() {
    clearTimeout(this.claimTimer);
    const soonest = Math.min(...this.record.claimAt.map((at) => at ?? Infinity));
    const wait = soonest - this.page.link.now();
    if (wait > 0 && wait < 2 ** 31) this.claimTimer = setTimeout(() => this.#drawStatus(), wait + 50);
  }

  /** Draw everything after something changed. @param {any[]} events */
  #changed(events) {
    const { record } = this;
    const played = events.some((event) => ["played", "rolled", "taken_back"].includes(event.type));
    if (played || !events.length) {
      if (this.pending && record.ply > this.pending.ply) this.pending = null;
      this.board?.hint(null);
      if (!this.pending) this.board?.clearGhost();
      this.extra = [];
    }
    if (record.over) {
      this.board?.hint(null);
      this.board?.clearGhost();
      this.lastHints = null;
    }
    if (this.replayed !== null && this.replayed >= record.ply) this.replayed = null;
    this.#orient();
    this.#drawBoard();
    if (played || !events.length) this.hand?.reset();
    this.bars?.draw();
    this.moves?.draw(this.replayed ?? record.ply);
    this.#drawStatus();
    this.#drawInfo();
    this.#drawPending();
    if (played || !events.length) this.#askMoves();
    if (events.some((event) => event.type === "rolled") && !record.complete) this.#learnHistory();
    this.#speak(events);
  }

  #drawBoard() {
    const { record, board } = this;
    if (!board) return;
    const ply = this.replayed ?? record.ply;
    const text = record.positions[ply] ?? record.position;
    let last = ply - 1;
    while (last >= 0 && /^\d+$/.test(record.moves[last])) last -= 1;
    board.show(text, { last: record.moves[last] ?? "", from: leftBehind(record.positions[last], text), trail: trails(record.positions.slice(0, ply + 1)) });
    const position = parsePosition(text);
    this.boardBox?.style.setProperty("--ratio", String(board.layout.box.width / board.layout.box.height));
    this.boardBox?.classList.toggle("replayed", this.replayed !== null);
    this.element.dataset.turn = record.over || this.replayed !== null ? "" : String(record.turn);
    this.element.classList.toggle("myturn", record.myTurn && this.replayed === null);
    const roll = position.facts.roll;
    if (this.die) {
      this.die.hidden = !roll && position.turn !== -1;
      this.die.textContent = roll ? ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"][Number(roll)] : "…";
      this.die.title = roll ? `The dice show ${roll}` : "The dice roll";
    }
  }

  /** @param {number} seat @param {string} mine @param {string} theirs */
  #who(seat, mine, theirs) {
    if (seat === this.record.seat) return mine;
    return `${this.record.seats[seat]?.player.name ?? `player ${seat + 1}`}${theirs}`;
  }

  #drawStatus() {
    const { record } = this;
    if (!this.status) return;
    let words;
    if (this.replayed !== null) words = `Move ${this.replayed} of ${record.ply}`;
    else if (record.over) words = result(record)[0];
    else if (record.toMove < 0) words = "The dice roll…";
    else if (record.myTurn) words = "Your turn";
    else words = record.seat === null ? `${record.seats[record.toMove].player.name} to move` : `Waiting for ${record.seats[record.toMove].player.name}`;
    const marked = this.replayed === null ? record.turn : -1;
    if (this.status.dataset.sign !== `${marked} ${words}`) {
      this.status.dataset.sign = `${marked} ${words}`;
      fill(this.status, marked >= 0 ? seatMark(marked) : null, words);
    }
    this.element.classList.toggle("over", record.over && this.replayed === null);
    if (record.over && this.replayed === null) this.#explain(result(record)[1], true);
    else if (record.over) this.#explain("", true);
    this.status.classList.toggle("mine", record.myTurn && this.replayed === null);
    this.actions?.draw(this.extra ?? [], this.replayed);
    const names = record.seats.map((seat) => seat.player.name).join(" – ");
    document.title = record.myTurn ? `● Your turn – ${record.title}` : `${record.over ? "Finished: " : ""}${names} – ${record.title}`;
    setIcon(record.myTurn);
  }

  #drawInfo() {
    const { record, page } = this;
    if (!this.facts) return;
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

  /** Ask what is playable, at once for the player to move, unhurried for all others. */
  #askMoves() {
    clearTimeout(this.movesTimer);
    if (document.hidden && !this.record.myTurn) return;
    const ask = async () => {
      const { ply } = this.record;
      try {
        const answer = await this.page.link.ask({ type: "ask_moves", match: this.match, ply });
        if (this.abort.signal.aborted || this.record.ply !== ply) return;
        this.#hint(answer);
      } catch {
        // The next position, or the next connection, asks again.
      }
    };
    if (this.record.myTurn) ask();
    else this.movesTimer = setTimeout(ask, UNHURRIED);
  }

  /** @param {any} answer */
  #hint(answer) {
    const { record, board } = this;
    if (!board || !this.bars) return;
    this.bars.gauges = answer.gauges;
    this.bars.draw();
    const mine = record.myTurn;
    this.extra = mine ? answer.moves.filter((/** @type {string} */ move) => !isCell(move) && !/^[a-z]\d+[hv]$/.test(move)) : [];
    this.lastHints = { moves: new Set(mine ? answer.moves : []), refused: mine ? answer.refused : {}, notes: answer.notes, seat: record.seat ?? 0 };
    if (this.replayed === null) board.hint(this.lastHints);
    this.actions?.draw(this.extra ?? [], this.replayed);
    const button = this.element.querySelector("button.notes");
    if (button) button.hidden = !Object.keys(answer.notes).length;
    board.showNotes(this.showsNotes && this.replayed === null);
  }

  async #learnHistory() {
    if (this.record.complete) return;
    try {
      this.record.learn(await this.page.link.ask({ type: "ask_history", match: this.match }));
    } catch {
      return;
    }
    if (this.abort.signal.aborted) return;
    this.#orient();
    this.#drawBoard();
    this.moves?.draw(this.replayed ?? this.record.ply);
    if (this.replayed === null && this.lastHints && this.record.myTurn) this.board?.hint(this.board.hints);
  }

  /** Show an earlier position, or the newest again. @param {number} ply */
  #replay(ply) {
    const { record } = this;
    if (record.ply && !record.complete) this.#learnHistory();
    this.replayed = ply >= record.ply ? null : Math.max(0, ply);
    this.board?.hint(this.replayed === null ? (this.lastHints ?? null) : null);
    this.board?.clearGhost();
    this.board?.showNotes(this.showsNotes && this.replayed === null);
    this.#drawBoard();
    this.moves?.draw(this.replayed ?? record.ply);
    this.#drawStatus();
    this.#drawPending();
  }

  /** Make a move; it is shown as unsent until the server has it. @param {string} move */
  async #play(move) {
    const { record } = this;
    if (!record.myTurn || this.pending) return;
    this.pending = { move, ply: record.ply };
    this.#explain("");
    this.#drawPending();
    try {
      await this.page.link.ask({ type: "play", match: this.match, ply: record.ply, move }, { lasting: true });
    } catch (error) {
      this.pending = null;
      this.board?.clearGhost();
      this.#explain(/** @type {Error} */ (error).message);
      this.hand?.reset();
    }
  }

  #drawPending() {
    if (!this.pending || this.replayed !== null) return;
    const online = this.page.link.state === "online";
    if (this.board?.hints.moves.has(this.pending.move)) this.board.ghost(this.pending.move, this.record.seat ?? 0, online ? "sent" : "unsent");
    if (!online) this.#explain(`${this.pending.move} is not sent yet; it goes out as soon as the connection is back.`, true);
  }

  /** @param {string} text @param {boolean} [stays] */
  #explain(text, stays = false) {
    clearTimeout(this.explainTimer);
    if (!this.explanation || this.explanation.textContent === text) return;
    this.explanation.textContent = text;
    if (text && !stays) this.explainTimer = setTimeout(() => this.#explain(""), EXPLAINED);
  }

  /** @param {string} text */
  #typed(text) {
    if (!this.typing) return;
    this.typing.textContent = text;
    this.typing.classList.toggle("legal", Boolean(this.board?.hints.moves.has(text)));
  }

  /** @param {string | null} wall */
  #armed(wall) {
    if (!this.wallTools) return;
    this.wallTools.hidden = !wall;
    this.wallTools.firstElementChild.disabled = Boolean(wall && !this.board?.hints.moves.has(wall));
  }

  async #share() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.page.toast("The link is copied.");
    } catch {
      this.page.toast(location.href, [], 20);
    }
  }

  #flip() {
    this.board?.flip(!this.board.flipped);
  }

  #toggleNotes() {
    this.showsNotes = !this.showsNotes;
    this.element.querySelector("button.notes")?.setAttribute("aria-pressed", String(this.showsNotes));
    this.board?.showNotes(this.showsNotes && this.replayed === null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    if (!this.record || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    const onButton = target.closest("button, a, summary");
    if (onButton && (event.key === "Enter" || event.key === " ")) return;
    if (this.#walkThrough(event, target) || (this.replayed === null && this.hand?.key(event))) event.preventDefault();
  }

  /** Keys that belong to the whole match. @param {KeyboardEvent} event @param {Element} target */
  #walkThrough(event, target) {
    const inList = target.closest(".moves") !== null;
    const key = inList ? { ArrowLeft: "<", ArrowUp: "<", ArrowRight: ">", ArrowDown: ">" }[event.key] ?? event.key : event.key;
    const { moves } = this;
    if (!moves) return false;
    if (key === "<" || key === ",") this.#replay(moves.before());
    else if (key === ">" || key === ".") this.#replay(moves.after());
    else if (key === "Home") this.#replay(0);
    else if (key === "End") this.#replay(this.record.ply);
    else if (key === "x" || key === "X") this.#flip();
    else if (key === "z" || key === "Z") this.#toggleNotes();
    else if (key === "?") showHelp();
    else return false;
    return true;
  }

  /** Tell screen readers, and ears, what happened. @param {any[]} events */
  #speak(events) {
    const { record } = this;
    for (const event of events) {
      const who = event.seat === undefined || event.seat === null ? "" : this.#who(event.seat, "You", "");
      if (event.type === "played") announce(`${who} played ${event.move}.`);
      if (event.type === "rolled") announce(`The dice show ${event.move}.`);
      if (event.type === "eliminated") announce(`${who} ${event.seat === record.seat ? "are" : "is"} out.`);
      if (event.type === "draw_offered") announce(`${who} offered a draw.`);
      if (event.type === "takeback_requested") announce(`${who} asked to take a move back.`);
      if (event.type === "taken_back") announce("The last move was taken back.");
      if (event.type === "ended") announce(`${result(record)[0]}. ${result(record)[1]}`, true);
    }
    if (!events.length) return;
    if (events.some((event) => event.type === "ended")) sound("end");
    else if (events.some((event) => event.type === "played")) {
      sound(record.myTurn ? "turn" : "move");
      if (record.myTurn) announce("Your turn.");
    }
    const next = events.find((event) => event.type === "rematched");
    if (next && record.seat === null) this.page.toast("A rematch has begun.", [h("a", { class: "button", href: `#/m/${next.match}` }, "Watch it")], 15);
  }
}

/** Who won, and why. @param {MatchRecord} record @returns {[string, string]} */
function result(record) {
  const drawn = record.winner === null;
  const why = reasonText(record.reason, drawn);
  const sentence = why[0].toUpperCase() + why.slice(1);
  if (drawn && (record.reason === "aborted" || record.reason === "expired")) return ["Called off", record.reason === "aborted" ? "Nothing counts." : `${sentence}.`];
  if (drawn) return ["A draw", `${sentence}.`];
  if (record.winner === record.seat) return ["You won", `${sentence}.`];
  const name = record.seats[record.winner].player.name;
  return [record.seat !== null && record.seats.length === 2 ? "You lost" : `${name} won`, `${sentence}.`];
}

/** @param {boolean} turn */
function setIcon(turn) {
  document.querySelector("link[rel=icon]")?.setAttribute("href", turn ? "icon-turn.svg" : "icon.svg");
}

