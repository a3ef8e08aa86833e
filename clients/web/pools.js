/** Quick pairing: the pools of each game, and the wait in one of them. */

import { button, fill, h, keyed, set } from "./dom.js";
import { counted, rich, t } from "./language.js";
import { clockText, nameOf, optionText, span } from "./words.js";

/** @typedef {import("./protocol").PairingPool} Pool */
/** @typedef {import("./protocol").Waiting & {pool: string}} InPool */
/** @typedef {{key: string, members: Pool[]}} Group */

const TICK_MS = 1000;
/** `FIRST_WINDOW`, `GROWTH` and `UNBOUNDED_AFTER_MS` of the server's pairing: by how many rating points an opponent may differ. */
const FIRST_WINDOW = 60;
const GROWTH = 20;
const UNBOUNDED_AFTER_MS = 60_000;

/** Whom one may meet after a wait. @param {number} waited in milliseconds */
const windowText = (waited) =>
  waited >= UNBOUNDED_AFTER_MS
    ? t("Anybody who comes now will do.")
    : t("Looking for a rating within {points} points of yours.", { points: FIRST_WINDOW + GROWTH * Math.floor(waited / 1000) });

/** The pools of one game with the same options each, in the order of the games. @param {Page["store"]} store @returns {Group[]} */
function grouped({ pools, games }) {
  const place = (/** @type {Group} */ { members }) => games.findIndex(({ name }) => name === members[0].game.name);
  /** @type {Map<string, Pool[]>} */
  const groups = new Map();
  for (const pool of pools) {
    const key = JSON.stringify(pool.game);
    groups.set(key, [...(groups.get(key) ?? []), pool]);
  }
  return [...groups].map(([key, members]) => ({ key, members })).sort((one, two) => place(one) - place(two));
}

/** A pool's clock in two lines, where it has a bonus. @param {Pool["clock"]} clock */
const clockLines = (clock) =>
  clock.kind === "fischer" && clock.increment
    ? h("span.lines", h("span", clockText({ ...clock, increment: 0 })), h("small", t("+ {seconds} s", { seconds: clock.increment })))
    : h("span", clockText(clock));

/** The pools as a grid, one group of buttons for each game; a press enters a pool, or leaves it. @param {Page} page */
export function poolGrid(page) {
  const { store } = page;
  const list = h("div.pools");
  const element = h(
    "section.block.of-pools",
    { hidden: true },
    h("header.row", h("h2", t("Quick pairing")), h("span.quiet", t("One press, and you meet somebody of about your strength. These games are rated."))),
    list,
  );

  const choice = (/** @type {Pool} */ pool) => {
    const badge = h("span.badge", { hidden: true, "aria-hidden": "true" });
    const waits = h("span.unseen");
    const press = () => (store.waiting?.pool === pool.id ? page.leavePool() : page.enterPool(pool));
    const chip = button([h("span.unseen", `${store.title(pool.game.name)}, `), clockLines(pool.clock), badge, waits], press, "pool");
    const update = () => {
      const count = store.standing.get(pool.id) ?? 0;
      const isHere = store.waiting?.pool === pool.id;
      set(chip, { "aria-pressed": String(isHere) });
      const words = count ? counted(count, "{count} waits", "{count} wait") : "";
      if (waits.textContent !== words) waits.textContent = words;
      badge.hidden = !count;
      if (badge.textContent !== String(count)) badge.textContent = String(count);
    };
    update();
    return Object.assign(chip, { update });
  };
  const group = (/** @type {Group} */ each) => {
    const { game } = each.members[0];
    const row = h("div.row");
    const update = (/** @type {Group} */ { members }) => keyed(row, members, (pool) => pool.id, choice);
    update(each);
    const title = h("h3", store.title(game.name), " ", h("small.quiet", optionText(game, store.offered(game.name))));
    return Object.assign(h("div.pool-game.panel", title, row), { update });
  };
  const draw = () => {
    element.hidden = !store.pools.length;
    keyed(list, grouped(store), ({ key }) => key, group);
  };
  return { element, draw };
}

/** The wait in a pool as a call at the top of the lobby, which counts the seconds. @param {Page} page @param {InPool} waiting */
export function poolCall(page, { pool: id, since, bot }) {
  const { store, link } = page;
  const pool = store.pools.find((each) => each.id === id);
  const time = h("time.clock", { role: "timer", "aria-live": "off", "aria-label": t("Waiting time") });
  const range = h("span.quiet");
  const tick = () => {
    const waited = Math.max(0, link.now() - since);
    fill(time, span(Math.floor(waited / 1000)));
    fill(range, windowText(waited));
  };
  tick();
  const timer = setInterval(() => (time.isConnected ? tick() : clearInterval(timer)), TICK_MS);
  const terms = pool && [clockText(pool.clock), optionText(pool.game, store.offered(pool.game.name))].filter(Boolean).join(" · ");
  const challenge = () => pool && bot && page.challenge(bot, { game: pool.game, clock: pool.clock, seat: null, rated: store.takesRated(bot, pool.game.name) });
  return h(
    "div.call.waiting.in-pool",
    h("span.pulse", { "aria-hidden": "true" }),
    h(
      "p",
      h("strong", pool ? store.title(pool.game.name) : t("Quick pairing")),
      terms ? ` · ${terms}` : "",
      h("br"),
      range,
      bot ? [h("br"), ...rich("{name} is about as strong as you, and free now.", { name: botName(bot) })] : null,
    ),
    time,
    h("div.row", bot && button(t("Play {name}", { name: nameOf(bot) }), challenge, "primary"), button(t("Cancel"), () => page.leavePool())),
  );
}

/** @param {Player} bot */
const botName = (bot) => h("span", h("strong", nameOf(bot)), h("small.bot", t("bot")));
