/** The chat of the players, or that of the spectators. */

import { button, h } from "./dom.js";
import { icon } from "./icons.js";

const MAX_LINES = 100;

export class Chat {
  /** @param {Page} page @param {string} match @param {"players" | "spectators"} room */
  constructor(page, match, room) {
    this.list = h("div.lines", { role: "log", tabindex: 0, "aria-label": "Chat" });
    const input = h("input", {
      maxlength: 300,
      placeholder: room === "players" ? "To the players" : "To the spectators",
      "aria-label": "Message",
      autocomplete: "off",
    });
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text) return;
      try {
        await page.link.ask({ type: "say", match, text, room });
        input.value = "";
      } catch (error) {
        page.complain(error);
      }
    };
    this.unread = h("span.unread");
    this.toggle = button(
      [icon("more"), room === "players" ? "Chat" : "Spectators' chat", this.unread],
      () => this.#fold(this.element.classList.contains("open")),
      "plain",
    );
    this.body = h(
      "div.body",
      this.list,
      h("form", { on: { submit: send } }, input, h("button.plain", { "aria-label": "Send" }, icon("send"))),
    );
    this.element = h("section.chat.panel", { "aria-label": "Chat" }, this.toggle, this.body);
    this.me = page.link.me?.id;
    this.count = 0;
    this.#fold(!matchMedia("(min-width: 1180px)").matches);
  }

  /** @param {boolean} folded */
  #fold(folded) {
    this.element.classList.toggle("open", !folded);
    this.body.hidden = folded;
    this.toggle.setAttribute("aria-expanded", String(!folded));
    if (folded) return;
    this.count = 0;
    this.unread.textContent = "";
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Add a line; an `old` one is not announced. @param {import("./protocol").Said} said @param {boolean} old */
  hear({ by, text, at }, old) {
    const key = `${at} ${by.id} ${text}`;
    if (/** @type {HTMLElement[]} */ ([...this.list.children]).some((line) => line.dataset.key === key)) return;
    this.list.setAttribute("aria-live", old ? "off" : "polite");
    this.list.append(
      h(
        "p",
        { class: by.id === this.me ? "mine" : "", data: { key } },
        h("strong", h("bdi", by.name)),
        " ",
        h("bdi", text),
      ),
    );
    while (this.list.childElementCount > MAX_LINES) this.list.firstElementChild?.remove();
    this.list.scrollTop = this.list.scrollHeight;
    if (this.body.hidden && !old) this.unread.textContent = String(++this.count);
  }
}
