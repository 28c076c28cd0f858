/** What frames every view: the header with the state of the connection, messages, and the live regions. */

import { here } from './base.js';
import { h, patch } from './ui/dom.js';

/** @typedef {import('./app.js').App} App */

const NAV = [
  ['/', 'nav.play'],
  ['/games', 'nav.games'],
  ['/leaderboards', 'nav.leaderboards'],
  ['/analysis', 'nav.analysis'],
];
const NOTE_TIME = 7_000;

export class Shell {
  /** @type {{key: string, text: string, kind: string, game: string | null}[]} */ #notes = [];
  #count = 0;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.header = document.createElement('header');
    this.main = document.createElement('main');
    this.notes = document.createElement('div');
    this.polite = document.createElement('div');
    this.urgent = document.createElement('div');
    this.main.id = 'main';
    this.main.tabIndex = -1;
    this.header.className = 'site';
    this.notes.className = 'notes';
    for (const [region, politeness] of /** @type {const} */ ([
      [this.polite, 'polite'],
      [this.urgent, 'assertive'],
    ])) {
      region.className = 'unseen';
      region.setAttribute('aria-live', politeness);
      region.setAttribute('aria-atomic', 'true');
    }
    document.body.append(this.header, this.main, this.notes, this.polite, this.urgent);
    app.store.subscribe((state, before) => {
      if (
        state.connection !== before.connection ||
        state.me !== before.me ||
        state.outgoing !== before.outgoing ||
        state.mine !== before.mine
      )
        this.redraw();
    });
    this.redraw();
  }

  /** @param {string} path An empty place for the view of a path. */
  stage(path) {
    const root = document.createElement('div');
    root.className = 'view';
    this.main.replaceChildren(root);
    this.main.dataset.page = path.split('/')[1] || 'home';
    this.redraw();
    document.title = this.app.t('site.title');
    return root;
  }

  redraw() {
    const { t, store } = this.app;
    const { me, mine } = store.state();
    const path = here();
    const running = Object.keys(mine).filter((game) => path !== `/game/${game}`);
    patch(
      this.header,
      h(
        'a.skip',
        { href: '#main', onclick: (/** @type {Event} */ event) => this.#skip(event) },
        t('site.skip'),
      ),
      h('a.brand', { href: '/', 'aria-label': t('site.home') }, brandMark(), h('span', null, 'Kingscross')),
      h(
        'nav',
        { 'aria-label': t('nav.label') },
        NAV.map(([href = '', key = '']) =>
          h('a', { href, 'aria-current': path === href ? 'page' : null }, t(key)),
        ),
      ),
      h(
        'div.site-end',
        null,
        running.length > 0 && h('a.running', { href: `/game/${running[0]}` }, t('nav.your_game')),
        this.#connection(),
        h(
          'a.gear',
          {
            href: '/settings',
            'aria-label': t('nav.settings'),
            title: t('nav.settings'),
            'aria-current': path === '/settings' ? 'page' : null,
          },
          gear(),
        ),
        h('a.me', { href: me?.kind === 'account' ? `/users/${me.id}` : '/account' }, me?.name ?? '…'),
      ),
    );
  }

  #connection() {
    const { t, store } = this.app;
    const { connection, outgoing } = store.state();
    const unsent = outgoing.filter((out) => !out.sent).length;
    const words =
      unsent > 0 && connection.status !== 'open'
        ? t('connection.unsent', { n: unsent })
        : t(`connection.${connection.status}`);
    return h(
      'span.connection',
      { class: connection.status, role: 'status', title: words, 'aria-label': words },
      h('span.lamp', { 'aria-hidden': 'true' }),
      h('span.words', { 'aria-hidden': 'true' }, words),
      connection.status === 'refused' &&
        h('button.small', { onclick: () => location.reload() }, t('connection.reload')),
    );
  }

  /** @param {Event} event */
  #skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  /** @param {string} text @param {boolean} urgent */
  announce(text, urgent = false) {
    const region = urgent ? this.urgent : this.polite;
    // The same words twice are two messages: an empty region in between makes them heard again.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  }

  /** @param {string} text @param {'info' | 'error'} kind */
  notify(text, kind = 'info') {
    this.#note({ text, kind, game: null });
  }

  /** @param {string} game A game of ours began: goes there, or offers it when another one is being played. */
  offerGame(game) {
    const { store, go, t } = this.app;
    const path = here();
    const shown = /^\/game\/([^/]+)/.exec(path)?.[1];
    if (shown === game) return;
    if (shown && store.state().mine[shown] !== undefined)
      this.#note({ text: t('note.game_started'), kind: 'info', game });
    else if (['/', '/queue'].includes(path) || path.startsWith('/lobby/') || shown) go(`/game/${game}`);
    else this.#note({ text: t('note.game_started'), kind: 'info', game });
  }

  /** @param {{text: string, kind: string, game: string | null}} note */
  #note(note) {
    this.#count += 1;
    const entry = { ...note, key: `note-${this.#count}` };
    this.#notes = [...this.#notes, entry].slice(-3);
    this.#showNotes();
    setTimeout(() => this.#dismiss(entry.key), note.game ? NOTE_TIME * 3 : NOTE_TIME);
  }

  /** @param {string} key */
  #dismiss(key) {
    this.#notes = this.#notes.filter((note) => note.key !== key);
    this.#showNotes();
  }

  #showNotes() {
    const { t } = this.app;
    patch(
      this.notes,
      this.#notes.map((note) =>
        h(
          'div.note',
          { key: note.key, class: note.kind, role: note.kind === 'error' ? 'alert' : 'status' },
          h('span', null, note.text),
          note.game &&
            h(
              'a.button.small',
              { href: `/game/${note.game}`, onclick: () => this.#dismiss(note.key) },
              t('note.go'),
            ),
          h('button.close', { 'aria-label': t('note.close'), onclick: () => this.#dismiss(note.key) }, '×'),
        ),
      ),
    );
  }
}

function gear() {
  const teeth = Array.from({ length: 8 }, (_, index) =>
    h('path', { d: 'M10 1.5v4', transform: `rotate(${index * 45} 10 10)` }),
  );
  return h(
    'svg',
    { viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    h('circle', { cx: 10, cy: 10, r: 5 }),
    teeth,
  );
}

function brandMark() {
  return h(
    'svg.mark',
    { viewBox: '0 0 64 64', 'aria-hidden': 'true' },
    h('path.tint-bone', { d: 'M22 42v14h20V42' }),
    h('path.tint-iron', { d: 'M22 22H8v20h14' }),
    h('path.tint-idol', { d: 'M22 22V8h20v14' }),
    h('path.tint-circuit', { d: 'M42 22h14v20H42' }),
    h('circle', { cx: 32, cy: 32, r: 5 }),
  );
}
