/** A lobby: seats, bots, the link, and the start. */

import { orSay } from '../app.js';
import { linkTo } from '../base.js';
import { emblemOf } from '../board/army-skins.js';
import { placeSymbols } from '../board/symbols.js';
import { armyName, factionName, lateText, levelName, variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { copyField } from '../ui/copy-field.js';
import { h } from '../ui/dom.js';
import { liveView } from '../ui/view.js';

/** @typedef {import('../protocol.js').LobbyView} LobbyView */
/** @typedef {import('../protocol.js').LobbySeat} LobbySeat */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** @type {import('../app.js').Mount} */
export function mount(root, app, { lobby = '' }, query) {
  placeSymbols();
  const view = new LobbyPage(root, app, lobby, query.get('key'));
  return () => view.destroy();
}

class LobbyPage {
  /** Why it could not be joined. */ problem = '';

  /** @param {HTMLElement} root @param {import('../app.js').App} app @param {string} id @param {string | null} key */
  constructor(root, app, id, key) {
    this.app = app;
    this.id = id;
    this.key = key;
    this.view = liveView(root, app, () => this.#render());
    if (!app.store.state().lobbies[id]) void this.#join();
    this.unsubscribe = app.store.subscribe((state, before) => this.#heard(state, before));
  }

  destroy() {
    this.unsubscribe();
    this.view.stop();
  }

  /** @param {import('../reduce.js').State} state @param {import('../reduce.js').State} before */
  #heard(state, before) {
    const closed = state.lobbyClosed;
    if (closed && closed !== before.lobbyClosed && closed.lobby === this.id && closed.game)
      this.app.go(`/game/${closed.game}`, { replace: true });
    // A new session of the connection knows us by our seat; a lobby that forgot us is entered again.
    const isBack = state.connection.status === 'open' && before.connection.status !== 'open';
    if (isBack && closed?.lobby !== this.id && !this.problem) void this.#join();
  }

  async #join() {
    const { app, id, key } = this;
    try {
      await app.socket.ask({ type: 'join_lobby', lobby: id, ...(key ? { key } : {}) });
      this.problem = '';
    } catch (error) {
      const { code = '' } = /** @type {{code?: string}} */ (error);
      if (code !== 'connection_lost' && !app.store.state().lobbies[id])
        this.problem = app.t.has(`error.${code}`)
          ? app.t(`error.${code}`)
          : String(/** @type {Error} */ (error).message);
    }
    this.view.refresh();
  }

  /** @param {import('../protocol.js').Request} request */
  #ask(request) {
    void orSay(this.app, this.app.socket.ask(request));
  }

  #leave() {
    this.#ask({ type: 'leave_lobby', lobby: this.id });
    this.app.go('/');
  }

  /** @param {LobbyView} lobby @param {VariantInfo} info Bots take the free seats. */
  #fill(lobby, info) {
    for (const { seat } of lobby.seats.filter(isFree))
      this.#ask({ type: 'seat_bot', lobby: this.id, seat, level: usualLevel(info) });
  }

  #render() {
    const { app } = this;
    const { t } = app;
    const { lobbies, me } = app.store.state();
    const lobby = lobbies[this.id];
    if (!lobby) return [this.#noLobby()];
    const info = app.infos.get(lobby.variant);
    if (!info) return [];
    return [
      h(
        'section.page.lobby',
        { key: 'lobby' },
        h('p.eyebrow', null, t('lobby.title')),
        h('h1', null, variantName(t, info)),
        lead(t, lobby),
        h(
          'ul.seats',
          { 'aria-label': t('lobby.seats') },
          lobby.seats.map((seat) => this.#seatCard(lobby, info, seat)),
        ),
        copyField(app, null, {
          label: t('lobby.share'),
          value: linkTo(`/lobby/${lobby.lobby}?key=${lobby.key}`),
          copied: t('note.copied'),
        }),
        this.#actions(lobby, info),
        h('p.hint', { role: 'status' }, this.#waitsFor(lobby)),
        !lobby.seats.some((seat) => seat.user === me?.id) && h('p.hint', null, t('lobby.no_seat')),
      ),
    ];
  }

  #noLobby() {
    const { t, store } = this.app;
    const { lobbyClosed } = store.state();
    const words =
      lobbyClosed?.lobby === this.id
        ? t(`lobby.closed.${lobbyClosed.why}`)
        : this.problem || t('lobby.joining');
    return h(
      'section.page.center',
      { key: 'none' },
      h('h1', null, t('lobby.title')),
      h('p', { role: 'status' }, words),
      h('a.button', { href: '/' }, t('missing.home')),
    );
  }

  /** @param {LobbyView} lobby */
  #isHost(lobby) {
    return lobby.host === this.app.store.state().me?.id;
  }

  /** @param {LobbyView} lobby @param {VariantInfo} info */
  #actions(lobby, info) {
    const { t } = this.app;
    const isHost = this.#isHost(lobby);
    const isFull = !lobby.seats.some(isFree);
    const canStart = isFull && !lobby.seats.some(isAway);
    return h(
      'div.row',
      null,
      isHost &&
        h(
          'button.primary.large',
          { disabled: !canStart, onclick: () => this.#ask({ type: 'start_lobby', lobby: this.id }) },
          t('lobby.start'),
        ),
      isHost && !isFull && h('button', { onclick: () => this.#fill(lobby, info) }, t('lobby.fill')),
      h('button.quiet', { onclick: () => this.#leave() }, t('lobby.leave')),
    );
  }

  /** @param {LobbyView} lobby What the start waits for. */
  #waitsFor(lobby) {
    const { t } = this.app;
    const away = lobby.seats.filter(isAway);
    if (away.length > 0) return t('lobby.away', { names: away.map((seat) => seat.name ?? '').join(', ') });
    if (lobby.seats.some(isFree)) return t('lobby.waiting');
    return this.#isHost(lobby) ? t('lobby.ready') : t('lobby.host_starts');
  }

  /** @param {LobbyView} lobby @param {VariantInfo} info @param {LobbySeat} seat */
  #seatCard(lobby, info, seat) {
    const { t, store } = this.app;
    const { symbol, tint } = emblemOf(info, seat.seat);
    const [army, faction] = [armyName(t, info, seat.seat), factionName(t, info, seat.seat)];
    const free = isFree(seat);
    const isOwn = !free && seat.user === store.state().me?.id;
    const who = seat.bot ? t('lobby.bot', { level: levelName(t, seat.bot) }) : (seat.name ?? t('lobby.free'));
    return h(
      'li.seat',
      { key: seat.seat, class: `tint-${tint}${free ? ' free' : ''}${isOwn ? ' you' : ''}` },
      h('svg.emblem', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` })),
      h('span.army', null, army === faction ? army : `${army} · ${faction}`),
      h(
        'b.player',
        null,
        who,
        isAway(seat) && h('small', null, ` ${t('plate.away')}`),
        seat.user === lobby.host && h('small', null, ` ${t('lobby.host')}`),
      ),
      this.#seatActions(lobby, info, seat, army),
    );
  }

  /** @param {LobbyView} lobby @param {VariantInfo} info @param {LobbySeat} seat @param {string} army */
  #seatActions(lobby, info, seat, army) {
    const { t, store } = this.app;
    const place = { lobby: this.id, seat: seat.seat };
    const isHost = this.#isHost(lobby);
    const free = isFree(seat);
    /** @param {string} words @param {import('../protocol.js').Request} request */
    const button = (words, request) =>
      h('button.small', { 'aria-label': `${words}: ${army}`, onclick: () => this.#ask(request) }, words);
    return h(
      'div.row',
      null,
      free && button(t('lobby.sit'), { type: 'take_seat', ...place }),
      free && isHost && this.#botSelect(info, seat, army),
      isHost && seat.bot && button(t('lobby.remove'), { type: 'seat_bot', ...place, level: null }),
      isHost &&
        seat.user &&
        seat.user !== store.state().me?.id &&
        button(t('lobby.remove'), { type: 'unseat', ...place }),
    );
  }

  /** @param {VariantInfo} info @param {LobbySeat} seat @param {string} army */
  #botSelect(info, { seat }, army) {
    const { t } = this.app;
    const choose = (/** @type {Event} */ event) => {
      const level = /** @type {HTMLSelectElement} */ (event.target).value;
      if (level) this.#ask({ type: 'seat_bot', lobby: this.id, seat, level });
    };
    return h(
      'select',
      { 'aria-label': t('lobby.add_bot_at', { army }), value: '', onchange: choose },
      h('option', { value: '' }, t('lobby.add_bot')),
      info.levels.map((level) => h('option', { key: level, value: level }, levelName(t, level))),
    );
  }
}

/** @param {VariantInfo} info A bot that is no walk-over and can be beaten all the same. */
function usualLevel({ levels }) {
  return levels[Math.min(1, levels.length - 1)] ?? '';
}

/** @param {LobbySeat} seat */
function isFree(seat) {
  return !seat.user && !seat.bot;
}

/** @param {LobbySeat} seat */
function isAway(seat) {
  return Boolean(seat.user) && !seat.present;
}

/** @param {import('../i18n/translate.js').Translate} t @param {LobbyView} lobby What is played, in one line. */
function lead(t, lobby) {
  const late = lateText(t, lobby.spectator_delay ?? 0, true);
  const counts = lobby.rated
    ? t('game.rated')
    : lobby.casual
      ? t(`lobby.casual.${lobby.casual}`)
      : t('game.casual');
  return h(
    'p.lead',
    null,
    `${timeText(lobby.time)} · ${counts} · ${lobby.public ? t('create.public') : t('create.link')}`,
    lobby.both_boards && ` · ${t('create.both_boards')}`,
    lobby.both_boards && lobby.in_turn && ` · ${t('create.in_turn')}`,
    late && ` · ${late}`,
    lobby.free_chat && ` · ${t('lobby.free_chat')}`,
  );
}
