/** A text that counts: redrawn when it changes, and not at all while it stands or the tab is hidden. */

import { untilChange } from '../clocks.js';

/**
 * @param {HTMLElement} element
 * @param {() => {millis: number, runs: boolean}} read
 * @param {(element: HTMLElement, millis: number, runs: boolean) => void} show
 * @param {(refresh: () => void) => () => void} subscribe Calls `refresh` whenever `read` may answer otherwise.
 * @returns {() => void} Stops it.
 */
export function countdown(element, read, show, subscribe) {
  /** @type {number | undefined} */
  let timer;
  const tick = () => {
    window.clearTimeout(timer);
    const { millis, runs } = read();
    show(element, millis, runs);
    const wait = untilChange(millis);
    if (runs && Number.isFinite(wait) && document.visibilityState === 'visible')
      timer = window.setTimeout(tick, wait);
  };
  const unsubscribe = subscribe(tick);
  document.addEventListener('visibilitychange', tick);
  tick();
  return () => {
    window.clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', tick);
  };
}
