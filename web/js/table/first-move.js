/** The time for a first move, after which a game is aborted: said in words, since who comes for the first time expects a clock of minutes. */

import { armyName } from '../names.js';
import { countdown } from '../ui/countdown.js';
import { h } from '../ui/dom.js';

/** @typedef {{app: import('../app.js').App, info: import('../protocol.js').VariantInfo, game: () => import('../game.js').GameState}} Context */

/** @param {Context} context */
export function firstMove(context) {
  const { app, info } = context;
  const { clocks, board, you, ending, aborted, setup } = context.game();
  const { turn } = board;
  if (clocks.first_move === undefined || !turn || ending || aborted) return null;
  // The server's bots are not waited for.
  if (setup.players.find((player) => player.seat === turn)?.bot) return null;
  return h('p.first-move', {
    key: 'first-move',
    class: turn === you ? 'yours' : '',
    role: 'timer',
    'aria-live': 'off',
    mount: (element) =>
      countdown(
        element,
        () => {
          const game = context.game();
          const left = Math.max(0, (game.clocks.first_move ?? 0) - (performance.now() - game.clocksAt));
          return { millis: left, runs: left > 0 && !game.frozen };
        },
        (target, millis) => {
          const game = context.game();
          const seconds = Math.ceil(millis / 1000);
          target.classList.toggle('late', seconds <= 10);
          target.textContent =
            game.board.turn === game.you
              ? app.t('first_move.yours', { seconds })
              : app.t('first_move.other', { army: armyName(app.t, info, game.board.turn ?? turn), seconds });
        },
        (refresh) => app.store.subscribe(refresh),
      ),
  });
}
