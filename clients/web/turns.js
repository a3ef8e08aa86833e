/** My correspondence games: whose turn it is, how long there is, the number at the title and the app's icon, the next game. */

import { fill, h, keyed } from "./dom.js";
import { sound } from "./settings.js";
import { counted, t } from "./socialtexts.js";
import { nameOf, optionText } from "./words.js";

/** @typedef {import("./protocol").Notified} Notified */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long news is gathered before the server is asked again. */
const GATHER_MS = 300;
/** How often the times that are left are written again. */
const TICK_MS = 60_000;

/** A time that is left, in days and hours; in minutes where it is less than an hour. @param {number} ms */
export function leftText(ms) {
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  if (days && hours) return t("{days} and {hours} left", { days: dayText(days), hours: hourText(hours) });
  if (days) return t("{days} left", { days: dayText(days) });
  if (hours) return t("{hours} left", { hours: hourText(hours) });
  return counted(Math.max(0, Math.floor(ms / 60_000)), "{count} minute left", "{count} minutes left");
}

const dayText = (/** @type {number} */ count) => counted(count, "{count} day", "{count} days");
const hourText = (/** @type {number} */ count) => counted(count, "{count} hour", "{count} hours");

/** The games of the page's player, kept up to date while there is a connection. */
export class Turns {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {MatchSummary[]} my live correspondence games, those where it is my turn first, the most urgent before others */
    this.games = [];
    this.timer = 0;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    this.chip = h("a.button.turns", { hidden: true });
    const soon = () => this.#soon();
    const mine = (/** @type {{match: string}} */ { match }) => this.games.some((game) => game.id === match) && soon();
    page.link.hear({ online: soon, paired: soon, happened: mine, notified: (notified) => this.#notified(notified) });
    window.addEventListener("hashchange", () => this.#draw());
    setInterval(() => this.#tell(), TICK_MS);
    // Every view writes the title anew.
    const title = /** @type {HTMLElement} */ (document.querySelector("title"));
    new MutationObserver(() => this.#title()).observe(title, { childList: true });
    this.#ask();
  }

  /** The games where it is my turn. */
  get mine() {
    return this.games.filter((game) => this.isMine(game));
  }

  /** @param {MatchSummary} game */
  isMine({ players, turn }) {
    return turn !== null && players[turn]?.id === this.page.link.me?.id;
  }

  /** Call a function whenever something has changed, until `signal` ends it. @param {() => void} listener @param {AbortSignal} signal */
  watch(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener));
    listener();
  }

  #soon() {
    this.timer ||= window.setTimeout(() => this.#ask(), GATHER_MS);
  }

  async #ask() {
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      const { live } = await this.page.link.ask({ type: "ask_my_matches" });
      const games = live.filter((game) => game.clock.kind === "correspondence");
      const urgency = (/** @type {MatchSummary} */ game) => (this.isMine(game) ? 0 : Infinity) + (game.due ?? 0);
      this.games = games.sort((one, two) => (urgency(one) === urgency(two) ? (one.due ?? 0) - (two.due ?? 0) : urgency(one) - urgency(two)));
      this.#tell();
    } catch {
      // Asked again on the next connection, or with the next news.
    }
  }

  #tell() {
    this.#draw();
    for (const listener of this.listeners) listener();
  }

  /** The link to the next game, the number at the title and that at the app's icon. */
  #draw() {
    const count = this.mine.length;
    // The game before one's eyes is no next one.
    const shown = location.hash.split("/")[2];
    const others = this.mine.filter((game) => game.id !== shown);
    this.chip.hidden = !others.length;
    if (others.length) {
      const [next] = others;
      this.chip.setAttribute("href", `#/m/${next.id}`);
      const words = counted(others.length, "{count} game waits for your move. Go to it", "{count} games wait for your move. Go to the next one");
      // The accessible name is the text that is seen (WCAG 2.5.3), the title its description.
      this.chip.setAttribute("title", words);
      fill(this.chip, h("span", t("Your turn")), " ", h("span.badge", String(others.length)));
    }
    this.#title();
    // Browsers have it for installed apps only.
    if ("setAppBadge" in navigator) (count ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {});
  }

  #title() {
    const count = this.mine.length;
    const plain = document.title.replace(/^\(\d+\) /, "");
    const title = count ? `(${count}) ${plain}` : plain;
    if (document.title !== title) document.title = title;
  }

  /** @param {Notified} notified */
  #notified({ kind, game, by, match }) {
    this.#soon();
    if (kind === "challenge" || !match || location.hash.split("/")[2] === match) return;
    sound("turn");
    const title = this.page.store.title(game);
    const text =
      kind === "turn"
        ? by
          ? t("Your turn against {name} in {game}.", { name: nameOf(by), game: title })
          : t("Your turn in {game}.", { game: title })
        : t("A round begins: your game of {game} is ready.", { game: title });
    this.page.toast(text, [h("a.button", { href: `#/m/${match}` }, t("Go there"))], 30);
  }
}

/**
 * Show the list of my correspondence games in `place`, until `signal` ends it.
 * @param {Page} page
 * @param {Turns} turns
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export function turnList(page, turns, place, signal) {
  const { store, link } = page;
  const list = h("div.list.panel");
  const block = h("section.block.of-turns", { hidden: true }, h("h2", t("Games by days")), list);
  place.append(block);
  const draw = () => {
    block.hidden = !turns.games.length;
    keyed(
      list,
      turns.games,
      (game) => `${game.id} ${game.ply} ${game.turn} ${leftText((game.due ?? 0) - link.now())}`,
      line,
    );
  };
  const line = (/** @type {MatchSummary} */ game) => {
    const isMine = turns.isMine(game);
    const others = game.players.filter((player) => player.id !== link.me?.id).map(nameOf);
    const left = game.due === null ? "" : leftText(game.due - link.now());
    return h(
      isMine ? "div.line.flow.mine" : "div.line.flow",
      h(
        "div.grow",
        h("strong", isMine ? t("Your turn") : t("Their turn")),
        h("span.quiet", " · ", store.title(game.game.name), " ", optionText(game.game, store.offered(game.game.name))),
        h("div.quiet", t("with {names}", { names: others.join(", ") }), left && ` · ${left}`),
      ),
      h("a", { class: `button${isMine ? " primary" : " plain"}`, href: `#/m/${game.id}`, "aria-label": isMine ? t("Play against {names}", { names: others.join(", ") }) : t("Look at the game with {names}", { names: others.join(", ") }) }, isMine ? t("Play") : t("Look")),
    );
  };
  turns.watch(draw, signal);
}

