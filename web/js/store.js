/** Holds the state, lets `reduce` change it, and tells those who listen. */

import { EMPTY, reduce } from './reduce.js';

/** @typedef {import('./reduce.js').State} State */
/** @typedef {import('./reduce.js').Action} Action */
/** @typedef {{state: () => State, dispatch: (action: Action) => void, subscribe: (listener: (state: State, before: State) => void) => () => void}} Store */

/** @returns {Store} */
export function createStore() {
  let state = EMPTY;
  /** @type {Set<(state: State, before: State) => void>} */
  const listeners = new Set();
  return {
    state: () => state,
    dispatch(action) {
      const before = state;
      state = reduce(state, action);
      if (state === before) return;
      for (const listener of [...listeners]) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
