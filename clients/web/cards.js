/** Lines and cards of the lobby's lists. */

import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { tableText } from "./form.js";
import { seatMark } from "./marks.js";
import { isWalled } from "./position.js";
import { ago, clockText, nameOf, optionText, plural, reasonText } from "./words.js";

/** An open table in the list. @param {Page} page @param {Seek} seek */
export function tableLine(page, seek) {
  const { store, link, complain } = page;
  const me = link.me?.id;
  const { game } = seek.settings;
  const act = (/** @type {Needing<"seek">} */ type) => () =>
    link.ask({ type, seek: seek.id }, { lasting: true }).catch(complain);
  const choice = () => {
    if (seek.by.id === me) return button("Cancel", act("cancel_seek"));
    if (seek.joined.some((player) => player.id === me)) return button("Leave", act("leave_seek"));
    return button("Sit down", act("join_seek"), "primary");
  };
  const facts = [
    seek.by.id === me ? "You" : nameOf(seek.by),
    tableText(seek.settings),
    seek.seats > 2 ? `${seek.joined.length} of ${seek.seats} are here` : "",
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
  if (reason === null || reason === "aborted" || reason === "expired") return "called off";
  const why = reasonText(reason, winner === null);
  if (winner === null) return `drawn, ${why}`;
  return `${winner === me ? "you won" : me < 0 ? `${nameOf(players[winner])} won` : "you lost"}, ${why}`;
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
      : [clockText(now.clock), now.watchers ? plural(now.watchers, "watcher") : "", myTurn ? "your turn" : ""];
    fill(
      words,
      now.players.map((player, seat) =>
        h(
          "div",
          { class: `who flow${now.over && now.winner === seat ? " won" : ""}` },
          seatMark(seat),
          h("bdi", player.name),
          player.kind === "bot" ? h("small.bot", "bot") : null,
        ),
      ),
      h("div.quiet", game),
      h("div.quiet", facts.filter(Boolean).join(" · ")),
    );
  };
  update(match);
  return Object.assign(element, { update });
}

/** A player in the lobby. @param {Page} page @param {Presence} presence */
export function personLine(page, { player, playing, accepts, free }) {
  const { store, link, form } = page;
  const isBot = player.kind === "bot";
  const isMe = player.id === link.me?.id;
  const busy = isBot && free <= 0;
  const state = busy ? "busy" : playing ? `in ${plural(playing, "game")}` : "";
  const ask = () => form(accepts[0]?.game ?? store.games[0]?.name, "player", player);
  return h(
    "div.line.flow",
    h(
      "div.grow",
      h("bdi", player.name),
      isBot ? h("small.bot", "bot") : null,
      isMe ? h("span.quiet", " (you)") : null,
      state ? h("span.quiet", ` · ${state}`) : null,
    ),
    isMe ? null : button("Challenge", ask, "plain", { "aria-label": `Challenge ${nameOf(player)}`, disabled: busy }),
  );
}
