/** A line of moves that is walked through: its buttons, its list, and the arrow keys. */

import { iconButton } from '../table/replay-bar.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../i18n/translate.js').Translate} Translate */

/**
 * @param {Translate} t
 * @param {number} count How many moves are shown.
 * @param {number} length How many there are.
 * @param {(by: number) => void} step Shows so many moves more; further than the ends is an end.
 */
export function stepButtons(t, count, length, step) {
  return h(
    'div.row',
    { key: 'steps' },
    iconButton(t, 'first', () => step(-length), count === 0),
    iconButton(t, 'back', () => step(-1), count === 0),
    iconButton(t, 'forward', () => step(1), count >= length),
    iconButton(t, 'last', () => step(length), count >= length),
  );
}

/**
 * @param {Translate} t
 * @param {string[]} moves
 * @param {number} count How many moves are shown.
 * @param {(count: number) => void} goTo
 */
export function lineList(t, moves, count, goTo) {
  return h(
    'ol.line',
    { 'aria-label': t('moves.label'), tabindex: 0 },
    moves.map((move, index) =>
      h(
        'li',
        { key: String(index) },
        h(
          'button.move',
          {
            class: index === count - 1 ? 'now' : '',
            'aria-current': index === count - 1 ? 'step' : null,
            onclick: () => goTo(index + 1),
          },
          `${index + 1}. ${move}`,
        ),
      ),
    ),
  );
}

/**
 * Walks with the arrow keys, wherever they mean nothing else.
 * @param {(by: number) => void} step
 * @returns {() => void} Stops listening.
 */
export function listenToArrows(step) {
  const key = (/** @type {KeyboardEvent} */ event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest('input, textarea, select, [role="grid"], dialog')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', key);
  return () => document.removeEventListener('keydown', key);
}
