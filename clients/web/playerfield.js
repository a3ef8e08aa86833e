/** A field for a player's name, which the server looks up. */

import { t } from "./archivetexts.js";
import { askInTurn } from "./asking.js";
import { h, set } from "./dom.js";

let count = 0;

export class PlayerField {
  /** @param {Page} page @param {string} label @param {AbortSignal} signal of the view that has the field */
  constructor(page, label, signal) {
    this.page = page;
    this.signal = signal;
    /** The player of the name that stands in the field, where it is known. */
    this.id = "";
    this.known = "";
    const name = `player-${++count}`;
    const problem = `${name}-problem`;
    this.input = h("input", { id: name, maxlength: 24, dir: "auto", autocomplete: "off", autocapitalize: "none", spellcheck: "false", "aria-describedby": problem });
    this.problem = h("p.problem", { id: problem, role: "alert" });
    this.element = h("div.field", h("label", { for: name }, label), this.input, this.problem);
    this.input.addEventListener("input", () => this.#complain(""));
  }

  /** @param {string} text */
  #complain(text) {
    this.problem.textContent = text;
    set(this.input, { "aria-invalid": text ? "true" : null });
  }

  /** Show a player whose name is known. @param {Player} player */
  fill({ id, name }) {
    this.#complain("");
    this.id = id;
    this.known = this.input.value = name;
  }

  /** Show a player, by the name of today. @param {string} id */
  async show(id) {
    this.#complain("");
    this.id = id;
    this.known = this.input.value = "";
    if (!id) return;
    const { me } = this.page.link;
    try {
      const player = me?.id === id ? me : (await askInTurn(this.page.link, { type: "ask_profile", player: id }, this.signal)).player;
      if (this.id === id) this.fill(player);
    } catch (error) {
      if (/** @type {Refused} */ (error).code === "unknown_player") this.#complain(t("This address names a player who does not exist."));
    }
  }

  /** The id of the player who is named now; nothing for an empty field. Throws, with the problem shown, where nobody is. */
  async find() {
    const name = this.input.value.trim();
    if (name === this.known) return this.id;
    if (!name) return "";
    try {
      const { player } = await askInTurn(this.page.link, { type: "find_player", name }, this.signal);
      this.fill(player);
      return player.id;
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      this.#complain(code === "unknown_player" ? t("No account has this name, and nobody is here under it. Guests who are gone are found by the link to their profile.") : message);
      this.input.focus();
      throw error;
    }
  }
}
