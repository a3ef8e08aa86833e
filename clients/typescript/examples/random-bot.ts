/** A bot that plays random moves of any game: `node dist/examples/random-bot.js`. */

import { runBot } from "../src/index.ts";

await runBot(process.env["CORNERED_NAME"] ?? "starter", ({ legal }) => legal[Math.floor(Math.random() * legal.length)]!);
