/** The ledger: what happened, in words, with the rule behind it. */

import { wearOf } from '../board/army-skins.js';
import { applyChange } from '../protocol.js';
import { h } from '../ui/dom.js';
import { ledgerLines } from './sentences.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../protocol.js').BoardView} start
 * @param {import('../protocol.js').HistoryEntry[]} history
 */
export function ledger(app, info, start, history) {
  const { t } = app;
  let board = start;
  /** @type {import('../ui/dom.js').VElement[]} */
  const items = [];
  for (const { seq, event, change } of history) {
    if (change) board = applyChange(board, change);
    ledgerLines(t, info, event, change?.effects ?? [], board).forEach((line, index) => {
      const tint = line.seat ? `tint-${wearOf(info, line.seat).tint}` : '';
      items.push(
        h(
          'li',
          { key: `${seq}-${index}`, class: `${line.weight} ${tint}` },
          h('span.round', { 'aria-hidden': 'true' }, board.ply),
          h('span.what', null, line.text, line.rule && h('span.rule', null, line.rule)),
        ),
      );
    });
  }
  if (items.length === 0) return h('p.hint', { key: 'none' }, t('ledger.none'));
  return h('ol.ledger', { key: 'ledger', 'aria-label': t('ledger.label'), tabindex: 0 }, items.reverse());
}
