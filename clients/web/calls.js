/** The top of the lobby: my tables and challenges, an invitation, and a welcome. */

import { button, h, keyed } from "./dom.js";
import { tableText } from "./form.js";
import { keep, settings } from "./settings.js";
import { nameOf, optionText, plural } from "./words.js";

export class Calls {
  /** @param {Page} page @param {string} invite the table of an invite link, or nothing */
  constructor(page, invite) {
    this.page = page;
    this.invite = invite;
    /** @type {Seek | null} the table of the invite link as the server told of it; those who sit there hear more */
    this.invited = null;
    /** Why the table cannot be joined any more. */
    this.gone = "";
    this.element = h("div.calls");
  }

  /** Ask for the table of the invite link. */
  async ask() {
    if (!this.invite) return;
    try {
      this.invited = (await this.page.link.ask({ type: "ask_seek", seek: this.invite })).seek;
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code === "unknown_seek") this.gone = message;
    }
    this.draw();
  }

  draw() {
    const { store, link } = this.page;
    const { me } = link;
    const sits = (/** @type {Seek} */ seek) => seek.joined.some((player) => player.id === me?.id);
    /** @type {{key: string, make: () => HTMLElement}[]} */
    const calls = [];
    const invited = store.seeks.get(this.invite) ?? this.invited;
    if (invited && sits(invited)) this.invite = "";
    if (this.invite) calls.push({ key: `${this.#sign(invited)}${this.gone}`, make: () => this.#invitation(invited) });
    if (!settings.greeted && me) calls.push({ key: `hello:${me.name}`, make: () => this.#hello(nameOf(me)) });
    for (const seek of store.seeks.values())
      if (sits(seek)) calls.push({ key: `mine:${this.#sign(seek)}`, make: () => this.#waiting(seek) });
    for (const challenge of store.challenges.values()) {
      if (challenge.by.id === me?.id)
        calls.push({ key: `asked:${challenge.challenge}`, make: () => this.#asked(challenge) });
    }
    keyed(
      this.element,
      calls,
      (call) => call.key,
      (call) => call.make(),
    );
  }

  /** The key of the state that a table's text depends on. @param {Seek | null} seek */
  #sign(seek) {
    return `${seek?.id} ${seek?.joined.map((player) => player.name)} ${this.page.store.games.length}`;
  }

  /** A table's game, options, clock and whether it is private. @param {Seek} seek */
  #terms({ settings: chosen }) {
    const words = [optionText(chosen.game, this.page.store.offered(chosen.game.name), true), tableText(chosen)];
    return words.filter(Boolean).join(" · ");
  }

  /** The names of a table's players. @param {Seek} seek */
  #company({ joined, seats }) {
    const names = joined.map((player) => (player.id === this.page.link.me?.id ? "you" : nameOf(player)));
    return `At the table: ${names.join(", ")} (${joined.length} of ${seats}).`;
  }

  /** Ask a new player for a name, without a dialog. @param {string} name */
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
      "form.call.hello",
      { on: { submit } },
      h("p", h("strong", "Welcome. "), `You play as ${name}. Want a name?`),
      h("div.row", input, h("button.primary", "Use it"), button(`Stay ${name}`, done, "plain", { type: "button" })),
    );
  }

  /** @param {Seek | null} seek */
  #invitation(seek) {
    const { store, link, complain } = this.page;
    const dismiss = () => {
      this.invite = "";
      this.draw();
    };
    if (this.gone) return h("div.call.invite", h("p", this.gone), button("Close", dismiss));
    const join = async () => {
      try {
        await link.ask({ type: "join_seek", seek: this.invite }, { lasting: true });
        dismiss();
      } catch (error) {
        complain(error);
        this.ask();
      }
    };
    return h(
      "div.call.invite",
      seek
        ? h(
            "p",
            h("strong", `${nameOf(seek.by)} invites you to a game of ${store.title(seek.settings.game.name)}.`),
            h("br"),
            this.#terms(seek),
            h("br"),
            h("span.quiet", this.#company(seek)),
          )
        : h("p", h("strong", "You are invited to a game.")),
      button("Sit down", join, "primary"),
    );
  }

  /** A table at which I sit. @param {Seek} seek */
  #waiting(seek) {
    const { store, link, complain } = this.page;
    const { id, joined, seats, settings: chosen } = seek;
    const isMine = seek.by.id === link.me?.id;
    const invite = `${location.href.split("#")[0]}#/s/${id}`;
    const send = (/** @type {Needing<"seek">} */ type) => () =>
      link.ask({ type, seek: id }, { lasting: true }).catch(complain);
    const copy = () => this.page.copy(invite, "The invite link is copied.");
    const enough = isMine && chosen.minimum && joined.length >= chosen.minimum;
    return h(
      "div.call.waiting",
      h("span.pulse", { "aria-hidden": "true" }),
      h(
        "p",
        h("strong", store.title(chosen.game.name)),
        ` · ${this.#terms(seek)}`,
        h("br"),
        joined.length > 1 ? [this.#company(seek), h("br")] : null,
        h("span.quiet", `Waiting for ${plural(seats - joined.length, "player")}. Stay on this page, or send the link.`),
      ),
      h(
        "div.row",
        enough && button("Start now", send("start_seek"), "primary"),
        button("Copy invite link", copy),
        button(isMine ? "Cancel" : "Leave", send(isMine ? "cancel_seek" : "leave_seek")),
      ),
    );
  }

  /** @param {Challenged} challenge */
  #asked(challenge) {
    const { store, link, complain } = this.page;
    const cancel = () =>
      link.ask({ type: "cancel_challenge", challenge: challenge.challenge }, { lasting: true }).catch(complain);
    return h(
      "div.call.waiting",
      h("span.pulse", { "aria-hidden": "true" }),
      h("p", h("strong", nameOf(challenge.to)), ` is asked for a game of ${store.title(challenge.game.name)}.`),
      button("Cancel", cancel),
    );
  }
}
