/** A class or club: its invitation, members with their roles and presence, lines to all, and its events. */

import { inviteCode } from "./calls.js";
import { copyField } from "./copyfield.js";
import { button, fill, h, keyed } from "./dom.js";
import { GroupEvents } from "./groupevents.js";
import { counted, t } from "./grouptexts.js";
import { openSheet } from "./sheet.js";
import { twice } from "./twice.js";
import { ago, isolated, nameOf } from "./words.js";

/** @typedef {import("./protocol").GroupState} GroupState */
/** @typedef {import("./protocol").MemberInfo} MemberInfo */

/** How often presence is asked for, in milliseconds. */
const PRESENCE_MS = 10_000;
/** How long changes are waited for before they are asked for, in milliseconds. */
const SOON_MS = 400;
const CODE_HALF = 4;

/** @implements {View} */
export class GroupView {
  /** @param {Page} page @param {string} id */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    /** @type {GroupState | null} */
    this.state = null;
    /** @type {number | undefined} the timer of the next request, where one is due */
    this.soon = undefined;
    this.abort = new AbortController();
    this.heading = h("h1.grow", t("Class or club"));
    this.choices = h("div.row");
    this.invitation = h("section.panel.invitation", { hidden: true, "aria-label": t("Invitation") });
    this.members = h("div.list.panel.members", { role: "list" });
    this.count = h("h2", t("Members"));
    this.lines = h("div.lines", { role: "log", "aria-label": t("Messages to all") });
    this.say = this.#sayForm();
    this.events = new GroupEvents(page, id);
    this.element = h(
      "div.lobby.group",
      h("header.flow", h("a.button.plain", { href: "#/groups" }, t("Classes and clubs")), this.heading, this.choices),
      h(
        "div.columns",
        h("div.group-side", this.invitation, h("section.panel.group-told", h("h2", t("Messages to all")), this.lines, this.say)),
        h("div.grow", this.events.element, h("section", this.count, this.members)),
      ),
    );
    const { signal } = this.abort;
    page.link.hear(
      {
        online: () => this.#askAll(),
        group_changed: ({ group, is_over }) => group === id && (is_over ? this.#over() : this.#askSoon()),
        group_message: ({ group }) => group === id && this.#askSoon(),
      },
      signal,
    );
    this.timer = window.setInterval(() => document.hidden || this.#askAll(), PRESENCE_MS);
    if (page.link.state === "online") this.#askAll();
  }

  close() {
    clearInterval(this.timer);
    clearTimeout(this.soon);
    this.abort.abort();
  }

  get #isTeacher() {
    return this.state?.group.role === "teacher";
  }

