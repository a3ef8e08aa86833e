/** A text in a field, with a button that copies it. */

import { button, h } from "./dom.js";
import { t } from "./language.js";

/** @param {Page} page @param {string} label @param {string} value @param {string} said when it is copied */
export function copyField(page, label, value, said) {
  const input = h("input", { value, readonly: true, on: { focus: () => input.select() } });
  const copy = button(t("Copy"), () => page.copy(value, said), "", { type: "button", "aria-label": t("Copy: {label}", { label }) });
  return h("div.copied.flow", h("label.field", h("span", label), input), copy);
}
