/** Settings stored in this browser: theme, sound, and the last form. */

const KEY = "cornered.settings";

/** @type {{theme: "system" | "light" | "dark", sound: boolean, greeted: boolean, forms: Record<string, LastForm>}} */
export const settings = { theme: "system", sound: false, greeted: false, forms: {} };

try {
  Object.assign(settings, JSON.parse(localStorage.getItem(KEY) ?? "{}"));
} catch {
  // Without storage, or with invalid settings, the defaults apply.
}
pin();

/** Change settings and keep them. @param {Partial<typeof settings>} changes */
export function keep(changes) {
  Object.assign(settings, changes);
  pin();
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage they last as long as the page.
  }
}

/** Apply a pinned theme, or follow the system. */
function pin() {
  if (settings.theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = settings.theme;
}

/** @type {AudioContext | null} */
let audio = null;

/** Play a short tone, if sound is on. @param {"move" | "turn" | "end" | "low"} kind */
export function sound(kind) {
  if (!settings.sound) return;
  audio ??= new AudioContext();
  const notes = { move: [330], turn: [440, 587], end: [523, 392, 330], low: [880] }[kind];
  notes.forEach((pitch, index) => {
    const at = /** @type {AudioContext} */ (audio).currentTime + index * 0.09;
    const tone = /** @type {AudioContext} */ (audio).createOscillator();
    const volume = /** @type {AudioContext} */ (audio).createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.16, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.16);
    tone.connect(volume).connect(/** @type {AudioContext} */ (audio).destination);
    tone.start(at);
    tone.stop(at + 0.18);
  });
}
