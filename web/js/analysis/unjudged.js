/** A game of other rules on the analysis board: its moves are shown as the text has them. */

import { h } from '../ui/dom.js';
import { UnjudgedBoard } from '../ui/unjudged-board.js';
import { lineList, stepButtons } from './line.js';

/** @typedef {import('../board/geometry.js').View} View */

export class UnjudgedAnalysis {
  /** @type {UnjudgedBoard | null} */ #board = null;

  /**
   * @param {import('../app.js').App} app
   * @param {import('./pasted.js').Unjudged} pasted
   * @param {() => void} changed
   */
  constructor(app, { game, refusedFor }, changed) {
    this.app = app;
    this.game = game;
    this.refusedFor = refusedFor;
    this.changed = changed;
  }

  get #count() {
    return this.#board?.count ?? 0;
  }

  /** @param {number} by */
  step(by) {
    this.#goTo(this.#count + by);
  }

  /** @param {number} count */
  #goTo(count) {
    this.#board?.goTo(count);
    this.changed();
  }

  /** @param {View} view */
  turnTo(view) {
    if (!this.#board) return;
    this.#board.view = view;
    this.#board.show();
  }

  /**
   * @param {number} round Another board for each game that is loaded.
   * @param {View} view
   * @param {import('../ui/dom.js').Kid} tools
   */
  render(round, view, tools) {
    const { app, game } = this;
    const { t } = app;
    const info = app.infos.get('kingdoms');
    if (!info) return [];
    const moves = game.moves.map((move) => move.text);
    return [
      h(
        'div.table.analysis',
        { key: 'unjudged' },
        h('h1.unseen', null, t('analysis.title')),
        h(
          'div.arena',
          { key: 'arena', '--aspect': String((info.height / info.width).toFixed(3)) },
          h('div.board-place', {
            key: `unjudged-${round}`,
            mount: (element) => this.#mountBoard(element, info, view),
          }),
        ),
        h(
          'aside.side',
          { key: 'side' },
          h(
            'div.heading',
            null,
            h('h2', null, t('unjudged.title')),
            h('b', { role: 'status' }, t('unjudged.lead')),
          ),
          this.refusedFor && h('p.hint', null, this.refusedFor),
          stepButtons(t, this.#count, moves.length, (by) => this.step(by)),
          game.notes.length > 0 &&
            h(
              'ul.notes',
              null,
              game.notes.map((note, index) => h('li', { key: String(index) }, note)),
            ),
          lineList(t, moves, this.#count, (count) => this.#goTo(count)),
          tools,
        ),
      ),
    ];
  }

  /** @param {HTMLElement} element @param {import('../protocol.js').VariantInfo} info @param {View} view */
  #mountBoard(element, info, view) {
    const board = new UnjudgedBoard(element, this.app, info, this.game);
    this.#board = board;
    board.view = view;
    board.show();
    return () => {
      board.destroy();
      if (this.#board === board) this.#board = null;
    };
  }
}
