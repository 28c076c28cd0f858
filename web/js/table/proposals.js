/** Draw, abort and rematch: what can be proposed, and the proposal that is open. */

import { orSay } from '../app.js';
import { armyList, armyName } from '../names.js';
import { confirmDialog } from '../ui/dialog.js';
import { playedEntries } from '../game.js';
import { stillPlays } from '../standing.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** @param {App} app @param {VariantInfo} info @param {GameState} game */
export function openProposal(app, info, game) {
  const { t } = app;
  const { proposal, you } = game;
  if (!proposal) return null;
  const waiting = proposal.electorate.filter((seat) => !proposal.accepted.includes(seat));
  const mine = you !== null && waiting.includes(you);
  const vote = (/** @type {boolean} */ accept) =>
    void orSay(app, app.socket.ask({ type: 'vote', game: game.game, proposal: proposal.proposal, accept }));
  return h(
    'section.proposal',
    { key: 'proposal', role: 'group', 'aria-label': t('proposal.label') },
    h('p', null, t(`proposal.${proposal.what}`, { army: armyName(t, info, proposal.by) })),
    proposal.accepted.length > 0 &&
      h('p.hint', null, t('proposal.accepted', { armies: armyList(t, info, proposal.accepted) })),
    mine
      ? h(
          'div.row',
          null,
          h('button.primary', { onclick: () => vote(true) }, t('proposal.accept')),
          h('button', { onclick: () => vote(false) }, t('proposal.decline')),
        )
      : h('p.hint', null, t('proposal.waiting', { armies: armyList(t, info, waiting) })),
  );
}

/**
 * Whether an abort can be asked for: nobody is out, and some army has not made its second move.
 * @param {GameState} game
 */
export function mayAbort(game) {
  const moves = playedEntries(game.history)
    .filter((entry) => !entry.event.by_server)
    .map((entry) => entry.event.seat);
  return (
    game.board.armies.every((army) => army.status === 'active') &&
    game.setup.players.some(({ seat }) => moves.filter((other) => other === seat).length < 2)
  );
}

/** @param {App} app @param {GameState} game The buttons of a player during the game. */
export function playerActions(app, game) {
  const { t } = app;
  if (!stillPlays(game)) return null;
  const propose = (/** @type {import('../protocol.js').ProposalKind} */ what) =>
    void orSay(app, app.socket.ask({ type: 'propose', game: game.game, what }));
  return h(
    'div.actions',
    { key: 'actions', role: 'group', 'aria-label': t('actions.label') },
    h(
      'button',
      {
        disabled: Boolean(game.proposal) || game.board.turn !== game.you,
        title: t('actions.draw_hint'),
        onclick: () => propose('draw'),
      },
      t('actions.draw'),
    ),
    mayAbort(game) &&
      h('button', { disabled: Boolean(game.proposal), onclick: () => propose('abort') }, t('actions.abort')),
    h(
      'button.danger',
      {
        onclick: async () => {
          if (await confirmDialog(app, t('actions.resign_sure'), t('actions.resign')))
            void orSay(app, app.socket.ask({ type: 'resign', game: game.game }));
        },
      },
      t('actions.resign'),
    ),
  );
}
