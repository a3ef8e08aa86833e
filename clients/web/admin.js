/** For administrators: open reports, bans, the log with its seals, accounts and invitations. The server checks every command. */

import { copyField } from "./copyfield.js";
import { timeText } from "./dates.js";
import { banSheet, closeSheet, liftSheet } from "./decisions.js";
import { button, fill, h, set } from "./dom.js";
import { counted, t } from "./moderationtexts.js";
import { ago, nameOf } from "./words.js";

/** @typedef {import("./protocol").AccountInfo} AccountInfo */
/** @typedef {import("./protocol").AuditEntry} AuditEntry */
/** @typedef {import("./protocol").BanInfo} BanInfo */
/** @typedef {import("./protocol").ReportInfo} ReportInfo */
/** @typedef {"reports" | "bans" | "log" | "accounts" | "invitations"} Part */

/** @type {Record<Part, string>} */
const PARTS = { reports: t("Reports"), bans: t("Bans and mutes"), log: t("Log"), accounts: t("Accounts"), invitations: t("Invitations") };
/** How much of a seal is shown; the whole one is its title. */
const SEAL_CHARACTERS = 12;
const SEARCH_DELAY_MS = 250;

/** @param {Player} player @param {string | null} [match] */
const playerLink = (player, match) => h("a", { href: `#/player/${player.id}${match ? `/${match}` : ""}` }, h("bdi", player.name));

/** @implements {View} */
export class AdminView {
  /** @param {Page} page @param {string} part */
  constructor(page, part) {
    this.page = page;
    this.part = /** @type {Part} */ (Object.hasOwn(PARTS, part) ? part : "reports");
    this.abort = new AbortController();
    this.place = h("div.admin-part", { "aria-live": "polite", "aria-busy": "true" }, h("p.quiet.empty", t("Loading…")));
    const parts = Object.entries(PARTS).map(([name, words]) => h("a.button", { href: `#/admin/${name}`, "aria-current": name === this.part ? "page" : null }, words));
    this.element = h("div.lobby.admin", h("h1", t("Administration")), h("nav.row", { "aria-label": t("Administration") }, parts), this.place);
    document.title = `${PARTS[this.part]} – Cornered`;
    page.link.hear({ online: () => this.#open() }, this.abort.signal);
    if (page.link.state === "online") this.#open();
  }

  close() {
    this.abort.abort();
  }

  /** Ask for the part that is shown, and show it. */
  async #open() {
    const parts = {
      reports: () => this.#reports(),
      bans: () => this.#bans(),
      log: () => this.#log(),
      accounts: async () => this.#accounts(),
      invitations: async () => this.#invitations(),
    };
    try {
      await parts[this.part]();
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      fill(this.place, h("p.problem", { role: "alert" }, code === "not_permitted" ? t("This page is for administrators. Sign in as one.") : message));
    } finally {
      set(this.place, { "aria-busy": null });
    }
  }

  // Reports

  async #reports() {
    const { reports, more } = await this.page.link.ask({ type: "ask_reports" });
    const words = reports.length ? counted(reports.length, "{count} report is open.", "{count} reports are open.") : t("No report is open.");
    fill(this.place, h("p.quiet", words), reports.map((report) => this.#report(report)), more === null ? null : h("p.quiet", t("There are more: they come when these are closed.")));
  }

  /** @param {ReportInfo} report */
  #report(report) {
    const { page } = this;
    const { number, player, by, at, grounds, match } = report;
    const chat = h("div.reported-chat", { hidden: true });
    const look = async () => {
      try {
        const { chat: lines, verified } = await page.link.ask({ type: "ask_report", report: number });
        fill(
          chat,
          lines.map((line) => h("p", h("strong", h("bdi", line.by.name)), " ", h("bdi", line.text), " ", h("small.quiet", timeText(line.at)))),
          lines.length ? null : h("p.quiet", t("No chat was there when this was reported.")),
          verified ? null : h("p.problem", t("This is not what was reported: it was changed or erased in the store.")),
        );
        chat.hidden = false;
      } catch (error) {
        page.complain(error);
      }
    };
    const again = () => this.#open();
    return h(
      "article.panel.report",
      { "aria-label": t("Report {number}", { number }) },
      h("header.flow", h("h2", playerLink(player, match)), h("span.quiet.grow", t("Report {number}", { number })), h("time.quiet", { title: timeText(at) }, ago(at, page.link.now()))),
      h("p.words", h("bdi", grounds)),
      h("p.quiet", t("Reported by"), " ", playerLink(by)),
      h(
        "div.row",
        match ? h("a.button", { href: `#/m/${match}` }, t("The game")) : null,
        button(t("The chat"), look),
        button(t("Ban or mute…"), () => banSheet(page, player, again)),
        button(t("Close…"), () => closeSheet(page, report, again), "primary"),
      ),
      chat,
    );
  }

  // Bans

  async #bans() {
    const rows = h("tbody");
    const words = h("p.quiet");
    const table = this.#table([t("Number"), t("Player"), t("What"), t("Until"), t("By"), t("Grounds"), ""], rows, t("Bans and mutes"));
    await this.#paged(rows, words, t("Nobody is banned or muted."), async (/** @type {number | null} */ after) => {
      const { bans, more } = await this.page.link.ask({ type: "ask_bans", ...(after === null ? {} : { after }) });
      return { rows: bans.map((ban) => this.#ban(ban)), more };
    }, table);
  }

