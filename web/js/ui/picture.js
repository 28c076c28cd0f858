/** A board to look at: the start or any other position, without events. */

import { Board } from '../board/board.js';
import { bodiesOf, looks } from '../board/army-skins.js';
import { variantName } from '../names.js';
import { h } from './dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {() => Promise<import('../protocol.js').BoardView>} load
 * @param {{key: string, name?: string, later?: boolean}} options `later` pictures are drawn after the first frame, so that they do not keep it waiting.
 */
export function picture(app, info, load, { key, name = '', later = false }) {
  /** @param {HTMLElement} element */
  const draw = (element) => {
    const board = new Board(
      element,
      {
        info,
        bodies: bodiesOf(info),
        label: app.t('board.picture', { game: variantName(app.t, info) }),
        describe: () => '',
      },
      null,
    );
    board.update({});
    load().then(
      (view) => {
        const letters = app.settings.get().xiangqi === 'letters';
        board.update({
          pieces: view.pieces,
          look: looks(info, view.armies, { letters }),
          checks: view.checks,
        });
      },
      () => undefined,
    ); // an empty board is a picture too
    return () => board.destroy();
  };
  return h('div.picture-place', {
    key,
    class: name,
    mount: (element) => {
      if (!later) return draw(element);
      let gone = false;
      /** @type {(() => void) | undefined} */
      let stop;
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (!gone) stop = draw(element);
        }),
      );
      return () => {
        gone = true;
        stop?.();
      };
    },
  });
}
