/** A game explained: what counts, how its pieces move, and one position with something to find. */

import { startOf } from '../api.js';
import { orSay } from '../app.js';
import { drawing } from '../board/pieces.js';
import { looks, wearOf } from '../board/army-skins.js';
import { placeSymbols } from '../board/symbols.js';
import { armyName, factionName, pieceName, variantName } from '../names.js';
import { standing } from '../standing.js';
import { h } from '../ui/dom.js';
import { picture } from '../ui/picture.js';
import { promotionChooser } from '../table/entry.js';
import { TryBoard } from '../ui/try-board.js';
import { liveView } from '../ui/view.js';
import { EXAMPLES } from './examples.js';
import { mount as missing } from './missing.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** @type {import('../app.js').Mount} */
export function mount(root, app, params, query) {
  const info = app.infos.get(params.variant ?? '');
  if (!info) return missing(root, app, params, query);
  placeSymbols();
  const example = new Example(app, info, () => view.refresh());
  const view = liveView(root, app, () => render(app, info, example));
  return () => view.stop();
}

/** @param {App} app @param {VariantInfo} info @param {Example} example */
function render(app, info, example) {
  const { t } = app;
  const { variant } = info;
  return [
    h(
      'article.page.rules',
      { key: 'rules' },
      variantLinks(app, variant),
      h('h1', null, variantName(t, info)),
      h('p.lead', null, t(`about.${variant}`)),
      h(
        'div.rules-columns',
        null,
        ruleList(app, info),
        picture(app, info, () => startOf(variant), { key: `start-${variant}`, name: 'rules-board' }),
      ),
      pieceList(app, info),
      info.armies.length > 2 && armyList(app, info),
      example.render(),
    ),
  ];
}

/** @param {App} app @param {string} variant The one that is shown. */
function variantLinks({ t, infos }, variant) {
  return h(
    'nav.variant-links',
    { 'aria-label': t('rules.others') },
    [...infos.values()].map((other) =>
      h(
        'a',
        {
          key: other.variant,
          href: `/rules/${other.variant}`,
          'aria-current': other.variant === variant ? 'page' : null,
        },
        variantName(t, other),
      ),
    ),
  );
}

/** @param {App} app @param {VariantInfo} info */
function ruleList(app, info) {
  const { t } = app;
  const { variant } = info;
  const keys = Array.from({ length: 9 }, (_, index) => `rules.${variant}.${index + 1}`);
  const play = t('home.play_game', { game: variantName(t, info) });
  return h(
    'section',
    { 'aria-labelledby': 'rules-title' },
    h('h2', { id: 'rules-title' }, t('rules.title')),
    h(
      'ol.rule-list',
      null,
      keys.filter((key) => t.has(key)).map((key) => h('li', { key }, t(key))),
    ),
    h('div.row', null, h('button.primary', { onclick: () => void playNow(app, variant) }, play)),
  );
}

/** @param {App} app @param {string} variant */
async function playNow(app, variant) {
  const answer = await orSay(app, app.socket.ask({ type: 'play_now', variant }));
  if (answer?.game) app.go(`/game/${answer.game}`);
}

/** @param {App} app @param {VariantInfo} info */
function pieceList(app, info) {
  const { t } = app;
  const moves = (/** @type {string} */ letter) => {
    const own = `moves.${info.variant}.${letter}`;
    return t(t.has(own) ? own : `moves.${letter}`);
  };
  return h(
    'section.panel',
    { 'aria-labelledby': 'pieces-title' },
    h('h2', { id: 'pieces-title' }, t('rules.pieces')),
    h(
      'dl.pieces',
      null,
      info.pieces.flatMap(({ letter }) => [
        h('dt', { key: `t-${letter}` }, pieceDrawings(app, info, letter), pieceName(t, info, letter)),
        h('dd', { key: `d-${letter}` }, moves(letter)),
      ]),
    ),
  );
}

/** @param {App} app @param {VariantInfo} info @param {string} letter */
function pieceDrawings(app, info, letter) {
  const look = looks(info, [], { letters: app.settings.get().xiangqi === 'letters' });
  return info.armies.slice(0, 2).map((army) => {
    const drawn = look(`${army.letter}${letter}`);
    return h('svg.emblem', {
      key: army.letter,
      class: `tint-${drawn.tint}`,
      viewBox: '0 0 100 100',
      'aria-hidden': 'true',
      mount: (element) => {
        element.replaceChildren(...drawing(drawn, 0));
        return () => undefined;
      },
    });
  });
}

/** @param {App} app @param {VariantInfo} info */
function armyList({ t }, info) {
  const entry = (/** @type {string} */ letter) => {
    const { tint, body } = wearOf(info, letter);
    const [army, faction] = [armyName(t, info, letter), factionName(t, info, letter)];
    return h(
      'li',
      { key: letter, class: `tint-${tint}` },
      emblem(`${body}-K`),
      emblem(`${body}-K-fallen`),
      h('b', null, army, faction !== army && ` · ${faction}`),
      t.has(`body.${body}`) && h('span.hint', null, t(`body.${body}`)),
    );
  };
  return h(
    'section.panel',
    { 'aria-labelledby': 'armies-title' },
    h('h2', { id: 'armies-title' }, t('rules.armies')),
    h(
      'ul.army-list',
      null,
      info.armies.map(({ letter }) => entry(letter)),
    ),
  );
}

/** @param {string} symbol */
function emblem(symbol) {
  return h('svg.emblem', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` }));
}

/** A position with something to find. */
class Example {
  /** @type {TryBoard | null} */ #board = null;

  /** @param {App} app @param {VariantInfo} info @param {() => void} changed */
  constructor(app, info, changed) {
    this.app = app;
    this.info = info;
    this.changed = changed;
  }

  render() {
    const { app, info } = this;
    const { t } = app;
    const start = EXAMPLES[info.variant];
    if (!start) return null;
    const board = this.#board;
    const done = board && board.actions.length > 0;
    const solved =
      done && (board.now?.ending || board.now?.board.armies.some((army) => standing(army.status).isLost));
    return h(
      'section.example',
      { 'aria-labelledby': 'example-title' },
      this.#arena(start),
      h(
        'div',
        null,
        h('h2', { id: 'example-title' }, t('rules.example')),
        h('p', null, t(`example.${info.variant}`)),
        h(
          'p.verdict',
          { role: 'status', class: solved ? 'solved' : '' },
          solved ? t(`example.${info.variant}.solved`) : done ? t('example.not_yet') : '',
        ),
        h(
          'div.row',
          null,
          h('button', { disabled: !done, onclick: () => void this.#board?.backTo(0) }, t('example.again')),
          h('a.button', { href: `/analysis?variant=${info.variant}&example=1` }, t('example.analyse')),
        ),
      ),
    );
  }

  /** @param {object} start */
  #arena(start) {
    const { app, info } = this;
    const board = this.#board;
    return h(
      'div.arena',
      null,
      h('div.board-place', {
        key: `example-${info.variant}`,
        mount: (element) => {
          this.#board = new TryBoard(element, app, info, { position: start }, this.changed);
          return () => {
            this.#board?.destroy();
            this.#board = null;
          };
        },
      }),
      board &&
        promotionChooser(
          app,
          board.board,
          board.choosing,
          (choice) => this.#board?.play(choice),
          () => this.#board?.cancel(),
        ),
    );
  }
}
