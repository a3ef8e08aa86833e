/** The lobby: games as tiles, open tables, live games, who is here, and my own games. */

import { Board, seatMark } from "./board.js";
import { fill, h, keyed } from "./dom.js";
import { tableText } from "./form.js";
import { icon } from "./icons.js";
import { isWalled, trails } from "./position.js";
import { keep, settings } from "./settings.js";
import { ago, clockText, optionText, plural, reasonText } from "./words.js";

const STEP = 1100;
const OPENING = 9;
const PAUSE = 4;
const FINISHED = 8;
const LIVE = 12;

export class LobbyView {
  /** @param {any} page @param {string} invite the table of an invite link, or nothing */
  constructor(page, invite) {
    this.page = page;
    this.invite = invite;
    this.mine = { live: /** @type {any[]} */ ([]), finished: /** @type {any[]} */ ([]) };
    this.demos = /** @type {Record<string, string[]>} */ ({});
    this.beat = 0;
    const section = (/** @type {string} */ title, /** @type {string} */ className) => {
      const list = h("div", { class: `list ${className}` });
      const block = h("section", { class: `block of-${className}` }, h("h2", {}, title), list);
      return { list, block };
    };
    this.top = h("div", { class: "calls" });
    this.tiles = h("div", { class: "tiles" });
    this.tables = section("Open tables", "tables");
    this.live = section("Live games", "live");
    this.here = section("Here now", "here");
    this.games = section("Your games", "mine");
    this.element = h(
      "div",
      { class: "lobby" },
      h("h1", { class: "unseen" }, "Cornered: lobby"),
      this.top,
      this.tiles,
      h("div", { class: "columns" }, h("div", {}, this.games.block, this.live.block), h("div", {}, this.tables.block, this.here.block)),
    );
    this.abort = new AbortController();
    const { signal } = this.abort;
    page.store.addEventListener("change", () => this.#soon(), { signal });
    page.link.addEventListener("online", () => this.#mine(), { signal });
    page.store.watch();
    if (page.link.state === "online") this.#mine();
    document.title = "Cornered";
    this.#demos();
    this.timer = setInterval(() => this.#beat(), STEP);
    this.#draw();
  }

  close() {
    this.abort.abort();
    clearInterval(this.timer);
    this.page.store.leave();
  }

  /** Draw once a frame at most, however much happens. */
  #soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.abort.signal.aborted) this.#draw();
    });
  }