  /** Ask once for several changes: a class joins within a minute. */
  #askSoon() {
    this.soon ??= window.setTimeout(() => {
      this.soon = undefined;
      this.#ask();
    }, SOON_MS);
  }

  async #askAll() {
    await this.#ask();
    if (this.state && !this.abort.signal.aborted) await this.events.ask(this.#isTeacher);
  }

  async #ask() {
    try {
      this.state = await this.page.link.ask({ type: "ask_group", group: this.id });
      if (!this.abort.signal.aborted) this.#draw();
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code === "unknown_group") fill(this.element, h("p.empty", message), h("a.button", { href: "#/groups" }, t("Classes and clubs")));
    }
  }

  #over() {
    this.page.toast(t("You are no longer a member of this group."));
    this.page.go("#/groups");
  }

  /** Send a command about this group. @param {Needing<"group">} type @param {() => void} [then] */
  async #send(type, then) {
    try {
      await this.page.link.ask({ type, group: this.id }, { lasting: true });
      then?.();
    } catch (error) {
      this.page.complain(error);
    }
  }

  #draw() {
    const state = /** @type {GroupState} */ (this.state);
    const { group, members, told, code } = state;
    document.title = `${isolated(group.name)} – Cornered`;
    this.heading.textContent = group.name;
    const sign = JSON.stringify([group.role, group.name, group.guests]);
    if (this.choices.dataset.sign !== sign) {
      this.choices.dataset.sign = sign;
      const leave = twice(t("Leave"), t("Really leave?"), () => this.#send("leave_group", () => this.page.go("#/groups")), { data: { does: "leave_group" } });
      const close = twice(t("Close for all"), t("Really close it?"), () => this.#send("close_group"), { data: { does: "close_group" } });
      fill(this.choices, this.#isTeacher ? [button(t("Settings"), () => this.#settle()), close, leave] : leave);
    }
    const here = members.filter((member) => member.here).length;
    this.count.textContent = `${counted(members.length, "{count} member", "{count} members")} · ${t("{count} here now", { count: here })}`;
    keyed(this.members, [...members], ({ player }) => player.id, (member) => this.#member(member));
    this.say.hidden = !this.#isTeacher;
    fill(
      this.lines,
      told.length
        ? told.map((line) => h("p", h("strong", isolated(line.by.name)), " ", h("bdi", line.text), " ", h("small.quiet", ago(line.at, this.page.link.now()))))
        : h("p.quiet", t("Nothing was said yet.")),
    );
    this.lines.scrollTop = this.lines.scrollHeight;
    this.#drawInvitation(code);
  }

  /** @param {string | null} code */
  #drawInvitation(code) {
    this.invitation.hidden = !this.#isTeacher;
    const sign = `${this.#isTeacher} ${code}`;
    if (!this.#isTeacher || this.invitation.dataset.sign === sign) return;
    this.invitation.dataset.sign = sign;
    if (code === null) {
      fill(
        this.invitation,
        h("h2", t("Invitation")),
        h("p.quiet", t("Nobody can join just now.")),
        button(t("Make a code"), () => this.#send("renew_group_code"), "primary", { data: { does: "renew_group_code" } }),
      );
      return;
    }
    const link = `${location.href.split("#")[0]}#/join/${code}`;
    fill(
      this.invitation,
      h("h2", t("Invitation")),
      h("p.group-code", { data: { code } }, `${code.slice(0, CODE_HALF)}-${code.slice(CODE_HALF)}`),
      inviteCode(link),
      copyField(this.page, t("Link to join"), link, t("The link is copied.")),
      h(
        "div.row",
        twice(t("New code"), t("The old one ends: really?"), () => this.#send("renew_group_code"), { data: { does: "renew_group_code" } }),
        button(t("Let nobody join"), () => this.#send("revoke_group_code"), "", { data: { does: "revoke_group_code" } }),
      ),
    );
  }

  /** @param {MemberInfo} member @returns {Kept<MemberInfo>} */
  #member(member) {
    const line = h("div.line.flow", { role: "listitem" });
    const update = (/** @type {MemberInfo} */ now) => {
      const { player, role, here } = now;
      const mine = player.id === this.page.link.me?.id;
      const sign = JSON.stringify([now, this.#isTeacher, mine]);
      if (line.dataset.sign === sign) return;
      line.dataset.sign = sign;
      fill(
        line,
        h("span", { class: `presence${here ? "" : " away"}`, title: here ? t("here") : t("not here") }),
        h("span.unseen", here ? t("here") : t("not here")),
        h("a.grow.name", { href: `#/player/${player.id}` }, h("bdi", player.name), mine ? h("small.quiet", ` ${t("you")}`) : null),
        role === "teacher" ? h("small.bot", t("teacher")) : null,
        this.#isTeacher && !mine ? this.#roles(now) : null,
      );
    };
    update(member);
    return Object.assign(line, { update });
  }

  /** @param {MemberInfo} member */
  #roles({ player, role }) {
    const about = { group: this.id, player: player.id };
    const give = (/** @type {"teacher" | "member"} */ given) =>
      this.page.link.ask({ type: "set_group_role", ...about, role: given }, { lasting: true }).catch(this.page.complain);
    const name = nameOf(player);
    return h(
      "span.row",
      role === "teacher"
        ? button(t("Make a member"), () => give("member"), "plain", { "aria-label": t("Make a member: {name}", { name }) })
        : button(t("Make a teacher"), () => give("teacher"), "plain", { "aria-label": t("Make a teacher: {name}", { name }) }),
      twice(
        t("Remove"),
        t("Really remove?"),
        () => this.page.link.ask({ type: "remove_member", ...about }, { lasting: true }).catch(this.page.complain),
        { "aria-label": t("Remove {name}", { name }) },
      ),
    );
  }

  #sayForm() {
    const input = h("input", { maxlength: 300, dir: "auto", required: true, autocomplete: "off", "aria-label": t("Message to all"), placeholder: t("Message to all") });
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        await this.page.link.ask({ type: "tell_group", group: this.id, text: input.value });
        input.value = "";
      } catch (error) {
        this.page.complain(error);
      }
    };
    return h("form.flow", { hidden: true, on: { submit: send } }, input, h("button.primary", t("Send")));
  }

  #settle() {
    const { group } = /** @type {GroupState} */ (this.state);
    const name = h("input", { required: true, maxlength: 60, dir: "auto", value: group.name, autocomplete: "off" });
    const guests = h("input", { type: "checkbox", checked: group.guests });
    const { form } = openSheet(
      t("Settings"),
      "small",
      h("label.field", h("span", t("Name of the class or club")), name),
      h("label.switch.flow", guests, h("span", t("Members may join without an account"))),
      h("footer", h("button.primary", t("Keep"))),
    );
    form.addEventListener("submit", () => {
      const settled = { type: /** @type {const} */ ("change_group"), group: this.id, name: name.value, guests: guests.checked };
      this.page.link.ask(settled, { lasting: true }).catch(this.page.complain);
    });
  }
}
