/** The chat of the players, or that of the spectators. */

import { button, h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";
import { isolated } from "./words.js";

const MAX_LINES = 100;
const BUBBLE_CHARACTERS = 90;

export class Chat {
  /** @param {Page} page @param {string} match @param {"players" | "spectators"} room */
  constructor(page, match, room) {
    this.page = page;
    this.match = match;
    /** @type {(() => void) | null} removes the bubble */
    this.removeBubble = null;
    this.list = h("div.lines", { role: "log", tabindex: 0, "aria-label": t("Chat") });
    const input = h("input", {
      maxlength: 300,
      dir: "auto",
      placeholder: room === "players" ? t("To the players") : t("To the spectators"),
      "aria-label": t("Message"),
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
      [icon("more"), room === "players" ? t("Chat") : t("Spectators' chat"), this.unread],
      () => this.#fold(this.element.classList.contains("open")),
      "plain",
    );
    this.form = h("form", { on: { submit: send } }, input, h("button.plain", { "aria-label": t("Send") }, icon("send")));
    this.barred = h("p.quiet", { hidden: true });
    this.body = h("div.body", this.list, this.form, this.barred);
    this.element = h("section.chat.panel", { "aria-label": t("Chat") }, this.toggle, this.body);
    this.me = page.link.me?.id;
    this.count = 0;
    this.#fold(!matchMedia("(min-width: 1180px)").matches);
    this.#learnPolicy();
  }

  /** Hide the input where I may not write, and say why. */
  async #learnPolicy() {
    const { link } = this.page;
    if (link.state !== "online") return;
    try {
      const { chat } = await link.ask({ type: "ask_policies" });
      const why = chat === "nobody" ? t("There is no chat on this server.") : chat === "accounts" && !link.hasAccount ? t("Only players with an account write here.") : "";
      this.form.hidden = why !== "";
      this.barred.hidden = why === "";
      this.barred.textContent = why;
    } catch {
      // The server refuses what may not be written, and says why.
    }
  }

  /** Show a line over the page while the chat is folded; the keyboard's focus stays. @param {string} name @param {string} text */
  #bubble(name, text) {
    this.removeBubble?.();
    const line = text.length > BUBBLE_CHARACTERS ? `${text.slice(0, BUBBLE_CHARACTERS)}…` : text;
    const open = () => {
      this.removeBubble?.();
      this.#fold(false);
      this.element.scrollIntoView({ block: "nearest" });
    };
    this.removeBubble = this.page.toast(`${name}: ${line}`, [button(t("Open chat"), open)]);
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
        by.id === this.me ? h("strong", h("bdi", by.name)) : button(h("bdi", by.name), () => this.page.openPlayer(by, this.match), "writer"),
        " ",
        h("bdi", text),
      ),
    );
    while (this.list.childElementCount > MAX_LINES) this.list.firstElementChild?.remove();
    this.list.scrollTop = this.list.scrollHeight;
    if (!this.body.hidden || old) return;
    this.unread.textContent = String(++this.count);
    this.#bubble(isolated(by.name), isolated(text));
  }
}
