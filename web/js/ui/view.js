/** Ties a render function to the store: drawn at once, and again after every change, once per turn of the event loop. */

import { patch } from './dom.js';

/** @typedef {import('./dom.js').Kid} Kid */

/**
 * @param {HTMLElement} root
 * @param {import('../app.js').App} app
 * @param {() => Kid[]} render
 */
export function liveView(root, app, render) {
  let queued = false;
  let gone = false;
  const draw = () => {
    queued = false;
    if (!gone) patch(root, ...render());
  };
  const refresh = () => {
    if (queued) return;
    queued = true;
    queueMicrotask(draw);
  };
  const unsubscribe = [app.store.subscribe(refresh), app.settings.subscribe(refresh)];
  draw();
  return {
    refresh,
    stop() {
      gone = true;
      for (const stop of unsubscribe) stop();
      patch(root);
    },
  };
}

/** @typedef {ReturnType<typeof liveView>} LiveView */
