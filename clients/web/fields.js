/** Forms in sheets whose problems are said beside the field that has them. */

import { button, fill, h, set } from "./dom.js";
import { t } from "./playertexts.js";
import { openSheet } from "./sheet.js";

/** `MIN_PASSWORD` and `MAX_PASSWORD` of the protocol. */
const MIN_PASSWORD = 8;
const MAX_PASSWORD = 128;

/**
 * A field with a place for its problem; `check` returns what is wrong with the value as it is, or nothing.
 * @typedef {{element: HTMLElement, input: HTMLInputElement, check: () => string, complain: (text: string) => void}} Field
 */

/** Fields so far; the texts beside each are found by its number. */
let count = 0;

/**
 * @param {string} label
 * @param {Properties} properties of the input
 * @param {{hint?: string, beside?: (input: HTMLInputElement) => Child, check?: (value: string) => string}} [more]
 * @returns {Field}
 */
export function textField(label, properties, { hint = "", beside, check } = {}) {
  const id = `field-${++count}`;
  const input = h("input", { id, spellcheck: "false", "aria-describedby": `${id}-hint ${id}-problem`, ...properties });
  const problem = h("p.problem", { id: `${id}-problem`, role: "alert" });
  const complain = (/** @type {string} */ text) => {
    problem.textContent = text;
    set(input, { "aria-invalid": text ? "true" : null });
  };
  input.addEventListener("input", () => complain(""));
  const element = h(
    "div.field",
    h("label", { for: id }, label),
    h("div.input.flow", input, beside?.(input)),
    h("small.quiet", { id: `${id}-hint`, hidden: !hint }, hint),
    problem,
  );
  const wrong = () => (input.value.trim() ? (check?.(input.value) ?? "") : t("This is needed."));
  return { element, input, complain, check: () => (input.required ? wrong() : "") };
}

/** The name of an account. @param {string} label @param {string} value @param {Properties} [more] */
export const nameField = (label, value, more = {}) =>
  textField(label, { name: "username", value, required: true, maxlength: 24, dir: "auto", autocomplete: "username", autocapitalize: "none", ...more });

/** A password, with a button that shows it. @param {string} label @param {"new-password" | "current-password"} kind @param {Properties} [more] */
export function passwordField(label, kind, more = {}) {
  const isNew = kind === "new-password";
  const beside = (/** @type {HTMLInputElement} */ input) => {
    const press = () => {
      const shows = input.type === "password";
      input.type = shows ? "text" : "password";
      set(show, { "aria-pressed": String(shows) });
    };
    const show = button(t("Show"), press, "plain", { type: "button", "aria-pressed": "false", "aria-label": t("Show the password") });
    return show;
  };
  const check = (/** @type {string} */ value) =>
    isNew && [...value].length < MIN_PASSWORD ? t("At least {count} characters.", { count: MIN_PASSWORD }) : "";
  const properties = { type: "password", name: isNew ? "new-password" : "password", required: true, maxlength: MAX_PASSWORD, autocomplete: kind, autocapitalize: "none", ...more };
  const hint = isNew ? t("At least {count} characters. A short sentence is easier to keep in mind than a riddle.", { count: MIN_PASSWORD }) : "";
  return textField(label, properties, { hint, beside, check });
}

/**
 * Open a sheet with a form. What is refused is said beside the field that `where` names for the refusal's code, or else below
 * all of them, and the sheet stays open.
 * @param {string} title
 * @param {object} what
 * @param {Field[]} what.fields
 * @param {Child[]} [what.before] what stands above the fields
 * @param {Child[]} [what.after] the same below them
 * @param {Child} [what.beside] what stands beside the button
 * @param {string} what.submit the button's text
 * @param {string} [what.danger] its text before a second press, for what cannot be undone
 * @param {boolean} [what.isSecond] whether the sheet's first way is another button
 * @param {Record<string, Field>} [what.where]
 * @param {() => Promise<unknown>} what.send carries it out; the sheet closes when it is done
 */
export function formSheet(title, { fields, before = [], after = [], beside, submit, danger = "", isSecond = false, where = {}, send }) {
  const problem = h("p.problem", { role: "alert" });
  const go = h("button", { type: "submit", class: danger ? "danger" : isSecond ? "" : "primary" }, submit);
  const { dialog, form } = openSheet(title, "small account", ...before, h("div.fields", fields.map((field) => field.element)), problem, ...after, h("footer", beside, go));
  form.noValidate = true;
  let pressed = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    for (const field of fields) field.complain(field.check());
    const wrong = fields.find((field) => field.input.hasAttribute("aria-invalid"));
    if (wrong) {
      wrong.input.focus();
      return;
    }
    if (danger && !pressed) {
      pressed = true;
      fill(go, danger);
      return;
    }
    go.disabled = true;
    try {
      await send();
      dialog.close();
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      const field = where[code];
      if (field) {
        field.complain(message);
        field.input.focus();
      } else problem.textContent = message;
    } finally {
      go.disabled = false;
      pressed = false;
      fill(go, submit);
    }
  });
  (fields.find((field) => !field.input.value) ?? fields[0])?.input.focus();
  return { dialog, form };
}
