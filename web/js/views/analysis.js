/** The analysis board: any position of any game, every move judged by the server's engine. */

import { get, position, startOf, unjudged } from '../api.js';
import { orSay, refusalWords } from '../app.js';
import { armyName, variantName } from '../names.js';
import { playedEntries } from '../game.js';
import { promotionChooser } from '../table/entry.js';
import { iconButton } from '../table/replay-bar.js';
import { endingWords } from '../table/sentences.js';
import { openDialog } from '../ui/dialog.js';
import { standing } from '../standing.js';
import { h } from '../ui/dom.js';
import { Setup } from '../ui/setup.js';
import { setupPanel } from '../ui/setup-panel.js';
import { TryBoard } from '../ui/try-board.js';
import { UnjudgedBoard } from '../ui/unjudged-board.js';
import { liveView } from '../ui/view.js';
import { EXAMPLES } from './examples.js';

/** @typedef {import('../board/geometry.js').View} View */

/** @type {import('../app.js').Mount} */
export function mount(root, app, _params, query) {
  let variant = app.infos.has(query.get('variant') ?? '')
    ? (query.get('variant') ?? '')
    : ([...app.infos.keys()][0] ?? '');
  /** @type {import('../api.js').Basis | undefined} */
  let start = query.get('example') ? { position: EXAMPLES[variant] ?? {} } : undefined;
  /** @type {string[]} The whole line, of which `board.actions` is the part that is shown. */
  let line = query.get('actions')?.split(',').filter(Boolean) ?? [];
  /** @type {TryBoard | null} */
  let board = null;
  /** @type {Record<string, string>} The pieces of the start, of which the brushes are made. */
  let startPieces = {};
  /** How many actions of the line are shown at first. */
  let shownFirst = Infinity;
  let turned = 0;
  /** @type {import('../api.js').UnjudgedGame | null} A game of other rules, which is shown instead. */
  let foreign = null;
  /** Why no game of this server can be made of it. */
  let refusedFor = '';
  /** @type {UnjudgedBoard | null} */
  let shown = null;
  let round = 0;
  const view = liveView(root, app, () => render());
  /** @type {string} The army whose pieces are set up. */
  let army = '';
  const key = (/** @type {KeyboardEvent} */ event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (
      target?.closest('input, textarea, select, [role="grid"], dialog') ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', key);
  const game = query.get('game');
  if (game) void fromGame(game, Number(query.get('ply') ?? Infinity));

  /** @param {string} id @param {number} count */
  async function fromGame(id, count) {
    /** @type {import('../protocol.js').GameRecord | null} */
    const record = await orSay(app, get(`/games/${id}`));
    if (record)
      begin(
        record.variant,
        undefined,
        playedEntries(record.events).map(({ event }) => event.action),
        count,
      );
  }

  /** @param {string} wanted @param {import('../api.js').Basis | undefined} from @param {string[]} actions @param {number} [count] How many of them are shown. */
  function begin(wanted, from, actions, count = Infinity) {
    variant = wanted;
    start = from;
    line = actions;
    shownFirst = count;
    foreign = null;
    round += 1;
    view.refresh();
  }

  function changed() {
    if (board && board.actions.length > 0) {
      const { actions } = board;
      // A move that leaves the known line begins a new one.
      if (actions.some((action, index) => line[index] !== action)) line = [...actions];
    }
    view.refresh();
  }

  /** @param {number} by */
  function step(by) {
    if (foreign) {
      look((shown?.count ?? 0) + by);
      return;
    }
    if (!board) return;
    const count = Math.max(0, Math.min(line.length, board.actions.length + by));
    if (count !== board.actions.length) void board.load(line.slice(0, count));
  }

  /** @param {number} count */
  function look(count) {
    shown?.goTo(count);
    view.refresh();
  }

  /** @param {import('../api.js').UnjudgedGame} game */
  function renderForeign(game) {
    const { t } = app;
    const info = app.infos.get('kingdoms');
    if (!info) return [];
    const count = shown?.count ?? 0;
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
            mount: (element) => {
              const made = new UnjudgedBoard(element, app, info, game);
              shown = made;
              made.view = /** @type {View} */ (turned);
              made.show();
              return () => {
                made.destroy();
                if (shown === made) shown = null;
              };
            },
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
          refusedFor && h('p.hint', null, refusedFor),
          h(
            'div.row',
            { key: 'steps' },
            iconButton(t, 'first', () => look(0), count === 0),
            iconButton(t, 'back', () => step(-1), count === 0),
            iconButton(t, 'forward', () => step(1), count >= game.moves.length),
            iconButton(t, 'last', () => look(game.moves.length), count >= game.moves.length),
          ),
          game.notes.length > 0 &&
            h(
              'ul.notes',
              null,
              game.notes.map((note, index) => h('li', { key: String(index) }, note)),
            ),
          h(
            'ol.line',
            { 'aria-label': t('moves.label'), tabindex: 0 },
            game.moves.map((move, index) =>
              h(
                'li',
                { key: String(index) },
                h(
                  'button.move',
                  {
                    class: index === count - 1 ? 'now' : '',
                    'aria-current': index === count - 1 ? 'step' : null,
                    onclick: () => look(index + 1),
                  },
                  `${index + 1}. ${move.text}`,
                ),
              ),
            ),
          ),
          h(
            'div.row',
            { key: 'tools' },
            h(
              'button.small',
              {
                onclick: () => {
                  turned = (turned + 1) % 4;
                  if (shown) {
                    shown.view = /** @type {View} */ (turned);
                    shown.show();
                  }
                },
              },
              t('table.turn'),
            ),
            h('button.small', { onclick: paste }, t('analysis.load')),
            h('button.small', { onclick: () => begin(variant, undefined, []) }, t('unjudged.leave')),
          ),
        ),
      ),
    ];
  }

  function render() {
    const { t } = app;
    if (foreign) return renderForeign(foreign);
    const info = app.infos.get(variant);
    if (!info) return [];
    const count = board?.actions.length ?? 0;
    const now = board?.now;
    const turn = now?.board.turn;
    const words = now?.ending
      ? endingWords(t, info, now.ending)
      : turn
        ? t('ring.other', { army: armyName(t, info, turn) })
        : '';
    const { setup } = board ?? {};
    return [
      h(
        'div.table.analysis',
        { key: 'analysis', class: setup ? 'setting-up' : '' },
        h('h1.unseen', null, t('analysis.title')),
        h(
          'div.arena',
          { key: 'arena', '--aspect': String((info.height / info.width).toFixed(3)) },
          h('div.board-place', {
            key: `board-${variant}-${round}`,
            mount: (element) => {
              const made = new TryBoard(element, app, info, start, changed);
              board = made;
              made.view = /** @type {View} */ (turned);
              if (line.length > 0) void made.load(line.slice(0, shownFirst));
              return () => made.destroy();
            },
          }),
          board &&
            promotionChooser(
              app,
              board.board,
              board.choosing,
              (choice) => board?.play(choice),
              () => board?.cancel(),
            ),
        ),
        h(
          'aside.side',
          { key: 'side' },
          h(
            'div.heading',
            null,
            h('h2', null, t('analysis.title')),
            h('b', { role: 'status' }, setup ? t('setup.title') : words),
          ),
          h(
            'label.filter',
            null,
            h('span', null, t('create.game')),
            h(
              'select',
              {
                value: variant,
                onchange: (/** @type {Event} */ event) =>
                  begin(/** @type {HTMLSelectElement} */ (event.target).value, undefined, []),
              },
              [...app.infos.values()].map((other) =>
                h(
                  'option',
                  { key: other.variant, value: other.variant, selected: other.variant === variant },
                  variantName(t, other),
                ),
              ),
            ),
          ),
          setup
            ? setupPanel(app, info, setup, {
                startPieces,
                army,
                choose: (letter) => {
                  army = letter;
                  view.refresh();
                },
                done: finishSetup,
                cancel: leaveSetup,
              })
            : [
                h(
                  'div.row',
                  { key: 'steps' },
                  iconButton(t, 'first', () => step(-line.length), count === 0),
                  iconButton(t, 'back', () => step(-1), count === 0),
                  iconButton(t, 'forward', () => step(1), count >= line.length),
                  iconButton(t, 'last', () => step(line.length), count >= line.length),
                ),
                special(info),
                h(
                  'ol.line',
                  { 'aria-label': t('moves.label'), tabindex: 0 },
                  line.map((action, index) =>
                    h(
                      'li',
                      { key: String(index) },
                      h(
                        'button.move',
                        {
                          class: index === count - 1 ? 'now' : '',
                          'aria-current': index === count - 1 ? 'step' : null,
                          onclick: () => void board?.load(line.slice(0, index + 1)),
                        },
                        `${index + 1}. ${action}`,
                      ),
                    ),
                  ),
                ),
                line.length === 0 && h('p.hint', null, t('analysis.hint')),
              ],
          h(
            'div.row',
            { key: 'tools' },
            !setup &&
              h('button.small', { disabled: !now, onclick: () => void beginSetup(info) }, t('setup.open')),
            h(
              'button.small',
              {
                onclick: () => {
                  turned = (turned + 1) % 4;
                  if (board) {
                    board.view = /** @type {View} */ (turned);
                    board.show();
                  }
                },
              },
              t('table.turn'),
            ),
            !setup && h('button.small', { onclick: paste }, t('analysis.load')),
            !setup &&
              h(
                'button.small',
                {
                  disabled: !now?.position,
                  onclick: () =>
                    void navigator.clipboard.writeText(JSON.stringify(now?.position)).then(
                      () => app.notify(t('analysis.copied')),
                      () => undefined,
                    ),
                },
                t('analysis.copy'),
              ),
          ),
        ),
      ),
    ];
  }

  /** @param {import('../protocol.js').VariantInfo} info */
  async function beginSetup(info) {
    const from = board?.now;
    if (!board || !from) return;
    const known = await orSay(app, startOf(info.variant));
    if (!known || board?.now !== from) return;
    startPieces = known.pieces;
    army = info.armies[0]?.letter ?? '';
    const made = board;
    made.setup = new Setup(/** @type {import('../ui/setup.js').PositionDocument} */ (from.position), () => {
      made.show();
      view.refresh();
    });
    made.show();
    view.refresh();
  }

  function leaveSetup() {
    if (!board) return;
    board.setup = null;
    board.show();
    view.refresh();
  }

  async function finishSetup() {
    const made = board?.setup?.document();
    if (!made) return;
    const read = await orSay(app, position(variant, { position: made }));
    if (read) begin(variant, { position: read.position }, []);
  }

  /** @param {import('../protocol.js').VariantInfo} info Actions that are no moves: the pass, and leaving. */
  function special(info) {
    const { t } = app;
    const now = board?.now;
    if (!now?.board.turn) return null;
    const pass = now.legal.find((choice) => choice.mv === 'pass' || choice.mv === 'random:pass');
    return h(
      'details.special',
      { key: 'special' },
      h('summary', null, t('analysis.special')),
      h(
        'div.row',
        null,
        pass && h('button.small', { onclick: () => board?.play(pass) }, t('action.pass')),
        now.board.armies
          .filter((army) => standing(army.status).isPlayed)
          .map((army) =>
            h(
              'button.small',
              { key: army.army, onclick: () => board?.play({ mv: `resign:${army.army}` }) },
              t('analysis.resign', { army: armyName(t, info, army.army) }),
            ),
          ),
      ),
    );
  }

  function paste() {
    const { t } = app;
    openDialog(
      t('analysis.load'),
      (close) => [
        h(
          'form',
          {
            onsubmit: async (/** @type {SubmitEvent} */ event) => {
              event.preventDefault();
              const text = /** @type {HTMLTextAreaElement} */ (
                /** @type {HTMLFormElement} */ (event.target).elements.namedItem('position')
              ).value.trim();
              if (await readPosition(text)) close();
            },
          },
          h(
            'label',
            null,
            t('analysis.paste'),
            h('textarea', { name: 'position', rows: 8, spellcheck: 'false', autofocus: true }),
          ),
          h(
            'div.row.end',
            null,
            h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
            h('button.primary', null, t('analysis.load')),
          ),
        ),
      ],
      { name: 'paste' },
    );
  }

  /**
   * Begins with a pasted position, FEN4 or PGN4.
   * @param {string} text
   * @returns {Promise<boolean>} False when it was refused, which was said.
   */
  async function readPosition(text) {
    const basis = basisOf(text);
    const named = /** @type {{variant?: string} | undefined} */ (basis.position)?.variant ?? variant;
    const asked = position(app.infos.has(named) ? named : variant, basis);
    if (!basis.position) {
      const refusal = await asked.then(
        () => null,
        (error) => error,
      );
      if (refusal) return showForeign(basis, refusal);
    }
    const read = await orSay(app, asked);
    if (!read) return false;
    for (const dropped of read.dropped ?? []) app.notify(dropped);
    const actions = read.steps.map((step) => step.action);
    // A game that began at the usual start can be walked through from there.
    const whole = basis.pgn4 ? await position(read.variant, { actions }).catch(() => null) : null;
    if (whole && JSON.stringify(whole.board) === JSON.stringify(read.board))
      begin(read.variant, undefined, actions);
    else begin(read.variant, { position: read.position }, []);
    return true;
  }

  /**
   * Shows a text that no game of this server can be made of as moves on a board.
   * @param {import('../api.js').Basis} basis
   * @param {unknown} refusal Told when it cannot be shown either.
   * @returns {Promise<boolean>} Whether it is shown.
   */
  async function showForeign(basis, refusal) {
    const game = await unjudged({ fen4: basis.fen4, pgn4: basis.pgn4 }).catch(() => null);
    if (!game) {
      app.notify(refusalWords(app, refusal), 'error');
      return false;
    }
    refusedFor = refusalWords(app, refusal);
    foreign = game;
    board = null;
    round += 1;
    view.refresh();
    return true;
  }

  return () => {
    document.removeEventListener('keydown', key);
    view.stop();
  };
}

/** @param {string} text What kind of text it is. @returns {import('../api.js').Basis} */
function basisOf(text) {
  if (text.startsWith('{')) {
    try {
      return { position: /** @type {object} */ (JSON.parse(text)) };
    } catch {
      return { position: {} };
    }
  }
  return /^\[|\b1\. /.test(text) ? { pgn4: text } : { fen4: text };
}
