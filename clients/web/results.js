/** A bar of results: won, drawn and lost, as its words say too. */

import { counted, language, t } from "./archivetexts.js";
import { h } from "./dom.js";

/** @typedef {{wins: number, draws: number, losses: number}} Results */

const percents = new Intl.NumberFormat(language, { style: "percent" });

/** A share of all. @param {number} part @param {number} all */
const percent = (part, all) => percents.format(all ? part / all : 0);

/** The results in words. @param {Results} results */
export function resultsText({ wins, draws, losses }) {
  const all = wins + draws + losses;
  const words = [t("won {share}", { share: percent(wins, all) })];
  if (draws) words.push(t("drawn {share}", { share: percent(draws, all) }));
  words.push(t("lost {share}", { share: percent(losses, all) }));
  return words.join(", ");
}

/** @param {Results} results */
export function resultsBar(results) {
  const { wins, draws, losses } = results;
  const part = (/** @type {string} */ name, /** @type {number} */ count) => {
    const element = h(`span.${name}`, wins + draws + losses && count / (wins + draws + losses) > 0.12 ? percent(count, wins + draws + losses) : "");
    element.style.flexGrow = String(count);
    return element;
  };
  return h("div.results", { role: "img", "aria-label": resultsText(results) }, part("wins", wins), part("draws", draws), part("losses", losses));
}

/** @param {Results} results */
export const gamesText = ({ wins, draws, losses }) => counted(wins + draws + losses, "{count} game", "{count} games");
