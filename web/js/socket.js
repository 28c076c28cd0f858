/**
 * The connection: keeps one WebSocket open, sends what is asked for, resumes what was followed after a drop.
 *
 * It holds no game state; what it learns goes to the store. Requests wait here, visible in the store, until they are answered.
 */

import { CLOSE, PROTOCOL_VERSION, frame, isRepeatable, readMessage } from './protocol.js';

/** @typedef {import('./protocol.js').Request} Request */
/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {Extract<ServerMessage, {type: 'ok'}>} Answer */
/** @typedef {{request: Request, settle: (answer: Answer) => void, fail: (error: Refused) => void, sent?: {boot: string | null, at: number}}} Waiting `sent` is when it was sent first, and to which start of the server. */

const PING_EVERY = 5_000;
const SILENCE = 12_000;
const BACKOFF = [250, 500, 1_000, 2_000, 4_000, 8_000];

/** A request that the server refused, or that was lost with its connection. */
export class Refused extends Error {
  /** @param {string} code @param {string} message @param {number | null} retryAfter Milliseconds, where they are known. */
  constructor(code, message, retryAfter = null) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export class Socket {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<string, Waiting>} */ #waiting = new Map();
  /** @type {Set<string>} */ #watched = new Set();
  /** @type {Set<string>} */ #asking = new Set();
  #lobbies = 0;
  #attempt = 0;
  #lastFrame = 0;
  #ready = false;
  /** @type {string | null} The boot id of the server that greeted last. */ #boot = null;
  /** @type {number | undefined} */ #pinger;
  /** @type {number | undefined} */ #retry;

  /**
   * @param {import('./store.js').Store} store
   * @param {{url: string, identify: () => Promise<void>}} options `identify` makes sure that there is a session before a socket is opened.
   */
  constructor(store, { url, identify }) {
    this.store = store;
    this.url = url;
    this.identify = identify;
    addEventListener('online', () => this.#hurry());
    addEventListener('offline', () => this.#drop());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#hurry();
    });
  }

