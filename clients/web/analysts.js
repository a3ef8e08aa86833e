/** What the page does while no bot that studies is there, as on a machine where the bots still compile. */

import { t } from "./studytexts.js";

/** How often an analyst is asked for meanwhile. */
export const ABSENT_RETRY_MS = 4000;
/** How often a search that failed is asked for again without a click: an analyst may compile, or the server be busy. */
export const MAX_RETRIES = 3;
/** Refusals that may be over in a moment. */
export const PASSING = ["busy", "too_fast", "internal"];
/** What is said meanwhile. */
export const ABSENT = t("No bot that studies this game is here yet. The page asks again every few seconds.");
