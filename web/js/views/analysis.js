/** The analysis board: any position of any game, every move judged by the server's engine. */

import { get, position, startOf } from '../api.js';
import { orSay } from '../app.js';
import { lineList, listenToArrows, stepButtons } from '../analysis/line.js';
import { askForText, readText } from '../analysis/pasted.js';
import { UnjudgedAnalysis } from '../analysis/unjudged.js';
import { armyName, variantName } from '../names.js';
import { playedEntries } from '../game.js';
import { promotionChooser } from '../table/entry.js';
import { endingText } from '../table/sentences.js';
import { standing } from '../standing.js';
import { h } from '../ui/dom.js';
import { Setup } from '../ui/setup.js';
import { setupPanel } from '../ui/setup-panel.js';
import { TryBoard } from '../ui/try-board.js';
import { liveView } from '../ui/view.js';
import { EXAMPLES } from './examples.js';

/** @typedef {import('../board/geometry.js').View} View */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** @type {import('../app.js').Mount} */
export function mount(root, app, _params, query) {
  const analysis = new Analysis(root, app, query);
  return () => analysis.destroy();
}

class Analysis {
  /** @type {TryBoard | null} */ board = null;
  /** @type {Record<string, string>} The pieces of the start, of which the brushes are made. */ startPieces =
    {};
  /** @type {string} The army whose pieces are set up. */ army = '';
  /** How many actions of the line are shown at first. */ shownFirst = Infinity;
  /** @type {View} */ turned = 0;
  /** @type {UnjudgedAnalysis | null} A game of other rules, which is shown instead. */ unjudged = null;
  /** Counts what was loaded: each gets a board of its own. */ round = 0;

  /** @param {HTMLElement} root @param {import('../app.js').App} app @param {URLSearchParams} query */
  constructor(root, app, query) {
    this.app = app;
    const [first = ''] = app.infos.keys();
    const asked = query.get('variant') ?? '';
    this.variant = app.infos.has(asked) ? asked : first;
    /** @type {import('../api.js').Basis | undefined} */
    this.start = query.get('example') ? { position: EXAMPLES[this.variant] ?? {} } : undefined;
    /** @type {string[]} The whole line, of which `board.actions` is the part that is shown. */
    this.line = query.get('actions')?.split(',').filter(Boolean) ?? [];
    this.view = liveView(root, app, () => this.#render());
    this.stopListening = listenToArrows((by) => this.#step(by));
    const game = query.get('game');
    if (game) void this.#loadGame(game, Number(query.get('ply') ?? Infinity));
  }

  destroy() {
    this.stopListening();
    this.view.stop();
  }

  // ---- what is analysed ----

  /** @param {string} id @param {number} count How many actions are shown at first. */
  async #loadGame(id, count) {
    /** @type {import('../protocol.js').GameRecord | null} */
    const record = await orSay(this.app, get(`/games/${id}`));
    if (!record) return;
    const actions = playedEntries(record.events).map(({ event }) => event.action);
    this.#begin({ variant: record.variant, start: undefined, actions }, count);
  }

  /** @param {import('../analysis/pasted.js').Line} line @param {number} [count] How many of its actions are shown at first. */
  #begin({ variant, start, actions }, count = Infinity) {
    this.variant = variant;
    this.start = start;
    this.line = actions;
    this.shownFirst = count;
    this.unjudged = null;
    this.round += 1;
    this.view.refresh();
  }

