/** The top of the lobby: my tables and challenges, and an invitation. */

import { button, h, keyed } from "./dom.js";
import { counted, rich, t } from "./language.js";
import { poolCall } from "./pools.js";
import { nameOf, optionText, tableText } from "./words.js";

const THIS_MACHINE = /^(localhost|.*\.localhost|127\..*|\[::1\])$/;

/**
 * The QR code of an invite link, for a phone that is held to the screen. A phone cannot open an address of this machine.
 * @param {string} invite
 */
export function inviteCode(invite) {
  if (THIS_MACHINE.test(location.hostname))
    return h("p.quiet", t("This link works on this machine only. Start the server with --lan to invite other devices."));
  const image = h("img.code", { alt: t("QR code of the invite link"), width: 150, height: 150 });
  // The link beside it is enough where the picture does not come.
  image.onerror = () => image.remove();
  image.src = `qr.svg?link=${encodeURIComponent(invite)}`;
  return image;
}

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
    const { waiting } = store;
    if (waiting) calls.push({ key: `pool:${waiting.pool} ${waiting.since} ${waiting.bot?.id} ${store.pools.length}`, make: () => poolCall(this.page, waiting) });
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
    const names = joined.map((player) => (player.id === this.page.link.me?.id ? t("you") : nameOf(player)));
    return t("At the table: {names} ({count} of {all}).", { names: names.join(", "), count: joined.length, all: seats });
  }

  /** @param {Seek | null} seek */
  #invitation(seek) {
    const { store, link, complain } = this.page;
    const dismiss = () => {
      this.invite = "";
      this.draw();
    };
    if (this.gone) return h("div.call.invite", h("p", this.gone), button(t("Close"), dismiss));
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
            h("strong", t("{name} invites you to a game of {game}.", { name: nameOf(seek.by), game: store.title(seek.settings.game.name) })),
            h("br"),
            this.#terms(seek),
            h("br"),
            h("span.quiet", this.#company(seek)),
          )
        : h("p", h("strong", t("You are invited to a game."))),
      button(t("Sit down"), join, "primary"),
    );
  }

  /** A table at which I sit. @param {Seek} seek */
  #waiting(seek) {
    const { store, link, complain } = this.page;
    const { id, joined, seats, settings: chosen } = seek;
    const isMine = seek.by.id === link.me?.id;
    const invite = `${location.origin}${location.pathname}#/s/${id}`;
    const send = (/** @type {Needing<"seek">} */ type) => () =>
      link.ask({ type, seek: id }, { lasting: true }).catch(complain);
    const copy = () => this.page.copy(invite, t("The invite link is copied."));
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
        h(
          "span.quiet",
          counted(seats - joined.length, "Waiting for {count} player.", "Waiting for {count} players."),
          " ",
          chosen.clock.kind === "correspondence" ? t("The table stays open for a week, also without you.") : t("Stay on this page, or send the link."),
        ),
        h("br"),
        h("span.address", invite),
      ),
      inviteCode(invite),
      h(
        "div.row",
        enough && button(t("Start now"), send("start_seek"), "primary"),
        button(t("Copy invite link"), copy),
        button(isMine ? t("Cancel") : t("Leave"), send(isMine ? "cancel_seek" : "leave_seek")),
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
      h("p", rich("{name} is asked for a game of {game}.", { name: h("strong", nameOf(challenge.to)), game: store.title(challenge.game.name) })),
      button(t("Cancel"), cancel),
    );
  }
}
