/** Something that is fetched once and may be fetched again; until it is there, or when it cannot be had, it is null. */

import { get } from '../api.js';

/**
 * @template T
 */
export class Fetched {
  /** @type {T | null} */ value = null;

  /** @param {string} path @param {() => void} changed */
  constructor(path, changed) {
    this.path = path;
    this.changed = changed;
  }

  async load() {
    try {
      this.value = await get(this.path);
    } catch {
      this.value = null;
    }
    this.changed();
  }
}
