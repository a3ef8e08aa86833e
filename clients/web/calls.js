/** What waits for me at the top of the lobby: my tables, my challenges, an invitation, and a word of welcome. */

import { h, keyed } from "./dom.js";
import { tableText } from "./form.js";
import { keep, settings } from "./settings.js";
import { optionText, plural } from "./words.js";

export class Calls {
  /** @param {any} page @param {string} invite the table of an invite link, or nothing */
  constructor(page, invite) {
    this.page = page;
    this.invite = invite;
    this.element = h("div", { class: "calls" });
  }

  draw() {
    const { store, link } = this.page;
    /** @type {{key: string, make: () => any}[]} */
    const calls = [];
    if (
      this.invite &&
      ![...store.seeks.values()].some((seek) => seek.id === this.invite && seek.by.id === link.me?.id)
    ) {
      calls.push({ key: `invite:${store.seeks.has(this.invite)}`, make: () => this.#invitation() });
    }
    if (!settings.greeted && link.me)
      calls.push({ key: `hello:${link.me.name}`, make: () => this.#hello(link.me.name) });
    for (const seek of store.seeks.values()) {
      if (seek.by.id === link.me?.id)
        calls.push({
          key: `mine:${seek.id}:${seek.joined.length}`,
          make: () => this.#waiting(seek.id, seek.settings, seek),
        });
    }
    for (const [id, chosen] of store.hidden) {
      if (!store.seeks.has(id)) calls.push({ key: `mine:${id}`, make: () => this.#waiting(id, chosen, null) });
    }
    for (const challenge of store.challenges.values()) {
      if (challenge.by.id === link.me?.id)
        calls.push({ key: `asked:${challenge.challenge}`, make: () => this.#asked(challenge) });
    }
    keyed(
      this.element,
      calls,
      (call) => call.key,
      (call) => call.make(),
    );
  }

  /** Ask a newcomer for a name, without standing in the way. @param {string} name */
  #hello(name) {
    const input = h("input", {
      name: "name",
      maxlength: 24,
      required: true,
      placeholder: "Your name",
      "aria-label": "Your name",
      autocomplete: "nickname",
    });
    const done = () => {
      keep({ greeted: true });
      this.draw();
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (input.value.trim()) this.page.link.rename(input.value.trim());
      done();
    };
    return h(
      "form",
      { class: "call hello", on: { submit } },
      h("p", {}, h("strong", {}, "Welcome. "), `You play as ${name}. Want a name?`),
      h(
        "div",
        { class: "row" },
        input,
        h("button", { class: "primary" }, "Use it"),
        h("button", { type: "button", class: "plain", on: { click: done } }, `Stay ${name}`),
      ),
    );
  }

  #invitation() {
    const { store, link, complain } = this.page;
    const seek = store.seeks.get(this.invite);
    const words = seek
      ? `${seek.by.name} invites you to ${store.title(seek.settings.game.name)}: ${tableText(seek.settings)}.`
      : "You are invited to a game.";
    const join = async () => {
      try {
        await link.ask({ type: "join_seek", seek: this.invite }, { lasting: true });
        this.invite = "";
        this.draw();
      } catch (error) {
        complain(error);
      }
    };
    return h(
      "div",
      { class: "call invite" },
      h("p", {}, h("strong", {}, words)),
      h("button", { class: "primary", on: { click: join } }, "Sit down"),
    );
  }

  /** @param {string} id @param {any} chosen @param {any} seek */
  #waiting(id, chosen, seek) {
    const { store, link, complain, toast } = this.page;
    const invite = `${location.href.split("#")[0]}#/s/${id}`;
    const missing = seek ? seek.seats - seek.joined.length : 1;
    const cancel = () =>
      link.ask({ type: "cancel_seek", seek: id }, { lasting: true }).then(() => store.hide(id, null), complain);
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(invite);
        toast("The invite link is copied.");
      } catch {
        toast(invite, [], 20);
      }
    };
    const enough = seek && chosen.minimum && seek.joined.length >= chosen.minimum;
    return h(
      "div",
      { class: "call waiting" },
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h(
        "p",
        {},
        h("strong", {}, store.title(chosen.game.name)),
        ` · ${[optionText(chosen.game, store.offered(chosen.game.name)), tableText(chosen)].filter(Boolean).join(" · ")}`,
        h("br"),
        h("span", { class: "quiet" }, `Waiting for ${plural(missing, "player")}. Stay on this page, or send the link.`),
      ),
      h(
        "div",
        { class: "row" },
        enough &&
          h(
            "button",
            {
              class: "primary",
              on: { click: () => link.ask({ type: "start_seek", seek: id }, { lasting: true }).catch(complain) },
            },
            "Start now",
          ),
        h("button", { on: { click: copy } }, "Copy invite link"),
        h("button", { on: { click: cancel } }, "Cancel"),
      ),
    );
  }

  /** @param {any} challenge */
  #asked(challenge) {
    const { store, link, complain } = this.page;
    const cancel = () =>
      link.ask({ type: "cancel_challenge", challenge: challenge.challenge }, { lasting: true }).catch(complain);
    return h(
      "div",
      { class: "call waiting" },
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h("p", {}, h("strong", {}, challenge.to.name), ` is asked for a game of ${store.title(challenge.game.name)}.`),
      h("button", { on: { click: cancel } }, "Cancel"),
    );
  }
}
