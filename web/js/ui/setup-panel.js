/** The controls for setting up a position by hand: whose pieces, which piece, whose turn. */

import { drawing } from '../board/pieces.js';
import { looks, wearOf } from '../board/army-skins.js';
import { armyName, pieceName } from '../names.js';
import { letterOf } from '../moves.js';
import { h } from './dom.js';
import { ERASER, brushes } from './setup.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('./setup.js').Setup} setup
 * @param {{startPieces: Record<string, string>, army: string, choose: (army: string) => void, done: () => void, cancel: () => void}} how
 */
export function setupPanel(app, info, setup, { startPieces, army, choose, done, cancel }) {
  const { t } = app;
  const look = looks(info, [], { letters: app.settings.get().xiangqi === 'letters' });
  const take = (/** @type {string} */ brush) => {
    setup.brush = brush;
    setup.changed();
  };
  const brush = (
    /** @type {string} */ value,
    /** @type {string} */ words,
    /** @type {import('./dom.js').Kid} */ face,
  ) =>
    h(
      'button.brush',
      {
        key: `brush-${value}`,
        'aria-pressed': setup.brush === value ? 'true' : 'false',
        class: setup.brush === value ? 'chosen' : '',
        'aria-label': words,
        title: words,
        onclick: () => take(value),
      },
      face,
    );
  return h(
    'section.panel.setup',
    { key: 'setup', 'aria-label': t('setup.title') },
    h('p.hint', null, t('setup.hint')),
    h(
      'div.choices',
      { role: 'group', 'aria-label': t('setup.army') },
      info.armies.map(({ letter }) =>
        h(
          'button.small',
          {
            key: letter,
            class: `tint-${wearOf(info, letter).tint} of-army${letter === army ? ' chosen' : ''}`,
            'aria-pressed': letter === army ? 'true' : 'false',
            onclick: () => {
              choose(letter);
              if (setup.brush.length > 1) take(letter + setup.brush.slice(1));
            },
          },
          armyName(t, info, letter),
        ),
      ),
    ),
    h(
      'div.brushes',
      { role: 'group', 'aria-label': t('setup.pieces') },
      brush('', t('setup.hand'), '✥'),
      brush(ERASER, t('setup.eraser'), '×'),
      brushes(info, startPieces, army).map((piece) => {
        const form = piece.slice(2);
        const drawn = look(piece);
        return brush(
          piece,
          `${pieceName(t, info, letterOf(piece))}${form ? `, ${t(`badge.${form}`)}` : ''}`,
          h('svg', {
            key: piece,
            class: `tint-${drawn.tint}`,
            viewBox: '0 0 100 100',
            'aria-hidden': 'true',
            mount: (element) => element.replaceChildren(...drawing(drawn, 0)),
          }),
        );
      }),
    ),
    h(
      'label.filter',
      null,
      h('span', null, t('setup.turn')),
      h(
        'select',
        {
          value: setup.turn,
          onchange: (/** @type {Event} */ event) => {
            setup.turn = /** @type {HTMLSelectElement} */ (event.target).value;
          },
        },
        info.armies.map(({ letter }) =>
          h(
            'option',
            { key: letter, value: letter, selected: letter === setup.turn },
            armyName(t, info, letter),
          ),
        ),
      ),
    ),
    h(
      'div.row',
      null,
      h('button.primary', { onclick: done }, t('setup.done')),
      h('button', { onclick: () => setup.clear() }, t('setup.clear')),
      h('button', { onclick: cancel }, t('dialog.cancel')),
    ),
  );
}
