/** The controls for setting up a position by hand: whose pieces, which piece, whose turn. */

import { drawing } from '../board/pieces.js';
import { looks, wearOf } from '../board/army-skins.js';
import { armyName, pieceName } from '../names.js';
import { letterOf } from '../moves.js';
import { h } from './dom.js';
import { ERASER, brushes } from './setup.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('./setup.js').Setup} Setup */

/**
 * @param {App} app
 * @param {VariantInfo} info
 * @param {Setup} setup
 * @param {{startPieces: Record<string, string>, army: string, choose: (army: string) => void, done: () => void, cancel: () => void}} how
 */
export function setupPanel(app, info, setup, { startPieces, army, choose, done, cancel }) {
  const { t } = app;
  return h(
    'section.panel.setup',
    { key: 'setup', 'aria-label': t('setup.title') },
    h('p.hint', null, t('setup.hint')),
    armyChoice(app, info, setup, army, choose),
    brushChoice(app, info, setup, brushes(info, startPieces, army)),
    turnChoice(app, info, setup),
    h(
      'div.row',
      null,
      h('button.primary', { onclick: done }, t('setup.done')),
      h('button', { onclick: () => setup.clear() }, t('setup.clear')),
      h('button', { onclick: cancel }, t('dialog.cancel')),
    ),
  );
}

/** @param {Setup} setup @param {string} brush */
function take(setup, brush) {
  setup.brush = brush;
  setup.changed();
}

/** @param {App} app @param {VariantInfo} info @param {Setup} setup @param {string} army @param {(army: string) => void} choose */
function armyChoice({ t }, info, setup, army, choose) {
  const chooseArmy = (/** @type {string} */ letter) => {
    choose(letter);
    if (setup.brush.length > 1) take(setup, letter + setup.brush.slice(1));
  };
  return h(
    'div.choices',
    { role: 'group', 'aria-label': t('setup.army') },
    info.armies.map(({ letter }) =>
      h(
        'button.small',
        {
          key: letter,
          class: `tint-${wearOf(info, letter).tint} of-army${letter === army ? ' chosen' : ''}`,
          'aria-pressed': letter === army ? 'true' : 'false',
          onclick: () => chooseArmy(letter),
        },
        armyName(t, info, letter),
      ),
    ),
  );
}

/** @param {App} app @param {VariantInfo} info @param {Setup} setup @param {string[]} pieces */
function brushChoice(app, info, setup, pieces) {
  const { t } = app;
  const look = looks(info, [], { letters: app.settings.get().xiangqi === 'letters' });
  const pieceBrush = (/** @type {string} */ piece) => {
    const form = piece.slice(2);
    const drawn = look(piece);
    const words = `${pieceName(t, info, letterOf(piece))}${form ? `, ${t(`badge.${form}`)}` : ''}`;
    const face = h('svg', {
      key: piece,
      class: `tint-${drawn.tint}`,
      viewBox: '0 0 100 100',
      'aria-hidden': 'true',
      mount: (element) => element.replaceChildren(...drawing(drawn, 0)),
    });
    return brush(setup, piece, words, face);
  };
  return h(
    'div.brushes',
    { role: 'group', 'aria-label': t('setup.pieces') },
    brush(setup, '', t('setup.hand'), '✥'),
    brush(setup, ERASER, t('setup.eraser'), '×'),
    pieces.map(pieceBrush),
  );
}

/** @param {Setup} setup @param {string} value @param {string} words @param {import('./dom.js').Kid} face */
function brush(setup, value, words, face) {
  return h(
    'button.brush',
    {
      key: `brush-${value}`,
      'aria-pressed': setup.brush === value ? 'true' : 'false',
      class: setup.brush === value ? 'chosen' : '',
      'aria-label': words,
      title: words,
      onclick: () => take(setup, value),
    },
    face,
  );
}

/** @param {App} app @param {VariantInfo} info @param {Setup} setup */
function turnChoice({ t }, info, setup) {
  const choose = (/** @type {Event} */ event) => {
    setup.turn = /** @type {HTMLSelectElement} */ (event.target).value;
  };
  return h(
    'label.filter',
    null,
    h('span', null, t('setup.turn')),
    h(
      'select',
      { value: setup.turn, onchange: choose },
      info.armies.map(({ letter }) =>
        h(
          'option',
          { key: letter, value: letter, selected: letter === setup.turn },
          armyName(t, info, letter),
        ),
      ),
    ),
  );
}
