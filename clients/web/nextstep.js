/** The one step that is proposed after a game: another level, a rematch, or the analysis. */

import { button } from "./dom.js";
import { t } from "./language.js";
import { levelOf } from "./opponents.js";
import { keep, settings } from "./settings.js";

/** Lost games in a row against a level after which an easier one is proposed. */
const LOSSES = 2;

/** The other player of a match for two, where it is a level. @param {MatchRecord} record */
function opponentOf({ seat, seats }) {
  if (seat === null || seats.length !== 2) return null;
  const { player } = seats[1 - seat];
  return player.kind === "bot" && levelOf(player.name) !== null ? player : null;
}

/** Count the losses in a row against a level. Called once for each match that ends before the player's eyes. @param {MatchRecord} record */
export function noteResult(record) {
  const opponent = opponentOf(record);
  if (!opponent || record.winner === null) return;
  const { name } = record.spec;
  const last = settings.losses[name];
  const before = last?.bot === opponent.name ? last.count : 0;
  const count = record.winner === record.seat ? 0 : before + 1;
  keep({ losses: { ...settings.losses, [name]: { bot: opponent.name, count } } });
}

/**
 * The button of the next step where it is another level; null where it is a rematch.
 * @param {Page} page
 * @param {MatchRecord} record
 */
export function otherLevel(page, record) {
  const opponent = opponentOf(record);
  if (!opponent || record.winner === null) return null;
  const lost = settings.losses[record.spec.name];
  const won = record.winner === record.seat;
  if (!won && !(lost?.bot === opponent.name && lost.count >= LOSSES)) return null;
  const level = /** @type {number} */ (levelOf(opponent.name)) + (won ? 1 : -1);
  const bot = page.store.bots(record.spec.name).find(({ player, free }) => levelOf(player.name) === level && free > 0);
  if (!bot) return null;
  const terms = { game: record.spec, clock: record.clock, seat: null, with_help: record.withHelp, rated: record.begunRated };
  return button(
    t("Play {name}", { name: bot.player.name }),
    () => page.challenge(bot.player, terms),
    "primary",
    { title: won ? t("One level stronger") : t("One level easier") },
  );
}
