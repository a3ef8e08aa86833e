/** A match on the page: board, players, status, moves, buttons and chat, drawn from its record. */

import { Actions } from "./actions.js";
import { Bars } from "./bars.js";
import { Board } from "./board.js";
import { Chat } from "./chat.js";
import { diceProof } from "./dice.js";
import { button, fill, h } from "./dom.js";
import { Hand } from "./hand.js";
import { icon } from "./icons.js";
import { counted, t, told } from "./language.js";
import { load } from "./lazy.js";
import { seatMark } from "./marks.js";
import { DICE, MoveList } from "./movelist.js";
import { Placing } from "./placing.js";
import { isCell, isRoll, isWalled, leftBehind, parsePosition, parseWall } from "./position.js";
import { settings } from "./settings.js";
import { sourceOf } from "./source.js";
import { clockText, nameOf, optionText, resultKind, resultText, sentence } from "./words.js";

const EXPLANATION_MS = 7000;
const MEASURE_DELAY_MS = 150;

/**
 * What a line of play without a match has of its own: buttons, and the address of a position.
 * @typedef {{actions: HTMLElement, link: (text: string) => string}} Studied
 */

export class Table {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {HTMLElement} element
   * @param {{play: (move: string) => void, learn: () => void, study?: Studied}} wishes `learn` requests earlier positions
   */
  constructor(page, record, element, wishes) {
    this.page = page;
    this.record = record;
    this.element = element;
    this.wishes = wishes;
    this.source = sourceOf(page, record);
    /** @type {number | null} the position on show, in plies; null follows the game */
    this.replayed = null;
    this.waiting = false;
    /** `record.rewound` as it was drawn last. */
    this.rewound = record.rewound;
    /** @type {{text: string, moves: string[], gauges?: [string, number][] | undefined} | null} where a line leads that is only looked at */
    this.preview = null;
    this.showsNotes = false;
    this.oriented = false;
    /** @type {import("./board.js").Hints | null} */
    this.hints = null;
    /** @type {string[]} moves that are neither cell nor wall */
    this.extra = [];
    this.board = new Board({
      walled: isWalled(record.spec),
      label: t("{game} board", { game: record.title }),
      names: (seat) => this.#pieceOf(seat),
    });
    this.hand = new Hand(this.board, {
      play: (move) => (this.trial && !this.#grows ? this.study?.try(move) : wishes.play(move)),
      explain: (text) => this.explain(text),
      typed: (text) => this.#typed(text),
      mayPlay: () => this.trial !== null || (record.myTurn && !this.waiting && this.replayed === null),
      seat: () => this.trial?.seat ?? record.seat ?? 0,
      mayPlan: () => this.#mayPlan,
      hasStock: () => this.#hasStock,
      armed: (move) => this.placing.show(move),
      beside: (text) => this.#beside(text),
    });
    this.bars = new Bars(record, () => page.link.now(), (event) => this.hand.take(event), (player) => page.openPlayer(player, record.id));
    /** @type {Map<string, import("./protocol").Moves["gauges"]>} by position text */
    this.gauges = new Map();
    this.moves = new MoveList(record, (ply) => this.replay(ply));
    this.actions = new Actions(page, record, {
      play: wishes.play,
      explain: (text) => this.explain(text),
      replay: (ply) => this.replay(ply),
      study: () => this.toggleStudy(),
      hint: () => this.#hint(),
      share: () => this.#share(),
    });
    /** @type {import("./coach.js").Coach | null} loaded where the match has help */
    this.coach = null;
    this.coachPlace = h("div", { hidden: true });
    this.ratingPlace = h("div.rated-result", { role: "status", hidden: true });
    /** @type {import("./study.js").Study | null} loaded when it is first opened */
    this.study = null;
    this.closed = false;
    /** @type {import("./board.js").Hints | null} the moves that may be tried in the analysis */
    this.trial = null;
    this.chat = new Chat(page, record.id, record.seat === null ? "spectators" : "players");
    this.status = h("h1.status");
    this.medal = h("span.medal", { "aria-hidden": "true" });
    this.reason = h("p.reason", { hidden: true });
    this.explanation = h("p.explanation", { role: "status" });
    this.typing = h("output.typing");
    this.die = h("span.die.big", { hidden: true });
    this.facts = h("p.quiet");
    this.dice = h("div.proof");
    this.boardBox = h("div.boardbox", this.board.element, this.typing, this.reason);
    this.notesButton = button([icon("notes"), t("Notes")], () => this.#toggleNotes(), "plain", {
      hidden: true,
      "aria-pressed": "false",
    });
    this.placing = new Placing(this.board, () => this.hand);
    this.#layOut();
    if (record.helped) this.#loadCoach().catch(page.complain);
  }

