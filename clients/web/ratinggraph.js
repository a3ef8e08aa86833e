/** The course of a rating as a curve with its uncertainty, and as a table for those who cannot see it. */

import { dayText } from "./dates.js";
import { h, s } from "./dom.js";
import { counted, t } from "./playertexts.js";

/** @typedef {import("./protocol").RatingPoint} RatingPoint */

const WIDTH = 600;
const HEIGHT = 200;
/** Rating points between two lines of the grid: the first of which few enough are drawn. */
const STEPS = [50, 100, 200, 500, 1000];
const MOST_LINES = 5;
/** Rows of the table. */
const ROWS = 40;

/** @param {readonly RatingPoint[]} points oldest first */
export function ratingGraph(points) {
  if (points.length < 2) return h("p.quiet", t("The curve begins with the second rated game."));
  const [first] = points;
  const last = points[points.length - 1];
  const values = points.map(({ rating }) => rating);
  const best = Math.max(...values);
  // The uncertainty of the first games would flatten the curve, so only that of the last one is sure to be in the picture.
  const margin = 2 * last.deviation;
  const bottom = Math.min(...values, last.rating - margin);
  const top = Math.max(best, last.rating + margin);
  const spread = Math.max(100, top - bottom);
  const step = STEPS.find((each) => (1.2 * spread) / each <= MOST_LINES) ?? 2000;
  const low = Math.floor((bottom - spread / 10) / step) * step;
  const high = Math.ceil((top + spread / 10) / step) * step;
  const x = (/** @type {number} */ index) => (index / (points.length - 1)) * WIDTH;
  const y = (/** @type {number} */ rating) => HEIGHT - ((Math.min(high, Math.max(low, rating)) - low) / (high - low)) * HEIGHT;
  const place = (/** @type {number} */ index, /** @type {number} */ rating) => `${x(index).toFixed(1)} ${y(rating).toFixed(1)}`;
  const curve = points.map(({ rating }, index) => place(index, rating)).join("L");
  const above = points.map(({ rating, deviation }, index) => place(index, rating + 2 * deviation));
  const below = points.map(({ rating, deviation }, index) => place(index, rating - 2 * deviation)).toReversed();
  const lines = Array.from({ length: (high - low) / step + 1 }, (_, index) => low + index * step);
  const words = t("From {first} on {begin} to {last} on {end}, at best {best}.", { first: String(first.rating), begin: dayText(first.at), last: String(last.rating), end: dayText(last.at), best: String(best) });
  const end = h("i.here");
  end.style.left = `${(100 * x(points.length - 1)) / WIDTH}%`;
  end.style.top = `${(100 * y(last.rating)) / HEIGHT}%`;
  const labels = lines.map((rating) => {
    const label = h("span", String(rating));
    label.style.top = `${(100 * y(rating)) / HEIGHT}%`;
    return label;
  });
  return h(
    "figure.rating-graph",
    h(
      "div.plot",
      { role: "img", "aria-label": words },
      s(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        lines.map((rating) => s("path.rule", { d: `M0 ${y(rating)}H${WIDTH}` })),
        s("path.band", { d: `M${[...above, ...below].join("L")}Z` }),
        s("path.curve", { d: `M${curve}` }),
      ),
      end,
      h("div.labels", { "aria-hidden": "true" }, labels),
    ),
    h("figcaption.flow", h("span", dayText(first.at) === dayText(last.at) ? "" : dayText(first.at)), h("span.quiet", counted(last.games, "{count} game", "{count} games")), h("span", dayText(last.at))),
    h("small.quiet", t("The true strength lies within the band with a probability of 95 %.")),
    h("details", h("summary", t("As a table")), table(points)),
  );
}

/** Some of the points, the first and the last among them. @param {readonly RatingPoint[]} points */
function table(points) {
  const every = Math.ceil(points.length / ROWS);
  const shown = points.filter((_, index) => (points.length - 1 - index) % every === 0 || index === 0).toReversed();
  return h(
    "div.scrolled",
    { tabindex: 0, role: "region", "aria-label": t("Course of the rating") },
    h(
      "table",
      h("thead", h("tr", [t("Day"), t("Game number"), t("Rating")].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", shown.map(({ at, games, rating }) => h("tr", h("td", dayText(at)), h("td", String(games)), h("td", String(rating))))),
    ),
  );
}
