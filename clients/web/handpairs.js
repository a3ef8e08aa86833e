/** Pairing by hand: drag one player onto another, or press two, and start the games. */

import { askInTurn } from "./asking.js";
import { button, fill, h } from "./dom.js";
import { t } from "./grouptexts.js";
import { openSheet } from "./sheet.js";
import { nameOf } from "./words.js";

/** Open the sheet in which the players of a tournament are paired. @param {Page} page @param {string} tournament */
export async function pairSheet(page, tournament) {
  const { link } = page;
  /** @type {Player[]} */
  const players = [];
  for (let after = /** @type {number | null} */ (null); ; ) {
    const answer = await askInTurn(link, { type: "ask_standings", tournament, after });
    players.push(...answer.standings.filter((one) => !one.is_out).map((one) => one.player));
    after = answer.more;
    if (after === null) break;
  }
  const { pairings } = await askInTurn(link, { type: "ask_tournament", tournament });
  const playing = new Set(pairings.filter(({ how }) => how === "pending").flatMap((one) => one.players.map(({ id }) => id)));
  const free = players.filter(({ id }) => !playing.has(id));
  /** @type {[Player, Player][]} */
  const pairs = [];
  let chosen = "";
  const list = h("div.row.to-pair", { role: "group", "aria-label": t("Players without a pair") });
  const made = h("ol.pairs", { "aria-label": t("Pairs") });
  const start = h("button.primary", { type: "submit" }, t("Start the games"));
  const words = h("p.quiet", t("Press two players, or drag one onto the other. The first of a pair begins."));

  const pair = (/** @type {string} */ one, /** @type {string} */ other) => {
    const first = free.find(({ id }) => id === one);
    const second = free.find(({ id }) => id === other);
    chosen = "";
    if (first && second && first !== second) pairs.push([first, second]);
    draw();
  };
  const press = (/** @type {string} */ id) => {
    if (chosen && chosen !== id) {
      pair(chosen, id);
      return;
    }
    chosen = chosen === id ? "" : id;
    draw();
  };
  const chip = (/** @type {Player} */ player) => {
    const element = button(nameOf(player), () => press(player.id), "chip", {
      type: "button",
      draggable: "true",
      "aria-pressed": String(chosen === player.id),
      data: { player: player.id },
    });
    element.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/plain", player.id));
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      pair(event.dataTransfer?.getData("text/plain") ?? "", player.id);
    });
    return element;
  };
  const draw = () => {
    const paired = new Set(pairs.flat());
    const left = free.filter((player) => !paired.has(player));
    fill(list, left.length ? left.map(chip) : h("p.quiet", t("Everybody who is free has a pair.")));
    fill(
      made,
      pairs.map((one, index) => {
        const undo = () => {
          pairs.splice(index, 1);
          draw();
        };
        const names = `${nameOf(one[0])} – ${nameOf(one[1])}`;
        return h("li.flow", h("span.grow", names), button(t("Undo"), undo, "plain", { type: "button", "aria-label": t("Undo: {names}", { names }) }));
      }),
    );
    start.disabled = !pairs.length;
  };
  const rest = button(t("Pair the rest in order"), () => {
    const paired = new Set(pairs.flat());
    const left = free.filter((player) => !paired.has(player));
    for (let index = 0; index + 1 < left.length; index += 2) pairs.push([left[index], left[index + 1]]);
    draw();
  }, "", { type: "button" });
  const { form } = openSheet(t("Pair by hand"), "hand-pairs", words, list, made, h("footer", rest, start));
  form.addEventListener("submit", () => {
    const ids = pairs.map(([one, other]) => /** @type {[string, string]} */ ([one.id, other.id]));
    link.ask({ type: "pair_by_hand", tournament, pairs: ids }, { lasting: true }).catch(page.complain);
  });
  draw();
}
