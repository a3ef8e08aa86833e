/** A typed client of the Cornered game server, and bots on it. */

export { type BotOptions, type Choose, runBot, type Turn } from "./bot.ts";
export { Client, type ClientOptions, ConnectionLost, type Fields, type Heard, Refusal } from "./client.ts";
export { Match } from "./match.ts";
export type * from "./protocol.ts";
export type { Socket, SocketClass } from "./socket.ts";
