/** Tells a screen reader what happens: the moves of the others in one sentence when the turn comes round, urgent things at once. */

import { actionText, armyName, squareText } from '../names.js';
import { endingText } from './sentences.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */

export class Announcer {
  /** @type {string[]} */ #told = [];

  /** @param {App} app @param {import('../protocol.js').VariantInfo} info */
  constructor(app, info) {
    this.app = app;
    this.info = info;
  }

  /** @param {GameState} game After its `fresh` entry. */
  tell(game) {
    const { t } = this.app;
    const { fresh, you, board } = game;
    if (!fresh) return;
    const { event, change } = fresh;
    if (event.kind === 'played') this.#told.push(actionText(t, this.info, event, change, board.pieces));
    if (event.kind === 'proposed' && event.by !== you)
      this.app.announce(t(`proposal.${event.what}`, { army: armyName(t, this.info, event.by) }), true);
    if (event.kind === 'finished') {
      const { kind, ...ending } = event;
      this.#flush();
      this.app.announce(endingText(t, this.info, ending), true);
      return;
    }
    if (you === null || board.turn === you || (event.kind === 'played' && event.seat === you)) this.#flush();
    if (you !== null && board.turn === you && event.kind === 'played') {
      const checked = board.checks.find((square) => board.pieces[square]?.startsWith(you));
      this.app.announce(
        checked ? t('told.your_turn_check', { square: squareText(t, checked) }) : t('told.your_turn'),
        true,
      );
    }
  }

  #flush() {
    if (this.#told.length > 0) this.app.announce(`${this.#told.join('. ')}.`);
    this.#told = [];
  }
}
