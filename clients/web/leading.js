/** What those who lead a tournament do with it, on its page and on its wall of boards. */

import { button, h } from "./dom.js";
import { load } from "./lazy.js";
import { openSheet } from "./sheet.js";
import { t } from "./tournamenttexts.js";
import { twice } from "./twice.js";

/** @typedef {import("./protocol").TournamentInfo} TournamentInfo */

/**
 * The buttons of a tournament's leader. `isPaused` says whether its clocks stand still.
 * @param {Page} page @param {TournamentInfo} info @param {boolean} isPaused
 */
export function orders(page, { id, status, settings, pending }, isPaused) {
  const isOpen = status === "open";
  const isRunning = status === "running";
  const byHand = settings.format === "by_hand";
  const hasRounds = !byHand && settings.format !== "arena";
  const pair = async () => {
    try {
      await (await load(() => import("./handpairs.js"), "wall.css")).pairSheet(page, id);
    } catch (error) {
      page.complain(error);
    }
  };
  const send = (/** @type {Needing<"tournament">} */ type) => () => page.link.ask({ type, tournament: id }, { lasting: true }).catch(page.complain);
  return [
    isOpen ? button(t("Start"), send("start_tournament"), "primary") : null,
    isRunning && hasRounds && !pending && !isPaused ? button(t("Next round"), send("start_tournament"), "primary") : null,
    isRunning && !isPaused ? button(t("Pause all clocks"), send("pause_tournament")) : null,
    isRunning && isPaused ? button(t("Resume"), send("resume_tournament"), "primary") : null,
    isRunning && byHand ? button(t("Pair by hand"), pair) : null,
    isOpen || isRunning ? button(t("Message"), () => messageSheet(page, id, settings.group)) : null,
    isRunning && !pending ? twice(t("End it"), t("Really end it?"), send("finish_tournament")) : null,
    isOpen || isRunning ? twice(t("Cancel it"), t("Really cancel it?"), send("cancel_tournament")) : null,
  ];
}

/** Write to all players of a tournament, or to the whole class whose event it is. @param {Page} page @param {string} tournament @param {string | null | undefined} group */
function messageSheet(page, tournament, group) {
  const input = h("input", { required: true, maxlength: 300, dir: "auto", autocomplete: "off", "aria-label": t("Message to all") });
  const { form } = openSheet(t("Message to all"), "small", input, h("footer", h("button.primary", t("Send"))));
  form.addEventListener("submit", () => {
    const text = input.value;
    const sent = group
      ? page.link.ask({ type: "tell_group", group, text }, { lasting: true })
      : page.link.ask({ type: "tell_tournament", tournament, text }, { lasting: true });
    sent.then(() => page.toast(t("Everybody has it.")), page.complain);
  });
  input.focus();
}