  close() {
    this.bars.close();
    this.study?.close();
    this.coach?.close();
    this.closed = true;
    this.actions.rematch.close();
    clearTimeout(this.explainTimer);
    clearTimeout(this.measureTimer);
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
      h("section.stage", { "aria-label": t("Board") }, this.boardBox),
      h(
        "div.bars.far",
        others.map((seat) => this.bars.element(seat)),
      ),
      h(
        "div.now",
        h("div.headline.flow", this.medal, this.status, this.die),
        this.explanation,
        this.placing.element,
        this.coachPlace,
        this.ratingPlace,
        this.wishes.study ? null : [this.actions.asked, this.actions.result],
      ),
      this.moves.element,
      this.wishes.study?.actions ?? this.actions.element,
      h("div.bars.near", this.bars.element(mine)),
      h(
        "aside.side",
        { "aria-label": t("About this game") },
        h(
          "section.info.panel",
          h("h2", record.title),
          this.facts,
          h("p.quiet.about", told(page.store.offered(record.spec.name)?.summary ?? "")),
          h(
            "div.row",
            button([icon("link"), t("Copy link")], () => page.copy(this.#link(), t("The link is copied.")), "plain"),
            button([icon("turn"), t("Flip")], () => this.board.flip(!this.board.flipped), "plain"),
            button([icon("look"), t("Look")], () => this.#askLook(), "plain", { title: t("Choose board, pieces and how moves are made") }),
            this.notesButton,
            button([icon("help"), t("Rules")], () => page.rules(record.spec.name), "plain"),
          ),
          this.dice,
        ),
        this.wishes.study ? null : isAgainstBots(record) ? this.#tips() : this.chat.element,
      ),
    );
  }

  /** @param {number} seat */
  #pieceOf(seat) {
    if (seat === this.record.seat) return t("your piece");
    const info = this.record.seats[seat];
    return t("{name}'s piece", { name: info ? nameOf(info.player) : t("player {number}", { number: seat + 1 }) });
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
    if (record.over || record.rewound !== this.rewound) this.hand.forget();
    this.rewound = record.rewound;
    if (moved) this.hand.reset();
    this.#startRing();
    this.bars.draw();
    this.moves.draw(this.shown);
    this.drawStatus();
    this.drawInfo();
    this.#followed();
    // In a match the moves bring them.
    if (this.wishes.study) this.#measure();
  }

  /** The position on the board. */
  get text() {
    return this.preview?.text ?? this.record.positions[this.shown] ?? this.record.position;
  }

  /** Whether a move on the board continues a line of play, and is no variation of it. */
  get #grows() {
    return this.wishes.study !== undefined && this.replayed === null && this.preview === null && !this.record.over;
  }

