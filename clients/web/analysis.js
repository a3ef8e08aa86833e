/** Any position or line of play, with analysis: moves may be made for all sides, without a match. */

import { button, fill, h } from "./dom.js";
import { t } from "./studytexts.js";
import { load } from "./lazy.js";
import { lineRoute, positionAddress, readLine } from "./permalink.js";
import { MatchRecord } from "./record.js";
import { askLine } from "./source.js";
import { Table } from "./table.js";

/** @typedef {import("./protocol").Line} Line */

/** The players of records that were opened here, by their routes. @type {Map<string, import("./protocol").RecordRead>} */
export const opened = new Map();

/** A line of play as a match that nobody plays. @param {Line} line @param {readonly string[]} moves @param {import("./protocol").RecordRead | undefined} read */
function snapshotOf(line, moves, read) {
  const places = read?.places ?? line.places;
  const reasons = ["resignation", "time", "agreement", "gone", "left", "ply_limit"];
  const reason = line.places ? "rules" : (reasons.find((each) => each === read?.termination) ?? "rules");
  const first = places?.filter((place) => place === 1).length === 1;
  return /** @type {Snapshot} */ ({
    type: "snapshot",
    id: null,
    match: "",
    seq: 0,
    game: line.game,
    title: line.title,
    clock: { kind: "none" },
    seats: Array.from({ length: line.seats }, (_, seat) => ({
      player: { id: String(seat), name: read?.players[seat] ?? t("Player {number}", { number: seat + 1 }), kind: "person" },
      place: places?.[seat] ?? null,
      rating: null,
      provisional: false,
      version: null,
    })),
    seat: null,
    position: line.positions[line.positions.length - 1],
    ply: moves.length,
    to_move: line.to_move,
    moves: [...moves],
    clocks: { left: Array.from({ length: line.seats }, () => null), running: null, at: 0 },
    connected: Array.from({ length: line.seats }, () => true),
    watchers: 0,
    commitment: "",
    private: false,
    delay: 0,
    has_draws: false,
    paused_until: null,
    tournament: null,
    draw_offer: null,
    takeback: null,
    rematch: [],
    over: places !== null && places !== undefined,
    winner: places && first ? places.indexOf(1) : null,
    reason: places ? reason : null,
    seed: null,
    next: null,
    draw_agreed: [],
    takeback_agreed: [],
    with_help: false,
    rated: false,
  });
}

export class AnalysisView {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.route = location.hash;
    /** @type {MatchRecord | null} */
    this.record = null;
    /** @type {Table | null} */
    this.table = null;
    this.element = h("div.match.loading", h("p.quiet.empty", t("Setting up the board…")));
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.actions = h("div.actions");
    page.link.hear({ online: () => !this.record && this.#open() }, signal);
    document.addEventListener("keydown", (event) => this.table?.key(event), { signal });
    document.title = `${t("Analysis")} · Cornered`;
    if (page.link.state === "online") this.#open();
  }

  close() {
    this.abort.abort();
    this.table?.close();
  }

  async #open() {
    const wanted = readLine(this.route);
    try {
      if (!wanted) throw new Error(t("This address names no game."));
      const { game, options, position, moves } = wanted;
      const spec = { name: game, options };
      const answer = await askLine(this.page.link, spec, position, moves);
      if (this.abort.signal.aborted) return;
      this.#show(answer, moves);
    } catch (error) {
      if (this.abort.signal.aborted || /** @type {Refused} */ (error).code === "offline") return;
      const why = /** @type {Error} */ (error).message;
      fill(
        this.element,
        h("div.sheet.panel", h("h1", t("This position cannot be shown")), h("p", why), h("a.button.primary", { href: "#/" }, t("To the lobby"))),
      );
    }
  }

  /** @param {Line} line @param {string[]} moves */
  #show(line, moves) {
    this.record = new MatchRecord(snapshotOf(line, moves, opened.get(this.route)));
    this.record.positions = [...line.positions];
    this.record.ending = line.ending;
    this.table = new Table(this.page, this.record, this.element, {
      play: (move) => this.#play(move),
      learn: () => {},
      study: {
        actions: this.actions,
        link: (text) => positionAddress(/** @type {MatchRecord} */ (this.record).spec, this.#offered, text),
      },
    });
    this.table.draw(true, false);
    this.#drawActions();
    this.table.toggleStudy();
  }

  get #offered() {
    return this.page.store.offered(this.record?.spec.name ?? "");
  }

  /** Add a move, or a roll, to the line. @param {string} move */
  async #play(move) {
    const { record, table, page } = this;
    if (!record || !table) return;
    const { ply, position } = record;
    try {
      const line = await askLine(page.link, record.spec, position, [move]);
      if (this.abort.signal.aborted || record.ply !== ply) return;
      const snapshot = snapshotOf(line, [...record.moves, move], opened.get(this.route));
      const positions = [...record.positions, line.positions.at(-1)];
      record.load(snapshot);
      // What the reader plays stays on the board.
      if (table.study) table.study.chosen = true;
      record.positions = positions;
      record.ending = line.ending;
      const [start] = positions;
      history.replaceState(null, "", lineRoute(record.spec, this.#offered, /** @type {string} */ (start), record.moves));
      table.draw(true, false);
      this.#drawActions();
    } catch (error) {
      table.refuse(/** @type {Error} */ (error).message);
    }
  }

  #drawActions() {
    const { record, page } = this;
    if (!record) return;
    const rolls = record.toMove < 0 && !record.over ? ["1", "2", "3"] : [];
    fill(
      this.actions,
      rolls.map((roll) => button(t("Roll {roll}", { roll }), () => this.#play(roll), "primary")),
      button(t("Set up a position"), () => this.#edit()),
      button(t("Open a record"), () => openRecord(page)),
    );
  }

  /** Edit the position on the board. */
  async #edit() {
    const { record, table, page } = this;
    if (!record || !table) return;
    try {
      const { editPosition } = await load(() => import("./editor.js"), "editor.css");
      editPosition(page, record.spec, table.text);
    } catch (error) {
      page.complain(error);
    }
  }
}

/** @param {Page} page */
export async function openRecord(page) {
  try {
    (await load(() => import("./opening.js"), "editor.css")).openRecord(page);
  } catch (error) {
    page.complain(error);
  }
}
