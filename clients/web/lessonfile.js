/** The file of lessons, which the engine and the solvers completed. */

import { loadTaught } from "./learntexts.js";

/** @typedef {import("./drill.js").Scene} Scene */
/** @typedef {{ask: string, scene: Scene, after: Record<string, Scene>, right: string, wrong: string, because: Record<string, string>, reply?: string}} Step */
/** @typedef {{title: string, options: Record<string, unknown>, start: string, seat: number, steps: Step[]}} Lesson */
/** @typedef {Record<string, {title: string, lessons: Lesson[]}>} LessonFile */

/** Load the lessons of every game. @returns {Promise<LessonFile>} */
export const loadLessons = () => loadTaught("lessons.json");
