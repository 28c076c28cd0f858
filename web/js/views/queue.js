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

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../ui/pools.js').Pool} Pool */

/** How often the form asks who waits, in milliseconds. */
const LOOK_EVERY = 5_000;

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  const queue = new QueueView(root, app);
  return () => queue.destroy();
}

class QueueView {
  /** @type {Pool[]} */ pools = [];
  /** @type {{any: boolean, variants: Set<string>, times: Set<string>, bots: boolean}} */
  choice = { any: true, variants: new Set(), times: new Set(), bots: true };
  asking = true;

  /** @param {HTMLElement} root @param {App} app */
  constructor(root, app) {
    this.app = app;
    void this.#look();
    // Who waits for what changes while one thinks about it.
    this.looking = window.setInterval(() => {
      const { queue, match } = app.store.state();
      if (!queue && !match && document.visibilityState === 'visible') void this.#look();
    }, LOOK_EVERY);
    this.view = liveView(root, app, () => this.#render());
    this.unsubscribe = app.store.subscribe((state, before) => {
      if (state.match && !before.match) {
        app.sound.play('turn');
        app.announce(app.t('queue.found'), true);
      }
    });
  }

  destroy() {
    window.clearInterval(this.looking);
    this.unsubscribe();
    this.view.stop();
  }

  async #look() {
    const found = await listPools();
    this.asking = false;
    if (found.length > 0) {
      const times = timesOf(found);
      const usual = times[Math.floor(times.length / 2)];
      if (this.pools.length === 0 && usual) this.choice.times.add(usual);
      this.pools = found;
    }
    this.view.refresh();
  }

  /** The pools that are ticked. */
  #chosen() {
    const { any, variants, times } = this.choice;
    return this.pools.filter((pool) => (any || variants.has(pool.kind)) && times.has(timeText(pool.time)));
  }

  /** @param {Event} event */
  #join(event) {
    event.preventDefault();
    const pools = this.#chosen().map((pool) => pool.pool);
    void orSay(this.app, this.app.socket.ask({ type: 'join_queue', pools, bots: this.choice.bots }));
  }

  #render() {
    const { app } = this;
    const { match, queue } = app.store.state();
    return [
      h(
        'section.page.narrow',
        { key: 'queue' },
        h('h1', null, app.t('queue.title')),
        match ? readyCheck(app, match) : queue ? waiting(app, queue) : this.#form(),
      ),
    ];
  }

  #form() {
    const { app, pools } = this;
    const { t } = app;
    const { unqueued } = app.store.state();
    const wanted = this.#chosen().length;
    const waited = pools.filter((pool) => pool.players > 0);
    return h(
      'form.panel',
      { key: 'form', onsubmit: (/** @type {Event} */ event) => this.#join(event) },
      unqueued && unqueued !== 'left' && h('p', { role: 'status' }, t(`queue.ended.${unqueued}`)),
      h('p.lead', null, t('queue.lead')),
      this.#variantChoice(),
      this.#timeChoice(),
      h('p.hint', { key: 'several' }, t(wanted === 0 && pools.length > 0 ? 'queue.choose' : 'queue.several')),
      waited.length > 0 &&
        h('div', { key: 'counts' }, h('h2.small', null, t('queue.counts')), counts(app, waited)),
      this.#botChoice(),
      h('button.primary.large', { disabled: wanted === 0 }, t('queue.join')),
    );
  }

  #variantChoice() {
    const { app, choice } = this;
    const { t } = app;
    const kinds = [
      ...[...app.infos.values()].map((info) => [info.variant, variantName(t, info)]),
      [MATCH, t('pool.cross-match')],
    ];
    const any = {
      checked: choice.any,
      change: () => {
        choice.any = !choice.any;
        choice.variants.clear();
      },
      counts: () => false,
    };
    const kind = (/** @type {string} */ id) => ({
      checked: choice.variants.has(id),
      change: () => {
        choice.any = false;
        flip(choice.variants, id);
      },
      counts: (/** @type {Pool} */ pool) => pool.kind === id,
    });
    return h(
      'fieldset',
      null,
      h('legend', null, t('create.game')),
      h(
        'div.choices',
        null,
        this.#tick('any', t('queue.any'), any),
        kinds.map(([id = '', words = '']) => this.#tick(id, words, kind(id))),
      ),
    );
  }

  #timeChoice() {
    const { app, choice } = this;
    const { t } = app;
    const times = timesOf(this.pools);
    const tickOf = (/** @type {string} */ time) =>
      this.#tick(time, time, {
        checked: choice.times.has(time),
        change: () => flip(choice.times, time),
        counts: (pool) => timeText(pool.time) === time,
      });
    return h(
      'fieldset',
      null,
      h('legend', null, t('create.time')),
      times.length === 0 && h('p.hint', { role: 'status' }, t(this.asking ? 'list.loading' : 'list.failed')),
      h('div.choices', null, times.map(tickOf)),
    );
  }

  /**
   * A box to tick, with how many wait in the fullest of its pools.
   * @param {string} key @param {string} words
   * @param {{checked: boolean, change: () => void, counts: (pool: Pool) => boolean}} how
   */
  #tick(key, words, { checked, change, counts }) {
    const most = Math.max(0, ...this.pools.filter(counts).map((pool) => pool.players));
    const onchange = () => {
      change();
      this.view.refresh();
    };
    return h(
      'label.choice',
      { key },
      h('input', { type: 'checkbox', checked, onchange }),
      h('span', null, words),
      most > 0 && h('small', { 'aria-hidden': 'true' }, this.app.t('queue.waiting_now', { n: most })),
    );
  }

  #botChoice() {
    const { choice } = this;
    const onchange = () => {
      choice.bots = !choice.bots;
      this.view.refresh();
    };
    return h(
      'label.check',
      null,
      h('input', { type: 'checkbox', checked: choice.bots, onchange }),
      h('span', null, this.app.t('queue.bots')),
    );
  }
}

