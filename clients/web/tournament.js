/** One tournament: its state, standings, rounds, boards, and what its players and its organiser may do. */

import { askInTurn } from "./asking.js";
import { drawBracket } from "./bracket.js";
import { matchCard } from "./cards.js";
import { announce, button, fill, h, keyed, set } from "./dom.js";
import { icon } from "./icons.js";
import { Organising } from "./organising.js";
import { t } from "./tournamenttexts.js";
import { pointsText, stateText, termsText, TIE_BREAKS } from "./tournamentwords.js";
import { nameOf, span } from "./words.js";

/** @typedef {import("./protocol").TournamentInfo} Info */
/** @typedef {import("./protocol").Standing} Standing */
/** @typedef {import("./protocol").PairingInfo} Pairing */

/** `TOURNAMENT_PAGE` of the protocol: rows of one answer. */
const PAGE = 50;
const TICK_MS = 500;
/** Pages of the lobby's matches that are read for the boards of a round. */
const LOBBY_PAGES = 4;
/** Boards on the wall. */
const BOARDS = 50;

/** @implements {View} */
export class TournamentView {
  /** @param {Page} page @param {string} id */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    /** @type {Info | null} */
    this.info = null;
    /** @type {readonly Standing[]} */
    this.standings = [];
    /** @type {readonly Standing[]} rows after the first page */
    this.rest = [];
    /** @type {Standing | null} */
    this.own = null;
    /** @type {readonly Pairing[]} the newest round, as far as one answer has it */
    this.newest = [];
    /** @type {Map<number, readonly Pairing[]>} rounds that are over, as they were read */
    this.rounds = new Map();
    /** The round that is shown; the newest one where it is 0. */
    this.round = 0;
    this.abort = new AbortController();
    this.heading = h("h1", { dir: "auto" }, t("Tournament"));
    this.terms = h("p.quiet");
    this.state = h("p.row.state", { role: "status" });
    this.clock = h("p.row.state", { hidden: true });
    this.doing = h("div.row.doing");
    this.head = h("tr");
    this.rows = h("tbody");
    this.table = h("table.outcomes.standings", h("caption.unseen", t("Standings")), h("thead", this.head), this.rows);
    this.all = button(t("Show all players"), () => this.#learnAll(), "plain", { hidden: true });
    this.csv = h("a.button", { href: `tournaments/${id}.csv`, download: `${id}.csv` }, t("Save the table (CSV)"));
    this.report = h("a.button", { href: `tournaments/${id}.trf`, download: `${id}.trf`, hidden: true }, t("Save the report (TRF)"));
    this.back = h("a.button", { href: "#/tournaments" }, t("All tournaments"));
    this.choice = h("div.flow.round-choice", { role: "group", "aria-label": t("Round") });
    this.pairings = h("div.list");
    this.bracket = h("div.bracket", { role: "group", "aria-label": t("Bracket"), tabindex: "0" });
    this.bracketBlock = h("section.block", { hidden: true }, h("h2", t("Bracket")), this.bracket);
    this.wall = h("div.list.live");
    this.wallBlock = h("section.block", { hidden: true }, h("h2", t("Boards")), this.wall);
    this.organising = new Organising(page, this);
    this.body = h(
      "div",
      { hidden: true },
      this.bracketBlock,
      h(
        "div.contest",
        h("section.block", h("h2", t("Standings")), h("div.panel.findings", h("div.sideways", { role: "region", "aria-label": t("Standings"), tabindex: "0" }, this.table), h("div.row", this.all, this.csv, this.report))),
        h("section.block", h("h2", t("Games")), h("div.panel.findings", this.choice, this.pairings)),
      ),
      this.organising.element,
      this.wallBlock,
    );
    this.element = h("div.lobby.tournament", h("header.flow", this.heading, this.back), this.terms, this.state, this.clock, this.doing, this.body);
    document.title = t("Tournament");
    const { signal } = this.abort;
    page.link.hear(
      {
        online: () => this.#watch(),
        tournament_changed: (message) => message.tournament.id === id && this.#change(message),
      },
      signal,
    );
    page.store.addEventListener(
      "change",
      () => {
        this.#drawWall();
        if (this.info) this.#drawDoing();
      },
      { signal },
    );
    page.store.watch();
    this.timer = setInterval(() => this.#tick(), TICK_MS);
    if (page.link.state === "online") this.#watch();
  }

  close() {
    this.abort.abort();
    clearInterval(this.timer);
    this.page.store.leave();
    if (this.page.link.state === "online") this.page.link.ask({ type: "leave_tournament", tournament: this.id }).catch(() => {});
  }

  get isOrganiser() {
    return this.info?.organiser.id === this.page.link.me?.id;
  }

  async #watch() {
    try {
      const { own, ...state } = await askInTurn(this.page.link, { type: "watch_tournament", tournament: this.id }, this.abort.signal);
      this.own = own;
      this.#change(state);
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline" && !this.info) fill(this.state, message);
    }
  }

