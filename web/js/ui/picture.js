/** A board to look at: the start or any other position, without events. */

import { Board } from '../board/board.js';
import { bodiesOf, looks } from '../board/skins.js';
import { variantName } from '../names.js';
import { h } from './dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {() => Promise<import('../protocol.js').BoardView>} load
 * @param {{key: string, name?: string}} options
 */
export function picture(app, info, load, { key, name = '' }) {
  return h('div.picture-place', {
    key, class: name,
    mount: (element) => {
      const board = new Board(element, { info, bodies: bodiesOf(info), label: app.t('board.picture', { game: variantName(app.t, info) }), describe: () => '' }, null);
      board.update({});
      load().then((view) => {
        const letters = app.settings.get().xiangqi === 'letters';
        board.update({ pieces: view.pieces, look: looks(info, view.armies, { letters }), checks: view.checks });
      }, () => undefined); // an empty board is a picture too
      return () => board.destroy();
    },
  });
}
