/** Bots as opponents: their levels, their strength in words, and which of those that are free is nearest. */

import { button, fill, h } from "./dom.js";
import { t } from "./language.js";
import { settings } from "./settings.js";
import { nameOf } from "./words.js";

const DEFAULT_BOT = "level-3";
const DEFAULT_LEVEL = 3;
/** How much stronger than asked a bot may be without a question. */
const MAX_STEP_UP = 1;
/** In words, from level 1 on. */
const STRENGTHS = [
  t("beginner"),
  t("beginner"),
  t("casual"),
  t("casual"),
  t("steady"),
  t("steady"),
  t("strong"),
  t("strong"),
  t("expert"),
  t("champion"),
];

/** The level of a bot of this name; null for one that is not on the ladder. @param {string} name */
export function levelOf(name) {
  const level = name === "champion" ? STRENGTHS.length : Number(/^level-(\d+)$/.exec(name)?.[1]);
  return level >= 1 && level <= STRENGTHS.length ? level : null;
}

/** Whether a bot is one that beginners meet, with whom there is help unless it is refused. @param {string} name */
export const isEasy = (name) => (levelOf(name) ?? Infinity) <= DEFAULT_LEVEL;

/** How strong a bot of this name is, in a word, or nothing. @param {string} name */
export const strengthOf = (name) => STRENGTHS[(levelOf(name) ?? 0) - 1] ?? "";

/** The strength to show beside a bot's name; empty where the name is that word. @param {string} name */
export const strengthBeside = (name) => {
  const strength = strengthOf(name);
  return strength === name ? "" : strength;
};

/**
 * Choose the bot of this name, or else the nearest free one: a weaker one before a stronger one. One that is stronger by
 * more than a level `needsAsking`.
 * @param {Presence[]} bots
 * @param {string} [wanted]
 * @returns {{bot: Presence | undefined, wanted: string, needsAsking: boolean}}
 */
export function nearestBot(bots, wanted = DEFAULT_BOT) {
  const free = bots.filter((each) => each.free > 0);
  const found = free.find((each) => each.player.name === wanted);
  if (found) return { bot: found, wanted, needsAsking: false };
  const asked = levelOf(wanted) ?? DEFAULT_LEVEL;
  const level = (/** @type {Presence} */ { player }) => levelOf(player.name) ?? 0;
  const ladder = free.filter((each) => level(each)).sort((one, two) => level(one) - level(two));
  const others = free.filter((each) => !level(each));
  const bot =
    ladder.findLast((each) => level(each) <= asked) ??
    ladder.find((each) => level(each) <= asked + MAX_STEP_UP) ??
    others.find((each) => !/random/i.test(each.player.name)) ??
    others[0] ??
    ladder[0];
  return { bot, wanted, needsAsking: bot !== undefined && level(bot) > asked + MAX_STEP_UP };
}

/**
 * A line that tells which games the bots still compile, on a machine where the server runs for the first time; it is
 * hidden when they are done. Bots of the ladder play every game.
 * @param {Page} page @param {AbortSignal} signal
 */
export function warmingLine(page, signal) {
  const element = h("p.call.warming", { role: "status", hidden: true });
  const draw = () => {
    const { games, players } = page.store;
    const ladder = [...players.values()].filter(
      ({ player, free, playing }) => player.kind === "bot" && levelOf(player.name) && (free || playing),
    );
    const plays = (/** @type {OfferedGame} */ { name }) => (/** @type {Presence} */ { accepts }) =>
      accepts.some((each) => each.game === name);
    const ready = games.filter((game) => ladder.every(plays(game))).length;
    element.hidden = !ladder.length || !games.length || ready === games.length;
    if (element.hidden) return;
    const some = games.filter((game) => ladder.some(plays(game))).length;
    const easy = some === games.length ? t("The easy levels play already.") : t("The easy levels play {some} of them already.", { some });
    const values = { ready, all: games.length };
    const words = t("The bots are warming up, once on this machine: {ready} of {all} games are ready.", values);
    const text = some ? `${words} ${easy}` : words;
    if (element.textContent !== text) element.textContent = text;
  };
  page.store.addEventListener("change", draw, { signal });
  draw();
  return element;
}

/** The button that starts a game against a bot at once; it names the bot. @param {Page} page @param {string} game @param {AbortSignal} signal */
export function playButton(page, game, signal) {
  const element = button("", () => page.quickBot(game), "primary opponent");
  const draw = () => {
    const { bot, wanted, needsAsking } = page.store.bot(game, settings.forms[`bot:${game}`]?.bot);
    const name = !bot ? "" : needsAsking ? wanted : nameOf(bot.player);
    const strength = strengthBeside(name);
    const sign = `${name} ${strength}`;
    if (element.dataset.shows === sign) return;
    element.dataset.shows = sign;
    fill(element, name ? t("Play {name}", { name }) : t("Play a bot"), strength ? [" ", h("small", strength)] : null);
  };
  page.store.addEventListener("change", draw, { signal });
  draw();
  return element;
}