  /** @param {{tournament: Info, standings: readonly Standing[], pairings: readonly Pairing[]}} state */
  #change({ tournament, standings, pairings }) {
    if (this.abort.signal.aborted) return;
    const before = this.info;
    this.info = tournament;
    this.standings = standings;
    this.newest = pairings;
    const me = this.page.link.me?.id;
    const listed = standings.find(({ player }) => player.id === me);
    if (listed) this.own = listed;
    const rows = new Set(standings.map(({ player }) => player.id));
    this.rest = this.rest.filter(({ player }) => !rows.has(player.id));
    if (before && before.round !== tournament.round && tournament.settings.format !== "arena") announce(stateText(tournament));
    this.#draw();
    if (tournament.settings.format === "knockout" && tournament.round) this.#learnRounds();
  }

  /** Carry out a command about this tournament, then look at it again. @param {Needing<"tournament">} type */
  async order(type) {
    try {
      await this.page.link.ask({ type, tournament: this.id }, { lasting: true });
      await this.#watch();
    } catch (error) {
      this.page.complain(error);
    }
  }

  #draw() {
    const { info, page } = this;
    if (!info) return;
    document.title = `${info.settings.name} – Cornered`;
    this.body.hidden = false;
    this.heading.textContent = info.settings.name;
    fill(this.terms, termsText(page, info), " · ", t("by {name}", { name: nameOf(info.organiser) }));
    const { group } = info.settings;
    if (group) {
      set(this.back, { href: `#/group/${group}` });
      this.back.textContent = t("To the class");
      // The file is of public tournaments; the results of a class are saved at its wall.
      set(this.csv, { href: `#/wall/${info.id}`, download: null });
      this.csv.textContent = t("Wall of boards");
    }
    // A report has one game a player and round.
    this.report.hidden = Boolean(group) || ["arena", "knockout"].includes(info.settings.format);
    const state = stateText(info);
    if (this.state.textContent !== state) fill(this.state, state);
    this.#tick();
    this.#drawDoing();
    this.#drawStandings();
    this.#drawPairings();
    this.#drawWall();
    this.organising.draw();
  }

  /** The arena's clock, or the time until the next round or the start. */
  #tick() {
    const { info } = this;
    if (!info) return;
    const { status, settings, ends_at: ends, next_round_at: next } = info;
    const due = status === "open" ? settings.starts_at : status === "running" && !info.is_paused ? (ends ?? next) : null;
    const left = due === null ? -1 : due - this.page.link.now();
    this.clock.hidden = left < 0;
    if (left < 0) return;
    const label = status === "open" ? t("Starts in") : ends === null ? t("Next round in") : t("Ends in");
    const text = span(Math.ceil(left / 1000));
    if (this.clock.dataset.shown === `${label}${text}`) return;
    this.clock.dataset.shown = `${label}${text}`;
    fill(this.clock, h("span", label), h("time.clock", { role: "timer", "aria-live": "off" }, text));
  }

  /** What the player may do: join, withdraw, come back, go to the own game. */
  #drawDoing() {
    const { own, newest, page } = this;
    const info = /** @type {Info} */ (this.info);
    const me = page.link.me?.id;
    const pending = newest.find(({ how, players }) => how === "pending" && players.some(({ id }) => id === me))?.match;
    const game = pending ?? this.#live.find(({ players }) => players.some(({ id }) => id === me))?.id;
    const isLive = info.status === "open" || info.status === "running";
    const { settings, round } = info;
    const takes = info.status === "open" || settings.format === "arena" || settings.format === "by_hand" || (settings.format === "swiss" && round <= settings.late_rounds);
    const isIn = own !== null && !own.is_out && !own.is_absent;
    const isBack = own !== null && !isIn && (own.is_absent || settings.format === "arena");
    const sign = JSON.stringify([game, isLive, takes, isIn, isBack, own?.rank, own?.points, own?.streak, info.status]);
    if (this.doing.dataset.sign === sign) return;
    this.doing.dataset.sign = sign;
    const streak = own && own.streak > 1 ? ` · ${t("{count} won in a row", { count: own.streak })}` : "";
    fill(
      this.doing,
      game ? h("a.button.primary", { href: `#/m/${game}` }, t("To your game")) : null,
      isLive && own === null && takes ? button(info.status === "open" ? t("Join[tournament]") : t("Join late"), () => this.order("join_tournament"), "primary") : null,
      isLive && isBack ? button(t("Come back"), () => this.order("join_tournament"), "primary") : null,
      isLive && isIn ? button(t("Withdraw"), () => this.order("withdraw_from_tournament")) : null,
      own && info.status !== "open" ? h("span", t("You are at place {rank} with {points}", { rank: own.rank, points: pointsText(own.points) }), streak) : null,
      isLive && isIn && info.status === "running" && !game ? h("span.quiet", t("Your next game opens here by itself.")) : null,
      isLive && own === null && !takes ? h("span.quiet", t("It takes no further players.")) : null,
    );
  }

  #drawStandings() {
    const { standings, rest, page } = this;
    const info = /** @type {Info} */ (this.info);
    const { tie_breaks: breaks, settings } = info;
    const isArena = settings.format === "arena";
    const columns = [t("Points"), ...breaks.map((each) => TIE_BREAKS[each]), t("Games"), ...(isArena ? [t("Streak")] : [])];
    fill(
      this.head,
      h("th.place", { scope: "col" }, h("span.unseen", t("Place"))),
      h("th", { scope: "col" }, t("Player")),
      h("th.figure", { scope: "col" }, t("Rating")),
      columns.map((each) => (Array.isArray(each) ? h("th.figure", { scope: "col", title: each[1] }, each[0]) : h("th.figure", { scope: "col" }, each))),
    );
    const me = page.link.me?.id;
    fill(
      this.rows,
      [...standings, ...rest].map((row) =>
        h(
          "tr",
          { class: [row.is_out ? "out" : "", row.player.id === me ? "me-row" : ""].filter(Boolean).join(" ") || null, "aria-current": row.player.id === me ? "true" : null },
          h("td.place", String(row.rank)),
          h("td", h("a.plainly", { href: `#/player/${row.player.id}` }, h("bdi", row.player.name)), row.player.kind === "bot" ? h("small.bot", t("bot")) : null, row.is_out ? h("small.quiet", ` ${t("out")}`) : row.is_absent ? h("small.quiet", ` ${t("absent")}`) : null),
          h("td.figure.quiet", String(row.rating)),
          h("td.figure.points", pointsText(row.points)),
          row.tie_breaks.map((value) => h("td.figure", pointsText(value))),
          h("td.figure", { title: t("{wins} won, {draws} drawn, {losses} lost", { wins: row.wins, draws: row.draws, losses: row.losses }) }, String(row.games)),
          isArena ? h("td.figure", row.streak > 1 ? String(row.streak) : "") : null,
        ),
      ),
    );
    this.table.hidden = !standings.length;
    this.all.hidden = standings.length + rest.length >= info.players;
  }

  /** All rows of the standings. @returns {Promise<Standing[]>} */
  async #allStandings() {
    const found = [];
    let after = /** @type {number | null} */ (null);
    do {
      const answer = await askInTurn(this.page.link, { type: "ask_standings", tournament: this.id, ...(after === null ? {} : { after }) }, this.abort.signal);
      found.push(...answer.standings);
      after = answer.more;
    } while (after !== null);
    return found;
  }

  async #learnAll() {
    try {
      this.rest = (await this.#allStandings()).slice(PAGE);
      this.#draw();
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** All pairings of a round. @param {number} round @returns {Promise<Pairing[]>} */
  async #pairingsOf(round) {
    const found = [];
    let after = /** @type {number | null} */ (null);
    do {
      const answer = await askInTurn(this.page.link, { type: "ask_pairings", tournament: this.id, round, ...(after === null ? {} : { after }) }, this.abort.signal);
      found.push(...answer.pairings);
      after = answer.more;
    } while (after !== null);
    return found;
  }

  /** Read the rounds before the newest one, which do not change any more, and draw the bracket. */
  async #learnRounds() {
    const { round } = /** @type {Info} */ (this.info);
    try {
      for (let each = 1; each < round; each++) if (!this.rounds.has(each)) this.rounds.set(each, await this.#pairingsOf(each));
    } catch (error) {
      this.page.complain(error);
      return;
    }
    if (this.info?.round !== round) return;
    this.bracketBlock.hidden = false;
    drawBracket(this.bracket, [...Array.from({ length: round - 1 }, (_, index) => this.rounds.get(index + 1) ?? []), this.newest], this.info.rounds ?? round);
  }

  /** Show a round. @param {number} round */
  async #choose(round) {
    const info = /** @type {Info} */ (this.info);
    this.round = round >= info.round ? 0 : round;
    // Games of an earlier round may go on where the organiser pairs, and in an arena.
    if (this.round) {
      try {
        this.rounds.set(round, await this.#pairingsOf(round));
      } catch (error) {
        this.page.complain(error);
      }
    }
    this.#drawPairings();
  }

  #drawPairings() {
    const info = /** @type {Info} */ (this.info);
    const shown = this.round || info.round;
    const step = (/** @type {Icon} */ picture, /** @type {string} */ label, /** @type {number} */ to) =>
      button(icon(picture), () => this.#choose(to), "icon", { "aria-label": label, title: label, disabled: to < 1 || to > info.round });
    const sign = `${shown} ${info.round}`;
    if (this.choice.dataset.sign !== sign) {
      this.choice.dataset.sign = sign;
      fill(this.choice, step("back", t("Round before"), shown - 1), h("strong", { "aria-live": "polite" }, info.round ? t("Round {round}", { round: shown }) : t("No round yet")), step("on", t("Round after"), shown + 1));
    }
    const pairings = [...(this.round ? (this.rounds.get(this.round) ?? []) : this.newest)];
    keyed(
      this.pairings,
      pairings,
      ({ board, how, points, players, match }) => `${shown} ${board} ${how} ${points} ${match} ${players.map(({ id }) => id)}`,
      (pairing) => line(pairing),
    );
    if (!pairings.length) fill(this.pairings, h("p.quiet.empty", info.status === "open" ? t("The games are listed when it has started.") : info.round ? t("There is nothing to show of this round.") : t("The first round is paired in a moment.")));
  }

  /** The games that go on, as far as the lobby lists them; in an arena they are of several rounds. */
  get #live() {
    const found = [...this.page.store.matches.values()].filter(({ tournament, over }) => tournament === this.id && !over);
    return found.sort((one, two) => one.started - two.started || one.id.localeCompare(two.id));
  }

  /** The boards of the games that go on. */
  #drawWall() {
    const { store } = this.page;
    const found = this.#live.slice(0, BOARDS);
    this.wallBlock.hidden = !found.length;
    keyed(this.wall, found, ({ id }) => id, (match) => matchCard(this.page, match));
    const wanted = this.newest.filter(({ how }) => how === "pending").length;
    const round = `${this.info?.round}`;
    if (found.length < wanted && store.loaded && this.wall.dataset.read !== round) {
      this.wall.dataset.read = round;
      this.#readLobby();
    }
  }

  /** The lobby's first page has the newest matches; those of a large round may be on later ones. */
  async #readLobby() {
    const { store } = this.page;
    try {
      for (let count = 0; count < LOBBY_PAGES && store.unseen("matches"); count++) await store.more("matches");
    } catch {
      // The list of the games leads to the boards too.
    }
  }
}

/** A pairing as a line that leads to its board. @param {Pairing} pairing */
function line({ board, players, points, match, how }) {
  const best = Math.max(...points);
  const side = (/** @type {Player} */ player, /** @type {number} */ seat) =>
    h(points.length > 1 && points[seat] === best && points.some((each) => each < best) ? "span.contestant.flow.won" : "span.contestant.flow", h("bdi", player.name), player.kind === "bot" ? h("small.bot", t("bot")) : null, h("span", points.length ? pointsText(points[seat]) : ""));
  const notes = { bye: t("bye"), forfeit: t("by forfeit"), void: t("not played"), pending: t("live"), played: "" };
  const inside = [h("span.quiet", String(board)), h("span.contestants", players.map(side)), notes[how] ? h("small.quiet", how === "pending" ? [h("span.lamp"), " "] : null, notes[how]) : null];
  return match ? h("a.line.flow.pairing.plainly", { href: `#/m/${match}` }, inside) : h("div.line.flow.pairing", inside);
}