  /** Whether a premove may be chosen. */
  get #mayPlan() {
    const { record } = this;
    return settings.premove && record.seat !== null && !record.over && !record.myTurn && this.replayed === null;
  }

  /** Whether the player has walls left. */
  get #hasStock() {
    const { record } = this;
    const { left } = parsePosition(record.position).facts;
    return Number(left?.split(",")[record.seat ?? 0] ?? record.spec.options.walls ?? 0) > 0;
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
    this.#followed();
  }

  /** Tell those who explain the game what is on the board. */
  #followed() {
    this.study?.follow(this.shown);
    this.coach?.follow(this.shown);
  }

  /** Flip the board for a player who starts at the far side. */
  #orient() {
    const { record, board } = this;
    const first = record.positions[0];
    if (this.oriented || first === undefined) return;
    this.oriented = true;
    board.viewer = record.seat;
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
      past: record.positions.slice(0, ply + 1),
    });
    const position = parsePosition(text);
    this.boardBox.style.setProperty("--ratio", String(board.layout.box.width / board.layout.box.height));
    this.boardBox.classList.toggle("replayed", this.replayed !== null && !this.study?.isOpen);
    this.boardBox.classList.toggle("preview", this.preview !== null);
    element.style.setProperty("--turn", this.replayed === null ? `var(--seat-${record.turn})` : "");
    element.classList.toggle("myturn", record.myTurn && this.replayed === null);
    const roll = position.facts.roll;
    this.die.hidden = !roll && position.turn !== -1;
    this.die.textContent = roll ? DICE[Number(roll)] : "…";
    this.die.title = roll ? t("The dice show {roll}", { roll }) : t("The dice roll");
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
    const kind = ended ? resultKind(record) : "";
    if ((this.element.dataset.result ?? "") !== kind) {
      this.element.dataset.result = kind;
      fill(this.medal, kind ? icon(/** @type {Icon} */ (kind)) : null);
    }
    const home = record.winner !== null && record.ending?.seat === record.winner ? record.winner : null;
    this.board.decide(ended ? (record.ending?.cells ?? []) : [], ended ? home : null);
    this.actions.draw(this.extra, this.replayed);
    const names = record.seats.map((seat) => nameOf(seat.player)).join(" – ");
    document.title = record.myTurn
      ? `● ${t("Your turn")} – ${record.title}`
      : `${record.over ? `${t("Finished")}: ` : ""}${names} – ${record.title}`;
    setIcon(record.myTurn);
  }

  #statusWords() {
    const { record } = this;
    if (this.preview) return t("After {moves}", { moves: this.preview.moves.join(" ") });
    if (this.replayed !== null) return this.#replayWords(this.replayed);
    if (record.over) return resultText(record)[0];
    if (record.pausedUntil !== null) return t("Paused by the organiser");
    if (record.toMove < 0) return t("The dice roll…");
    if (record.myTurn) return t("Your turn");
    const name = nameOf(record.seats[record.toMove].player);
    return record.seat === null ? t("{name} to move", { name }) : t("Waiting for {name}", { name });
  }

  /** The numbers are those of the list of moves. @param {number} ply */
  #replayWords(ply) {
    const { record, moves } = this;
    const move = record.moves.slice(0, ply).findLast((each) => !isRoll(each));
    if (!move) return t("The start");
    return t("Move {number} of {all}: {move}", { number: moves.numberOf(ply), all: moves.numberOf(record.ply), move });
  }

  /** Say what the end of a rated match has changed. */
  async drawRating() {
    const { record, page, ratingPlace } = this;
    ratingPlace.hidden = !record.over || !record.begunRated;
    if (ratingPlace.hidden) return;
    try {
      const { showChange } = await load(() => import("./ratingchange.js"), "players.css");
      showChange(page, record, ratingPlace);
    } catch (error) {
      page.complain(error);
    }
  }

  drawInfo() {
    const { record, page } = this;
    const words = [
      optionText(record.spec, page.store.offered(record.spec.name), true),
      clockText(record.clock),
      record.private ? t("private") : "",
      record.withHelp ? t("with help, not rated") : "",
      record.rated ? t("rated") : record.begunRated ? t("no longer rated") : "",
      record.delay ? t("shown {seconds} s late", { seconds: record.delay }) : "",
      record.watchers ? counted(record.watchers, "{count} watcher", "{count} watchers") : "",
    ];
    this.facts.textContent = words.filter(Boolean).join(" · ");
    diceProof(this.dice, record);
  }

  /** Apply the legal moves and the notes on cells and players. @param {import("./protocol").Moves} answer */
  learnMoves(answer) {
    const { record } = this;
    const mine = record.myTurn;
    this.gauges.set(record.position, answer.gauges);
    this.#measure();
    record.ending = answer.ending;
    if (record.over) this.drawStatus();
    else if (answer.countdown) this.explain(sentence(answer.countdown), true);
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
    if (mine) this.hand.due();
  }

  /** Show the gauges of the position on the board; earlier ones are asked for once the reader stays there. */
  #measure() {
    const { record, bars } = this;
    clearTimeout(this.measureTimer);
    const ply = this.shown;
    const text = record.positions[ply];
    const known = this.preview?.gauges ?? (text === undefined ? undefined : this.gauges.get(text));
    if (known) {
      bars.gauges = known;
      bars.draw();
    } else if (text !== undefined && !this.preview && (ply < record.ply || this.wishes.study)) {
      const ask = async () => {
        try {
          const answer = await this.source.legal(ply);
          this.gauges.set(text, answer.gauges);
          if (this.shown === ply && !this.preview) this.#measure();
        } catch {
          // Asked again when the position is shown again.
        }
      };
      this.measureTimer = window.setTimeout(ask, MEASURE_DELAY_MS);
    }
  }

  /** Show the reason against a move beside its ghost. @param {string} text */
  #beside(text) {
    const { reason, board, boardBox } = this;
    reason.hidden = !text;
    reason.textContent = text;
    const ghost = board.ghostLayer?.firstElementChild?.getBoundingClientRect();
    if (!text || !ghost) return;
    const box = boardBox.getBoundingClientRect();
    const below = ghost.top - box.top < box.height / 2;
    const most = box.width - reason.offsetWidth;
    const left = ghost.left + ghost.width / 2 - box.left - reason.offsetWidth / 2;
    reason.style.left = `${Math.max(0, Math.min(most, left))}px`;
    reason.style.top = `${below ? ghost.bottom - box.top + 8 : ghost.top - box.top - reason.offsetHeight - 8}px`;
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
    this.board.hint(this.trial ?? (now ? this.hints : null));
    this.board.showNotes(now && this.showsNotes);
  }

  /** Show an earlier position, or the newest again. @param {number} ply */
  replay(ply) {
    const { record } = this;
    if (!record.complete) this.wishes.learn();
    this.replayed = ply >= record.ply ? null : Math.max(0, ply);
    this.trial = null;
    this.board.clearGhost();
    this.#show(null);
    this.#drawHints();
    // The game may have come to one's turn meanwhile.
    if (this.replayed === null && this.hand.planned) {
      this.hand.showPlan();
      if (this.hints && record.myTurn) this.hand.due();
    }
    this.moves.draw(this.shown);
    this.#followed();
  }

  /** Show the position of a line, or with null that of the match. @param {Table["preview"]} shown */
  #show(shown) {
    this.preview = shown;
    this.study?.mark(shown?.moves ?? []);
    this.#drawBoard();
    this.#measure();
    this.drawStatus();
  }

  /** The address of the position on the board. @param {number | null} [ply] */
  #link(ply = this.replayed) {
    if (this.wishes.study) return this.wishes.study.link(this.text);
    return `${location.href.split("#")[0]}#/m/${this.record.id}${ply === null ? "" : `/${ply}`}`;
  }

  /** Let the reader of the analysis try these moves on the board. @param {readonly string[]} moves @param {number} seat */
  #mayTry(moves, seat) {
    this.trial = this.study?.isOpen && moves.length ? { moves: new Set(moves), refused: {}, notes: {}, seat } : null;
    this.#drawHints();
    this.hand.reset();
  }

  /** Open or close the analysis, after a decided game at the last decision. */
  async toggleStudy() {
    const { record } = this;
    if (!record.over && record.seat !== null) {
      const help = record.helped ? t("Hints are for your own turn.") : t("There is no help while you play.");
      this.explain(`${help} ${t("Analysis opens when the game is over.")}`);
      return;
    }
    const study = this.study ?? (await this.#loadStudy());
    if (!study) return;
    study.toggle(!study.isOpen, this.replayed !== null);
    this.trial = null;
    this.element.classList.toggle("studied", study.isOpen);
    const decided = study.isOpen && record.reason === "rules" && this.replayed === null;
    this.replay(decided ? this.moves.before() : study.isOpen ? this.shown : record.ply);
  }

  /** Load the analysis; null where that fails, or where the match is closed or has another one meanwhile. */
  async #loadStudy() {
    let module;
    try {
      module = await load(() => import("./study.js"), "study.css", "advice.css");
    } catch (error) {
      this.page.complain(error);
      return null;
    }
    if (this.closed || this.study) return null;
    this.study = new module.Study(this.page, this.record, {
      preview: (shown) => this.#show(shown),
      overlay: (picture) => this.board.paint(picture),
      advise: (draw) => this.board.advise(draw),
      legal: (moves, seat) => this.#mayTry(moves, seat),
      go: (ply) => this.replay(ply),
      link: (ply) => this.#link(ply),
      closed: () => this.toggleStudy(),
    });
    this.boardBox.append(this.study.bar);
    this.moves.element.before(this.study.element);
    return this.study;
  }

  /** Load the coach of a match with help; rejects where that fails. */
  async #loadCoach() {
    const { Coach } = await load(() => import("./coach.js"), "coach.css", "advice.css");
    if (this.closed || this.coach) return this.coach;
    this.coach = new Coach(this.page, this.record, {
      go: (ply) => this.replay(ply),
      preview: (shown) => this.#show(shown),
      takeBack: () => this.actions.takeBack(),
      advise: (draw) => this.board.advise(draw),
    });
    this.coachPlace.replaceWith(this.coach.element);
    this.coach.follow(this.shown);
    return this.coach;
  }

  /** Ask the coach, which may have to be loaded again after a lost connection. */
  async #hint() {
    try {
      await (this.coach ?? (await this.#loadCoach()))?.hint();
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** Show a move that is sent, or waits for a connection. @param {string | null} move @param {boolean} online */
  pend(move, online) {
    this.waiting = move !== null;
    if (move === null || this.replayed !== null) return;
    if (this.board.hints.moves.has(move)) this.board.ghost(move, this.record.seat ?? 0, online ? "sent" : "unsent");
    if (!online) this.explain(t("{move} is not sent yet; it goes out as soon as the connection is back.", { move }), true);
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

  /** Tips in place of a chat that nobody would answer. */
  #tips() {
    const place = h("div");
    load(() => import("./tips.js")).then(
      ({ tipsPanel }) => place.replaceWith(tipsPanel(this.record.spec.name)),
      () => {
        // Without a connection the game goes on without tips.
      },
    );
    return place;
  }

  async #share() {
    try {
      (await load(() => import("./share.js"), "editor.css")).shareGame(this.page, this.record, this.shown);
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** Choose the board's look, which is shown at once. */
  async #askLook() {
    try {
      const { askAppearance } = await load(() => import("./appearance.js"));
      askAppearance(() => this.board.rebuild());
    } catch (error) {
      this.page.complain(error);
    }
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
      ...(this.preview && { Escape: () => this.replay(this.shown) }),
      // In one's own turn, or for a premove, an A begins a cell's name; no board has so many columns that a T does.
      ...(!record.myTurn && !this.#mayPlan && { a: () => this.toggleStudy() }),
      ...(record.helped && record.myTurn && { t: () => this.#hint() }),
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

/** Whether a player has only bots as opponents. @param {MatchRecord} record */
function isAgainstBots({ seat, seats }) {
  return seat !== null && seats.every(({ player }, index) => index === seat || player.kind === "bot");
}

/** The browser's tab shows whose turn it is. @param {boolean} turn */
function setIcon(turn) {
  document.querySelector("link[rel=icon]")?.setAttribute("href", turn ? "icon-turn.svg" : "icon.svg");
}
