/** Home: play at once, find others, watch, and learn what there is. */

import { startOf } from '../api.js';
import { orSay } from '../app.js';
import { placeSymbols } from '../board/symbols.js';
import { variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { h } from '../ui/dom.js';
import { gameCard } from '../ui/game-card.js';
import { picture } from '../ui/picture.js';
import { liveView } from '../ui/view.js';
import { showcase } from './showcase.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  const home = new Home(root, app);
  return () => home.destroy();
}

class Home {
  /** The variant of which a game is being started. */ busy = '';

  /** @param {HTMLElement} root @param {App} app */
  constructor(root, app) {
    this.app = app;
    this.leave = app.socket.watchLobbies();
    // The emblems of the lists can wait until the first board stands.
    requestAnimationFrame(() => setTimeout(placeSymbols));
    this.view = liveView(root, app, () => this.#render());
  }

  destroy() {
    this.leave();
    this.view.stop();
  }

  /** @param {string} variant */
  async #play(variant) {
    const { app } = this;
    this.busy = variant;
    this.view.refresh();
    const answer = await orSay(app, app.socket.ask({ type: 'play_now', variant }));
    this.busy = '';
    if (answer?.game) app.go(`/game/${answer.game}`);
    else this.view.refresh();
  }

  #render() {
    const { app } = this;
    const { t } = app;
    const infos = [...app.infos.values()];
    return [
      this.#hero(infos[0]),
      h(
        'section.games',
        { key: 'games', 'aria-labelledby': 'games-title' },
        h('h2', { id: 'games-title' }, t('home.games')),
        h(
          'div.variants',
          null,
          infos.map((info) => this.#variantCard(info)),
        ),
      ),
      h('div.columns', { key: 'columns' }, lobbies(app), running(app)),
    ];
  }

  /** @param {VariantInfo | undefined} first The variant that is played when none is chosen. */
  #hero(first) {
    const { app, busy } = this;
    const { t } = app;
    return h(
      'section.hero',
      { key: 'hero' },
      h(
        'div.hero-words',
        null,
        h('p.eyebrow', null, t('home.eyebrow')),
        h('h1', null, t('home.title')),
        h('p.lead', null, t('home.lead')),
        h(
          'div.row',
          null,
          h(
            'button.primary.large',
            { disabled: busy !== '', onclick: () => void this.#play(first?.variant ?? 'crossfire') },
            busy === first?.variant ? t('home.starting') : t('home.play'),
          ),
          h('a.button.large', { href: '/queue' }, t('home.queue')),
          h('button.large.quiet', { onclick: () => void openLobby(app) }, t('home.create')),
        ),
        h('p.hint', null, t('home.play_hint')),
      ),
      first &&
        picture(app, first, async () => showcase(first.variant) ?? startOf(first.variant), {
          key: 'hero-board',
          name: 'hero-board',
        }),
    );
  }

  /** @param {VariantInfo} info */
  #variantCard(info) {
    const { app, busy } = this;
    const { t } = app;
    const name = variantName(t, info);
    return h(
      'article.variant',
      { key: info.variant },
      picture(app, info, () => startOf(info.variant), { key: `picture-${info.variant}`, later: true }),
      h('h3', null, name),
      h('p', null, t(`about.${info.variant}`)),
      h(
        'div.row',
        null,
        h(
          'button',
          {
            disabled: busy !== '',
            'aria-label': `${t('home.play_short')}: ${name}`,
            onclick: () => void this.#play(info.variant),
          },
          busy === info.variant ? t('home.starting') : t('home.play_short'),
        ),
        h(
          'a',
          { href: `/rules/${info.variant}`, 'aria-label': `${t('home.rules')}: ${name}` },
          t('home.rules'),
        ),
      ),
    );
  }
}

/** @param {App} app */
async function openLobby(app) {
  const { createLobby } = await import('./create.js');
  await createLobby(app);
}

/** @param {App} app */
function lobbies(app) {
  const { t } = app;
  const open = app.store.state().listing?.lobbies ?? [];
  return h(
    'section.panel',
    { key: 'lobbies', 'aria-labelledby': 'lobbies-title' },
    h('h2', { id: 'lobbies-title' }, t('home.lobbies')),
    open.length === 0
      ? h('p.hint', null, t('home.no_lobbies'))
      : h(
          'ul.plain',
          null,
          open.map((lobby) => lobbyRow(app, lobby)),
        ),
    h('button', { onclick: () => void openLobby(app) }, t('home.create')),
  );
}

/** @param {App} app @param {import('../protocol.js').LobbySummary} lobby */
function lobbyRow({ t, infos }, lobby) {
  const info = infos.get(lobby.variant);
  const counts = lobby.rated ? t('game.rated') : t('game.casual');
  return h(
    'li.lobby-row',
    { key: lobby.lobby },
    h(
      'a',
      { href: `/lobby/${lobby.lobby}` },
      h(
        'span.title',
        null,
        info ? variantName(t, info) : lobby.variant,
        ' ',
        h('small', null, `${timeText(lobby.time)} · ${counts}`),
      ),
      h('span.host', null, lobby.host),
      h(
        'span.seats',
        { 'aria-label': t('lobby.taken', { taken: lobby.taken, seats: lobby.seats }) },
        Array.from({ length: lobby.seats }, (_, index) =>
          h('i', { class: index < lobby.taken ? 'taken' : '' }),
        ),
      ),
    ),
  );
}

/** @param {App} app */
function running(app) {
  const { t } = app;
  const games = app.store.state().listing?.games ?? [];
  return h(
    'section.panel',
    { key: 'running', 'aria-labelledby': 'running-title' },
    h('h2', { id: 'running-title' }, t('home.watch')),
    games.length === 0
      ? h('p.hint', null, t('home.no_games'))
      : h(
          'ul.plain',
          null,
          games.slice(0, 8).map((game) => gameCard(app, game)),
        ),
    h('a', { href: '/games' }, t('home.all_games')),
  );
}
