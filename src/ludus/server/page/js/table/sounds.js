// Short sounds, made on the spot. They are off until somebody switches them on.

import { preferences } from "../preferences.js";

const NOTES = { // [hertz, seconds from the start, seconds, loudness] of soft tones
  turn: [[660, 0, 0.12, 0.5], [880, 0.11, 0.18, 0.5]],
  win: [[523, 0, 0.12, 0.4], [659, 0.1, 0.12, 0.4], [784, 0.2, 0.24, 0.4]],
  said: [[740, 0, 0.08, 0.35]],
};
const CLICKS = { // [seconds from the start, seconds, hertz of the filter, loudness] of short noises
  deal: [[0, 0.05, 2600, 0.3]], check: [[0, 0.04, 420, 0.8], [0.11, 0.04, 420, 0.8]], chips: [[0, 0.03, 5200, 0.5], [0.05, 0.03, 4400, 0.5], [0.1, 0.04, 4900, 0.4]],
  fold: [[0, 0.09, 1300, 0.22]],
};
const ACTS = { fold: "fold", check: "check", call: "chips", bet: "chips", raise: "chips" };
let context = null;

export const audible = () => preferences.sounds === "on";

export function play(name) {
  if (!audible() || document.hidden) return;
  context ??= new AudioContext();
  context.resume();
  for (const [pitch, from, length, loud] of NOTES[name] ?? []) {
    const tone = context.createOscillator();
    tone.frequency.value = pitch;
    sound(tone, tone, from, length, loud);
  }
  for (const [from, length, pitch, loud] of CLICKS[name] ?? []) {
    const noise = context.createBufferSource(), filter = context.createBiquadFilter();
    noise.buffer = hiss();
    Object.assign(filter, { type: "bandpass" });
    filter.frequency.value = pitch;
    sound(noise, noise.connect(filter), from, length, loud);
  }
}

// What an event of the table sounds like.
export function playEvent(event, you) {
  if (event.kind === "street" || event.kind === "hand") play("deal");
  if (event.kind === "act") play(ACTS[event.action] ?? "chips");
  if (event.kind === "win" && event.chair === you && event.net > 0) play("win");
}

function sound(source, last, from, length, loud) {
  const start = context.currentTime + from, volume = context.createGain();
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.25 * loud, start + 0.006);
  volume.gain.exponentialRampToValueAtTime(0.0005, start + length);
  last.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + length + 0.02);
}

let noise = null;
function hiss() {
  if (noise) return noise;
  noise = context.createBuffer(1, context.sampleRate / 5, context.sampleRate);
  const data = noise.getChannelData(0);
  for (let i = 0; i < data.length; i++) data[i] = Math.random() * 2 - 1;
  return noise;
}
