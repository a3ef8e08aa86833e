/**
 * Misuse of the protocol that the page's types must reject: tsc fails where an `@ts-expect-error` line has no error.
 */

export async function misuse(link: import("../../../clients/web/link.js").Link) {
  await link.ask({ type: "play", match: "m", ply: 3, move: "e4" }, { lasting: true });
  // @ts-expect-error An unknown command.
  await link.ask({ type: "win", match: "m" });
  // @ts-expect-error A field that is missing.
  await link.ask({ type: "play", match: "m", ply: 3 });
  // @ts-expect-error A field that no command has.
  await link.ask({ type: "ping", sent: 0, extra: 1 });
  // @ts-expect-error A field of another type.
  await link.ask({ type: "play", match: "m", ply: "3", move: "e4" });
  // @ts-expect-error The link chooses the id.
  await link.ask({ type: "ping", sent: 0, id: "1" });

  const { games } = await link.ask({ type: "ask_games" });
  // @ts-expect-error A field that the answer does not have.
  const { titles } = await link.ask({ type: "ask_games" });
  // @ts-expect-error A field that an entry does not have.
  const names = games.map((game) => game.names);

  link.hear({ happened: ({ events, to_move }) => [events, to_move] });
  // @ts-expect-error A message that the server does not send.
  link.hear({ happens: () => {} });
  // @ts-expect-error A field that the message does not have.
  link.hear({ happened: ({ toMove }) => toMove });

  return [titles, names];
}
