/** Ways to give a move beside the board: the promotion chooser, the confirmation, and a typed move. */

import { parseMove, readTyped } from '../moves.js';
import { wearOf } from '../board/army-skins.js';
import { toScreen, extent, parseSquare } from '../board/geometry.js';
import { pieceName } from '../names.js';
import { stillPlays } from '../standing.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('./table-board.js').TableBoard} TableBoard */

/**
 * The pieces that a pawn may become, beside the square it goes to.
 * @param {App} app
 * @param {import('../board/board.js').Board} board
 * @param {{to: string, choices: import('../protocol.js').Choice[]} | null} choosing
 * @param {(choice: import('../protocol.js').Choice) => void} choose
 * @param {() => void} cancel
 */
export function promotionChooser(app, board, choosing, choose, cancel) {
  const { t } = app;
  const [first] = choosing?.choices ?? [];
  if (!choosing || !first) return null;
  const { info } = board.setup;
  const { columns, rows } = extent(board.shape, board.props.view);
  const at = toScreen(board.shape, board.props.view, parseSquare(choosing.to));
  const { tint, body } = wearOf(info, board.props.pieces[parseMove(first.mv)?.from ?? '']?.[0] ?? '');
  return h(
    'div.promotion',
    {
      key: 'promotion',
      role: 'dialog',
      'aria-label': t('promotion.label'),
      class: `tint-${tint}`,
      '--x': String(Math.min(0.72, Math.max(0.28, (at.column + 0.5) / columns))),
      '--y': String(Math.min(0.88, Math.max(0.12, (at.row + 0.5) / rows))),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Escape') cancel();
      },
    },
    choosing.choices.map((choice, index) => {
      const letter = parseMove(choice.mv)?.promotion ?? '';
      const words = pieceName(t, info, letter);
      return h(
        'button',
        {
          key: letter,
          'aria-label': words,
          title: words,
          autofocus: index === 0,
          onclick: () => choose(choice),
        },
        h('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${body}-${letter}` })),
      );
    }),
    h('button.cancel', { key: 'cancel', onclick: cancel }, t('dialog.cancel')),
  );
}

/** @param {App} app @param {TableBoard} stage */
export function confirmBar(app, stage) {
  const { t } = app;
  const { confirming } = stage;
  if (!confirming) return null;
  const move = parseMove(confirming.mv);
  return h(
    'div.confirm',
    { key: 'confirm', role: 'group', 'aria-label': t('confirm.label') },
    h(
      'span',
      null,
      move ? `${move.from} – ${move.to}${move.promotion ? ` = ${move.promotion}` : ''}` : confirming.mv,
    ),
    h('button.primary', { autofocus: true, onclick: () => stage.send(confirming) }, t('confirm.play')),
    h('button', { onclick: () => stage.takeBack() }, t('confirm.back')),
  );
}

/** @param {App} app @param {TableBoard} stage */
export function typedMove(app, stage) {
  const { t } = app;
  const { scene } = stage;
  if (!scene || !stillPlays(scene.game)) return null;
  const choices = stage.choices();
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (
      /** @type {HTMLFormElement} */ (event.target).elements.namedItem('move')
    );
    const read = readTyped(input.value, stage.choices(), scene.shown.pieces);
    if ('choice' in read) {
      input.value = '';
      stage.propose(read.choice);
    } else {
      app.notify(t(`typed.${read.problem}`, { text: input.value }), 'error');
    }
  };
  return h(
    'form.typed',
    { key: 'typed', onsubmit: submit },
    h('input', {
      name: 'move',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      'aria-label': t('typed.label'),
      placeholder: t('typed.placeholder'),
    }),
    h('button.small', { disabled: choices.length === 0 }, t('typed.play')),
    choices.some((choice) => choice.mv === 'pass') &&
      h('button.small', { type: 'button', onclick: () => stage.propose({ mv: 'pass' }) }, t('action.pass')),
  );
}
