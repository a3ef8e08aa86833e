/** The archive: finished games by conditions, which the page's address has, so that a search can be shared. */

import { archiveRoute, movesIn, openingRoute, readConditions, valueOf, writeConditions } from "./conditions.js";
import { matchCard } from "./cards.js";
import { dayText } from "./dates.js";
import { button, fill, h, set } from "./dom.js";
import { askInTurn } from "./asking.js";
import { counted, t } from "./archivetexts.js";
import { choice, entry, optionChoice } from "./conditionfields.js";
import { PlayerField } from "./playerfield.js";

/** @typedef {import("./conditions.js").Conditions} Conditions */

/** Pages without a game that are asked for before the visitor is asked. */
const EMPTY_PAGES = 4;
/** Refusals after which the same question may be answered a moment later. */
const PASSING = ["too_fast", "internal"];
const DAY_MS = 86_400_000;
const MOST_PLIES = 100_000;
const MOST_RATING = 4_000;

/** @type {[string, string][]} */
const RESULTS = [
  ["", t("Any result")],
  ["win", t("The player won")],
  ["loss", t("The player lost")],
  ["draw", t("A draw")],
  ["decided", t("Not a draw")],
  ["none", t("Called off")],
];
/** @type {[string, string][]} */
const REASONS = [
  ["", t("Any end")],
  ["rules", t("On the board")],
  ["resignation", t("By resignation")],
  ["time", t("On time")],
  ["agreement", t("By agreement")],
  ["gone", t("The opponent left")],
  ["left", t("Everybody else gave up")],
  ["ply_limit", t("At the limit of moves")],
  ["aborted", t("Called off early")],
  ["expired", t("Nobody moved in time")],
];
/** @type {[string, string][]} */
const CLOCKS = [
  ["", t("Any clock")],
  ["fischer", t("Minutes and bonus")],
  ["delay", t("Minutes with delay")],
  ["per_move", t("Seconds a move")],
  ["correspondence", t("Days a move")],
  ["none", t("No clock")],
];
/** @type {[string, string][]} */
const RATED = [
  ["", t("Rated or not")],
  ["true", t("Rated")],
  ["false", t("Not rated")],
];
/** @type {[string, string][]} */
const ORDERS = [
  ["newest", t("Newest first")],
  ["oldest", t("Oldest first")],
  ["longest", t("Longest first")],
];

