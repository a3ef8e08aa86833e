/** The part of a WebSocket that this package uses: those of browsers and of the package `ws` have it. */
export interface Socket {
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: any) => void): void;
  send(text: string): void;
  close(): void;
}

export type SocketClass = new (url: string, protocols: string) => Socket;

/** Return the WebSocket of the browser or of Node.js 22, or that of the package `ws`. Throws where there is neither. */
export async function findWebSocket(): Promise<SocketClass> {
  if (typeof WebSocket === "function") {
    return WebSocket;
  }
  try {
    return (await import("ws")).WebSocket;
  } catch (error) {
    throw new Error("Node.js before version 22 has no WebSocket: install the package `ws`", { cause: error });
  }
}

/** Return the address of the WebSocket of a server, whose page's address will do. Throws for any other. */
export function socketUrl(server: string): string {
  const advice = `a server's address looks like http://127.0.0.1:8420, not ${JSON.stringify(server)}`;
  if (!URL.canParse(server)) {
    throw new Error(advice);
  }
  const url = new URL(server);
  url.protocol = url.protocol.replace("http", "ws");
  if ((url.protocol !== "ws:" && url.protocol !== "wss:") || url.hostname === "") {
    throw new Error(advice);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/ws$/, "")}/ws`;
  return url.href;
}
