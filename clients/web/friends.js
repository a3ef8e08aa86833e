/** The players whom I follow, in the lobby: who is here, who plays, and what I can do with them. */

import { noteFollows } from "./relations.js";
import { button, h, keyed } from "./dom.js";
import { counted, t } from "./socialtexts.js";
import { nameOf } from "./words.js";

/** @typedef {import("./protocol").Friend} Friend */

/** How often the server is asked while the lobby is seen. */
const INTERVAL_MS = 10_000;
/** Friends who are away that are shown. */
const AWAY = 8;

/**
 * Show the panel in `place`, until `signal` ends it.
 * @param {Page} page
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export function friendsPanel(page, place, signal) {
  const { link, store, form } = page;
  const list = h("div.list.panel");
  const block = h("section.block.of-friends", { hidden: true }, h("h2", t("Friends")), list);
  place.append(block);

  const ask = async () => {
    if (document.hidden || link.state !== "online") return;
    try {
      const { friends } = await link.ask({ type: "ask_friends" });
      if (signal.aborted) return;
      noteFollows(friends.length > 0);
      draw(friends);
    } catch {
      // Asked again after the interval.
    }
  };
  const draw = (/** @type {Friend[]} */ friends) => {
    block.hidden = !friends.length;
    const here = friends.filter((friend) => friend.is_here);
    keyed(
      list,
      [...here, ...friends.filter((friend) => !friend.is_here).slice(0, AWAY)],
      ({ player, is_here, playing, match }) => `${player.id} ${player.name} ${is_here} ${playing} ${match}`,
      line,
    );
  };
  const line = (/** @type {Friend} */ { player, is_here: isHere, playing, match }) => {
    const name = nameOf(player);
    const state = playing ? counted(playing, "in {count} game", "in {count} games") : isHere ? t("here") : t("away");
    const challenge = () => form(store.games[0]?.name, "player", player);
    return h(
      "div.line.flow",
      h(
        "div.grow",
        h("span", { class: `dot${isHere ? " here" : ""}`, "aria-hidden": "true" }),
        h("a.plainly", { href: `#/player/${player.id}` }, h("bdi", player.name)),
        h("span.quiet", " · ", state),
      ),
      match ? h("a.button.plain", { href: `#/m/${match}`, "aria-label": t("Watch {name} play", { name }) }, t("Watch")) : null,
      isHere ? button(t("Challenge"), challenge, "plain", { "aria-label": t("Challenge {name}", { name }) }) : null,
    );
  };
  const timer = setInterval(ask, INTERVAL_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  document.addEventListener("visibilitychange", ask, { signal });
  link.hear({ online: ask }, signal);
  ask();
}
