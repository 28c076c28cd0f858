/** Sounds made on the spot by WebAudio; none is loaded. Each faction falls with its own. */

/** @typedef {'move' | 'capture' | 'check' | 'turn' | 'low' | 'end' | 'chat' | 'fall-bone' | 'fall-iron' | 'fall-idol' | 'fall-circuit'} SoundName */
/** @typedef {{wave: OscillatorType, from: number, to: number, at: number, length: number, loud: number}} Tone */
/** @typedef {{play: (name: SoundName) => void}} Sound */

/** @param {number} from @param {Partial<Tone>} rest @returns {Tone} */
const tone = (from, rest = {}) => ({ wave: 'sine', from, to: from, at: 0, length: 0.09, loud: 0.2, ...rest });

/** @type {Record<SoundName, Tone[]>} */
const SCORE = {
  move: [tone(210, { to: 120, wave: 'triangle', length: 0.07 })],
  capture: [
    tone(170, { to: 70, wave: 'square', length: 0.1, loud: 0.1 }),
    tone(900, { to: 300, length: 0.05, loud: 0.07 }),
  ],
  check: [tone(660, { wave: 'triangle' }), tone(660, { wave: 'triangle', at: 0.13 })],
  turn: [tone(520, { length: 0.12, loud: 0.14 }), tone(780, { at: 0.1, length: 0.18, loud: 0.14 })],
  low: [tone(880, { wave: 'square', length: 0.05, loud: 0.06 })],
  end: [
    tone(392, { length: 0.3 }),
    tone(523, { at: 0.18, length: 0.3 }),
    tone(659, { at: 0.36, length: 0.6 }),
  ],
  chat: [tone(1200, { length: 0.04, loud: 0.05 })],
  'fall-bone': [0, 0.06, 0.11, 0.19, 0.25, 0.36].map((at, n) =>
    tone(900 - n * 90, { to: 380, at, length: 0.045, wave: 'triangle', loud: 0.16 }),
  ),
  'fall-iron': [
    tone(140, { to: 45, wave: 'sawtooth', length: 0.7, loud: 0.14 }),
    tone(320, { to: 60, at: 0.08, wave: 'square', length: 0.5, loud: 0.07 }),
  ],
  'fall-idol': [
    tone(330, { to: 165, length: 0.9, loud: 0.18 }),
    tone(334, { to: 160, length: 0.9, loud: 0.16 }),
    tone(1320, { to: 880, at: 0.1, length: 0.5, loud: 0.04 }),
  ],
  'fall-circuit': [0, 0.07, 0.14, 0.21, 0.28].map((at, n) =>
    tone(1760 / (n + 1), { at, length: 0.05, wave: 'square', loud: 0.07 }),
  ),
};

/**
 * @param {() => boolean} wanted Whether sounds are on.
 * @returns {Sound}
 */
export function createSound(wanted) {
  /** @type {AudioContext | null} */
  let context = null;
  return {
    play(name) {
      if (!wanted() || !navigator.userActivation?.hasBeenActive) return;
      context ??= new AudioContext();
      if (context.state === 'suspended') void context.resume();
      for (const part of SCORE[name]) sing(context, part);
    },
  };
}

/** @param {AudioContext} context @param {Tone} part */
function sing(context, part) {
  const start = context.currentTime + part.at;
  const end = start + part.length;
  const voice = new OscillatorNode(context, { type: part.wave, frequency: part.from });
  const volume = new GainNode(context, { gain: 0.0001 });
  voice.frequency.setValueAtTime(part.from, start);
  voice.frequency.exponentialRampToValueAtTime(Math.max(20, part.to), end);
  volume.gain.setValueAtTime(0.0001, start);
  volume.gain.exponentialRampToValueAtTime(part.loud, start + 0.008);
  volume.gain.exponentialRampToValueAtTime(0.0001, end);
  voice.connect(volume).connect(context.destination);
  voice.start(start);
  voice.stop(end + 0.02);
}
