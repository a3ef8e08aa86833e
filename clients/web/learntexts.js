/** The texts of rules and lessons in the page's language, by their English sentences. Their files stay as the engine completed them. */

import { language } from "./language.js";
import { loadFile } from "./lazy.js";

/** @type {Record<string, string>} */
let texts = {};

/** Load a file of rules or lessons, and its texts. @param {string} name @returns {Promise<any>} */
export async function loadTaught(name) {
  const [file, found] = await Promise.all([loadFile(name), language === "en" ? {} : loadFile(`languages/${language}-learn.json`)]);
  texts = found;
  return file;
}

/** A text of such a file. @param {string} text */
export const taught = (text) => texts[text] ?? text;
