/** Days and times as the page's language writes them. */

import { language } from "./language.js";

/** @param {number} at in milliseconds since 1970 */
export const dayText = (at) => new Date(at).toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });

/** A day with the time. @param {number} at in milliseconds since 1970 */
export const timeText = (at) => new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
