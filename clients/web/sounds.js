/** The sounds of the page, made in the browser: short bursts of filtered noise for pieces, and tones for notices. */

/** @typedef {"slide" | "stone" | "wall" | "crumble" | "turn" | "end" | "low"} Sound */

/** Tones in hertz, one after the other. @type {Partial<Record<Sound, number[]>>} */
const TONES = { turn: [440, 587], end: [523, 392, 330], low: [880] };
const TONE_SECONDS = 0.18;
const TONE_INTERVAL_SECONDS = 0.09;
const TONE_VOLUME = 0.12;

/**
 * Bursts of noise: when they begin, how long they last (seconds), the band-pass filter (hertz, from and to), and their volume.
 * @type {Partial<Record<Sound, {at: number, lasts: number, from: number, to: number, volume: number}[]>>}
 */
const BURSTS = {
  slide: [
    { at: 0, lasts: 0.2, from: 900, to: 500, volume: 0.12 },
    { at: 0.2, lasts: 0.05, from: 320, to: 220, volume: 0.4 },
  ],
  stone: [{ at: 0, lasts: 0.05, from: 1800, to: 900, volume: 0.5 }],
  wall: [
    { at: 0.16, lasts: 0.09, from: 260, to: 120, volume: 0.9 },
    { at: 0.17, lasts: 0.03, from: 1400, to: 900, volume: 0.25 },
  ],
  crumble: [0.18, 0.23, 0.27, 0.34].map((at) => ({ at, lasts: 0.05, from: 700, to: 300, volume: 0.22 })),
};

/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioBuffer | null} a second of white noise */
let noise = null;

/** Play sounds. The browser allows none before the first gesture on the page. @param {readonly Sound[]} kinds */
export function play(kinds) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().catch(() => {});
  for (const kind of kinds) {
    (TONES[kind] ?? []).forEach((pitch, index) => tone(/** @type {AudioContext} */ (audio), pitch, index));
    for (const burst of BURSTS[kind] ?? []) rustle(audio, burst);
  }
}

/** @param {AudioContext} context @param {number} pitch @param {number} index its place in the sequence */
function tone(context, pitch, index) {
  const at = context.currentTime + index * TONE_INTERVAL_SECONDS;
  const oscillator = context.createOscillator();
  oscillator.type = "triangle";
  oscillator.frequency.value = pitch;
  oscillator.connect(fading(context, TONE_VOLUME, at, TONE_SECONDS));
  oscillator.start(at);
  oscillator.stop(at + TONE_SECONDS);
}

/** @param {AudioContext} context @param {{at: number, lasts: number, from: number, to: number, volume: number}} burst */
function rustle(context, { at, lasts, from, to, volume }) {
  if (!noise) {
    noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let index = 0; index < samples.length; index++) samples[index] = 2 * Math.random() - 1;
  }
  const start = context.currentTime + at;
  const source = context.createBufferSource();
  source.buffer = noise;
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.Q.value = 0.9;
  filter.frequency.setValueAtTime(from, start);
  filter.frequency.exponentialRampToValueAtTime(to, start + lasts);
  source.connect(filter).connect(fading(context, volume, start, lasts));
  source.start(start, Math.random() * 0.5, lasts);
}

/** @param {AudioContext} context @param {number} volume @param {number} at @param {number} lasts in seconds */
function fading(context, volume, at, lasts) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + lasts);
  gain.connect(context.destination);
  return gain;
}
