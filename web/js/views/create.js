/** The dialog that opens a lobby. */

import { orSay } from '../app.js';
import { armyName, delaysUpTo, factionName, spanText, variantName } from '../names.js';
import { parseTime } from '../protocol.js';
import { openDialog } from '../ui/dialog.js';
import { h } from '../ui/dom.js';
import { listPools, timesOf } from '../ui/pools.js';

/** @typedef {import('../app.js').App} App */

/** @param {App} app @param {string} [variant] */
export async function createLobby(app, variant) {
  const form = new LobbyForm(app, timesOf(await listPools()), variant ?? [...app.infos.keys()][0] ?? '');
  const dialog = openDialog(app.t('create.title'), (close) => [form.render(close)], { name: 'create' });
  form.changed = dialog.draw;
}

class LobbyForm {
  choice = {
    variant: '',
    time: 'custom',
    custom: '',
    visible: 'public',
    rated: false,
    both_boards: false,
    in_turn: false,
    free: false,
    late: '',
    seat: '',
  };
  changed = () => {};

  /** @param {App} app @param {string[]} times The times that are offered. @param {string} variant */
  constructor(app, times, variant) {
    this.app = app;
    this.times = times;
    this.choice.variant = variant;
    this.choice.time = times[Math.floor(times.length / 2)] ?? 'custom';
  }

  /** @param {Event} event @param {() => void} close */
  async #submit(event, close) {
    event.preventDefault();
    const { app, choice } = this;
    const time = parseTime(choice.time === 'custom' ? choice.custom : choice.time);
    if (!time) return app.notify(app.t('error.bad_time_control'), 'error');
    const answer = await orSay(
      app,
      app.socket.ask({
        type: 'create_lobby',
        variant: choice.variant,
        time,
        rated: choice.rated,
        public: choice.visible === 'public',
        both_boards: choice.both_boards,
        in_turn: choice.both_boards && choice.in_turn,
        free_chat: choice.free,
        ...(choice.seat ? { seat: choice.seat } : {}),
        ...(choice.late ? { spectator_delay: Number(choice.late) } : {}),
      }),
    );
    if (!answer?.lobby) return;
    close();
    app.go(`/lobby/${answer.lobby}`);
  }

  /** @param {() => void} close */
  render(close) {
    const { t, infos } = this.app;
    const info = infos.get(this.choice.variant);
    return h(
      'form',
      { onsubmit: (/** @type {Event} */ event) => this.#submit(event, close) },
      choices(
        'game',
        t('create.game'),
        [...infos.values()].map((other) => this.#radio('variant', other.variant, variantName(t, other))),
      ),
      this.#timeChoice(),
      info && this.#seatChoice(info),
      choices('visible', t('create.visible'), [
        this.#radio('visible', 'public', t('create.public')),
        this.#radio('visible', 'link', t('create.link')),
      ]),
      this.#delayChoice(info?.max_spectator_delay ?? 0),
      this.#more(info?.armies.length === 2),
      h(
        'div.row.end',
        { key: 'end' },
        h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
        h('button.primary', null, t('create.open')),
      ),
    );
  }

  #timeChoice() {
    const { app, choice } = this;
    const { t } = app;
    const write = (/** @type {Event} */ event) => {
      choice.custom = /** @type {HTMLInputElement} */ (event.target).value;
    };
    return choices(
      'time',
      t('create.time'),
      [
        this.times.map((time) => this.#radio('time', time, time)),
        this.#radio('time', 'custom', t('create.custom')),
      ],
      choice.time === 'custom' &&
        h('input', {
          key: 'custom',
          value: choice.custom,
          placeholder: '7+2',
          'aria-label': t('create.custom_label'),
          oninput: write,
        }),
    );
  }

  /** @param {import('../protocol.js').VariantInfo} info */
  #seatChoice(info) {
    const { t } = this.app;
    return choices('seat', t('create.seat'), [
      this.#radio('seat', '', t('create.any_seat')),
      info.armies.map(({ letter }) => {
        const [army, faction] = [armyName(t, info, letter), factionName(t, info, letter)];
        return this.#radio('seat', letter, army === faction ? army : `${army} · ${faction}`);
      }),
    ]);
  }

  /** @param {number} most The longest spectator delay that the server allows. */
  #delayChoice(most) {
    const { t } = this.app;
    return choices('late', t('create.late'), [
      this.#radio('late', '', t('create.late_usual')),
      delaysUpTo(most).map((delay) =>
        this.#radio('late', String(delay), delay === 0 ? t('create.late_none') : spanText(t, delay)),
      ),
    ]);
  }

  /** @param {boolean} isForTwo */
  #more(isForTwo) {
    const { t, store } = this.app;
    const isGuest = store.state().me?.kind === 'guest';
    return h(
      'fieldset',
      { key: 'more' },
      h('legend', null, t('create.more')),
      this.#check('rated', isGuest),
      isGuest && h('p.hint', { key: 'guest' }, t('create.guest')),
      this.#check('free'),
      isForTwo && this.#check('both_boards'),
      this.choice.both_boards && this.#check('in_turn'),
    );
  }

  /** @param {Partial<LobbyForm['choice']>} change */
  #pick(change) {
    Object.assign(this.choice, change);
    this.changed();
  }

  /** @param {'variant' | 'time' | 'visible' | 'seat' | 'late'} name @param {string} value @param {string} words */
  #radio(name, value, words) {
    // Another game has other seats, and perhaps one board only.
    const also = name === 'variant' ? { seat: '', both_boards: false, in_turn: false } : {};
    return h(
      'label.choice',
      { key: `${name}-${value}` },
      h('input', {
        type: 'radio',
        name,
        value,
        checked: this.choice[name] === value,
        onchange: () => this.#pick({ [name]: value, ...also }),
      }),
      h('span', null, words),
    );
  }

  /** @param {'rated' | 'both_boards' | 'in_turn' | 'free'} name */
  #check(name, disabled = false) {
    return h(
      'label.check',
      { key: name },
      h('input', {
        type: 'checkbox',
        disabled,
        checked: this.choice[name],
        onchange: () => this.#pick({ [name]: !this.choice[name] }),
      }),
      h('span', null, this.app.t(`create.${name}`)),
    );
  }
}

/** @param {string} key @param {string} legend @param {import('../ui/dom.js').Kid} buttons @param {import('../ui/dom.js').Kid} [below] */
function choices(key, legend, buttons, below) {
  return h('fieldset', { key }, h('legend', null, legend), h('div.choices', null, buttons), below);
}
