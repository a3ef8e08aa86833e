/**
 * The page's language. A text is named by its English sentence, which needs no catalogue; those of other languages are in
 * `languages/`, and the one of the setting or of the browser is loaded before any other module of the page begins.
 */

import { settings } from "./settings.js";

/**
 * `texts` are the page's own sentences; `told` are those of the server and the engine, with placeholders for their values.
 * A text with a count has a form for each plural category of the language.
 * @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Entry
 * @typedef {{direction: "ltr" | "rtl", texts: Record<string, Entry>, told: Record<string, string>}} Catalogue
 * @typedef {Record<string, string | number>} Values
 */

/** The languages of the page, each by its own name. @type {Record<string, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch" };

/** The language of the page; English where the catalogue of another one cannot be loaded. */
export let language = chosen();
const catalogue = await load();
document.documentElement.lang = language;
document.documentElement.dir = catalogue.direction;
/** Whether the page runs from right to left. */
export const isMirrored = catalogue.direction === "rtl";

const rules = new Intl.PluralRules(language);
const HOLE = /\{(\w+)\}/;
/** What follows a word that has several meanings in English, such as `Play[steps]`. */
const MEANING = /\[\w+\]$/;

function chosen() {
  const wanted = [settings.language, ...navigator.languages].map((tag) => tag.split("-")[0]);
  return wanted.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

/** @param {string} name @returns {Promise<Catalogue | null>} */
async function fetched(name) {
  try {
    const answer = await fetch(`languages/${name}.json`);
    if (answer.ok) return await answer.json();
  } catch {
    // The page is readable without it.
  }
  return null;
}

/** @returns {Promise<Catalogue>} */
async function load() {
  const found = language === "en" ? null : await fetched(language);
  if (!found) language = "en";
  return found ?? { direction: "ltr", texts: {}, told: {} };
}

/** Add the catalogue of a part of the page that few open, where the page is not English. @param {string} part */
export async function extend(part) {
  if (language === "en") return;
  const more = await fetched(`${language}-${part}`);
  Object.assign(catalogue.texts, more?.texts);
  Object.assign(catalogue.told, more?.told);
  patterns = undefined;
}

/** The form of an entry for a count; without a catalogue the text itself. @param {string} text @param {number} count */
function entryOf(text, count) {
  const entry = Object.hasOwn(catalogue.texts, text) ? catalogue.texts[text] : text.replace(MEANING, "");
  return typeof entry === "string" ? entry : (entry[rules.select(count)] ?? entry.other ?? text);
}

/** @param {string} text @param {Values} values */
const filled = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number(values[name]) : values[name]));

/** A sentence of the page in its language, with values for its placeholders. @param {string} text @param {Values} [values] */
export const t = (text, values = {}) => filled(entryOf(text, Number(values.count)), values);

/**
 * A sentence whose words depend on a count, by its English forms; the second one is its key in the catalogue.
 * @param {number} count @param {string} one @param {string} other @param {Values} [values]
 */
export const counted = (count, one, other, values = {}) =>
  filled(language === "en" && count === 1 ? one : entryOf(other, count), { count, ...values });

/** A sentence with elements in it. @param {string} text @param {Record<string, Child>} parts @returns {Child[]} */
export const rich = (text, parts) =>
  entryOf(text, NaN).split(HOLE).map((piece, index) => (index % 2 ? parts[piece] : piece));

/** A number as the language writes it. @param {number} value @param {number} [digits] after the point */
export const number = (value, digits) =>
  value.toLocaleString(language, digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Things one after the other, with an "and" before the last. @param {string[]} items */
export const list = (items) => new Intl.ListFormat(language).format(items);

/** @type {{form: RegExp, names: string[], text: string}[] | undefined} the sentences with placeholders, the most literal first */
let patterns;

function patternsOf() {
  const keys = Object.keys(catalogue.told).filter((key) => HOLE.test(key));
  const literal = (/** @type {string} */ key) => key.replaceAll(/\{\w+\}/g, "").length;
  keys.sort((one, other) => literal(other) - literal(one));
  return keys.map((key) => {
    const pieces = key.split(HOLE);
    const form = pieces.map((piece, index) => (index % 2 ? "(.+?)" : piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")));
    return { form: new RegExp(`^${form.join("")}$`, "su"), names: pieces.filter((_, index) => index % 2), text: catalogue.told[key] };
  });
}

/** What the server or the engine says, in the page's language; as it is where the catalogue does not know it. @param {string} text */
export function told(text) {
  if (Object.hasOwn(catalogue.told, text)) return catalogue.told[text];
  patterns ??= patternsOf();
  for (const { form, names, text: own } of patterns) {
    const found = form.exec(text);
    // A value may be a word of the server's too, such as the title of an option.
    if (found) return filled(own, Object.fromEntries(names.map((name, index) => [name, catalogue.told[found[index + 1]] ?? found[index + 1]])));
  }
  return text;
}