/** The value of a field for dates, of a time. @param {number | null | undefined} at */
function dateOf(at) {
  if (at === undefined || at === null) return "";
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** When the day of such a field begins here. @param {string} value */
const timeOf = (value) => new Date(`${value}T00:00`).getTime();

/** @implements {View} */
export class ArchiveView {
  /** @param {Page} page @param {string} query the conditions in the address */
  constructor(page, query) {
    this.page = page;
    this.conditions = readConditions(query);
    /** What the search under way, or the one that is shown, is told by: an answer to an earlier one is dropped. */
    this.turn = 0;
    this.more = /** @type {string | null} */ (null);
    this.found = 0;
    this.abort = new AbortController();
    this.form = h("form.panel.conditions", { role: "search", "aria-label": t("Conditions") });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.words = h("p.quiet", { role: "status" });
    this.links = h("div.row");
    this.list = h("div.list.live");
    this.further = button(t("Show more"), () => this.#further(), "further", { hidden: true });
    this.nav = h("nav.row", { "aria-label": t("More of finished games") }, this.#nav());
    this.element = h(
      "div.lobby.archive",
      h("header.flow", h("h1", t("Archive")), this.nav),
      this.form,
      h("div.row.outcome", this.words, this.links),
      this.list,
      this.further,
    );
    document.title = `${t("Archive")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#begin() }, signal);
    page.store.addEventListener("change", () => this.#learnGames(), { signal });
    this.#drawForm();
    if (page.link.state === "online") this.#begin();
    else this.words.textContent = t("Loading…");
  }

  close() {
    this.abort.abort();
  }

  #nav() {
    const { game = "", options = {}, opening = [] } = this.conditions;
    return [
      h("a.button", { href: game ? openingRoute({ name: game, options }, opening) : "#/openings/" }, t("Opening explorer")),
      h("a.button", { href: "#/versus" }, t("Head to head")),
    ];
  }

  /** After the first connection, and again after a lost one where nothing is shown yet. */
  #begin() {
    if (!this.turn) {
      this.players?.player.show(this.conditions.player ?? "");
      this.players?.opponent.show(this.conditions.opponent ?? "");
    }
    if (!this.found) this.#search();
  }

  /** The games are known a moment after the connection. */
  #learnGames() {
    if (this.games === this.page.store.games.length) return;
    this.#drawGames();
  }

  #drawForm() {
    const { page, conditions } = this;
    const player = new PlayerField(page, t("Player"), this.abort.signal);
    const opponent = new PlayerField(page, t("Against"), this.abort.signal);
    this.players = { player, opponent };
    this.fields = {
      result: choice(t("Result"), RESULTS, conditions.result),
      reason: choice(t("How it ended"), REASONS, conditions.reason),
      clock: choice(t("Clock"), CLOCKS, conditions.clock),
      rated: choice(t("Rating"), RATED, conditions.rated),
      order: choice(t("Order"), ORDERS, conditions.order),
      least: entry(t("Least plies"), { type: "number", min: 0, max: MOST_PLIES, value: conditions.least_plies ?? "" }),
      most: entry(t("Most plies"), { type: "number", min: 0, max: MOST_PLIES, value: conditions.most_plies ?? "" }),
      weakest: entry(t("Ratings from"), { type: "number", min: 0, max: MOST_RATING, value: conditions.least_rating ?? "" }),
      strongest: entry(t("Ratings up to"), { type: "number", min: 0, max: MOST_RATING, value: conditions.most_rating ?? "" }),
      from: entry(t("Ended from"), { type: "date", value: dateOf(conditions.ended_from) }),
      until: entry(t("Ended until"), { type: "date", value: dateOf(conditions.ended_until) }),
      opening: entry(t("First moves"), { value: conditions.opening?.join(" ") ?? "", spellcheck: "false", autocapitalize: "none", placeholder: "e2 e8" }),
    };
    this.game = choice(t("Game"), [["", t("All games")]], "");
    this.game.select.addEventListener("change", () => this.#drawOptions());
    this.options = h("div.condition-grid", { hidden: true });
    const { result, reason, clock, rated, order, least, most, weakest, strongest, from, until, opening } = this.fields;
    const rare = ["reason", "clock", "rated", "least_plies", "most_plies", "least_rating", "most_rating", "ended_from", "ended_until", "opening", "options", "exact"];
    fill(
      this.form,
      h("div.condition-grid", player.element, opponent.element, this.game.element, result.element, order.element),
      h(
        "details.rare",
        { open: rare.some((name) => name in conditions) },
        h("summary", t("More conditions")),
        this.options,
        h("div.condition-grid", reason.element, clock.element, rated.element, opening.element, least.element, most.element, weakest.element, strongest.element, from.element, until.element),
      ),
      h(
        "footer.row",
        h("button.primary", { type: "submit" }, t("Search[archive]")),
        button(t("My games"), () => this.#go({ player: page.link.me?.id ?? "" }), "", { type: "button" }),
        button(t("All games"), () => this.#go({}), "plain", { type: "button" }),
      ),
    );
    this.#drawGames();
  }

  #drawGames() {
    const { store } = this.page;
    const game = /** @type {NonNullable<typeof this.game>} */ (this.game);
    this.games = store.games.length;
    fill(game.select, h("option", { value: "" }, t("All games")), store.games.map(({ name, title }) => h("option", { value: name }, title)));
    game.select.value = this.conditions.game ?? "";
    this.#drawOptions();
  }

  /** The options of the chosen game, with the values of the search where it is about that game. */
  #drawOptions() {
    const { conditions, page } = this;
    const name = this.game?.select.value ?? "";
    const offered = page.store.offered(name);
    const own = name === conditions.game ? conditions : {};
    this.optionFields = (offered?.options ?? []).map((option) => {
      const chosen = own.options?.[option.name];
      return { name: option.name, ...optionChoice(option, chosen ?? "", t("any")) };
    });
    this.exact = h("input", { type: "checkbox", checked: own.exact ?? false });
    const rest = h("label.switch.flow", this.exact, h("span", t("All others as in a new game")));
    if (this.options) {
      this.options.hidden = !offered;
      fill(this.options, this.optionFields.map(({ element }) => element), rest);
    }
  }

  /** What the form says now; the players are looked up. @returns {Promise<Conditions>} */
  async #read() {
    const fields = /** @type {NonNullable<typeof this.fields>} */ (this.fields);
    const { player, opponent } = /** @type {NonNullable<typeof this.players>} */ (this.players);
    const [one, other] = [await player.find(), await opponent.find()];
    const game = this.game?.select.value ?? "";
    const chosen = (this.optionFields ?? []).filter(({ select }) => select.value);
    const options = Object.fromEntries(chosen.map(({ name, select }) => [name, valueOf(select.value)]));
    const { result, reason, clock, rated, order, least, most, weakest, strongest, from, until, opening } = fields;
    const first = movesIn(opening.input.value);
    const query = new URLSearchParams();
    const add = (/** @type {string} */ name, /** @type {string | number} */ value) => value !== "" && query.set(name, String(value));
    // Who is named alone is the player, in whichever field.
    add("player", one || other);
    add("opponent", one ? other : "");
    add("game", game);
    add("result", result.select.value);
    add("reason", reason.select.value);
    add("clock", clock.select.value);
    add("rated", rated.select.value);
    add("order", order.select.value);
    add("least_plies", least.input.value);
    add("most_plies", most.input.value);
    add("least_rating", weakest.input.value);
    add("most_rating", strongest.input.value);
    add("ended_from", from.input.value && timeOf(from.input.value));
    // The last moment of that day.
    add("ended_until", until.input.value && timeOf(until.input.value) + DAY_MS - 1);
    const conditions = readConditions(query.toString());
    return {
      ...conditions,
      ...(game && Object.keys(options).length && { options }),
      ...(game && this.exact?.checked && { exact: true }),
      ...(first.length && { opening: first }),
    };
  }

  async #submit() {
    let conditions;
    try {
      conditions = await this.#read();
    } catch {
      // The field says what is wrong.
      return;
    }
    if ((conditions.result === "win" || conditions.result === "loss") && !conditions.player) {
      this.#tell(t("A win or a loss is that of a player: name one."));
      this.players?.player.input.focus();
      return;
    }
    // The form keeps the focus.
    history.pushState(null, "", archiveRoute(conditions));
    this.conditions = conditions;
    fill(this.nav, this.#nav());
    await this.#search();
  }

  /** Search by other conditions, in a form of their own. @param {Conditions} conditions */
  #go(conditions) {
    this.page.go(archiveRoute(conditions));
  }

  /** @param {string} text @param {...Child} more */
  #tell(text, ...more) {
    fill(this.words, text, ...more);
  }

  async #search() {
    this.turn += 1;
    this.more = null;
    this.found = 0;
    fill(this.list);
    fill(this.links);
    await this.#further();
  }

  /** Ask for pages until one has a game, or too many had none. */
  async #further() {
    const { turn, conditions, page } = this;
    const isHere = () => turn === this.turn && !this.abort.signal.aborted;
    this.further.disabled = true;
    set(this.list, { "aria-busy": "true" });
    if (!this.found) this.#tell(t("Searching…"));
    try {
      for (let empty = 0; ; empty++) {
        const after = this.more === null ? {} : { after: this.more };
        const { matches, more } = await askInTurn(page.link, { type: "ask_archive", ...conditions, ...after }, this.abort.signal);
        if (!isHere()) return;
        this.more = more;
        this.found += matches.length;
        this.list.append(...matches.map((match) => this.#card(match)));
        if (matches.length || more === null || empty === EMPTY_PAGES) break;
      }
      this.#drawOutcome();
    } catch (error) {
      if (isHere()) this.#fail(error);
    } finally {
      if (isHere()) {
        this.further.disabled = false;
        set(this.list, { "aria-busy": null });
      }
    }
  }

  #drawOutcome() {
    const { found, more, conditions } = this;
    const query = writeConditions(conditions);
    this.further.hidden = more === null;
    this.further.textContent = found ? t("Show more") : t("Look further");
    if (found) this.#tell(more === null ? counted(found, "{count} game", "{count} games") : counted(found, "{count} game so far", "{count} games so far"));
    else if (more !== null) this.#tell(t("None of the games looked through so far meets these conditions."));
    else if (query) this.#tell(t("No finished game meets these conditions. Leave some of them out, or look at all games."));
    else this.#tell(t("No game has ended on this server yet. Play one, and it is kept here."));
    const both = conditions.player && conditions.opponent;
    fill(
      this.links,
      both ? h("a.button", { href: `#/versus/${conditions.player}/${conditions.opponent}` }, t("Head to head")) : null,
      found ? [download(t("All as text"), "archive.txt", query), download(t("All as JSON"), "archive.jsonl", query)] : null,
    );
  }

  /** @param {unknown} error */
  #fail(error) {
    const { code, message } = /** @type {Refused} */ (error);
    this.further.hidden = true;
    // It is asked again on the next connection.
    if (code === "offline") this.#tell(t("The connection is down. The search goes on when it is back."));
    else this.#tell(message, " ", PASSING.includes(code) ? button(t("Try again"), () => this.#further(), "plain") : null);
  }

  /** @param {MatchSummary} match */
  #card(match) {
    const when = new Date(match.started);
    return h(
      "article.found-game",
      matchCard(this.page, match),
      h(
        "div.row.quiet",
        h("time", { datetime: when.toISOString() }, dayText(match.started)),
        h("span", counted(match.ply, "{count} ply", "{count} plies")),
        h("a", { href: `g/${match.id}` }, t("Permanent link")),
        match.ply ? h("a", { href: `#/m/${match.id}/study` }, t("Analyse")) : null,
      ),
    );
  }
}

/** A link to the records of all that was found, also of what is not shown yet. @param {string} label @param {string} file @param {string} query */
const download = (label, file, query) =>
  h("a.button", { href: `${file}${query ? `?${query}` : ""}`, download: file, title: t("At most 1,000 games at once") }, label);
