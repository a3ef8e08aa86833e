/** What the end of a rated match has changed: both ratings for a spectator, one's own for a player. */

import { button, fill, h } from "./dom.js";
import { register } from "./entrance.js";
import { number, t } from "./playertexts.js";
import { nameOf, ratingText } from "./words.js";

/** @typedef {import("./protocol").RatingChange} RatingChange */

/** A change with its sign. @param {RatingChange} change */
export function signedChange({ before, after }) {
  const change = after - before;
  return change > 0 ? `+${number(change)}` : change < 0 ? `−${number(-change)}` : "±0";
}

/** Show it, or that it is on its way, or why there is none. @param {Page} page @param {MatchRecord} record @param {HTMLElement} place */
export function showChange(page, record, place) {
  const { changes, seat, seats } = record;
  const sign = JSON.stringify([record.rated, changes, page.link.hasAccount]);
  if (place.dataset.sign === sign) return;
  place.dataset.sign = sign;
  if (!record.rated) {
    fill(place, h("p.quiet", record.reason === "aborted" || record.reason === "expired" ? t("Not rated: it ended before both had moved.") : t("Not rated: a move was taken back.")));
    return;
  }
  if (!changes) {
    fill(place, h("p.quiet", t("The new ratings are being computed…")));
    return;
  }
  const line = (/** @type {RatingChange} */ change, /** @type {number} */ index) =>
    h(
      "p.flow",
      h("span", seat === null ? t("{name}'s rating", { name: nameOf(seats[index].player) }) : t("Your rating")),
      h("strong", ratingText({ rating: change.after, provisional: change.provisional })),
      h("span.change", { class: change.after < change.before ? "down" : "up" }, signedChange(change)),
    );
  const shown = seat === null ? changes.map(line) : [line(changes[seat], seat)];
  const isGuest = seat !== null && !page.link.hasAccount;
  fill(
    place,
    shown,
    seat !== null && changes[seat].provisional ? h("p.quiet", t("The question mark goes away after some more rated games.")) : null,
    isGuest ? h("div.offer.row", h("span.quiet", t("An account keeps this rating for you.")), button(t("Create an account"), () => register(page))) : null,
  );
}
