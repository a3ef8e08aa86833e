/** Lines and cards of the lobby's lists. */

import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { counted, t } from "./language.js";
import { seatMark } from "./marks.js";
import { levelOf, strengthBeside } from "./opponents.js";
import { isWalled } from "./position.js";
import { ago, clockText, nameOf, optionText, ratingText, reasonText, tableText } from "./words.js";

/** An open table in the list. @param {Page} page @param {Seek} seek */
export function tableLine(page, seek) {
  const { store, link, complain } = page;
  const me = link.me?.id;
  const { game } = seek.settings;
  const act = (/** @type {Needing<"seek">} */ type) => () =>
    link.ask({ type, seek: seek.id }, { lasting: true }).catch(complain);
  const choice = () => {
    if (seek.by.id === me) return button(t("Cancel"), act("cancel_seek"));
    if (seek.joined.some((player) => player.id === me)) return button(t("Leave"), act("leave_seek"));
    return button(t("Sit down"), act("join_seek"), "primary");
  };
  const facts = [
    seek.by.id === me ? t("You") : nameOf(seek.by),
    tableText(seek.settings),
    seek.seats > 2 ? t("{count} of {all} are here", { count: seek.joined.length, all: seek.seats }) : "",
  ];
  return h(
    "div.line.flow",
    h(
      "div.grow",
      h("strong", store.title(game.name)),
      " ",
      h("span.quiet", optionText(game, store.offered(game.name))),
      h("div.quiet", facts.filter(Boolean).join(" · ")),
    ),
    choice(),
  );
}

/** The result of a match for seat `me`; -1 is a spectator. @param {MatchSummary} match @param {number} me */
function endingOf({ winner, reason, players }, me) {
  if (reason === null || reason === "aborted" || reason === "expired") return t("called off");
  const why = reasonText(reason, winner === null);
  if (winner === null) return t("drawn, {why}", { why });
  const who = winner === me ? t("you won") : me < 0 ? t("{name} won", { name: nameOf(players[winner]) }) : t("you lost");
  return `${who}, ${why}`;
}

/** A match as a small card that keeps itself up to date. @param {Page} page @param {MatchSummary} match */
export function matchCard(page, match) {
  const { store, link } = page;
  const board = new Board({ tiny: true, walled: isWalled(match.game) });
  const words = h("div.words");
  const element = h("a.card.flow.panel", { href: `#/m/${match.id}` }, h("div.picture", board.element), words);
  const game = [store.title(match.game.name), optionText(match.game, store.offered(match.game.name))]
    .filter(Boolean)
    .join(" ");
  const update = (/** @type {MatchSummary} */ now) => {
    if (board.position?.text !== now.position) board.show(now.position);
    const me = now.players.findIndex((player) => player.id === link.me?.id);
    const myTurn = !now.over && me >= 0 && board.position?.turn === me;
    element.classList.toggle("turn", myTurn);
    const facts = now.over
      ? [endingOf(now, me), ago(now.started, link.now())]
      : [clockText(now.clock), now.watchers ? counted(now.watchers, "{count} watcher", "{count} watchers") : "", myTurn ? t("your turn") : ""];
    fill(
      words,
      now.players.map((player, seat) =>
        h(
          "div",
          { class: `who flow${now.over && now.winner === seat ? " won" : ""}` },
          seatMark(seat),
          h("bdi", player.name),
          player.kind === "bot" ? h("small.bot", t("bot")) : null,
          now.ratings[seat] && h("small.quiet", ratingText(now.ratings[seat])),
        ),
      ),
      h("div.quiet", game),
      h("div.quiet", facts.filter(Boolean).join(" · ")),
    );
  };
  update(match);
  return Object.assign(element, { update });
}

/** @param {number} playing */
const gamesText = (playing) => counted(playing, "in {count} game", "in {count} games");

/** A person in the lobby. @param {Page} page @param {Presence} presence */
export function personLine(page, { player, playing }) {
  const { store, link, form } = page;
  const isMe = player.id === link.me?.id;
  const ask = () => form(store.games[0]?.name, "player", player);
  return h(
    "div.line.flow",
    h(
      "div.grow",
      h("a.plainly", { href: `#/player/${player.id}` }, h("bdi", player.name)),
      isMe ? h("span.quiet", " ", t("(you)")) : null,
      playing ? h("span.quiet", " · ", gamesText(playing)) : null,
    ),
    isMe ? null : button(t("Challenge"), ask, "plain", { "aria-label": t("Challenge {name}", { name: nameOf(player) }) }),
  );
}

/** A bot in the lobby's strip: its name, its strength in a word, and whether it is busy. @param {Page} page @param {Presence} presence */
export function botChip({ store, form }, { player, playing, accepts, free, version }) {
  const busy = free <= 0;
  const strength = strengthBeside(player.name);
  const state = busy ? t("busy") : strength;
  const level = levelOf(player.name);
  const words = [nameOf(player), version, strength, busy ? t("busy") : playing ? gamesText(playing) : t("free")];
  return button(
    [h("span.unseen", t("Challenge"), " "), h("span.name", player.name), " ", h("small", [version, state || t("bot")].filter(Boolean).join(" · "))],
    () => form(accepts[0]?.game ?? store.games[0]?.name, "player", player),
    "chip",
    {
      disabled: busy,
      title: words.filter(Boolean).join(", "),
      ...(level && { data: { level: String(level) } }),
    },
  );
}
