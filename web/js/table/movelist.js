/** The moves as a table of rounds and seats. */

import { clockText } from '../clocks.js';
import { wearOf } from '../board/army-skins.js';
import { actionShort, armyName } from '../names.js';
import { h } from '../ui/dom.js';
import { rounds } from './timeline.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('./timeline.js').Step[]} steps
 * @param {number} shown How many steps the shown board contains.
 * @param {(count: number) => void} goTo
 */
export function moveList(app, info, steps, shown, goTo) {
  const { t } = app;
  const seats = info.armies.map((army) => army.letter);
  const rows = rounds(steps, seats);
  if (rows.length === 0) return h('p.hint', { key: 'none' }, t('moves.none'));
  return h(
    'div.moves-scroll',
    { key: 'moves', tabindex: 0, role: 'region', 'aria-label': t('moves.label'), mount: undefined },
    h(
      'table.moves',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, '#'),
          seats.map((seat) =>
            h('th', { scope: 'col', class: `tint-${wearOf(info, seat).tint}` }, armyName(t, info, seat)),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row, index) =>
          h(
            'tr',
            { key: String(index) },
            h('th', { scope: 'row' }, index + 1),
            row.map((at) => h('td', null, at !== null && cell(app, steps, at, shown, goTo))),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {import('../app.js').App} app
 * @param {import('./timeline.js').Step[]} steps
 * @param {number} at
 * @param {number} shown
 * @param {(count: number) => void} goTo
 */
function cell(app, steps, at, shown, goTo) {
  const step = steps[at];
  if (!step) return '';
  const { t } = app;
  const text = actionShort(t, step.event, step.change, step.before.pieces);
  const time = step.event.spent ? t('moves.spent', { time: clockText(step.event.spent) }) : '';
  return h(
    'button.move',
    {
      class: at === shown - 1 ? 'now' : '',
      'aria-current': at === shown - 1 ? 'step' : null,
      title: time,
      onclick: () => goTo(at + 1),
    },
    text,
  );
}
