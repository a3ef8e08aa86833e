/** Modal dialogs with a heading and a close button. */

import { button, h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Open a dialog, which is removed when it is closed.
 * @param {string} title
 * @param {string} kind its class
 * @param {...Child} children
 */
export function openSheet(title, kind, ...children) {
  const cross = button(icon("close"), () => dialog.close(""), "icon", { type: "button", "aria-label": "Close" });
  const form = h(
    "form",
    { method: "dialog", class: "sheet" },
    h("header.flow", h("h2", { id: "sheet-title" }, title), cross),
    children,
  );
  const dialog = h("dialog", { class: `settings ${kind}`, "aria-labelledby": "sheet-title" }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, form };
}
