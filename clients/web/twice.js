/** Buttons of what cannot be undone. */

import { button } from "./dom.js";

const CONFIRM_TIMEOUT_MS = 4000;

/**
 * A button that needs a second press within a few seconds.
 * @param {string} text
 * @param {string} again what it says after the first press
 * @param {() => void} act
 * @param {Properties} [more]
 */
export function twice(text, again, act, more = {}) {
  let timer = 0;
  const calm = () => {
    clearTimeout(timer);
    timer = 0;
    element.textContent = text;
    element.classList.remove("danger");
  };
  const press = () => {
    if (timer) {
      calm();
      act();
      return;
    }
    element.textContent = again;
    element.classList.add("danger");
    timer = window.setTimeout(calm, CONFIRM_TIMEOUT_MS);
  };
  const element = button(text, press, "", more);
  element.addEventListener("blur", () => timer && calm());
  return element;
}
