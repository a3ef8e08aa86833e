/** Lessons: short steps with a position, a question and answers, from a file that the engine and the solvers completed. */

import { button, fill, h } from "./dom.js";
import { Drill, gaugesText, tell } from "./drill.js";
import { rich, t } from "./studytexts.js";
import { taught } from "./learntexts.js";
import { loadLessons } from "./lessonfile.js";
import { seatMark } from "./marks.js";
import { isWalled } from "./position.js";
import { note, progress } from "./progress.js";
import { showRules } from "./rules.js";
import { sentence } from "./words.js";

/** @typedef {import("./drill.js").Scene} Scene */
/** @typedef {import("./lessonfile.js").LessonFile} LessonFile */
/** @typedef {import("./lessonfile.js").Lesson} Lesson */
/** @typedef {import("./lessonfile.js").Step} Step */

const REPLY_MS = 900;

export class LessonView {
  /** @param {Page} page @param {string} game nothing for the list @param {string} number from 1 */
  constructor(page, game, number) {
    this.page = page;
    this.abort = new AbortController();
    /** @type {Drill | null} */
    this.drill = null;
    this.timer = 0;
    this.at = 0;
    this.element = h("div.learn", h("p.quiet.empty", t("Opening the lessons…")));
    document.title = t("Learn – Cornered");
    document.addEventListener("keydown", (event) => this.drill?.key(event), { signal: this.abort.signal });
    this.#open(game, Number(number || 1)).catch((error) => {
      if (this.abort.signal.aborted) return;
      fill(
        this.element,
        h("h1", t("Learn")),
        h("p", error.message),
        h("div.row", button(t("Try again"), () => page.go(location.hash), "primary")),
      );
    });
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  /** @param {string} game @param {number} number */
  async #open(game, number) {
    const all = await loadLessons();
    if (this.abort.signal.aborted) return;
    if (!game) {
      this.#list(all);
      return;
    }
    const lesson = Object.hasOwn(all, game) ? all[game].lessons[number - 1] : undefined;
    if (!lesson) throw new Error(t("There is no such lesson."));
    this.#show(all, game, number, lesson);
  }

  /** @param {LessonFile} all */
  #list(all) {
    const done = progress().lessons;
    fill(
      this.element,
      h("h1", t("Learn")),
      h("p.quiet", rich("Short lessons, each with one idea. Then try the {puzzles}.", { puzzles: h("a", { href: "#/puzzles" }, t("puzzles")) })),
      h(
        "div.shelves",
        Object.entries(all).map(([game, { title, lessons }]) =>
          h(
            "section.panel.shelf",
            h(
              "header.flow",
              h("h2.grow", title),
              button(t("Rules"), () => showRules(game).catch(this.page.complain), "", { "aria-label": t("Rules of {game}", { game: title }) }),
            ),
            h(
              "ol.course",
              lessons.map((lesson, index) => {
                const ticked = done.includes(`${game}/${lesson.title}`);
                return h(
                  "li",
                  { class: ticked ? "done" : "" },
                  h(
                    "a",
                    { href: `#/learn/${game}/${index + 1}` },
                    h("span.number", { "aria-hidden": "true" }, ticked ? "✓" : String(index + 1)),
                    taught(lesson.title),
                    ticked ? h("span.unseen", ", ", t("done")) : null,
                  ),
                );
              }),
            ),
          ),
        ),
      ),
    );
  }

  /** @param {LessonFile} all @param {string} game @param {number} number @param {Lesson} lesson */
  #show(all, game, number, lesson) {
    const { title, lessons } = all[game];
    this.lesson = lesson;
    this.name = `${game}/${lesson.title}`;
    this.told = h("p.told", { "aria-hidden": "true" });
    this.ask = h("p.ask");
    this.gauges = h("p.quiet.gauges");
    this.drill = new Drill(
      { label: t("{game} lesson", { game: title }), walled: isWalled(lesson), start: lesson.start, seat: lesson.seat },
      { answer: (move) => this.#answer(move), explain: (text) => this.#say(text, text && "wrong") },
    );
    this.next =
      number < lessons.length
        ? h("a.button.primary", { href: `#/learn/${game}/${number + 1}`, hidden: true }, t("Next lesson"))
        : h("a.button.primary", { href: "#/puzzles", hidden: true }, t("On to the puzzles"));
    fill(
      this.element,
      h(
        "div.drill",
        h("section.stage", { "aria-label": t("Board") }, this.drill.box),
        h(
          "div.words",
          h("p.quiet", h("a", { href: "#/learn" }, t("Learn")), ` · ${title} · ${t("{number} of {all}", { number, all: lessons.length })}`),
          h("h1.status", seatMark(lesson.seat), taught(lesson.title)),
          this.ask,
          this.gauges,
          this.told,
          this.drill.placing.element,
          h("div.row", this.next, button(t("Start again"), () => this.#begin())),
        ),
      ),
    );
    document.title = `${taught(lesson.title)} – ${t("{game} lesson", { game: title })}`;
    this.#begin();
  }

  #begin() {
    clearTimeout(this.timer);
    const { lesson, drill } = this;
    if (!lesson || !drill) return;
    this.at = 0;
    this.element.classList.remove("solved");
    if (this.next) this.next.hidden = true;
    drill.start(lesson.steps[0].scene);
    this.#step(lesson.steps[0]);
  }

  /** @param {Step} step */
  #step(step) {
    if (this.ask) this.ask.textContent = taught(step.ask);
    this.#draw(step.scene);
    this.#say("");
  }

  /** @param {Scene} scene */
  #draw(scene) {
    fill(/** @type {Element} */ (this.gauges), gaugesText(scene, this.lesson?.seat ?? 0));
  }

  /** @param {string} text @param {string} [kind] */
  #say(text, kind) {
    if (this.told) tell(this.told, text, kind);
  }

  /** @param {string} move */
  #answer(move) {
    const { lesson, drill } = this;
    const step = lesson?.steps[this.at];
    if (!lesson || !drill || !step) return;
    const after = step.after[move];
    if (!after) {
      this.#say(sentence(taught(step.because[move] ?? step.wrong)), "wrong");
      return;
    }
    drill.show(after, { last: move });
    this.#draw(after);
    this.#say(taught(step.right), "right");
    const following = lesson.steps[this.at + 1];
    if (!following) {
      note("lessons", this.name ?? "");
      this.element.classList.add("solved");
      if (this.next) {
        this.next.hidden = false;
        this.next.focus({ preventScroll: true });
      }
      return;
    }
    this.timer = window.setTimeout(() => {
      this.at += 1;
      drill.show(following.scene, { last: step.reply ?? "", open: true });
      this.#step(following);
    }, REPLY_MS);
  }
}