  /** @param {BanInfo} ban */
  #ban(ban) {
    const what = ban.measure === "mute" ? t("muted") : ban.address ? t("banned with the address") : t("banned");
    return h(
      "tr",
      h("td", String(ban.number)),
      h("td", playerLink(ban.player)),
      h("td", what),
      h("td", ban.until === null ? t("until it is lifted") : timeText(ban.until)),
      h("td", h("bdi", byText(ban.by))),
      h("td.words", h("bdi", ban.grounds)),
      h("td", button(t("Lift…"), () => liftSheet(this.page, ban, () => this.#open()), "", { "aria-label": t("Lift number {number}", { number: ban.number }) })),
    );
  }

  // The log

  async #log() {
    const rows = h("tbody");
    const words = h("p.seals");
    const table = this.#table([t("Number"), t("Time"), t("By"), t("What"), t("Seal")], rows, t("Log"));
    await this.#paged(rows, h("p.quiet", { hidden: true }), t("Nothing was reported or decided yet."), async (/** @type {number | null} */ after) => {
      const { entries, broken, more } = await this.page.link.ask({ type: "ask_audit", ...(after === null ? {} : { after }) });
      words.classList.toggle("problem", broken !== null);
      fill(words, broken === null ? t("Verified: every seal fits its entry and the one before.") : t("Entry {number} was changed or removed after it was written. Compare a backup.", { number: broken }));
      return { rows: entries.map((entry) => this.#entry(entry, broken)), more };
    }, table);
    this.place.prepend(words);
  }

  /** @param {AuditEntry} entry @param {number | null} broken */
  #entry({ number, at, by, what, seal }, broken) {
    const isGood = broken === null || number < broken;
    return h(
      "tr",
      h("td", String(number)),
      h("td", timeText(at)),
      h("td", h("bdi", byText(by))),
      h("td.words", h("bdi", what)),
      h("td", h("code", { title: seal }, seal.slice(0, SEAL_CHARACTERS)), " ", h("span", { class: isGood ? "seal-good" : "problem" }, isGood ? t("verified") : t("not verified"))),
    );
  }

  // Accounts

