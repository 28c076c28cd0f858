/** The controls of the replay: buttons, a slider, and "what happened since my move". */

import { actionShort, armyName } from '../names.js';
import { infoOf } from '../app.js';
import { h } from '../ui/dom.js';

const ICONS = {
  first: 'M4 4v12M16 4L7 10l9 6z',
  back: 'M14 4L6 10l8 6z',
  play: 'M5 3l12 7-12 7z',
  pause: 'M7 4v12M13 4v12',
  forward: 'M6 4l8 6-8 6z',
  last: 'M16 4v12M4 4l9 6-9 6z',
};

/**
 * @param {import('../i18n/translate.js').Translate} t
 * @param {keyof typeof ICONS} name
 * @param {() => void} act
 * @param {boolean} disabled
 */
export function iconButton(t, name, act, disabled) {
  return h(
    'button.icon',
    { key: name, 'aria-label': t(`replay.${name}`), title: t(`replay.${name}`), disabled, onclick: act },
    h('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, h('path', { d: ICONS[name] })),
  );
}

/**
 * @param {import('../app.js').App} app
 * @param {import('./replay.js').Replay} replay
 * @param {import('./timeline.js').Step[]} steps
 * @param {import('../game.js').GameState} game
 * @param {boolean} over
 */
export function replayBar(app, replay, steps, game, over) {
  const { t } = app;
  if (steps.length === 0) return null;
  const info = infoOf(app, game.setup.variant);
  const { count } = replay;
  const step = steps[count - 1];
  const words = step
    ? `${armyName(t, info, step.event.seat)} ${actionShort(t, step.event, step.change, step.before.pieces)}`
    : t('replay.start');
  const button = (
    /** @type {keyof typeof ICONS} */ name,
    /** @type {() => void} */ act,
    /** @type {boolean} */ disabled,
  ) => iconButton(t, name, act, disabled);
  return h(
    'div.replay',
    { key: 'replay', role: 'group', 'aria-label': t('replay.label') },
    h(
      'div.row',
      null,
      button('first', () => replay.goTo(0), count === 0),
      button('back', () => replay.goTo(count - 1), count === 0),
      button(replay.isPlaying ? 'pause' : 'play', () => replay.toggle(), false),
      button('forward', () => replay.goTo(count + 1), count >= steps.length),
      button('last', () => replay.toEnd(), count >= steps.length),
      !over &&
        game.you !== null &&
        h(
          'button.small.since',
          { title: t('table.since_key'), onclick: () => replay.sinceOwnMove(steps, game.you) },
          t('replay.since'),
        ),
    ),
    h('input', {
      type: 'range',
      min: 0,
      max: steps.length,
      step: 1,
      value: count,
      'aria-label': t('replay.slider'),
      'aria-valuetext': words,
      oninput: (/** @type {Event} */ event) =>
        replay.goTo(Number(/** @type {HTMLInputElement} */ (event.target).value)),
    }),
    h('span.replay-words', { 'aria-hidden': 'true' }, `${count}/${steps.length} · ${words}`),
  );
}
