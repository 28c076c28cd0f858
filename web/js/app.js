/** What every view is given: the state, the ways to act, and the words. */

import { spanText } from './names.js';

/**
 * @typedef {object} App
 * @property {import('./store.js').Store} store
 * @property {import('./socket.js').Socket} socket
 * @property {import('./settings.js').SettingsStore} settings
 * @property {import('./i18n/translate.js').Translate} t
 * @property {Map<string, import('./protocol.js').VariantInfo>} infos The variants of the server, by id.
 * @property {(path: string, options?: {replace?: boolean}) => void} go Changes the address and shows its view.
 * @property {(text: string, urgent?: boolean) => void} announce Tells a screen reader.
 * @property {(text: string, kind?: 'info' | 'error') => void} notify Shows a short message.
 * @property {import('./sound.js').Sound} sound
 * @property {() => boolean} calm Whether motion is to be spared.
 */
/** @typedef {(root: HTMLElement, app: App, params: Record<string, string>, query: URLSearchParams) => (() => void)} Mount */

/**
 * The info of a variant; views are shown only after the variants are known.
 * @param {App} app
 * @param {string} variant
 */
export function infoOf(app, variant) {
  const info = app.infos.get(variant);
  if (!info) throw new Error(`The server does not know the variant ${variant}.`);
  return info;
}

/**
 * Runs a request and shows its refusal, if any.
 * @template T
 * @param {App} app
 * @param {Promise<T>} asked
 * @returns {Promise<T | null>} Null when it was refused.
 */
export async function orSay(app, asked) {
  try {
    return await asked;
  } catch (error) {
    app.notify(refusalText(app, error), 'error');
    return null;
  }
}

/** @param {App} app @param {number} millis A wait, rounded up: minutes are enough for a long one. */
function waitText(app, millis) {
  const unit = millis > 120_000 ? 60_000 : 1000;
  return spanText(app.t, Math.ceil(millis / unit) * unit);
}

/** @param {App} app @param {unknown} error */
export function refusalText(app, error) {
  const {
    code = '',
    message = '',
    retryAfter,
  } = /** @type {{code?: string, message?: string, retryAfter?: number | null}} */ (error ?? {});
  const key = `error.${code}`;
  if (!app.t.has(key)) return message || app.t('error.internal');
  // What is wrong with a position only the server knows.
  return app.t(key, { why: message, time: retryAfter ? waitText(app, retryAfter) : '' });
}
