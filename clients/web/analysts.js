/** What the page does while no bot that studies is there, as on a machine where the bots still compile. */

import { t } from "./language.js";

/** How often an analyst is asked for meanwhile. */
export const ABSENT_RETRY_MS = 4000;
/** What is said meanwhile. */
export const ABSENT = t("No bot that studies this game is here yet. The page asks again every few seconds.");
