/** The lobby: games as tiles, open tables, live games, players, and my own games. */

import { Board } from "./board.js";
import { Calls } from "./calls.js";
import { botChip, matchCard, personLine, tableLine } from "./cards.js";
import { button, fill, h, keyed } from "./dom.js";
import { icon } from "./icons.js";
import { language, t, told } from "./language.js";
import { languageField } from "./languagefield.js";
import { load, loadFile } from "./lazy.js";
import { levelOf, playButton, warmingLine } from "./opponents.js";
import { poolGrid } from "./pools.js";
import { isWalled, unfold } from "./position.js";
import { day, GAMES, progress } from "./progress.js";
import { settings } from "./settings.js";
import { nameOf } from "./words.js";

const PLY_INTERVAL_MS = 1100;
const FIRST_PLY = 9;
const FINAL_PAUSE_PLIES = 4;
/** Finished games of mine that are shown at first, and more with each press of the button. */
const FINISHED = 8;
/** Sorts bots without a level after those with one. */
const MAX_SORTED = 1000;
/** Entries of a list that are shown at first, and with each press of its button. */
const PAGE = { seeks: 50, matches: 12, players: 200 };

export class LobbyView {
  /** @param {Page} page @param {string} invite the table of an invite link, or nothing */
  constructor(page, invite) {
    this.page = page;
    this.mine = {
      live: /** @type {MatchSummary[]} */ ([]),
      finished: /** @type {MatchSummary[]} */ ([]),
      more: /** @type {string | null} */ (null),
    };
    this.finished = FINISHED;
    this.demos = /** @type {Record<string, string[]>} */ ({});
    this.beat = 0;
    this.abort = new AbortController();
    const section = (/** @type {string} */ title, /** @type {string} */ className, kind = "") => {
      const list = h("div", { class: `list ${className} ${kind}` });
      const more = h("button.plain.further", { hidden: true });
      const block = h("section", { class: `block of-${className}` }, h("h2", title), list, more);
      return { list, block, more };
    };
    this.calls = new Calls(page, invite);
    this.tiles = h("div.tiles");
    this.pools = poolGrid(page);
    this.daily = h("a.panel.flow", { href: "#/puzzle/daily" });
    this.tables = section(t("Open tables"), "tables", "panel");
    this.live = section(t("Live games"), "live");
    this.here = section(t("Here now"), "here", "panel");
    this.bots = section(t("Bots"), "bots");
    this.games = section(t("Your games"), "mine");
    this.friends = h("div");
    this.turns = h("div");
    this.element = h(
      "div.lobby",
      h("h1.unseen", t("Cornered: lobby")),
      h("p.intro", t("Four quick board games that end when somebody is cornered. Play friends or bots, or watch: no account needed.")),
      this.calls.element,
      warmingLine(page, this.abort.signal),
      this.tiles,
      this.pools.element,
      h("nav.daily", { "aria-label": t("Puzzles and lessons") }, h("div.row", this.daily, tvTile()), h("div.row", h("a.button", { href: "#/tournaments" }, t("Tournaments")), h("a.button", { href: "#/groups" }, t("Classes and clubs")), h("a.button", { href: "#/leaders" }, t("Leaderboards")), h("a.button", { href: "#/archive/" }, t("Archive")), h("a.button", { href: "#/learn" }, t("Lessons")), h("a.button", { href: "#/p/quoridor" }, t("Analyse a position")), h("a.button", { href: "#/think" }, t("Watch a search think")))),
      h("div.columns", h("div", this.turns, this.games.block, this.live.block), h("div", this.friends, this.here.block, this.tables.block)),
      this.bots.block,
      languageField(),
    );
    this.games.more.textContent = t("Earlier games");
    this.games.more.addEventListener("click", () => this.#earlier());
    this.limits = { ...PAGE };
    /** The game of the live games that are listed; all without one. */
    this.game = "";
    this.filter = h("div.row.filter", { role: "group", "aria-label": t("Live games of"), hidden: true });
    this.live.block.insertBefore(this.filter, this.live.list);
    this.further = { seeks: this.tables.more, matches: this.live.more, players: this.here.more };
    for (const [name, more] of Object.entries(this.further))
      more.addEventListener("click", () => this.#further(/** @type {Section} */ (name)));
    const { signal } = this.abort;
    page.store.addEventListener("change", () => this.#soon(), { signal });
    const online = () => {
      this.#mine();
      this.#showFriends();
      this.calls.ask();
    };
    /** @param {import("./protocol").LobbyChanged} word */
    const lobby_changed = ({ matches_gone }) => {
      if (this.mine.live.some((match) => matches_gone.includes(match.id))) this.#mine();
    };
    page.link.hear({ online, lobby_changed }, signal);
    page.store.watch();
    if (page.link.state === "online") online();
    document.title = "Cornered";
    this.#demos();
    this.timer = setInterval(() => this.#beat(), PLY_INTERVAL_MS);
    this.#draw();
  }

  close() {
    this.abort.abort();
    clearInterval(this.timer);
    this.page.store.leave();
  }

  /** Draw at most once a frame. */
  #soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.abort.signal.aborted) this.#draw();
    });
  }

  async #mine() {
    try {
      const { live, finished, more } = await this.page.link.ask({ type: "ask_my_matches" });
      this.mine = { live, finished, more };
      if (live.some((match) => match.clock.kind === "correspondence")) this.#showTurns();
      this.#soon();
    } catch {
      // Requested again on the next connection.
    }
  }