  async #mine() {
    try {
      const { live, finished } = await this.page.link.ask({ type: "ask_my_matches" });
      this.mine = { live, finished };
      this.#soon();
    } catch {
      // It is asked again with the next connection.
    }
  }

  /** Recorded games bring tiles to life while nobody plays. */
  async #demos() {
    try {
      this.demos = await (await fetch("demos.json")).json();
      this.#beat();
    } catch {
      // Tiles then show the starting position.
    }
  }

  #draw() {
    const { store, link } = this.page;
    this.#calls();
    keyed(this.tiles, store.games, (/** @type {any} */ game) => game.name, (game) => this.#tile(game));
    this.#beat(false);
    const seeks = [...store.seeks.values()].sort((one, two) => two.since - one.since);
    keyed(this.tables.list, seeks, (seek) => `${seek.id}:${seek.joined.length}`, (seek) => this.#table(seek));
    if (!seeks.length) this.#empty(this.tables.list, "No table is open. Open one, and others see it here at once.");
    const busy = new Set([...this.mine.live].map((match) => match.id));
    const matches = [...store.matches.values()].filter((match) => !match.over && !busy.has(match.id));
    matches.sort((one, two) => two.watchers - one.watchers || two.started - one.started);
    keyed(this.live.list, matches.slice(0, LIVE), (match) => match.id, (match) => this.#card(match));
    if (!matches.length) this.#empty(this.live.list, store.loaded ? "Nobody plays just now. A bot is always ready: pick a game above." : "");
    const people = [...store.players.values()].sort((one, two) => Number(one.player.kind === "bot") - Number(two.player.kind === "bot") || one.player.name.localeCompare(two.player.name));
    keyed(this.here.list, people, (each) => `${each.player.id}:${each.player.name}:${each.player.id === link.me?.id}:${each.playing}:${each.free}`, (each) => this.#person(each));
    const mine = [
      ...this.mine.live.map((match) => store.matches.get(match.id) ?? match),
      ...this.mine.finished.slice(0, FINISHED),
    ];
    this.games.block.hidden = !mine.length;
    keyed(this.games.list, mine, (match) => match.id, (match) => this.#card(match));
    this.element.classList.toggle("ready", link.state === "online" && store.games.length > 0);
  }

  /** @param {Element} list @param {string} text */
  #empty(list, text) {
    fill(list, h("p", { class: "quiet empty" }, text));
  }

  /** What waits for me: my tables, my challenges, an invitation, and a word of welcome. */
  #calls() {
    const { store, link } = this.page;
    /** @type {{key: string, make: () => any}[]} */
    const calls = [];
    if (this.invite && ![...store.seeks.values()].some((seek) => seek.id === this.invite && seek.by.id === link.me?.id)) {
      calls.push({ key: `invite:${store.seeks.has(this.invite)}`, make: () => this.#invitation() });
    }
    if (!settings.greeted && link.me) calls.push({ key: `hello:${link.me.name}`, make: () => this.#hello(link.me.name) });
    for (const seek of store.seeks.values()) {
      if (seek.by.id === link.me?.id) calls.push({ key: `mine:${seek.id}:${seek.joined.length}`, make: () => this.#waiting(seek.id, seek.settings, seek) });
    }
    for (const [id, chosen] of store.hidden) {
      if (!store.seeks.has(id)) calls.push({ key: `mine:${id}`, make: () => this.#waiting(id, chosen, null) });
    }
    for (const challenge of store.challenges.values()) {
      if (challenge.by.id === link.me?.id) calls.push({ key: `asked:${challenge.challenge}`, make: () => this.#asked(challenge) });
    }
    keyed(this.top, calls, (call) => call.key, (call) => call.make());
  }

  /** Ask a newcomer for a name, without standing in the way. @param {string} name */
  #hello(name) {
    const input = h("input", { name: "name", maxlength: 24, required: true, placeholder: "Your name", "aria-label": "Your name", autocomplete: "nickname" });
    const done = () => {
      keep({ greeted: true });
      this.#soon();
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (input.value.trim()) this.page.link.rename(input.value.trim());
      done();
    };
    return h(
      "form",
      { class: "call hello", on: { submit } },
      h("p", {}, h("strong", {}, "Welcome. "), `You play as ${name}. Want a name?`),
      h("div", { class: "row" }, input, h("button", { class: "primary" }, "Use it"), h("button", { type: "button", class: "plain", on: { click: done } }, `Stay ${name}`)),
    );
  }

  #invitation() {
    const { store, link, complain } = this.page;
    const seek = store.seeks.get(this.invite);
    const words = seek ? `${seek.by.name} invites you to ${store.title(seek.settings.game.name)}: ${tableText(seek.settings)}.` : "You are invited to a game.";
    const join = async () => {
      try {
        await link.ask({ type: "join_seek", seek: this.invite }, { lasting: true });
        this.invite = "";
        this.#soon();
      } catch (error) {
        complain(error);
      }
    };
    return h("div", { class: "call invite" }, h("p", {}, h("strong", {}, words)), h("button", { class: "primary", on: { click: join } }, "Sit down"));
  }

  /** @param {string} id @param {any} chosen @param {any} seek */
  #waiting(id, chosen, seek) {
    const { store, link, complain, toast } = this.page;
    const invite = `${location.href.split("#")[0]}#/s/${id}`;
    const missing = seek ? seek.seats - seek.joined.length : 1;
    const cancel = () =>
      link.ask({ type: "cancel_seek", seek: id }, { lasting: true }).then(() => store.hide(id, null), complain);
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(invite);
        toast("The invite link is copied.");
      } catch {
        toast(invite, [], 20);
      }
    };
    const enough = seek && chosen.minimum && seek.joined.length >= chosen.minimum;
    return h(
      "div",
      { class: "call waiting" },
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h(
        "p",
        {},
        h("strong", {}, store.title(chosen.game.name)),
        ` · ${[optionText(chosen.game, store.offered(chosen.game.name)), tableText(chosen)].filter(Boolean).join(" · ")}`,
        h("br"),
        h("span", { class: "quiet" }, `Waiting for ${plural(missing, "player")}. Stay on this page, or send the link.`),
      ),
      h("div", { class: "row" },
        enough && h("button", { class: "primary", on: { click: () => link.ask({ type: "start_seek", seek: id }, { lasting: true }).catch(complain) } }, "Start now"),
        h("button", { on: { click: copy } }, "Copy invite link"),
        h("button", { on: { click: cancel } }, "Cancel")),
    );
  }

  /** @param {any} challenge */
  #asked(challenge) {
    const { store, link, complain } = this.page;
    const cancel = () => link.ask({ type: "cancel_challenge", challenge: challenge.challenge }, { lasting: true }).catch(complain);
    return h(
      "div",
      { class: "call waiting" },
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h("p", {}, h("strong", {}, challenge.to.name), ` is asked for a game of ${store.title(challenge.game.name)}.`),
      h("button", { on: { click: cancel } }, "Cancel"),
    );
  }

  /** @param {any} game */
  #tile(game) {
    const board = new Board({ tiny: true, walled: isWalled(game) });
    board.show(game.start, { still: true });
    const watch = h("a", { class: "watch", hidden: true });
    const tile = h(
      "article",
      { class: "tile-card" },
      h("div", { class: "picture" }, board.element),
      h(
        "div",
        { class: "words" },
        h("header", {}, h("h2", {}, game.title), watch),
        h("p", { class: "quiet" }, game.summary),
        h(
          "div",
          { class: "row" },
          h(
            "span",
            { class: "split" },
            h("button", { class: "primary", on: { click: () => this.page.quickBot(game.name) } }, "Play a bot"),
            h("button", { class: "primary arrow", "aria-label": `Choose bot, board and clock for ${game.title}`, title: "Choose bot, board and clock", on: { click: () => this.page.form(game.name, "bot") } }, icon("more")),
          ),
          h("button", { on: { click: () => this.page.form(game.name, "open") } }, "Play someone"),
        ),
      ),
    );
    return Object.assign(tile, { board, watch, game });
  }

  /** Let each tile follow a live game, or a recorded one. @param {boolean} [step] */
  #beat(step = true) {
    if (step) this.beat += 1;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const tile of /** @type {any} */ (this.tiles.children)) {
      const { board, watch, game } = tile;
      const live = [...this.page.store.matches.values()].filter((match) => match.game.name === game.name && !match.over);
      const shown = live.find((match) => match.id === tile.following) ?? live[0];
      if (tile.following !== shown?.id) board.forget();
      tile.following = shown?.id;
      const walled = isWalled(shown?.game ?? game);
      if (shown) {
        board.walled = walled;
        if (board.position?.text !== shown.position) board.show(shown.position);
      } else if (this.demos[game.name] && !still) {
        const positions = this.demos[game.name];
        const ply = Math.min((this.beat + OPENING) % (positions.length + PAUSE), positions.length - 1);
        if (board.position?.text !== positions[ply]) board.show(positions[ply], { trail: trails(positions.slice(0, ply + 1)) });
      }
      watch.hidden = !shown;
      const names = shown?.players.map((/** @type {any} */ player) => player.name).join(" – ");
      if (shown && watch.dataset.shown !== shown.id) {
        watch.dataset.shown = shown.id;
        watch.href = `#/m/${shown.id}`;
        fill(watch, h("span", { class: "lamp", "aria-hidden": "true" }), h("strong", {}, "Watch"), h("span", { class: "names" }, names));
      }
    }
  }

  /** @param {any} seek */
  #table(seek) {
    const { store, link, complain } = this.page;
    const me = link.me?.id;
    const inside = seek.joined.some((/** @type {any} */ player) => player.id === me);
    const act = (/** @type {string} */ type) => () => link.ask({ type, seek: seek.id }, { lasting: true }).catch(complain);
    const button =
      seek.by.id === me
        ? h("button", { on: { click: act("cancel_seek") } }, "Cancel")
        : inside
          ? h("button", { on: { click: act("leave_seek") } }, "Leave")
          : h("button", { class: "primary", on: { click: act("join_seek") } }, "Sit down");
    return h(
      "div",
      { class: "line" },
      h("div", { class: "grow" },
        h("strong", {}, store.title(seek.settings.game.name)),
        " ",
        h("span", { class: "quiet" }, optionText(seek.settings.game, store.offered(seek.settings.game.name))),
        h("div", { class: "quiet" }, [seek.by.id === me ? "You" : seek.by.name, tableText(seek.settings), seek.seats > 2 ? `${seek.joined.length} of ${seek.seats} are here` : ""].filter(Boolean).join(" · "))),
      button,
    );
  }

  /** @param {any} match */
  #card(match) {
    const board = new Board({ tiny: true, walled: isWalled(match.game) });
    const words = h("div", { class: "words" });
    const element = h("a", { class: "card", href: `#/m/${match.id}` }, h("div", { class: "picture" }, board.element), words);
    const update = (/** @type {any} */ now) => {
      if (board.position?.text !== now.position) board.show(now.position);
      const { store, link } = this.page;
      const me = now.players.findIndex((/** @type {any} */ player) => player.id === link.me?.id);
      const result = !now.over ? "" : now.winner === null ? (["aborted", "expired"].includes(now.reason) ? "called off" : "drawn") : me < 0 ? `${now.players[now.winner].name} won` : now.winner === me ? "you won" : "you lost";
      element.classList.toggle("turn", !now.over && me >= 0 && board.position?.turn === me);
      fill(
        words,
        now.players.map((/** @type {any} */ player, /** @type {number} */ seat) =>
          h("div", { class: `who${now.winner === seat ? " won" : ""}` }, seatMark(seat), h("span", {}, player.name), player.kind === "bot" ? h("small", { class: "bot" }, "bot") : null)),
        h("div", { class: "quiet" }, [store.title(now.game.name), optionText(now.game, store.offered(now.game.name))].filter(Boolean).join(" ")),
        h("div", { class: "quiet" }, now.over ? `${result}${result === "called off" ? "" : `, ${reasonText(now.reason, now.winner === null)}`} · ${ago(now.started, link.now())}`
          : [clockText(now.clock), now.watchers ? plural(now.watchers, "watcher") : "", element.classList.contains("turn") ? "your turn" : ""].filter(Boolean).join(" · ")),
      );
    };
    update(match);
    return Object.assign(element, { update });
  }

  /** @param {any} presence */
  #person({ player, playing, accepts, free }) {
    const { store, link, form } = this.page;
    const isMe = player.id === link.me?.id;
    const game = accepts[0]?.game ?? store.games[0]?.name;
    const state = player.kind === "bot" && free <= 0 ? "busy" : playing ? `in ${plural(playing, "game")}` : "";
    return h(
      "div",
      { class: "line" },
      h("div", { class: "grow" }, player.name, player.kind === "bot" ? h("small", { class: "bot" }, "bot") : null, isMe ? h("span", { class: "quiet" }, " (you)") : null, state ? h("span", { class: "quiet" }, ` · ${state}`) : null),
      isMe ? null : h("button", { class: "plain", "aria-label": `Challenge ${player.name}`, disabled: player.kind === "bot" && free <= 0, on: { click: () => form(game, "player", player) } }, "Challenge"),
    );
  }
}
