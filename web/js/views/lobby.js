/** A lobby: seats, bots, the link, and the start. */

import { linkTo } from '../base.js';
import { orSay } from '../app.js';
import { emblemOf } from '../board/army-skins.js';
import { placeSymbols } from '../board/symbols.js';
import { armyName, factionName, lateWords, levelName, variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { h } from '../ui/dom.js';
import { liveView } from '../ui/view.js';

/** @param {import('../protocol.js').VariantInfo} info A bot that is no walk-over and can be beaten all the same. */
function usualLevel({ levels }) {
  return levels[Math.min(1, levels.length - 1)] ?? '';
}

/** @type {import('../app.js').Mount} */
export function mount(root, app, { lobby: id = '' }, query) {
  placeSymbols();
  let problem = '';
  const view = liveView(root, app, () => render());
  const ask = (/** @type {import('../protocol.js').Request} */ request) =>
    void orSay(app, app.socket.ask(request));
  if (!app.store.state().lobbies[id]) void join();
  const unsubscribe = app.store.subscribe((state, before) => {
    const closed = state.lobbyClosed;
    if (closed && closed !== before.lobbyClosed && closed.lobby === id && closed.game)
      app.go(`/game/${closed.game}`, { replace: true });
    // A new session of the connection knows us by our seat; a lobby that forgot us is entered again.
    if (
      state.connection.status === 'open' &&
      before.connection.status !== 'open' &&
      state.lobbyClosed?.lobby !== id &&
      !problem
    )
      void join();
  });

  async function join() {
    const key = query.get('key');
    try {
      await app.socket.ask({ type: 'join_lobby', lobby: id, ...(key ? { key } : {}) });
      problem = '';
    } catch (error) {
      const { code = '' } = /** @type {{code?: string}} */ (error);
      if (code !== 'connection_lost' && !app.store.state().lobbies[id])
        problem = app.t.has(`error.${code}`)
          ? app.t(`error.${code}`)
          : String(/** @type {Error} */ (error).message);
    }
    view.refresh();
  }

  function render() {
    const { t } = app;
    const { lobbies, lobbyClosed, me } = app.store.state();
    const lobby = lobbies[id];
    if (!lobby) {
      const words =
        lobbyClosed?.lobby === id ? t(`lobby.closed.${lobbyClosed.why}`) : problem || t('lobby.joining');
      return [
        h(
          'section.page.center',
          { key: 'none' },
          h('h1', null, t('lobby.title')),
          h('p', { role: 'status' }, words),
          h('a.button', { href: '/' }, t('missing.home')),
        ),
      ];
    }
    const info = app.infos.get(lobby.variant);
    if (!info) return [];
    const host = lobby.host === me?.id;
    const seated = lobby.seats.some((seat) => seat.user === me?.id);
    const full = lobby.seats.every((seat) => seat.user || seat.bot);
    const away = lobby.seats.filter((seat) => seat.user && !seat.present).map((seat) => seat.name ?? '');
    const late = lateWords(t, lobby.spectator_delay ?? 0, true);
    const counts = lobby.rated
      ? t('game.rated')
      : lobby.casual
        ? t(`lobby.casual.${lobby.casual}`)
        : t('game.casual');
    const link = linkTo(`/lobby/${lobby.lobby}?key=${lobby.key}`);
    return [
      h(
        'section.page.lobby',
        { key: 'lobby' },
        h('p.eyebrow', null, t('lobby.title')),
        h('h1', null, variantName(t, info)),
        h(
          'p.lead',
          null,
          `${timeText(lobby.time)} · ${counts} · ${lobby.public ? t('create.public') : t('create.link')}`,
          lobby.both_boards && ` · ${t('create.both_boards')}`,
          lobby.both_boards && lobby.in_turn && ` · ${t('create.in_turn')}`,
          late && ` · ${late}`,
          lobby.free_chat && ` · ${t('lobby.free_chat')}`,
        ),
        h(
          'ul.seats',
          { 'aria-label': t('lobby.seats') },
          lobby.seats.map((seat) => seatCard(lobby, info, seat, host)),
        ),
        h(
          'div.share',
          null,
          h(
            'label',
            null,
            t('lobby.share'),
            h('input', {
              readonly: true,
              value: link,
              onfocus: (/** @type {Event} */ event) =>
                /** @type {HTMLInputElement} */ (event.target).select(),
            }),
          ),
          h(
            'button',
            {
              onclick: () =>
                void navigator.clipboard.writeText(link).then(
                  () => app.notify(t('note.copied')),
                  () => undefined,
                ),
            },
            t('lobby.copy'),
          ),
        ),
        h(
          'div.row',
          null,
          host &&
            h(
              'button.primary.large',
              { disabled: !full || away.length > 0, onclick: () => ask({ type: 'start_lobby', lobby: id }) },
              t('lobby.start'),
            ),
          host &&
            !full &&
            h(
              'button',
              {
                onclick: () => {
                  for (const seat of lobby.seats)
                    if (!seat.user && !seat.bot)
                      ask({ type: 'seat_bot', lobby: id, seat: seat.seat, level: usualLevel(info) });
                },
              },
              t('lobby.fill'),
            ),
          h(
            'button.quiet',
            {
              onclick: () => {
                ask({ type: 'leave_lobby', lobby: id });
                app.go('/');
              },
            },
            t('lobby.leave'),
          ),
        ),
        h(
          'p.hint',
          { role: 'status' },
          away.length > 0
            ? t('lobby.away', { names: away.join(', ') })
            : !full
              ? t('lobby.waiting')
              : host
                ? t('lobby.ready')
                : t('lobby.host_starts'),
        ),
        !seated && h('p.hint', null, t('lobby.no_seat')),
      ),
    ];
  }

  /**
   * @param {import('../protocol.js').LobbyView} lobby @param {import('../protocol.js').VariantInfo} info
   * @param {import('../protocol.js').LobbySeat} seat @param {boolean} host
   */
  function seatCard(lobby, info, seat, host) {
    const { t } = app;
    const me = app.store.state().me?.id;
    const { symbol, tint } = emblemOf(info, seat.seat);
    const [army, faction] = [armyName(t, info, seat.seat), factionName(t, info, seat.seat)];
    const free = !seat.user && !seat.bot;
    const who = seat.bot ? t('lobby.bot', { level: levelName(t, seat.bot) }) : (seat.name ?? t('lobby.free'));
    return h(
      'li.seat',
      {
        key: seat.seat,
        class: `tint-${tint}${free ? ' free' : ''}${seat.user === me && !free ? ' you' : ''}`,
      },
      h('svg.emblem', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` })),
      h('span.army', null, army === faction ? army : `${army} · ${faction}`),
      h(
        'b.player',
        null,
        who,
        seat.user && !seat.present && h('small', null, ` ${t('plate.away')}`),
        seat.user === lobby.host && h('small', null, ` ${t('lobby.host')}`),
      ),
      h(
        'div.row',
        null,
        free &&
          h(
            'button.small',
            {
              'aria-label': `${t('lobby.sit')}: ${army}`,
              onclick: () => ask({ type: 'take_seat', lobby: id, seat: seat.seat }),
            },
            t('lobby.sit'),
          ),
        free &&
          host &&
          h(
            'select',
            {
              'aria-label': t('lobby.add_bot_at', { army }),
              value: '',
              onchange: (/** @type {Event} */ event) => {
                const level = /** @type {HTMLSelectElement} */ (event.target).value;
                if (level) ask({ type: 'seat_bot', lobby: id, seat: seat.seat, level });
              },
            },
            h('option', { value: '' }, t('lobby.add_bot')),
            info.levels.map((level) => h('option', { key: level, value: level }, levelName(t, level))),
          ),
        host &&
          seat.bot &&
          h(
            'button.small',
            {
              'aria-label': `${t('lobby.remove')}: ${army}`,
              onclick: () => ask({ type: 'seat_bot', lobby: id, seat: seat.seat, level: null }),
            },
            t('lobby.remove'),
          ),
        host &&
          seat.user &&
          seat.user !== me &&
          h(
            'button.small',
            {
              'aria-label': `${t('lobby.remove')}: ${army}`,
              onclick: () => ask({ type: 'unseat', lobby: id, seat: seat.seat }),
            },
            t('lobby.remove'),
          ),
      ),
    );
  }

  return () => {
    unsubscribe();
    view.stop();
  };
}
