/** The classes and clubs of a player: to join one by its code, to create one, and to go to each. */

import { button, fill, h } from "./dom.js";
import { counted, t } from "./grouptexts.js";
import { load } from "./lazy.js";
import { decoded } from "./route.js";
import { openSheet } from "./sheet.js";
import { isolated } from "./words.js";

/** `MAX_GROUP_NAME` of the protocol, and the characters of a name. */
const MAX_GROUP_NAME = 60;
const MAX_NAME = 24;

/** @implements {View} */
export class GroupsView {
  /** @param {Page} page @param {string} code of the invitation that was followed, or nothing */
  constructor(page, code) {
    this.page = page;
    this.isInvited = Boolean(code);
    this.abort = new AbortController();
    this.list = h("div.list");
    this.code = h("input.code-field", {
      name: "code",
      required: true,
      maxlength: 32,
      value: decoded(code),
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      placeholder: "ABCD-2345",
    });
    this.name = h("input", { name: "name", maxlength: MAX_NAME, dir: "auto", autocomplete: "name" });
    this.nameField = h("label.field", { hidden: true }, h("span", t("Your name, as the others know you")), this.name);
    this.problem = h("p.problem", { role: "alert" });
    const join = h(
      "form.panel.join",
      { on: { submit: (event) => this.#join(event) } },
      h("h2", code ? t("You are invited") : t("Join by code")),
      h("p.quiet", t("No account is needed, unless the group asks for one.")),
      h("div.row", h("label.field", h("span", t("Code")), this.code), this.nameField, h("button.primary", t("Join"))),
      this.problem,
    );
    const create = button(t("Create a class or club"), () => this.#create(), "", { data: { does: "create_group" } });
    this.element = h(
      "div.lobby.groups",
      h("header.flow", h("h1.grow", t("Classes and clubs")), code ? null : create),
      code ? [join, this.list] : [this.list, join],
    );
    document.title = `${t("Classes and clubs")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#ask(), renamed: () => this.#ask(), group_changed: () => this.#ask() }, signal);
    if (page.link.state === "online") this.#ask();
  }

  close() {
    this.abort.abort();
  }

  async #ask() {
    const { link } = this.page;
    // A guest's name is the browser's choice until it says who it is; an account has one.
    this.nameField.hidden = link.hasAccount;
    this.name.required = !link.hasAccount;
    if (!this.name.value && link.me && !/^Guest\b/.test(link.me.name)) this.name.value = link.me.name;
    try {
      const { groups } = await link.ask({ type: "ask_groups" });
      fill(this.list, groups.length ? groups.map(card) : this.isInvited ? "" : h("p.quiet.empty", t("You are in no class or club yet.")));
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline") fill(this.list, h("p.empty", message));
    }
  }

  /** @param {Event} event */
  async #join(event) {
    event.preventDefault();
    const { link, go } = this.page;
    this.problem.textContent = "";
    const name = this.name.value.trim();
    if (!link.hasAccount && name && name !== link.me?.name) {
      link.rename(name);
      await new Promise((resolve) => link.addEventListener("online", resolve, { once: true }));
    }
    try {
      const { ref } = await link.ask({ type: "join_group", code: this.code.value }, { lasting: true });
      go(`#/group/${ref}`);
    } catch (error) {
      this.problem.textContent = /** @type {Error} */ (error).message;
    }
  }

  #create() {
    const { page } = this;
    if (!page.link.hasAccount) {
      const register = button(
        t("Create an account"),
        () => {
          dialog.close();
          load(() => import("./entrance.js"), "players.css").then((module) => module.register(page), page.complain);
        },
        "primary",
        { type: "button" },
      );
      const { dialog } = openSheet(
        t("Create a class or club"),
        "small",
        h("p", t("A class or club needs a teacher with an account, so that it is not lost with this browser. Members need none.")),
        h("footer", register),
      );
      return;
    }
    const name = h("input", { name: "name", required: true, maxlength: MAX_GROUP_NAME, dir: "auto", autocomplete: "off" });
    const guests = h("input", { type: "checkbox", name: "guests", checked: true });
    const { form } = openSheet(
      t("Create a class or club"),
      "small",
      h("label.field", h("span", t("Name of the class or club")), name),
      h("label.switch.flow", guests, h("span", t("Members may join without an account"))),
      h("footer", h("button.primary", t("Create it"))),
    );
    form.addEventListener("submit", async () => {
      try {
        const { ref } = await page.link.ask({ type: "create_group", name: name.value, guests: guests.checked }, { lasting: true });
        page.go(`#/group/${ref}`);
      } catch (error) {
        page.complain(error);
      }
    });
    name.focus();
  }
}

/** @param {import("./protocol").GroupInfo} group */
function card({ id, name, members, role }) {
  const facts = [counted(members, "{count} member", "{count} members"), role === "teacher" ? t("you are a teacher") : ""];
  return h(
    "a.panel.group-card",
    { href: `#/group/${id}` },
    h("strong", isolated(name)),
    h("span.quiet", facts.filter(Boolean).join(" · ")),
  );
}
