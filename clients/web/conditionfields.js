/** Fields of searches: choices, entries, and the options of a game. */

import { t, told } from "./archivetexts.js";
import { h } from "./dom.js";

/** @param {string} label @param {[string, string][]} choices @param {unknown} chosen */
export function choice(label, choices, chosen) {
  const select = h("select", choices.map(([value, text]) => h("option", { value }, text)));
  select.value = String(chosen ?? choices[0][0]);
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return { select, element: h("label.field", h("span", label), select) };
}

/** @param {string} label @param {Properties} properties */
export function entry(label, properties) {
  const input = h("input", properties);
  return { input, element: h("label.field", h("span", label), input) };
}

/**
 * An option of a game as a choice.
 * @param {OfferedOption} option @param {unknown} chosen @param {string} [open] the words for no value; without them there is always one
 */
export function optionChoice(option, chosen, open) {
  /** @type {[string, string][]} */
  const values = option.kind === "bool" ? [["true", t("yes")], ["false", t("no")]] : option.choices.map((each) => [String(each), String(each)]);
  if (open !== undefined) values.unshift(["", open]);
  return choice(told(option.title), values, chosen);
}
