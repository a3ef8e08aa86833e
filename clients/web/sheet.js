/** Modal dialogs with a heading and a close button. */

import { button, h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

/** Dialogs opened so far: one may lie on another, and each has a title of its own. */
let count = 0;

/**
 * Open a dialog, which is removed when it is closed.
 * @param {string} title
 * @param {string} kind its class
 * @param {...Child} children
 */
export function openSheet(title, kind, ...children) {
  const id = `sheet-title-${++count}`;
  const cross = button(icon("close"), () => dialog.close(""), "icon", { type: "button", "aria-label": t("Close") });
  const form = h(
    "form",
    { method: "dialog", class: "sheet" },
    h("header.flow", h("h2", { id }, title), cross),
    children,
  );
  const dialog = h("dialog", { class: `settings ${kind}`, "aria-labelledby": id }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, form };
}
