/** The queue: which pools to wait in, how it stands, and the ready check. */

import { orSay } from '../app.js';
import { variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { countdown } from '../ui/countdown.js';
import { clockText } from '../clocks.js';
import { h } from '../ui/dom.js';
import { listPools, timesOf } from '../ui/pools.js';
import { liveView } from '../ui/view.js';

/** Both boards of cross chess, colours swapped. */
const MATCH = 'cross-match';

/** How often the form asks who waits, in milliseconds. */
const LOOK_EVERY = 5_000;

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  /** @type {{any: boolean, variants: Set<string>, times: Set<string>, bots: boolean}} */
  const choice = { any: true, variants: new Set(), times: new Set(), bots: true };
  /** @type {import('../ui/pools.js').Pool[]} */
  let pools = [];
  let asking = true;
  void look();
  // Who waits for what changes while one thinks about it.
  const looking = window.setInterval(() => {
    const { queue, match } = app.store.state();
    if (!queue && !match && document.visibilityState === 'visible') void look();
  }, LOOK_EVERY);
  const view = liveView(root, app, () => render());
  const unsubscribe = app.store.subscribe((state, before) => {
    if (state.match && !before.match) {
      app.sound.play('turn');
      app.announce(app.t('queue.found'), true);
    }
  });

  function render() {
    const { match, queue } = app.store.state();
    return [
      h(
        'section.page.narrow',
        { key: 'queue' },
        h('h1', null, app.t('queue.title')),
        match ? readyCheck(match) : queue ? waiting(queue) : form(),
      ),
    ];
  }

  async function look() {
    const found = await listPools();
    asking = false;
    if (found.length > 0) {
      const times = timesOf(found);
      const usual = times[Math.floor(times.length / 2)];
      if (pools.length === 0 && usual) choice.times.add(usual);
      pools = found;
    }
    view.refresh();
  }

  /** The pools that are ticked. */
  function chosen() {
    return pools.filter(
      (pool) => (choice.any || choice.variants.has(pool.kind)) && choice.times.has(timeText(pool.time)),
    );
  }

  function form() {
    const { t } = app;
    const { unqueued } = app.store.state();
    const kinds = [
      ...[...app.infos.values()].map((info) => [info.variant, variantName(t, info)]),
      [MATCH, t('pool.cross-match')],
    ];
    const times = timesOf(pools);
    const tick = (
      /** @type {string} */ key,
      /** @type {string} */ words,
      /** @type {boolean} */ checked,
      /** @type {() => void} */ change,
      /** @type {(pool: import('../ui/pools.js').Pool) => boolean} */ counts,
    ) => {
      const most = Math.max(0, ...pools.filter(counts).map((pool) => pool.players));
      return h(
        'label.choice',
        { key },
        h('input', {
          type: 'checkbox',
          checked,
          onchange: () => {
            change();
            view.refresh();
          },
        }),
        h('span', null, words),
        most > 0 && h('small', { 'aria-hidden': 'true' }, t('queue.waiting_now', { n: most })),
      );
    };
    const flip = (/** @type {Set<string>} */ set, /** @type {string} */ value) => {
      if (!set.delete(value)) set.add(value);
    };
    const wanted = chosen();
    const waited = pools.filter((pool) => pool.players > 0);
    return h(
      'form.panel',
      {
        key: 'form',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void orSay(
            app,
            app.socket.ask({ type: 'join_queue', pools: wanted.map((pool) => pool.pool), bots: choice.bots }),
          );
        },
      },
      unqueued && unqueued !== 'left' && h('p', { role: 'status' }, t(`queue.ended.${unqueued}`)),
      h('p.lead', null, t('queue.lead')),
      h(
        'fieldset',
        null,
        h('legend', null, t('create.game')),
        h(
          'div.choices',
          null,
          tick(
            'any',
            t('queue.any'),
            choice.any,
            () => {
              choice.any = !choice.any;
              choice.variants.clear();
            },
            () => false,
          ),
          kinds.map(([id = '', words = '']) =>
            tick(
              id,
              words,
              choice.variants.has(id),
              () => {
                choice.any = false;
                flip(choice.variants, id);
              },
              (pool) => pool.kind === id,
            ),
          ),
        ),
      ),
      h(
        'fieldset',
        null,
        h('legend', null, t('create.time')),
        times.length === 0 && h('p.hint', { role: 'status' }, t(asking ? 'list.loading' : 'list.failed')),
        h(
          'div.choices',
          null,
          times.map((time) =>
            tick(
              time,
              time,
              choice.times.has(time),
              () => flip(choice.times, time),
              (pool) => timeText(pool.time) === time,
            ),
          ),
        ),
      ),
      h(
        'p.hint',
        { key: 'several' },
        t(wanted.length === 0 && pools.length > 0 ? 'queue.choose' : 'queue.several'),
      ),
      waited.length > 0 &&
        h('div', { key: 'counts' }, h('h2.small', null, t('queue.counts')), counts(waited)),
      h(
        'label.check',
        null,
        h('input', {
          type: 'checkbox',
          checked: choice.bots,
          onchange: () => {
            choice.bots = !choice.bots;
            view.refresh();
          },
        }),
        h('span', null, t('queue.bots')),
      ),
      h('button.primary.large', { disabled: wanted.length === 0 }, t('queue.join')),
    );
  }

  /** @param {{pool: string, players: number, needed: number}[]} rows How many wait for what. */
  function counts(rows) {
    return h(
      'ul.counts',
      { 'aria-label': app.t('queue.counts') },
      rows.map((row) =>
        h(
          'li',
          { key: row.pool },
          `${poolWords(row.pool)}: `,
          h('b', null, app.t('queue.count', { players: row.players, needed: row.needed })),
        ),
      ),
    );
  }

  /** @param {NonNullable<import('../reduce.js').State['queue']>} queue */
  function waiting(queue) {
    const { t } = app;
    const estimates = queue.pools.flatMap((pool) => (pool.estimate === null ? [] : [pool.estimate]));
    // The fullest first.
    const rows = [...queue.pools].sort((a, b) => b.players / b.needed - a.players / a.needed);
    return h(
      'div.panel.waiting',
      { key: 'waiting' },
      h(
        'div.pulse',
        { 'aria-hidden': 'true' },
        h('i.tint-bone'),
        h('i.tint-iron'),
        h('i.tint-idol'),
        h('i.tint-circuit'),
      ),
      h('h2', { role: 'status' }, t('queue.waiting')),
      counts(rows),
      h('p.big-time', { key: 'time', role: 'timer', mount: (element) => countUp(element) }),
      h(
        'p.hint',
        null,
        estimates.length === 0
          ? t('queue.no_estimate')
          : t('queue.estimate', { time: clockText(Math.max(10_000, Math.min(...estimates))) }),
        ' ',
        queue.bots ? t('queue.bots_after') : '',
      ),
      h(
        'button',
        { onclick: () => void orSay(app, app.socket.ask({ type: 'leave_queue' })) },
        t('queue.leave'),
      ),
    );
  }

  /** @param {string} pool */
  function poolWords(pool) {
    const [variant = '', time = ''] = pool.split('/');
    const info = app.infos.get(variant);
    return `${info ? variantName(app.t, info) : app.t(`pool.${variant}`)} · ${time}`;
  }

  /** @param {HTMLElement} element Seconds waited, counting up. */
  function countUp(element) {
    const show = () => {
      const { queue } = app.store.state();
      if (queue)
        element.textContent = clockText(
          Math.floor((queue.waited + performance.now() - queue.heardAt) / 1000) * 1000 || 0,
        ).replace(/\.\d$/, '');
    };
    const timer = window.setInterval(() => document.visibilityState === 'visible' && show(), 1000);
    show();
    return () => window.clearInterval(timer);
  }

  /** @param {NonNullable<import('../reduce.js').State['match']>} match */
  function readyCheck(match) {
    const { t } = app;
    const left = () =>
      Math.max(
        0,
        (app.store.state().match?.millis ?? 0) -
          (performance.now() - (app.store.state().match?.heardAt ?? 0)),
      );
    return h(
      'div.panel.waiting',
      { key: 'ready' },
      h('h2', { role: 'alert' }, t('queue.found')),
      h('p', null, poolWords(match.pool)),
      h('p', null, t('queue.confirmed', { confirmed: match.confirmed, players: match.players })),
      h('p.big-time', {
        key: 'left',
        role: 'timer',
        mount: (element) =>
          countdown(
            element,
            () => ({ millis: left(), runs: left() > 0 }),
            (target, millis) => {
              target.textContent = String(Math.ceil(millis / 1000));
            },
            (refresh) => app.store.subscribe(refresh),
          ),
      }),
      match.you_confirmed
        ? h('p', { role: 'status' }, t('queue.you_confirmed'))
        : h(
            'button.primary.large',
            {
              autofocus: true,
              onclick: () => void orSay(app, app.socket.ask({ type: 'confirm', match: match.match })),
            },
            t('queue.confirm'),
          ),
      h(
        'button.quiet',
        { onclick: () => void orSay(app, app.socket.ask({ type: 'leave_queue' })) },
        t('queue.leave'),
      ),
    );
  }

  return () => {
    window.clearInterval(looking);
    unsubscribe();
    view.stop();
  };
}
