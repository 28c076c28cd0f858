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

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  const choice = { variant: [...app.infos.keys()][0] ?? '', time: '', bots: true };
  /** @type {import('../ui/pools.js').Pool[]} */
  let pools = [];
  let asking = true;
  void listPools().then((found) => {
    pools = found;
    asking = false;
    const times = timesOf(found);
    choice.time ||= times[Math.floor(times.length / 2)] ?? '';
    view.refresh();
  });
  const view = liveView(root, app, () => render());
  const unsubscribe = app.store.subscribe((state, before) => {
    if (state.match && !before.match) {
      app.sound.play('turn');
      app.announce(app.t('queue.found'), true);
    }
  });

  function render() {
    const { match, queue } = app.store.state();
    return [h('section.page.narrow', { key: 'queue' }, h('h1', null, app.t('queue.title')), match ? readyCheck(match) : queue ? waiting(queue) : form())];
  }

  function form() {
    const { t } = app;
    const { unqueued } = app.store.state();
    const contests = [...[...app.infos.values()].map((info) => [info.variant, variantName(t, info)]), [MATCH, t('pool.cross-match')]];
    const times = timesOf(pools);
    const waiting = (/** @type {string} */ time) => pools.find((pool) => pool.contest === choice.variant && timeText(pool.time) === time)?.players ?? 0;
    const radio = (/** @type {'variant' | 'time'} */ name, /** @type {string} */ value, /** @type {string} */ words) =>
      h('label.choice', { key: value }, h('input', { type: 'radio', name, value, checked: choice[name] === value, onchange: () => { choice[name] = value; view.refresh(); } }), h('span', null, words));
    return h('form.panel', { key: 'form', onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void orSay(app, app.socket.ask({ type: 'join_queue', pool: `${choice.variant}/${choice.time}`, bots: choice.bots }));
    } },
      unqueued && unqueued !== 'left' && h('p', { role: 'status' }, t(`queue.ended.${unqueued}`)),
      h('p.lead', null, t('queue.lead')),
      h('fieldset', null, h('legend', null, t('create.game')), h('div.choices', null, contests.map(([id = '', words = '']) => radio('variant', id, words)))),
      h('fieldset', null, h('legend', null, t('create.time')), times.length === 0 && h('p.hint', { role: 'status' }, t(asking ? 'list.loading' : 'list.failed')), h('div.choices', null, times.map((time) => radio('time', time, waiting(time) > 0 ? `${time} · ${t('queue.waiting_now', { n: waiting(time) })}` : time)))),
      h('label.check', null, h('input', { type: 'checkbox', checked: choice.bots, onchange: () => { choice.bots = !choice.bots; view.refresh(); } }), h('span', null, t('queue.bots'))),
      h('button.primary.large', { disabled: choice.time === '' }, t('queue.join')));
  }

  /** @param {NonNullable<import('../reduce.js').State['queue']>} queue */
  function waiting(queue) {
    const { t } = app;
    return h('div.panel.waiting', { key: 'waiting' },
      h('div.pulse', { 'aria-hidden': 'true' }, h('i.tint-bone'), h('i.tint-iron'), h('i.tint-idol'), h('i.tint-circuit')),
      h('h2', { role: 'status' }, t('queue.waiting', { players: queue.players, needed: queue.needed })),
      h('p', null, t('queue.pool', { pool: poolWords(queue.pool) })),
      h('p.big-time', { key: 'time', role: 'timer', mount: (element) => countUp(element) }),
      h('p.hint', null, queue.estimate === null ? t('queue.no_estimate') : t('queue.estimate', { time: clockText(Math.max(10_000, queue.estimate)) }), ' ', queue.bots ? t('queue.bots_after') : ''),
      h('button', { onclick: () => void orSay(app, app.socket.ask({ type: 'leave_queue' })) }, t('queue.leave')));
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
      if (queue) element.textContent = clockText(Math.floor((queue.waited + performance.now() - queue.heardAt) / 1000) * 1000 || 0).replace(/\.\d$/, '');
    };
    const timer = window.setInterval(() => document.visibilityState === 'visible' && show(), 1000);
    show();
    return () => window.clearInterval(timer);
  }

  /** @param {NonNullable<import('../reduce.js').State['match']>} match */
  function readyCheck(match) {
    const { t } = app;
    const left = () => Math.max(0, (app.store.state().match?.millis ?? 0) - (performance.now() - (app.store.state().match?.heardAt ?? 0)));
    return h('div.panel.waiting', { key: 'ready' },
      h('h2', { role: 'alert' }, t('queue.found')),
      h('p', null, t('queue.confirmed', { confirmed: match.confirmed, players: match.players })),
      h('p.big-time', { key: 'left', role: 'timer', mount: (element) => countdown(element, () => ({ millis: left(), runs: left() > 0 }), (target, millis) => { target.textContent = String(Math.ceil(millis / 1000)); }, (refresh) => app.store.subscribe(refresh)) }),
      match.you_confirmed
        ? h('p', { role: 'status' }, t('queue.you_confirmed'))
        : h('button.primary.large', { autofocus: true, onclick: () => void orSay(app, app.socket.ask({ type: 'confirm', match: match.match })) }, t('queue.confirm')),
      h('button.quiet', { onclick: () => void orSay(app, app.socket.ask({ type: 'leave_queue' })) }, t('queue.leave')));
  }

  return () => {
    unsubscribe();
    view.stop();
  };
}
