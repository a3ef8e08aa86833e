/** Tips beside a game against bots: what the lessons of the game teach, one at a time. */

import { button, fill, h } from "./dom.js";
import { t } from "./language.js";
import { taught } from "./learntexts.js";
import { loadLessons } from "./lessonfile.js";

/** @param {string} game @returns {HTMLElement} */
export function tipsPanel(game) {
  const element = h("section.tips.panel", { "aria-label": t("Tips") });
  let at = Math.floor(Math.random() * 100);
  const draw = async () => {
    const { lessons = [] } = (await loadLessons())[game] ?? {};
    const lesson = lessons[at % lessons.length];
    element.hidden = !lesson;
    if (!lesson) return;
    fill(
      element,
      h("h2", taught(lesson.title)),
      h("p", taught(lesson.steps.at(-1)?.right ?? "")),
      h(
        "div.row",
        h("a.button.plain", { href: `#/learn/${game}/${(at % lessons.length) + 1}`, target: "_blank" }, t("Try it")),
        button(t("Another tip"), () => {
          at += 1;
          draw();
        }, "plain"),
      ),
    );
  };
  element.hidden = true;
  // Without the file the game goes on without tips.
  draw().catch(() => {});
  return element;
}