/** @param {Set<string>} set @param {string} value */
function flip(set, value) {
  if (!set.delete(value)) set.add(value);
}

/** @param {App} app @param {{pool: string, players: number, needed: number}[]} rows How many wait for what. */
function counts(app, rows) {
  return h(
    'ul.counts',
    { 'aria-label': app.t('queue.counts') },
    rows.map((row) =>
      h(
        'li',
        { key: row.pool },
        `${poolWords(app, row.pool)}: `,
        h('b', null, app.t('queue.count', { players: row.players, needed: row.needed })),
      ),
    ),
  );
}

/** @param {App} app @param {string} pool */
function poolWords(app, pool) {
  const [variant = '', time = ''] = pool.split('/');
  const info = app.infos.get(variant);
  return `${info ? variantName(app.t, info) : app.t(`pool.${variant}`)} · ${time}`;
}

/** @param {App} app @param {NonNullable<import('../reduce.js').State['queue']>} queue */
function waiting(app, queue) {
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
    counts(app, rows),
    h('p.big-time', { key: 'time', role: 'timer', mount: (element) => countUp(app, element) }),
    h(
      'p.hint',
      null,
      estimates.length === 0
        ? t('queue.no_estimate')
        : t('queue.estimate', { time: clockText(Math.max(10_000, Math.min(...estimates))) }),
      ' ',
      queue.bots ? t('queue.bots_after') : '',
    ),
    h('button', { onclick: () => leaveQueue(app) }, t('queue.leave')),
  );
}

/** @param {App} app */
function leaveQueue(app) {
  void orSay(app, app.socket.ask({ type: 'leave_queue' }));
}

/** @param {App} app @param {HTMLElement} element Seconds waited, counting up. */
function countUp(app, element) {
  const show = () => {
    const { queue } = app.store.state();
    if (!queue) return;
    const seconds = Math.floor((queue.waited + performance.now() - queue.heardAt) / 1000);
    element.textContent = clockText(seconds * 1000 || 0).replace(/\.\d$/, '');
  };
  const timer = window.setInterval(() => document.visibilityState === 'visible' && show(), 1000);
  show();
  return () => window.clearInterval(timer);
}

/** @param {App} app @param {NonNullable<import('../reduce.js').State['match']>} match */
function readyCheck(app, match) {
  const { t } = app;
  const confirm = () => void orSay(app, app.socket.ask({ type: 'confirm', match: match.match }));
  return h(
    'div.panel.waiting',
    { key: 'ready' },
    h('h2', { role: 'alert' }, t('queue.found')),
    h('p', null, poolWords(app, match.pool)),
    h('p', null, t('queue.confirmed', { confirmed: match.confirmed, players: match.players })),
    h('p.big-time', { key: 'left', role: 'timer', mount: (element) => countDown(app, element) }),
    match.you_confirmed
      ? h('p', { role: 'status' }, t('queue.you_confirmed'))
      : h('button.primary.large', { autofocus: true, onclick: confirm }, t('queue.confirm')),
    h('button.quiet', { onclick: () => leaveQueue(app) }, t('queue.leave')),
  );
}

/** @param {App} app @param {HTMLElement} element Seconds left to confirm. */
function countDown(app, element) {
  const left = () => {
    const { match } = app.store.state();
    return Math.max(0, (match?.millis ?? 0) - (performance.now() - (match?.heardAt ?? 0)));
  };
  return countdown(
    element,
    () => ({ millis: left(), runs: left() > 0 }),
    (target, millis) => {
      target.textContent = String(Math.ceil(millis / 1000));
    },
    (refresh) => app.store.subscribe(refresh),
  );
}