  /** Opens the connection; it stays open by itself from then on. */
  async open() {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.store.dispatch({ kind: 'connection', connection: { status: 'connecting', retryAt: null } });
    try {
      await this.identify();
    } catch {
      this.#later();
      return;
    }
    if (this.#socket) return;
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#lastFrame = performance.now();
    socket.onopen = () => this.#raw({ type: 'hello', version: PROTOCOL_VERSION, client: 'kingscross-web' });
    socket.onmessage = (event) => this.#hear(String(event.data));
    socket.onclose = (event) => this.#closed(socket, event.code);
    this.#pinger = window.setInterval(() => this.#beat(), PING_EVERY);
  }

  /**
   * Sends a request, now or as soon as there is a connection.
   * @param {Request} request
   * @returns {Promise<Answer>} Fails with `Refused`.
   */
  ask(request) {
    const id = crypto.randomUUID();
    return new Promise((settle, fail) => {
      const waiting = { request, settle, fail };
      this.#waiting.set(id, waiting);
      this.store.dispatch({ kind: 'asked', id, request });
      if (this.#ready) this.#send(id, waiting);
    });
  }

  /** @param {string} game Follows a game until `unwatch`, over any number of connections. */
  watch(game) {
    this.#watched.add(game);
    if (this.#ready) this.#resume(game);
  }

  /** @param {string} game */
  unwatch(game) {
    if (!this.#watched.delete(game)) return;
    if (this.#ready) this.#raw({ type: 'unwatch', game });
  }

  /** Follows the list of lobbies and games; counted, so that several views can. */
  watchLobbies() {
    this.#lobbies += 1;
    if (this.#lobbies === 1 && this.#ready) this.#raw({ type: 'watch_lobbies' });
    return () => {
      this.#lobbies -= 1;
      if (this.#lobbies === 0 && this.#ready) this.#raw({ type: 'unwatch_lobbies' });
    };
  }

  /** Closes the connection and opens it again, for a changed session. */
  restart() {
    this.#attempt = 0;
    // Another user may come, of whom the server remembers nothing.
    this.#giveUp('');
    this.#drop();
    void this.open();
  }

  /** @param {Request} request A request whose answer nobody waits for. */
  #raw(request) {
    this.#socket?.send(frame(crypto.randomUUID(), request));
  }

  /** @param {string} id @param {Waiting} waiting */
  #send(id, waiting) {
    waiting.sent ??= { boot: this.#boot, at: performance.now() };
    this.#socket?.send(frame(id, waiting.request));
    this.store.dispatch({ kind: 'sent', id });
  }

  /** @param {string} game */
  #resume(game) {
    if (this.#asking.has(game)) return;
    this.#asking.add(game);
    const known = this.store.state().games[game];
    this.ask({ type: 'watch', game, ...(known ? { after: known.seq } : {}) })
      .catch(() => undefined) // the refusal is in the store, where the view of the game reads it
      .finally(() => this.#asking.delete(game));
  }

  /** @param {string} text */
  #hear(text) {
    this.#lastFrame = performance.now();
    const message = readMessage(text);
    if (!message) return;
    this.store.dispatch({ kind: 'message', message, now: performance.now() });
    if (message.type === 'hello') this.#greeted(message.boot);
    if (message.type === 'ok') this.#take(message.id)?.settle(message);
    if (message.type === 'error' && message.id)
      this.#take(message.id)?.fail(new Refused(message.code, message.message, message.retry_after));
    if (
      message.type === 'event' &&
      this.store.state().games[message.game]?.gap &&
      this.#watched.has(message.game)
    )
      this.#resume(message.game);
  }

  /** @param {string} id */
  #take(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** @param {string} boot */
  #greeted(boot) {
    if (this.#ready) return;
    this.#ready = true;
    this.#attempt = 0;
    this.#boot = boot;
    this.#giveUp(boot);
    this.#raw({ type: 'stream' });
    if (this.#lobbies > 0) this.#raw({ type: 'watch_lobbies' });
    for (const game of this.#watched) this.#resume(game);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.request.type !== 'watch' || !waiting.sent) this.#send(id, waiting);
    }
  }

  #beat() {
    if (performance.now() - this.#lastFrame > SILENCE) this.#drop();
    else if (this.#ready) this.#raw({ type: 'ping' });
  }

  #hurry() {
    if (this.#socket && performance.now() - this.#lastFrame > SILENCE) this.#drop();
    if (!this.#socket && this.#retry !== undefined) {
      this.#attempt = 0;
      void this.open();
    }
  }

  #drop() {
    const socket = this.#socket;
    if (!socket) return;
    socket.close();
    this.#closed(socket, 1006);
  }

  /** @param {WebSocket} socket @param {number} code */
  #closed(socket, code) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#ready = false;
    this.#asking.clear();
    clearInterval(this.#pinger);
    this.#giveUp(null);
    if (code === CLOSE.version || code === CLOSE.revoked || code === CLOSE.tooMany) {
      this.store.dispatch({ kind: 'connection', connection: { status: 'refused', code, retryAt: null } });
    } else {
      this.#later(code);
    }
  }

  /**
   * What was sent and cannot be sent twice is given up, so that nothing happens that nobody waits for any more: some of it when
   * its connection is lost, the rest when a server greets that may have forgotten it.
   * @param {string | null} boot
   */
  #giveUp(boot) {
    const now = { boot, at: performance.now() };
    for (const [id, { request, sent, fail }] of [...this.#waiting]) {
      if (!sent || isRepeatable(request, sent, now)) continue;
      this.#waiting.delete(id);
      if (request.type === 'watch')
        this.store.dispatch({ kind: 'message', message: { type: 'ok', id }, now: performance.now() });
      else
        this.store.dispatch({
          kind: 'dropped',
          id,
          code: 'connection_lost',
          message: 'The connection was lost before the answer came.',
        });
      fail(new Refused('connection_lost', 'The connection was lost before the answer came.'));
    }
  }

  /** @param {number | null} code */
  #later(code = null) {
    const wait = BACKOFF[Math.min(this.#attempt, BACKOFF.length - 1)] ?? 8_000;
    this.#attempt += 1;
    const spread = wait * (0.75 + Math.random() / 2);
    this.store.dispatch({
      kind: 'connection',
      connection: { status: 'waiting', code, retryAt: performance.now() + spread },
    });
    this.#retry = window.setTimeout(() => void this.open(), spread);
  }
}
