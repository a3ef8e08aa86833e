/**
 * Shows a page of its own where the server cannot be reached, and keeps nothing else: what runs is always the server's.
 * Shows push messages as notifications, and opens the game that one is about.
 */

const worker = /** @type {OfflineWorker} */ (/** @type {unknown} */ (self));
const PAGE = "offline.html";
const FILES = [PAGE, "offline.css", "offline.js", "icon.svg"];
/** A digest of these files, so that a change of them changes this script, and browsers fetch them again. */
const KEPT = "offline-e21c77e3e066";

/** Where the page keeps the sentences of notifications in its language (`notices.js`). */
const NOTICES = "notices";

/** @param {string} file */
const address = (file) => new URL(file, worker.location.href).href;
const parts = new Set(FILES.map(address));

/** Wait for the server's answer; where none comes, return what is kept. @param {Promise<Response>} fetched @param {string} file */
async function orKept(fetched, file) {
  try {
    return await fetched;
  } catch {
    return (await caches.match(file)) ?? Response.error();
  }
}

worker.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(KEPT);
    await cache.addAll(FILES.map((file) => new Request(address(file), { cache: "reload" })));
    await worker.skipWaiting();
  };
  event.waitUntil(keep());
});

worker.addEventListener("activate", (event) => {
  const begin = async () => {
    const old = (await caches.keys()).filter((name) => name !== KEPT && name !== NOTICES);
    // The browser asks for the page while it starts this script, which then delays no visit.
    await Promise.all([...old.map((name) => caches.delete(name)), worker.registration.navigationPreload?.enable()]);
    await worker.clients.claim();
  };
  event.waitUntil(begin());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    const fetched = event.preloadResponse.then((loaded) => loaded ?? fetch(request));
    event.respondWith(orKept(fetched, address(PAGE)));
  } else if (parts.has(request.url)) {
    event.respondWith(orKept(fetch(request), request.url));
  }
});

/** @typedef {{kind: "turn" | "challenge" | "round", game: string, by: string | null, match: string | null}} PushNotice */

/** The sentence of a notification. @param {PushNotice} notice */
async function sentenceOf({ kind, game, by }) {
  const kept = await caches.match(address("notice-texts"));
  const texts = /** @type {Record<string, any>} */ ((await kept?.json()) ?? {});
  const text = texts[kind === "turn" && by ? "turnBy" : kind] ?? "Something awaits you.";
  return text.replace("{name}", by ?? "").replace("{game}", texts.games?.[game] ?? game);
}

worker.addEventListener("push", (event) => {
  const show = async () => {
    const notice = /** @type {PushNotice} */ (event.data?.json() ?? {});
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    // A page before one's eyes says the same itself.
    if (windows.some((each) => each.focused)) return;
    await worker.registration.showNotification("Cornered", {
      body: await sentenceOf(notice),
      tag: `${notice.kind} ${notice.match ?? ""}`,
      icon: address("icon-192.png"),
      data: notice.match,
    });
  };
  event.waitUntil(show());
});

worker.addEventListener("notificationclick", (event) => {
  const open = async () => {
    event.notification.close();
    const match = event.notification.data;
    const target = address(match ? `./#/m/${match}` : "./");
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    const [first] = windows;
    if (!first) await worker.clients.openWindow(target);
    else {
      await first.focus();
      await first.navigate(target);
    }
  };
  event.waitUntil(open());
});
