/** What the player has set, kept in this browser. */

/** @typedef {'auto' | 'on' | 'off'} Auto */
/**
 * @typedef {object} Settings
 * @property {'auto' | 'en' | 'de'} language
 * @property {'standard' | 'contrast'} palette
 * @property {'auto' | 'full' | 'reduced'} motion
 * @property {'on' | 'off'} sound
 * @property {Auto} confirm Ask before a move is sent; `auto` does on small screens.
 * @property {'glyphs' | 'letters'} xiangqi
 * @property {'on' | 'off'} marks Small corner marks of the armies.
 * @property {'on' | 'off'} coordinates
 */

const KEY = 'kingscross.settings';

/** @type {Settings} */
export const DEFAULTS = Object.freeze({
  language: 'auto',
  palette: 'standard',
  motion: 'auto',
  sound: 'on',
  confirm: 'auto',
  xiangqi: 'glyphs',
  marks: 'off',
  coordinates: 'on',
});

/** The values that each setting may take, in the order in which they are offered. */
export const OPTIONS = Object.freeze({
  language: ['auto', 'en', 'de'],
  palette: ['standard', 'contrast'],
  motion: ['auto', 'full', 'reduced'],
  sound: ['on', 'off'],
  confirm: ['auto', 'on', 'off'],
  xiangqi: ['glyphs', 'letters'],
  marks: ['off', 'on'],
  coordinates: ['on', 'off'],
});

/**
 * Settings from stored text; what is unknown or damaged falls back to its default.
 * @param {string | null} text
 * @returns {Settings}
 */
export function readSettings(text) {
  /** @type {Record<string, unknown>} */
  let stored = {};
  try {
    stored = JSON.parse(text ?? '{}') ?? {};
  } catch {
    // Damaged settings are no settings.
  }
  const known = Object.entries(OPTIONS).filter(([name, values]) => values.includes(String(stored[name])));
  return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, stored[name]])) };
}

/** @typedef {{get: () => Settings, set: (change: Partial<Settings>) => void, subscribe: (listener: () => void) => () => void}} SettingsStore */

/** @returns {SettingsStore} */
export function createSettings() {
  let settings = readSettings(safely(() => localStorage.getItem(KEY)));
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const show = () => {
    const root = document.documentElement;
    root.dataset.palette = settings.palette;
    root.dataset.motion = isCalm(settings) ? 'reduced' : 'full';
    root.dataset.marks = settings.marks;
    root.dataset.coordinates = settings.coordinates;
  };
  show();
  matchMedia('(prefers-reduced-motion: reduce)').addEventListener('change', show);
  return {
    get: () => settings,
    set(change) {
      settings = { ...settings, ...change };
      safely(() => localStorage.setItem(KEY, JSON.stringify(settings)));
      show();
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @param {Settings} settings Whether motion is to be spared. */
export function isCalm(settings) {
  return (
    settings.motion === 'reduced' ||
    (settings.motion === 'auto' && matchMedia('(prefers-reduced-motion: reduce)').matches)
  );
}

/** @param {Settings} settings Whether a move is to be confirmed before it is sent. */
export function asksBeforeMove(settings) {
  return (
    settings.confirm === 'on' || (settings.confirm === 'auto' && matchMedia('(max-width: 480px)').matches)
  );
}

/**
 * Storage can be forbidden; then nothing is remembered.
 * @template T
 * @param {() => T} action
 */
function safely(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
