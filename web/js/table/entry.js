/** Ways to give a move beside the board: the promotion chooser, the confirmation, and a typed move. */

import { parseMove, readTyped } from '../moves.js';
import { wearOf } from '../board/skins.js';
import { toScreen, extent, parseSquare } from '../board/geometry.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('./stage.js').Stage} Stage */

/** @param {App} app @param {Stage} stage */
export function promotionChooser(app, stage) {
  const { t } = app;
  const { choosing, scene } = stage;
  if (!choosing || !scene) return null;
  const offers = stage.promotionOffers();
  const { columns, rows } = extent(stage.board.shape, scene.view);
  const at = toScreen(stage.board.shape, scene.view, parseSquare(choosing.to));
  const tint = wearOf(stage.info, scene.game.you ?? scene.shown.turn ?? '').tint;
  return h('div.promotion', {
    key: 'promotion', role: 'dialog', 'aria-label': t('promotion.label'), class: `tint-${tint}`,
    '--x': String(Math.min(0.72, Math.max(0.28, (at.column + 0.5) / columns))), '--y': String(Math.min(0.88, Math.max(0.12, (at.row + 0.5) / rows))),
    mount: undefined,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Escape') stage.takeBack();
    },
  }, offers.map(({ choice, letter, words, symbol }, index) => h('button', {
    key: letter, 'aria-label': words, title: words, autofocus: index === 0, onclick: () => stage.propose(choice),
  }, h('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` })))),
  h('button.cancel', { key: 'cancel', onclick: () => stage.takeBack() }, t('dialog.cancel')));
}

/** @param {App} app @param {Stage} stage */
export function confirmBar(app, stage) {
  const { t } = app;
  const { confirming } = stage;
  if (!confirming) return null;
  const move = parseMove(confirming.mv);
  return h('div.confirm', { key: 'confirm', role: 'group', 'aria-label': t('confirm.label') },
    h('span', null, move ? `${move.from} – ${move.to}${move.promotion ? ` = ${move.promotion}` : ''}` : confirming.mv),
    h('button.primary', { autofocus: true, onclick: () => stage.send(confirming) }, t('confirm.play')),
    h('button', { onclick: () => stage.takeBack() }, t('confirm.back')));
}

/** @param {App} app @param {Stage} stage */
export function typedMove(app, stage) {
  const { t } = app;
  const { scene } = stage;
  if (!scene || scene.game.you === null || scene.game.ending || scene.game.aborted) return null;
  const choices = stage.choices();
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem('move'));
    const read = readTyped(input.value, stage.choices(), scene.shown.pieces);
    if ('choice' in read) {
      input.value = '';
      stage.propose(read.choice);
    } else {
      app.notify(t(`typed.${read.problem}`, { text: input.value }), 'error');
    }
  };
  return h('form.typed', { key: 'typed', onsubmit: submit },
    h('input', { name: 'move', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-label': t('typed.label'), placeholder: t('typed.placeholder') }),
    h('button.small', { disabled: choices.length === 0 }, t('typed.play')),
    choices.some((choice) => choice.mv === 'pass') && h('button.small', { type: 'button', onclick: () => stage.propose({ mv: 'pass' }) }, t('action.pass')));
}