  #accounts() {
    const rows = h("tbody");
    const words = h("p.quiet", { role: "status" });
    const table = this.#table([t("Name"), t("Role"), t("Since"), t("Last seen"), t("Bans"), ""], rows, t("Accounts"));
    const further = button(t("Show more"), () => search(cursor), "plain", { hidden: true });
    const input = h("input", { type: "search", maxlength: 64, dir: "auto", autocomplete: "off", "aria-label": t("Beginning of a name, or a player's id"), placeholder: t("Beginning of a name, or a player's id") });
    let timer = 0;
    /** @type {string | null} */
    let cursor = null;
    const search = async (/** @type {string | null} */ after) => {
      const text = input.value.trim();
      try {
        const { accounts, more } = await this.page.link.ask({ type: "ask_accounts", text, ...(after === null ? {} : { after }) });
        if (text !== input.value.trim()) return;
        if (after === null) fill(rows);
        rows.append(...accounts.map((account) => this.#account(account)));
        cursor = more;
        further.hidden = more === null;
        table.hidden = !rows.childElementCount;
        words.textContent = rows.childElementCount ? "" : t("Nobody was found.");
      } catch (error) {
        words.textContent = /** @type {Error} */ (error).message;
      }
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => search(null), SEARCH_DELAY_MS);
    });
    fill(this.place, h("div.field", input), words, table, further);
    return search(null);
  }

  /** @param {AccountInfo} account */
  #account({ player, role, since, seen, closed, bans }) {
    const roles = { admin: t("administrator"), player: t("player") };
    return h(
      "tr",
      h("td", playerLink(player), " ", h("small.quiet", h("code", player.id))),
      h("td", role === null ? t("guest") : roles[role], closed ? ` · ${t("closed")}` : ""),
      h("td", since === null ? "–" : timeText(since)),
      h("td", seen ? ago(seen, this.page.link.now()) : "–"),
      h("td", bans.join(", ") || "–"),
      h("td", button(t("Ban or mute…"), () => banSheet(this.page, player, () => this.#open()), "", { "aria-label": t("Ban or mute {name}", { name: nameOf(player) }) })),
    );
  }

  // Invitations

  #invitations() {
    const uses = h("input", { type: "number", name: "uses", min: 1, max: 1000, value: 30, required: true });
    const days = h("input", { type: "number", name: "days", min: 1, max: 90, value: 7, required: true });
    const made = h("div.list", { role: "status" });
    const invite = async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        const { code, uses: left, expires } = await this.page.link.ask({ type: "create_invitation", uses: Number(uses.value), days: Number(days.value) });
        made.prepend(
          h("div.panel.made", copyField(this.page, t("Invitation code"), code, t("The code is copied.")), h("p.quiet", counted(left, "For {count} account, until {time}. It is shown only now.", "For {count} accounts, until {time}. It is shown only now.", { time: timeText(expires) }))),
        );
      } catch (error) {
        this.page.complain(error);
      }
    };
    fill(
      this.place,
      h("p", t("An invitation is a code with which people make accounts where registration is by invitation.")),
      h("form.row.invite", { on: { submit: invite } }, h("label.field", h("span", t("Accounts")), uses), h("label.field", h("span", t("Days until it expires")), days), h("button.primary", t("Make an invitation"))),
      made,
    );
  }

  // Lists

  /** @param {string[]} columns @param {HTMLElement} rows @param {string} caption */
  #table(columns, rows, caption) {
    return h("div.scrolls", { hidden: true, role: "region", "aria-label": caption, tabindex: 0 }, h("table", h("caption.unseen", caption), h("thead", h("tr", columns.map((name) => (name ? h("th", { scope: "col" }, name) : h("td"))))), rows));
  }

  /**
   * Show a list page by page.
   * @param {HTMLElement} rows
   * @param {HTMLElement} words
   * @param {string} nothing what is said of an empty list
   * @param {(after: number | null) => Promise<{rows: HTMLElement[], more: number | null}>} ask
   * @param {HTMLElement} table
   */
  async #paged(rows, words, nothing, ask, table) {
    const further = button(t("Show more"), () => load(cursor), "plain", { hidden: true });
    /** @type {number | null} */
    let cursor = null;
    const load = async (/** @type {number | null} */ after) => {
      const found = await ask(after);
      rows.append(...found.rows);
      cursor = found.more;
      further.hidden = cursor === null;
      table.hidden = !rows.childElementCount;
      words.hidden = !!rows.childElementCount;
      words.textContent = rows.childElementCount ? "" : nothing;
    };
    await load(null);
    fill(this.place, words, table, further);
  }
}

/** Who decided something. @param {string} by */
const byText = (by) => (by === "operator" ? t("the operator") : by);
