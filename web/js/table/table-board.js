/**
 * The board of a table: shows the game to the board component, and turns squares that the player means into a move that is
 * confirmed, sent, or kept as a premove.
 */

import { orSay } from '../app.js';
import { Board } from '../board/board.js';
import { bodiesOf, looks, wearOf } from '../board/army-skins.js';
import { deathShow } from '../board/death.js';
import { duePremove, parseMove } from '../moves.js';
import { contentText, variantName } from '../names.js';
import { moveOnItsWay } from '../reduce.js';
import { asksBeforeMove } from '../settings.js';
import { stillPlays } from '../standing.js';
import { latestMoves } from './timeline.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../protocol.js').Choice} Choice */
/** @typedef {import('../protocol.js').BoardView} BoardView */
/** @typedef {{from: string, to: string}} Squares */
/** @typedef {{game: import('../game.js').GameState, shown: BoardView, steps: import('./timeline.js').Step[], count: number, isLive: boolean, view: import('../board/geometry.js').View, moved: [string, string][], still: boolean}} Scene */

export class TableBoard {
  /** @type {Squares | null} */ premove = null;
  /** @type {{to: string, choices: Choice[]} | null} A promotion that waits for its piece. */ choosing = null;
  /** @type {Choice | null} A move that waits for its confirmation. */ confirming = null;
  /** @type {Scene | null} */ scene = null;

  /**
   * @param {HTMLElement} root
   * @param {App} app
   * @param {import('../protocol.js').VariantInfo} info
   * @param {() => void} changed Called when something beside the board must be drawn anew.
   */
  constructor(root, app, info, changed) {
    this.app = app;
    this.info = info;
    this.changed = changed;
    this.board = new Board(
      root,
      {
        info,
        bodies: bodiesOf(info),
        label: app.t('board.label', { game: variantName(app.t, info) }),
        describe: (square, state) => this.#describe(square, state),
      },
      {
        move: (_from, to, choices) => this.#wanted(to, choices),
        premove: (from, to) => this.#setPremove({ from, to }),
        cancel: () => this.#setPremove(null),
      },
    );
    this.root = root;
  }

  destroy() {
    this.board.destroy();
  }

  /** @param {string} square @param {{selected: boolean, target: boolean, captures: boolean}} state */
  #describe(square, state) {
    const { t } = this.app;
    if (!this.scene) return square;
    const words = [contentText(t, this.info, this.scene.shown, square)];
    if (state.selected) words.push(t('board.selected'));
    if (state.target) words.push(state.captures ? t('board.may_capture') : t('board.may_move'));
    return words.join(', ');
  }

  /** @param {Scene} scene */
  show(scene) {
    this.scene = scene;
    const { game, shown, steps, count, isLive, view, moved, still } = scene;
    const { app, info } = this;
    const pending = isLive ? moveOnItsWay(app.store.state(), game.game) : null;
    const legal = this.choices();
    const alive = stillPlays(game);
    if (!isLive || legal.length === 0) this.#forget();
    const look = looks(info, shown.armies, { letters: app.settings.get().xiangqi === 'letters' });
    const turnSide = info.armies.find((army) => army.letter === shown.turn)?.side;
    this.board.update({
      view,
      look,
      moved,
      still,
      pieces: shown.pieces,
      choices: this.confirming || this.choosing ? [] : legal,
      owns: (square) => this.#controls(shown, square),
      premoves: isLive && alive && game.board.turn !== game.you && !pending,
      last: latestMoves(steps, count, Math.max(1, info.armies.length - 1)).map(
        ({ from, to, seat }, index) => ({ from, to, tint: wearOf(info, seat).tint, order: index + 1 }),
      ),
      checks: shown.checks,
      premove: isLive ? this.premove : null,
      pending: pending ? squaresOf(pending.mv) : this.confirming ? squaresOf(this.confirming.mv) : null,
      turn: shown.turn && turnSide ? { side: turnSide, tint: wearOf(info, shown.turn).tint } : null,
    });
  }

  /** What may be played at this moment. @returns {Choice[]} */
  choices() {
    if (!this.scene?.isLive) return [];
    const { game } = this.scene;
    if (game.ending || game.aborted || game.frozen || game.board.turn !== game.you) return [];
    return moveOnItsWay(this.app.store.state(), game.game) ? [] : (game.legal ?? []);
  }

  /** @param {BoardView} board @param {string} square */
  #controls(board, square) {
    const piece = board.pieces[square];
    const you = this.scene?.game.you;
    if (!piece || !you) return false;
    const army = board.armies.find((other) => other.army === piece[0]);
    return (army?.controller ?? piece[0]) === you;
  }

  #forget() {
    this.choosing = null;
    this.confirming = null;
  }

  /** @param {string} to @param {Choice[]} choices */
  #wanted(to, choices) {
    const [only, ...more] = choices;
    if (more.length > 0) {
      this.choosing = { to, choices };
      this.refresh();
    } else if (only) this.propose(only);
  }

  /** @param {Choice} choice Sends it, or asks first where the player wants that. */
  propose(choice) {
    this.choosing = null;
    if (asksBeforeMove(this.app.settings.get())) {
      this.confirming = choice;
      this.refresh();
    } else this.send(choice);
  }

  /** @param {Choice} choice */
  send(choice) {
    const { scene, app } = this;
    this.#forget();
    if (!scene) return;
    const { game } = scene;
    void orSay(app, app.socket.ask({ type: 'move', game: game.game, ply: game.board.ply, mv: choice.mv }));
    this.refresh();
  }

  /** Takes back a choice that was not sent. */
  takeBack() {
    this.#forget();
    this.refresh();
  }

  /** @param {Squares | null} squares */
  #setPremove(squares) {
    if (!squares && !this.premove) return;
    this.premove = squares;
    this.app.announce(squares ? this.app.t('told.premove') : this.app.t('told.premove_off'));
    this.refresh();
  }

  /** Plays the premove if it is due and legal; gives it up otherwise. */
  playDuePremove() {
    if (!this.premove) return;
    const legal = this.choices();
    if (legal.length === 0) return;
    const choice = duePremove(legal, this.premove);
    this.premove = null;
    if (choice) this.send(choice);
    else this.app.announce(this.app.t('told.premove_lost'), true);
  }

  refresh() {
    if (this.scene) this.show({ ...this.scene, moved: [] });
    this.changed();
  }

  /** @param {string[]} armies Armies that have just fallen. */
  playDeaths(armies) {
    if (!this.scene || this.app.calm() || document.visibilityState !== 'visible') return;
    const { shown } = this.scene;
    for (const army of armies) {
      const squares = Object.entries(shown.pieces)
        .filter(([, piece]) => piece.startsWith(army))
        .map(([square]) => square);
      deathShow(this.board, squares, wearOf(this.info, army).tint);
    }
  }
}

/** @param {string} mv @returns {Squares | null} */
function squaresOf(mv) {
  const move = parseMove(mv);
  return move ? { from: move.from, to: move.to } : null;
}
