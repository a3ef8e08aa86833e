/**
 * Types that the page's modules share. Only the type checker reads this file; the browser loads none of it.
 *
 * Everything here is global, so that the modules can name it in few bytes.
 */

type Analysis = import("./protocol").Analysis;
type Challenged = import("./protocol").Challenged;
type ClockInput = import("./protocol").ClockInput;
type MatchEvent = import("./protocol").MatchEvent;
type MatchSummary = import("./protocol").MatchSummary;
type OfferedGame = import("./protocol").OfferedGame;
type OfferedOption = import("./protocol").OfferedOption;
type OverlayPicture = import("./protocol").OverlayPicture;
type GameSpecInput = import("./protocol").GameSpecInput;
type Player = import("./protocol").Player;
type Presence = import("./protocol").Presence;
type ScoredLine = import("./protocol").ScoredLine;
type Seek = import("./protocol").Seek;
type SeekSettingsInput = import("./protocol").SeekSettingsInput;
type ServerMessage = import("./protocol").ServerMessage;
type Snapshot = import("./protocol").Snapshot;
type Icon = Parameters<typeof import("./icons.js").icon>[0];
type Refused = import("./link.js").Refused;
type MatchRecord = import("./record.js").MatchRecord;

/** A section of the lobby. */
type Section = import("./protocol").AskLobby["section"];

/** Every command that follows `hello`. */
type Command = Exclude<import("./protocol").ClientMessage, import("./protocol").Hello>;

/** The fields of each command beside its type, and beside the id, which the link chooses. */
type Fields = { [C in Command as C["type"]]: Omit<C, "id" | "type"> };

/** The commands with one required field, such as the match. */
type Needing<Field extends string> = {
  [T in keyof Fields]: Fields[T] extends Record<Field, string>
    ? Record<Field, string> extends Fields[T]
      ? T
      : never
    : never;
}[keyof Fields];

/** The messages that answer a command; an analysis is named by the `ref` of its acknowledgement. */
type Answers = import("./protocol").Answers;
type Answer<T extends keyof Answers> = T extends "ask_analysis" | "ask_study" | "ask_trace" ? Answers[T] & { ref: string } : Answers[T];

/** The link's events: every message that is no answer, and six of its own. */
type Heard = { [M in ServerMessage as M["type"]]: M } & { online: null; offline: null; renamed: null; barred: null; signed_out: null; unwelcome: { text: string } };
type Listeners = { [T in keyof Heard]?: (message: Heard[T]) => void };

/** A command that is sent, or kept until there is a connection. */
interface Waiting {
  command: { id: string };
  lasting: boolean;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** The page's interface for views. */
interface Page {
  link: import("./link.js").Link;
  store: import("./store.js").Store;
  /** Show a message for some seconds; the result removes it. */
  toast: (text: string, buttons?: HTMLElement[], seconds?: number) => () => void;
  /** Show a refusal. */
  complain: (error: unknown) => void;
  /** Show the rules of a game in pictures. */
  rules: (game: string) => Promise<void>;
  /** Copy a text to the clipboard and confirm it, or show it. */
  copy: (text: string, words: string) => Promise<void>;
  /** Show the view of a URL. */
  go: (hash: string) => void;
  /** Challenge a player and wait for the answer. */
  challenge: (to: Player, chosen: Terms) => Promise<void>;
  /** Show what one may do about a player, whom one met in a game. */
  openPlayer: (player: Player, match: string | null) => Promise<void>;
  /** Start a game against a bot with the last settings. */
  quickBot: (game: string) => Promise<void>;
  /** My correspondence games. */
  turns: () => Promise<import("./turns.js").Turns>;
  /** Ask for settings, then open a table or send a challenge. */
  form: (game: string, mode: Mode, to?: Player) => Promise<void>;
  openTable: (chosen: Terms) => Promise<void>;
  /** Wait in a pool of quick pairing; the rules are shown first to who has not seen them. */
  enterPool: (pool: import("./protocol").PairingPool) => Promise<void>;
  leavePool: () => Promise<void>;
}

/** What the page shows below its header. */
interface View {
  element: Element;
  /** The match in which its player plays in this view, if any. */
  readonly playingIn?: string | undefined;
  /** Release what the view holds; another one takes its place. */
  close(): void;
}

/** The kind of opponent of a form. */
type Mode = "bot" | "open" | "player";

/** The settings of a table or a challenge. */
type Terms = SeekSettingsInput & Pick<Required<SeekSettingsInput>, "clock" | "seat"> & { with_help?: boolean | undefined; rated?: boolean | undefined };

/** The result of a form. */
interface Chosen {
  settings: Terms;
  to: Player | undefined;
}

/** The last values of a form. */
interface LastForm extends Partial<Omit<SeekSettingsInput, "game">> {
  options?: GameSpecInput["options"];
  bot?: string | undefined;
  with_help?: boolean | undefined;
}

/** What was learned in this browser: puzzles solved and the streak, lessons done, games whose rules were seen. */
interface Learned {
  puzzles?: { solved?: string[]; streak?: number; best?: number; daily?: number };
  lessons?: string[];
  rules?: string[];
}

/** The tile of a game in the lobby, whose board follows a live match. */
interface Tile extends HTMLElement {
  board: import("./board.js").Board;
  watch: HTMLAnchorElement;
  game: OfferedGame;
  following?: string | undefined;
}

/** What sw.js uses of its global scope, which the types of a page do not have. */
interface OfflineWorker {
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: { claim(): Promise<void>; matchAll(which: { type: "window"; includeUncontrolled: boolean }): Promise<readonly PageWindow[]>; openWindow(url: string): Promise<unknown> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: { waitUntil(work: Promise<void>): void }) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetching) => void): void;
  addEventListener(type: "push", listener: (event: { data: { json(): unknown } | null; waitUntil(work: Promise<void>): void }) => void): void;
  addEventListener(type: "notificationclick", listener: (event: { notification: Notification; waitUntil(work: Promise<void>): void }) => void): void;
}
/** A window of the page, as the service worker sees it. */
interface PageWindow {
  focused: boolean;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
interface Fetching {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
}

/** Children of an element; false ones are left out. */
type Child = Node | string | number | false | null | undefined;
type Content = Child | readonly Child[];

/** Attributes, and `on` for listeners, `data` for the dataset. */
interface Properties {
  [name: string]: string | number | boolean | null | undefined | Record<string, string> | On;
  on?: On;
  data?: Record<string, string>;
}
type On = { [T in keyof HTMLElementEventMap]?: ((event: HTMLElementEventMap[T]) => void) | undefined };

/** Creates elements by name: `h("p.quiet")` is a paragraph. */
type Maker<Elements> = <Name extends string>(
  name: Name,
  ...content: Content[] | [Properties, ...Content[]]
) => Name extends `${infer Tag}.${string}` ? Named<Elements, Tag> : Named<Elements, Name>;
type Named<Elements, Tag> = Tag extends keyof Elements ? Elements[Tag] : never;

/** An element of a list that is kept while its item stays. */
type Kept<T> = HTMLElement & { update?: (item: T) => void };
