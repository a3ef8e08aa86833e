/** The sheets with which administrators decide: each asks for grounds, which stay in the log. */

import { h } from "./dom.js";
import { formSheet, textField } from "./fields.js";
import { t } from "./moderationtexts.js";
import { nameOf } from "./words.js";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** How long a ban may last, in seconds; null until it is lifted. @type {[number | null, string][]} */
const TERMS = [
  [HOUR, t("1 hour")],
  [DAY, t("1 day")],
  [7 * DAY, t("1 week")],
  [30 * DAY, t("30 days")],
  [365 * DAY, t("1 year")],
  [null, t("until it is lifted")],
];
const USUAL_TERM = DAY;

/** @param {string} hint */
const groundsField = (hint) => textField(t("Grounds"), { name: "grounds", required: true, maxlength: 300, dir: "auto", autocomplete: "off" }, { hint });

/** Ban or mute a player. @param {Page} page @param {Player} player @param {() => unknown} done */
export function banSheet(page, player, done) {
  const grounds = groundsField(t("The player reads them."));
  const measure = h("select", { name: "measure" }, h("option", { value: "ban" }, t("Ban: the player is not let in")), h("option", { value: "mute" }, t("Mute: the player plays and writes nothing")));
  const term = h("select", { name: "term" }, TERMS.map(([seconds, words]) => h("option", { value: seconds ?? "" }, words)));
  term.value = String(USUAL_TERM);
  const address = h("input", { type: "checkbox", name: "address" });
  const whole = h("label.switch.flow", address, h("span", t("The address too: nobody is let in from there. It is known only while the player is here.")));
  measure.addEventListener("change", () => (whole.hidden = measure.value === "mute"));
  formSheet(t("Ban or mute {name}", { name: nameOf(player) }), {
    fields: [grounds],
    before: [h("label.field", h("span", t("What")), measure), h("label.field", h("span", t("How long")), term)],
    after: [whole],
    submit: t("Decide"),
    send: async () => {
      const isMute = measure.value === "mute";
      await page.link.ask({
        type: "ban",
        player: player.id,
        measure: isMute ? "mute" : "ban",
        address: !isMute && address.checked,
        seconds: term.value ? Number(term.value) : null,
        grounds: grounds.input.value.trim(),
      });
      await done();
    },
  });
}

/** Lift a ban or mute. @param {Page} page @param {import("./protocol").BanInfo} ban @param {() => unknown} done */
export function liftSheet(page, ban, done) {
  const grounds = groundsField(t("They stay in the log."));
  formSheet(ban.measure === "ban" ? t("Lift the ban of {name}", { name: nameOf(ban.player) }) : t("Lift the mute of {name}", { name: nameOf(ban.player) }), {
    fields: [grounds],
    submit: t("Lift it"),
    send: async () => {
      await page.link.ask({ type: "unban", ban: ban.number, grounds: grounds.input.value.trim() });
      await done();
    },
  });
}

/** Close a report. @param {Page} page @param {import("./protocol").ReportInfo} report @param {() => unknown} done */
export function closeSheet(page, report, done) {
  const grounds = groundsField(t("What was decided. They stay in the log; the reporter is told only that the report was looked at."));
  formSheet(t("Close report {number}", { number: report.number }), {
    fields: [grounds],
    submit: t("Close the report"),
    send: async () => {
      await page.link.ask({ type: "close_report", report: report.number, grounds: grounds.input.value.trim() });
      await done();
    },
  });
}
