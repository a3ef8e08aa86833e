/** Buttons that follow and block a player, and the sheet of the players whom I block. */

import { button, fill, h } from "./dom.js";
import { keep, settings } from "./settings.js";
import { openSheet } from "./sheet.js";
import { t } from "./socialtexts.js";
import { nameOf } from "./words.js";

/**
 * Two buttons, which show how I stand to a player. Until the server has told they are hidden and take their place: what is
 * around them would move otherwise, under a pointer that is pressed.
 * @param {Page} page
 * @param {Player} player
 * @param {() => void} [changed]
 */
export function relationButtons(page, player, changed = () => {}) {
  const { link } = page;
  const name = nameOf(player);
  const element = h("span.relations.row.unknown");
  let follows = false;
  let blocks = false;
  const act = (/** @type {"follow_player" | "unfollow_player" | "block_player" | "unblock_player"} */ type) => async () => {
    try {
      await link.ask({ type, player: player.id });
      if (type === "follow_player") keep({ follows: true });
      if (type === "block_player") page.toast(t("{name} is blocked: no challenges, no chat, no pairing with you. {name} is not told.", { name }));
      await ask();
      changed();
    } catch (error) {
      page.complain(error);
    }
  };
  const ask = async () => {
    try {
      const [{ friends }, { players }] = await Promise.all([link.ask({ type: "ask_friends" }), link.ask({ type: "ask_blocked" })]);
      follows = friends.some((friend) => friend.player.id === player.id);
      blocks = players.some((each) => each.id === player.id);
      element.classList.remove("unknown");
      draw();
    } catch {
      // Asked again when the player is shown again.
    }
  };
  const draw = () =>
    fill(
      element,
      blocks ? null : button(follows ? t("Following") : t("Follow"), act(follows ? "unfollow_player" : "follow_player"), "", { type: "button", "aria-pressed": String(follows), title: follows ? t("Follow {name} no more", { name }) : t("See in the lobby when {name} is here", { name }) }),
      button(blocks ? t("Unblock") : t("Block"), act(blocks ? "unblock_player" : "block_player"), "plain", { type: "button", title: blocks ? t("Let {name} challenge and write to me again", { name }) : t("No challenges, chat or pairing with {name}", { name }) }),
    );
  draw();
  ask();
  return element;
}

/** Open the sheet of those whom I block. @param {Page} page */
export function openBlocked(page) {
  const { link, complain } = page;
  const place = h("div.list");
  const draw = async () => {
    try {
      const { players } = await link.ask({ type: "ask_blocked" });
      fill(place, players.length ? players.map(line) : h("p.quiet.empty", t("You block nobody.")));
    } catch (error) {
      complain(error);
    }
  };
  const line = (/** @type {Player} */ player) => {
    const free = async () => {
      try {
        await link.ask({ type: "unblock_player", player: player.id });
        await draw();
      } catch (error) {
        complain(error);
      }
    };
    return h("div.line.flow", h("bdi.grow", player.name), button(t("Unblock"), free, "", { type: "button", "aria-label": t("Unblock {name}", { name: nameOf(player) }) }));
  };
  openSheet(t("Blocked players"), "small account", h("p.quiet", t("They cannot challenge you, their chat does not reach you, and you are not paired. They are not told.")), place);
  draw();
}

/** Remember whether I follow anybody, so that the lobby looks for friends. @param {boolean} follows */
export function noteFollows(follows) {
  if (Boolean(settings.follows) !== follows) keep({ follows });
}