  /** @param {string} variant From its usual start. */
  #beginAnew(variant) {
    this.#begin({ variant, start: undefined, actions: [] });
  }

  /** @param {string} text @returns {Promise<boolean>} Whether it is shown. */
  async #beginPasted(text) {
    const read = await readText(this.app, this.variant, text);
    if (!read) return false;
    if ('actions' in read) {
      this.#begin(read);
      return true;
    }
    this.unjudged = new UnjudgedAnalysis(this.app, read, () => this.view.refresh());
    this.board = null;
    this.round += 1;
    this.view.refresh();
    return true;
  }

  #boardChanged() {
    if (this.board && this.board.actions.length > 0) {
      const { actions } = this.board;
      // A move that leaves the known line begins a new one.
      if (actions.some((action, index) => this.line[index] !== action)) this.line = [...actions];
    }
    this.view.refresh();
  }

  /** @param {number} by */
  #step(by) {
    if (this.unjudged) {
      this.unjudged.step(by);
      return;
    }
    const { board, line } = this;
    if (!board) return;
    const count = Math.max(0, Math.min(line.length, board.actions.length + by));
    if (count !== board.actions.length) void board.load(line.slice(0, count));
  }

  #turn() {
    const turned = /** @type {View} */ ((this.turned + 1) % 4);
    this.turned = turned;
    if (this.unjudged) {
      this.unjudged.turnTo(turned);
    } else if (this.board) {
      this.board.view = turned;
      this.board.show();
    }
  }

  // ---- setting up ----

  /** @param {VariantInfo} info */
  async #beginSetup(info) {
    const { board } = this;
    const from = board?.now;
    if (!board || !from) return;
    const known = await orSay(this.app, startOf(info.variant));
    if (!known || this.board?.now !== from) return;
    this.startPieces = known.pieces;
    this.army = info.armies[0]?.letter ?? '';
    const document = /** @type {import('../ui/setup.js').PositionDocument} */ (from.position);
    board.setup = new Setup(document, () => {
      board.show();
      this.view.refresh();
    });
    board.show();
    this.view.refresh();
  }

  #leaveSetup() {
    if (!this.board) return;
    this.board.setup = null;
    this.board.show();
    this.view.refresh();
  }

  async #finishSetup() {
    const made = this.board?.setup?.document();
    if (!made) return;
    const { variant } = this;
    const read = await orSay(this.app, position(variant, { position: made }));
    if (read) this.#begin({ variant, start: { position: read.position }, actions: [] });
  }

  // ---- what is shown ----

  #render() {
    const { app, board } = this;
    if (this.unjudged) return this.unjudged.render(this.round, this.turned, this.#unjudgedTools());
    const info = app.infos.get(this.variant);
    if (!info) return [];
    const { setup } = board ?? {};
    return [
      h(
        'div.table.analysis',
        { key: 'analysis', class: setup ? 'setting-up' : '' },
        h('h1.unseen', null, app.t('analysis.title')),
        this.#arena(info),
        h(
          'aside.side',
          { key: 'side' },
          this.#heading(info),
          this.#variantFilter(),
          setup ? this.#setupPanel(info, setup) : this.#walk(info),
          this.#tools(info),
        ),
      ),
    ];
  }

  /** @param {VariantInfo} info */
  #arena(info) {
    const { app, board } = this;
    return h(
      'div.arena',
      { key: 'arena', '--aspect': String((info.height / info.width).toFixed(3)) },
      h('div.board-place', {
        key: `board-${this.variant}-${this.round}`,
        mount: (element) => this.#mountBoard(element, info),
      }),
      board &&
        promotionChooser(
          app,
          board.board,
          board.choosing,
          (choice) => this.board?.play(choice),
          () => this.board?.cancel(),
        ),
    );
  }

  /** @param {HTMLElement} element @param {VariantInfo} info */
  #mountBoard(element, info) {
    const board = new TryBoard(element, this.app, info, this.start, () => this.#boardChanged());
    this.board = board;
    board.view = this.turned;
    if (this.line.length > 0) void board.load(this.line.slice(0, this.shownFirst));
    return () => board.destroy();
  }

  /** @param {VariantInfo} info */
  #heading(info) {
    const { t } = this.app;
    const words = this.board?.setup ? t('setup.title') : this.#turnWords(info);
    return h('div.heading', null, h('h2', null, t('analysis.title')), h('b', { role: 'status' }, words));
  }

  /** @param {VariantInfo} info Whose turn it is, or how the game ended. */
  #turnWords(info) {
    const { t } = this.app;
    const now = this.board?.now;
    if (now?.ending) return endingText(t, info, now.ending);
    const turn = now?.board.turn;
    return turn ? t('ring.other', { army: armyName(t, info, turn) }) : '';
  }

  #variantFilter() {
    const { app, variant } = this;
    const { t } = app;
    const choose = (/** @type {Event} */ event) =>
      this.#beginAnew(/** @type {HTMLSelectElement} */ (event.target).value);
    return h(
      'label.filter',
      null,
      h('span', null, t('create.game')),
      h(
        'select',
        { value: variant, onchange: choose },
        [...app.infos.values()].map((other) =>
          h(
            'option',
            { key: other.variant, value: other.variant, selected: other.variant === variant },
            variantName(t, other),
          ),
        ),
      ),
    );
  }

  /** @param {VariantInfo} info @param {Setup} setup */
  #setupPanel(info, setup) {
    return setupPanel(this.app, info, setup, {
      startPieces: this.startPieces,
      army: this.army,
      choose: (letter) => {
        this.army = letter;
        this.view.refresh();
      },
      done: () => this.#finishSetup(),
      cancel: () => this.#leaveSetup(),
    });
  }

  /** @param {VariantInfo} info */
  #walk(info) {
    const { t } = this.app;
    const { line } = this;
    const count = this.board?.actions.length ?? 0;
    return [
      stepButtons(t, count, line.length, (by) => this.#step(by)),
      this.#otherActions(info),
      lineList(t, line, count, (to) => void this.board?.load(line.slice(0, to))),
      line.length === 0 && h('p.hint', null, t('analysis.hint')),
    ];
  }

  /** @param {VariantInfo} info Actions that are not moves: the pass, and leaving. */
  #otherActions(info) {
    const { t } = this.app;
    const now = this.board?.now;
    if (!now?.board.turn) return null;
    const pass = now.legal.find((choice) => choice.mv === 'pass' || choice.mv === 'random:pass');
    return h(
      'details.special',
      { key: 'special' },
      h('summary', null, t('analysis.special')),
      h(
        'div.row',
        null,
        pass && h('button.small', { onclick: () => this.board?.play(pass) }, t('action.pass')),
        now.board.armies
          .filter((army) => standing(army.status).isPlayed)
          .map((army) =>
            h(
              'button.small',
              { key: army.army, onclick: () => this.board?.play({ mv: `resign:${army.army}` }) },
              t('analysis.resign', { army: armyName(t, info, army.army) }),
            ),
          ),
      ),
    );
  }

  /** @param {VariantInfo} info */
  #tools(info) {
    const { t } = this.app;
    const { setup, now } = this.board ?? {};
    return h(
      'div.row',
      { key: 'tools' },
      !setup &&
        h('button.small', { disabled: !now, onclick: () => void this.#beginSetup(info) }, t('setup.open')),
      this.#turnButton(),
      !setup && this.#pasteButton(),
      !setup &&
        h('button.small', { disabled: !now?.position, onclick: () => this.#copy() }, t('analysis.copy')),
    );
  }

  #unjudgedTools() {
    const { t } = this.app;
    return h(
      'div.row',
      { key: 'tools' },
      this.#turnButton(),
      this.#pasteButton(),
      h('button.small', { onclick: () => this.#beginAnew(this.variant) }, t('unjudged.leave')),
    );
  }

  #turnButton() {
    return h('button.small', { onclick: () => this.#turn() }, this.app.t('table.turn'));
  }

  #pasteButton() {
    const paste = () => askForText(this.app, (text) => this.#beginPasted(text));
    return h('button.small', { onclick: paste }, this.app.t('analysis.load'));
  }

  #copy() {
    const { app } = this;
    void navigator.clipboard.writeText(JSON.stringify(this.board?.now?.position)).then(
      () => app.notify(app.t('analysis.copied')),
      () => undefined,
    );
  }
}
