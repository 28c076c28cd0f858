/** A board that shows a game of other four-player rules: pieces move because the text says so, and nobody judges it. */

import { Board } from '../board/board.js';
import { bodiesOf, looks, wearOf } from '../board/army-skins.js';
import { letterOf } from '../moves.js';
import { armyName, pieceName, squareText } from '../names.js';

/** @typedef {import('../api.js').UnjudgedGame} UnjudgedGame */

export class UnjudgedBoard {
  /** How many moves are shown. */ count = 0;
  /** @type {import('../board/geometry.js').View} */ view = 0;

  /**
   * @param {HTMLElement} root
   * @param {import('../app.js').App} app
   * @param {import('../protocol.js').VariantInfo} info Whose colours the pieces wear: r, b, y and g.
   * @param {UnjudgedGame} game
   */
  constructor(root, app, info, game) {
    this.app = app;
    this.info = info;
    this.game = game;
    const nothing = () => undefined;
    this.board = new Board(
      root,
      {
        info,
        bodies: bodiesOf(info),
        label: app.t('unjudged.board'),
        describe: (square) => this.#describe(square),
      },
      { move: nothing, premove: nothing, cancel: nothing },
    );
    this.show();
  }

  destroy() {
    this.board.destroy();
  }

  get pieces() {
    return this.game.moves[this.count - 1]?.pieces ?? this.game.start;
  }

  /** @param {string} square */
  #describe(square) {
    const { t } = this.app;
    const piece = this.pieces[square];
    const what = piece
      ? t('board.piece', {
          army: armyName(t, this.info, piece[0] ?? ''),
          piece: pieceName(t, this.info, letterOf(piece)),
        })
      : t('board.empty');
    return `${squareText(t, square)}, ${what}`;
  }

  /** @param {number} count Shows the board after so many moves. */
  goTo(count) {
    const next = Math.max(0, Math.min(this.game.moves.length, count));
    const moved = next === this.count + 1 ? (this.game.moves[next - 1]?.moved ?? []) : [];
    this.count = next;
    this.show(moved);
  }

  /** @param {[string, string][]} moved */
  show(moved = []) {
    const { app, info } = this;
    const now = this.game.moves[this.count - 1];
    this.board.update({
      view: this.view,
      pieces: this.pieces,
      look: looks(info, [], { letters: app.settings.get().xiangqi === 'letters' }),
      last: now
        ? now.moved.map(([from, to]) => ({ from, to, tint: wearOf(info, now.army).tint, order: 1 }))
        : [],
      moved,
      still: moved.length === 0 || app.calm(),
    });
  }
}
