/** The dialog that opens a lobby. */

import { orSay } from '../app.js';
import { armyName, delaysUpTo, factionName, spanWords, variantName } from '../names.js';
import { parseTime } from '../protocol.js';
import { openDialog } from '../ui/dialog.js';
import { h } from '../ui/dom.js';
import { listPools, timesOf } from '../ui/pools.js';

/** @param {import('../app.js').App} app @param {string} [variant] */
export async function createLobby(app, variant) {
  const { t } = app;
  const times = timesOf(await listPools());
  const choice = {
    variant: variant ?? [...app.infos.keys()][0] ?? '',
    time: times[Math.floor(times.length / 2)] ?? 'custom',
    custom: '',
    visible: 'public',
    rated: false,
    both_boards: false,
    in_turn: false,
    free: false,
    late: '',
    seat: '',
  };
  const dialog = openDialog(t('create.title'), (close) => [form(close)], { name: 'create' });

  /** @param {() => void} close */
  function form(close) {
    const info = app.infos.get(choice.variant);
    const guest = app.store.state().me?.kind === 'guest';
    const pick = (/** @type {Partial<typeof choice>} */ change) => {
      Object.assign(choice, change);
      dialog.draw();
    };
    const radio = (
      /** @type {'variant' | 'time' | 'visible' | 'seat' | 'late'} */ name,
      /** @type {string} */ value,
      /** @type {string} */ words,
    ) =>
      h(
        'label.choice',
        { key: `${name}-${value}` },
        h('input', {
          type: 'radio',
          name,
          value,
          checked: choice[name] === value,
          onchange: () =>
            pick({
              [name]: value,
              ...(name === 'variant' ? { seat: '', both_boards: false, in_turn: false } : {}),
            }),
        }),
        h('span', null, words),
      );
    const check = (/** @type {'rated' | 'both_boards' | 'in_turn' | 'free'} */ name, disabled = false) =>
      h(
        'label.check',
        { key: name },
        h('input', {
          type: 'checkbox',
          disabled,
          checked: choice[name],
          onchange: () => pick({ [name]: !choice[name] }),
        }),
        h('span', null, t(`create.${name}`)),
      );
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const time = parseTime(choice.time === 'custom' ? choice.custom : choice.time);
      if (!time) return app.notify(t('error.bad_time_control'), 'error');
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
    };
    return h(
      'form',
      { onsubmit: submit },
      h(
        'fieldset',
        { key: 'game' },
        h('legend', null, t('create.game')),
        h(
          'div.choices',
          null,
          [...app.infos.values()].map((other) => radio('variant', other.variant, variantName(t, other))),
        ),
      ),
      h(
        'fieldset',
        { key: 'time' },
        h('legend', null, t('create.time')),
        h(
          'div.choices',
          null,
          times.map((time) => radio('time', time, time)),
          radio('time', 'custom', t('create.custom')),
        ),
        choice.time === 'custom' &&
          h('input', {
            key: 'custom',
            value: choice.custom,
            placeholder: '7+2',
            'aria-label': t('create.custom_label'),
            oninput: (/** @type {Event} */ event) => {
              choice.custom = /** @type {HTMLInputElement} */ (event.target).value;
            },
          }),
      ),
      info &&
        h(
          'fieldset',
          { key: 'seat' },
          h('legend', null, t('create.seat')),
          h(
            'div.choices',
            null,
            radio('seat', '', t('create.any_seat')),
            info.armies.map(({ letter }) => {
              const [army, faction] = [armyName(t, info, letter), factionName(t, info, letter)];
              return radio('seat', letter, army === faction ? army : `${army} · ${faction}`);
            }),
          ),
        ),
      h(
        'fieldset',
        { key: 'visible' },
        h('legend', null, t('create.visible')),
        h(
          'div.choices',
          null,
          radio('visible', 'public', t('create.public')),
          radio('visible', 'link', t('create.link')),
        ),
      ),
      h(
        'fieldset',
        { key: 'late' },
        h('legend', null, t('create.late')),
        h(
          'div.choices',
          null,
          radio('late', '', t('create.late_usual')),
          delaysUpTo(info?.max_spectator_delay ?? 0).map((delay) =>
            radio('late', String(delay), delay === 0 ? t('create.late_none') : spanWords(t, delay)),
          ),
        ),
      ),
      h(
        'fieldset',
        { key: 'more' },
        h('legend', null, t('create.more')),
        check('rated', guest),
        guest && h('p.hint', { key: 'guest' }, t('create.guest')),
        check('free'),
        info?.armies.length === 2 && check('both_boards'),
        choice.both_boards && check('in_turn'),
      ),
      h(
        'div.row.end',
        { key: 'end' },
        h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
        h('button.primary', null, t('create.open')),
      ),
    );
  }
}
