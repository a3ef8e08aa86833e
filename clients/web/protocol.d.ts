// The types of all messages, which the page shares with the client for Node.js and browsers.
export type * from "../typescript/src/protocol";