  /** Show my games by days; others see theirs without what this needs. */
  async #showTurns() {
    if (this.turns.childElementCount) return;
    try {
      const [{ turnList }, turns] = await Promise.all([load(() => import("./turns.js"), "social.css"), this.page.turns()]);
      if (this.abort.signal.aborted || this.turns.childElementCount) return;
      turnList(this.page, turns, this.turns, this.abort.signal);
      this.#soon();
    } catch {
      // Tried again on the next connection; the games are listed below too.
    }
  }

  /** Show whom I follow, where I may follow somebody. */
  async #showFriends() {
    if (this.friends.childElementCount || !(this.page.link.hasAccount || settings.follows)) return;
    try {
      const { friendsPanel } = await load(() => import("./friends.js"), "social.css");
      if (!this.abort.signal.aborted && !this.friends.childElementCount) friendsPanel(this.page, this.friends, this.abort.signal);
    } catch {
      // Tried again on the next connection.
    }
  }

  /** Show more of my finished games, and request the next page where necessary. */
  async #earlier() {
    this.finished += FINISHED;
    const { more } = this.mine;
    try {
      if (more !== null && this.mine.finished.length < this.finished) {
        const next = await this.page.link.ask({ type: "ask_my_matches", after: more });
        if (this.mine.more === more)
          this.mine = { ...this.mine, finished: [...this.mine.finished, ...next.finished], more: next.more };
      }
    } catch (error) {
      this.page.complain(error);
    }
    this.#soon();
  }

  /** Load the recorded games that tiles show without a live game. */
  async #demos() {
    try {
      for (const [game, text] of Object.entries(/** @type {Record<string, string>} */ (await loadFile("demos.json"))))
        this.demos[game] = unfold(text);
      this.#beat();
    } catch {
      // Tiles then show the starting position.
    }
  }

  /** Show more of a list, and request its next page where necessary. @param {Section} section */
  async #further(section) {
    const { store, complain } = this.page;
    this.limits[section] += PAGE[section];
    try {
      if (store[section].size < this.limits[section] && store.unseen(section)) await store.more(section);
    } catch (error) {
      complain(error);
    }
    this.#soon();
  }

  /** Show the number of hidden entries on a list's button. @param {Section} section @param {number} left entries that are known */
  #count(section, left) {
    const more = this.further[section];
    const hidden = Math.max(0, left - this.limits[section]) + this.page.store.unseen(section);
    more.hidden = !hidden;
    const text = t("Show more ({hidden})", { hidden });
    if (more.textContent !== text) more.textContent = text;
  }

  #draw() {
    const { store, link } = this.page;
    this.calls.draw();
    keyed(
      this.tiles,
      store.games,
      (/** @type {OfferedGame} */ game) => game.name,
      (game) => this.#tile(game),
    );
    this.pools.draw();
    this.#beat(false);
    const solved = progress().puzzles.daily === day();
    fill(
      this.daily,
      h("strong", t("Puzzle of the day")),
      h("span.quiet", store.title(GAMES[day() % GAMES.length])),
      h("span.quiet", solved ? t("solved ✓") : t("one move wins: find it")),
    );
    const seeks = [...store.seeks.values()].sort((one, two) => two.since - one.since);
    keyed(
      this.tables.list,
      seeks.slice(0, this.limits.seeks),
      (seek) => `${seek.id}:${seek.joined.length}`,
      (seek) => tableLine(this.page, seek),
    );
    this.#count("seeks", seeks.length);
    if (!seeks.length) this.#empty(this.tables.list, t("No table is open. Open one, and others see it here at once."));
    const busy = new Set(this.mine.live.map((match) => match.id));
    const all = [...store.matches.values()].filter((match) => !match.over && !busy.has(match.id));
    this.#drawFilter(new Set(all.map((match) => match.game.name)));
    const matches = all.filter((match) => !this.game || match.game.name === this.game);
    matches.sort((one, two) => two.watchers - one.watchers || two.started - one.started);
    keyed(
      this.live.list,
      matches.slice(0, this.limits.matches),
      (match) => match.id,
      (match) => matchCard(this.page, match),
    );
    this.#count("matches", matches.length);
    if (!matches.length)
      this.#empty(
        this.live.list,
        store.loaded ? t("Nobody plays just now. Start a game above, and it is on show here.") : "",
      );
    const everybody = [...store.players.values()].sort((one, two) =>
      one.player.name.localeCompare(two.player.name, language, { numeric: true }),
    );
    const people = everybody.filter(({ player }) => player.kind !== "bot");
    keyed(
      this.here.list,
      people.slice(0, this.limits.players),
      (each) => `${each.player.id}:${each.player.name}:${each.player.id === link.me?.id}:${each.playing}:${each.free}`,
      (each) => personLine(this.page, each),
    );
    this.#count("players", people.length);
    // Of the ladder first the weakest; bots without a level follow.
    // One that accepts no game, such as an analyst, cannot be challenged.
    const bots = everybody.filter(({ player, accepts }) => player.kind === "bot" && accepts.length > 0);
    bots.sort((one, two) => (levelOf(one.player.name) ?? MAX_SORTED) - (levelOf(two.player.name) ?? MAX_SORTED));
    this.bots.block.hidden = !bots.length;
    keyed(
      this.bots.list,
      bots,
      (each) => `${each.player.id}:${each.player.name}:${each.playing}:${each.free > 0}:${each.version}`,
      (each) => botChip(this.page, each),
    );
    // Games by days have a list of their own.
    const listed = (/** @type {MatchSummary} */ match) => this.turns.childElementCount > 0 && match.clock.kind === "correspondence";
    const mine = [
      ...this.mine.live.filter((match) => !listed(match)).map((match) => store.matches.get(match.id) ?? match),
      ...this.mine.finished.slice(0, this.finished),
    ];
    this.games.block.hidden = !mine.length;
    this.games.more.hidden = this.finished >= this.mine.finished.length && this.mine.more === null;
    keyed(
      this.games.list,
      mine,
      (match) => match.id,
      (match) => matchCard(this.page, match),
    );
    this.element.classList.toggle("ready", link.state === "online" && store.games.length > 0);
  }

  /** Offer the games of which there are live ones, where there are several. @param {Set<string>} names */
  #drawFilter(names) {
    if (this.game && !names.has(this.game)) this.game = "";
    this.filter.hidden = names.size < 2;
    const choices = ["", ...this.page.store.games.map((game) => game.name).filter((name) => names.has(name))];
    keyed(
      this.filter,
      choices,
      (name) => `${name}:${name === this.game}`,
      (name) =>
        button(
          name ? this.page.store.title(name) : t("All"),
          () => {
            this.game = name;
            this.#soon();
          },
          "plain",
          { "aria-pressed": String(name === this.game) },
        ),
    );
  }

  /** @param {Element} list @param {string} text */
  #empty(list, text) {
    fill(list, h("p.quiet.empty", text));
  }

  /** @param {OfferedGame} game */
  #tile(game) {
    const board = new Board({ tiny: true, walled: isWalled(game) });
    board.show(game.start, { still: true });
    const watch = h("a.watch.flow", { hidden: true });
    const tile = h(
      "article.tile-card.panel",
      h("div.picture", board.element),
      h(
        "div.words",
        h("header", h("h2", game.title), watch),
        h("p.quiet", told(game.summary)),
        h(
          "div.row",
          h(
            "span.split",
            playButton(this.page, game.name, this.abort.signal),
            button(icon("more"), () => this.page.form(game.name, "bot"), "primary arrow", {
              "aria-label": t("Choose bot, board and clock for {game}", { game: game.title }),
              title: t("Choose bot, board and clock"),
            }),
          ),
          button(t("Play someone"), () => this.page.form(game.name, "open")),
        ),
      ),
    );
    return Object.assign(tile, { board, watch, game });
  }

  /** Let each tile follow a live game, or a recorded one. @param {boolean} [step] */
  #beat(step = true) {
    if (step) this.beat += 1;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const tile of /** @type {HTMLCollectionOf<Tile>} */ (this.tiles.children)) {
      const { board, watch, game } = tile;
      const live = [...this.page.store.matches.values()].filter(
        (match) => match.game.name === game.name && !match.over,
      );
      const shown = live.find((match) => match.id === tile.following) ?? live[0];
      if (tile.following !== shown?.id) board.forget();
      tile.following = shown?.id;
      const walled = isWalled(shown?.game ?? game);
      if (shown) {
        board.walled = walled;
        if (board.position?.text !== shown.position) board.show(shown.position);
      } else if (this.demos[game.name] && !still) {
        const positions = this.demos[game.name];
        const ply = Math.min((this.beat + FIRST_PLY) % (positions.length + FINAL_PAUSE_PLIES), positions.length - 1);
        if (board.position?.text !== positions[ply])
          board.show(positions[ply], { past: positions.slice(0, ply) });
      }
      watch.hidden = !shown;
      const names = shown?.players.map(nameOf).join(" – ");
      if (shown && watch.dataset.shown !== shown.id) {
        watch.dataset.shown = shown.id;
        watch.href = `#/m/${shown.id}`;
        fill(watch, h("span.lamp", { "aria-hidden": "true" }), h("strong", t("Watch")));
        watch.title = names;
        watch.setAttribute("aria-label", t("Watch {names} play {game}", { names: names ?? "", game: game.title }));
      }
    }
  }
}

/** The way to TV. */
const tvTile = () => h("a.panel.flow", { href: "#/tv" }, h("span.lamp", { "aria-hidden": "true" }), h("strong", t("TV")), h("span.quiet", t("the best games, live")));
