/** The REST side of the server. */

import { at } from './base.js';
import { Refused } from './socket.js';

/** @typedef {import('./protocol.js').UserView} UserView */
/** @typedef {import('./protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('./protocol.js').BoardView} BoardView */
/** @typedef {import('./protocol.js').Choice} Choice */

/**
 * @param {string} path Under `/api/v1`.
 * @param {{method?: string, body?: object, signal?: AbortSignal}} options
 * @returns {Promise<unknown>} Fails with `Refused`.
 */
async function call(path, { method = 'GET', body, signal } = {}) {
  const response = await fetch(at(`/api/v1${path}`), {
    method,
    signal: signal ?? null,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : null,
  });
  const text = await response.text();
  /** @type {unknown} */
  const value = text ? JSON.parse(text) : null;
  if (response.ok) return value;
  const { code = 'internal', message = response.statusText } =
    /** @type {{code?: string, message?: string}} */ (value ?? {});
  throw new Refused(code, message);
}

/**
 * Who we are; a new guest when we are nobody yet. The server leaves as it is whoever it knows already, so one question is enough.
 * @returns {Promise<UserView>}
 */
export async function identify() {
  return /** @type {UserView} */ (await call('/guest', { method: 'POST' }));
}

/** @returns {Promise<VariantInfo[]>} */
export async function variants() {
  const answer = await call('/variants');
  return /** @type {VariantInfo[]} */ (
    Array.isArray(answer) ? answer : /** @type {{items: VariantInfo[]}} */ (answer).items
  );
}

/**
 * One page of a list.
 * @template T
 * @param {string} path
 * @param {Record<string, string | null | undefined>} query Empty values are left out.
 * @returns {Promise<{items: T[], next: string | null}>}
 */
export async function list(path, query = {}) {
  const filled = Object.entries(query).filter(([, value]) => value);
  const search = new URLSearchParams(/** @type {[string, string][]} */ (filled)).toString();
  return /** @type {{items: T[], next: string | null}} */ (await call(search ? `${path}?${search}` : path));
}

/**
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
export async function get(path) {
  return /** @type {T} */ (await call(path));
}

/** @param {string} path @param {object} [body] */
export async function remove(path, body) {
  await call(path, { method: 'DELETE', ...(body ? { body } : {}) });
}

/** @param {string} path */
export async function put(path) {
  await call(path, { method: 'PUT' });
}

/**
 * @template T
 * @param {string} path
 * @param {object} body
 * @returns {Promise<T>}
 */
export async function post(path, body) {
  return /** @type {T} */ (await call(path, { method: 'POST', body }));
}

/** @typedef {{action: string, change: import('./protocol.js').BoardChange, hash: string}} AnalysedStep */
/** @typedef {{variant: string, position: object, board: BoardView, steps: AnalysedStep[], legal: Choice[], ending?: import('./protocol.js').Ending, dropped?: string[]}} Analysed */
/** @typedef {{position?: object, fen4?: string, pgn4?: string}} Basis */

/**
 * A position of a variant after some actions, judged by the server's engine.
 * @param {string} variant
 * @param {Basis & {actions?: string[]}} from The start of the variant when nothing else is given.
 * @returns {Promise<Analysed>}
 */
export async function position(variant, from = {}) {
  return post('/positions', { variant, ...from });
}

/** @typedef {{text: string, army: string, moved: [string, string][], pieces: Record<string, string>}} UnjudgedMove */
/** @typedef {{judged: false, tags: Record<string, string>, start: Record<string, string>, moves: UnjudgedMove[], notes: string[]}} UnjudgedGame */

/**
 * A game of other four-player rules as moves on a board, which nobody judges.
 * @param {{fen4?: string, pgn4?: string}} text
 * @returns {Promise<UnjudgedGame>}
 */
export async function unjudged(text) {
  return post('/positions/view', text);
}

/** @type {Map<string, Promise<BoardView>>} */
const starts = new Map();

/**
 * The start position of a variant; asked for once.
 * @param {string} variant
 */
export function startOf(variant) {
  const known = starts.get(variant) ?? position(variant).then((answer) => answer.board);
  starts.set(variant, known);
  known.catch(() => starts.delete(variant));
  return known;
}
