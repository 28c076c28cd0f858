/** A pasted text: a position, FEN4 or PGN4. The server judges it; a game of other rules is shown unjudged. */

import { position, unjudged } from '../api.js';
import { orSay, refusalText } from '../app.js';
import { openDialog } from '../ui/dialog.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../api.js').Basis} Basis */
/** @typedef {{variant: string, start: Basis | undefined, actions: string[]}} Line */
/** @typedef {{game: import('../api.js').UnjudgedGame, refusedFor: string}} Unjudged Why no game of this server can be made of it. */

/**
 * Asks for a text.
 * @param {App} app
 * @param {(text: string) => Promise<boolean>} read Whether it could be shown.
 */
export function askForText(app, read) {
  const { t } = app;
  /** @param {SubmitEvent} event @param {() => void} close */
  const submit = async (event, close) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const field = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('position'));
    if (await read(field.value.trim())) close();
  };
  openDialog(
    t('analysis.load'),
    (close) => [
      h(
        'form',
        { onsubmit: (/** @type {SubmitEvent} */ event) => submit(event, close) },
        h(
          'label',
          null,
          t('analysis.paste'),
          h('textarea', { name: 'position', rows: 8, spellcheck: 'false', autofocus: true }),
        ),
        h(
          'div.row.end',
          null,
          h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
          h('button.primary', null, t('analysis.load')),
        ),
      ),
    ],
    { name: 'paste' },
  );
}

/**
 * Reads a text.
 * @param {App} app
 * @param {string} variant The game that it belongs to, where it does not say.
 * @param {string} text
 * @returns {Promise<Line | Unjudged | null>} Null when it is refused, which is shown.
 */
export async function readText(app, variant, text) {
  const basis = basisOf(text);
  const named = /** @type {{variant?: string} | undefined} */ (basis.position)?.variant ?? variant;
  const asked = position(app.infos.has(named) ? named : variant, basis);
  if (!basis.position) {
    const refusal = await asked.then(
      () => null,
      (error) => error,
    );
    if (refusal) return unjudgedOr(app, basis, refusal);
  }
  const read = await orSay(app, asked);
  if (!read) return null;
  for (const dropped of read.dropped ?? []) app.notify(dropped);
  const actions = read.steps.map((step) => step.action);
  // A game that began at the usual start can be walked through from there.
  const whole = basis.pgn4 ? await position(read.variant, { actions }).catch(() => null) : null;
  if (whole && JSON.stringify(whole.board) === JSON.stringify(read.board))
    return { variant: read.variant, start: undefined, actions };
  return { variant: read.variant, start: { position: read.position }, actions: [] };
}

/**
 * A text that no game of this server can be made of, as moves on a board.
 * @param {App} app
 * @param {Basis} basis
 * @param {unknown} refusal Shown when it cannot be read that way either.
 * @returns {Promise<Unjudged | null>}
 */
async function unjudgedOr(app, basis, refusal) {
  const game = await unjudged({ fen4: basis.fen4, pgn4: basis.pgn4 }).catch(() => null);
  if (game) return { game, refusedFor: refusalText(app, refusal) };
  app.notify(refusalText(app, refusal), 'error');
  return null;
}

/** @param {string} text What kind of text it is. @returns {Basis} */
function basisOf(text) {
  if (text.startsWith('{')) {
    try {
      return { position: /** @type {object} */ (JSON.parse(text)) };
    } catch {
      return { position: {} };
    }
  }
  return /^\[|\b1\. /.test(text) ? { pgn4: text } : { fen4: text };
}
