/** A list that is fetched page by page. */

import { list } from '../api.js';

/**
 * @template T
 */
export class Pages {
  /** @type {T[]} */ items = [];
  /** @type {string | null} */ next = null;
  /** @type {'loading' | 'ready' | 'failed'} */ state = 'loading';
  #asked = 0;

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /**
   * Fetches the first page; an answer to an older question is dropped.
   * @param {string} path @param {Record<string, string | null | undefined>} query
   */
  async load(path, query) {
    this.path = path;
    this.query = query;
    this.items = [];
    this.next = null;
    await this.#fetch(null);
  }

  async more() {
    if (this.next) await this.#fetch(this.next);
  }

  /** @param {string | null} cursor */
  async #fetch(cursor) {
    this.#asked += 1;
    const mine = this.#asked;
    this.state = 'loading';
    this.changed();
    try {
      /** @type {{items: T[], next: string | null}} */
      const page = await list(this.path ?? '', { ...this.query, cursor });
      if (mine !== this.#asked) return;
      this.items = [...this.items, ...page.items];
      this.next = page.next;
      this.state = 'ready';
    } catch {
      if (mine !== this.#asked) return;
      this.state = 'failed';
    }
    this.changed();
  }
}
