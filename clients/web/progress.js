/** What was learned in this browser: puzzles solved, the streak, lessons done, rules seen. */

import { keep, settings } from "./settings.js";

/** The games that have puzzles and lessons, in the order in which they take turns. */
export const GAMES = ["trapgrid", "isolation", "bamboo", "quoridor"];

/** A number that grows by one at midnight UTC, so that everybody has the same day. */
export const day = () => Math.floor(Date.now() / 86_400_000);

/** The state of learning, with what is missing filled in. */
export function progress() {
  const { puzzles, lessons = [], rules = [] } = settings.learned ?? {};
  return { puzzles: { solved: [], streak: 0, best: 0, daily: 0, ...puzzles }, lessons, rules };
}

/**
 * Note the first mistake at a puzzle, or that it is solved; `clean` ones lengthen the streak.
 * @param {{puzzle: string, solved: boolean, clean?: boolean, daily?: number}} what `daily` is the day whose puzzle it is
 */
export function record({ puzzle, solved, clean = false, daily = 0 }) {
  const now = progress();
  const { puzzles } = now;
  const streak = solved ? puzzles.streak + Number(clean) : 0;
  const known = solved && !puzzles.solved.includes(puzzle) ? [...puzzles.solved, puzzle] : puzzles.solved;
  const best = Math.max(puzzles.best, streak);
  keep({
    learned: { ...now, puzzles: { solved: known, streak, best, daily: (solved && daily) || puzzles.daily } },
  });
}

/** Note a lesson as done, or a game's rules as seen. @param {"lessons" | "rules"} what @param {string} name */
export function note(what, name) {
  const now = progress();
  if (!now[what].includes(name)) keep({ learned: { ...now, [what]: [...now[what], name] } });
}
