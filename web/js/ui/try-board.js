/** A board whose moves are judged by the server's engine: for examples and analysis. No move is shown that it did not accept. */

import { position } from '../api.js';
import { orSay } from '../app.js';
import { Board } from '../board/board.js';
import { bodiesOf, looks, wearOf } from '../board/army-skins.js';
import { parseMove } from '../moves.js';
import { contentText, variantName } from '../names.js';

/** @typedef {import('../api.js').Analysed} Analysed */
/** @typedef {import('../protocol.js').Choice} Choice */

export class TryBoard {
  /** @type {Analysed | null} */ now = null;
  /** @type {string[]} */ actions = [];
  /** @type {{to: string, choices: Choice[]} | null} */ choosing = null;
  /** @type {import('./setup.js').Setup | null} A position that is being set up instead of played. */ setup =
    null;
  /** @type {import('../board/geometry.js').View} */ view = 0;
  #asked = 0;

  /**
   * @param {HTMLElement} root
   * @param {import('../app.js').App} app
   * @param {import('../protocol.js').VariantInfo} info
   * @param {import('../api.js').Basis | undefined} start The position to begin with; the variant's own when not given.
   * @param {() => void} changed
   */
  constructor(root, app, info, start, changed) {
    this.app = app;
    this.info = info;
    this.start = start;
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
        premove: (from, to) => this.setup?.move(from, to),
        cancel: () => undefined,
        place: (square) => this.setup?.place(square) ?? false,
      },
    );
    this.board.update({});
    void this.load([]);
  }

  destroy() {
    this.board.destroy();
  }

  /** @param {string} square @param {{selected: boolean, target: boolean, captures: boolean}} state */
  #describe(square, state) {
    const { t } = this.app;
    if (!this.now) return square;
    const words = [
      contentText(
        t,
        this.info,
        this.setup ? { ...this.now.board, pieces: this.setup.pieces, checks: [] } : this.now.board,
        square,
      ),
    ];
    if (state.selected) words.push(t('board.selected'));
    if (state.target) words.push(state.captures ? t('board.may_capture') : t('board.may_move'));
    return words.join(', ');
  }

  /**
   * Shows the position after some actions, if the server accepts them.
   * @param {string[]} actions
   * @returns {Promise<boolean>}
   */
  async load(actions) {
    this.#asked += 1;
    const mine = this.#asked;
    const answer = await orSay(this.app, position(this.info.variant, { ...this.start, actions }));
    if (!answer || mine !== this.#asked) return false;
    const one = actions.length === this.actions.length + 1;
    this.actions = actions;
    this.now = answer;
    this.choosing = null;
    this.show(one ? (answer.steps.at(-1)?.change.moved ?? []) : []);
    this.changed();
    return true;
  }

  /** @param {[string, string][]} moved */
  show(moved = []) {
    if (!this.now) return;
    const { board, legal } = this.now;
    const { info, app, setup } = this;
    const look = looks(info, board.armies, { letters: app.settings.get().xiangqi === 'letters' });
    if (setup) {
      this.board.update({
        view: this.view,
        look,
        pieces: setup.pieces,
        choices: [],
        owns: (square) => setup.pieces[square] !== undefined,
        premoves: setup.brush === '',
        checks: [],
        last: [],
        turn: null,
        still: true,
      });
      return;
    }
    const last = parseMove(this.actions.at(-1) ?? '');
    const mover = last ? board.pieces[last.to]?.[0] : undefined;
    const side = info.armies.find((army) => army.letter === board.turn)?.side;
    this.board.update({
      view: this.view,
      pieces: board.pieces,
      look,
      premoves: false,
      choices: this.choosing ? [] : legal,
      owns: (square) =>
        board.armies.find((army) => army.army === board.pieces[square]?.[0])?.controller === board.turn,
      checks: board.checks,
      last: last && mover ? [{ from: last.from, to: last.to, tint: wearOf(info, mover).tint, order: 1 }] : [],
      turn: board.turn && side ? { side, tint: wearOf(info, board.turn).tint } : null,
      moved,
      still: moved.length === 0 || app.calm(),
    });
  }

  /** @param {string} to @param {Choice[]} choices */
  #wanted(to, choices) {
    const [only, ...more] = choices;
    if (more.length > 0) {
      this.choosing = { to, choices };
      this.show();
      this.changed();
    } else if (only) this.play(only);
  }

  /** @param {Choice} choice */
  play(choice) {
    void this.load([...this.actions, choice.mv]);
  }

  cancel() {
    this.choosing = null;
    this.show();
    this.changed();
  }

  /** @param {number} count Keeps so many actions. */
  backTo(count) {
    return this.load(this.actions.slice(0, count));
  }
}
