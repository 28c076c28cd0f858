/** Talk at the table: preset phrases, and free text where the game allows it. */

import { wearOf } from '../board/army-skins.js';
import { orSay } from '../app.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../protocol.js').ChatLine} ChatLine */

export const PHRASES = [
  'hello',
  'good_luck',
  'have_fun',
  'thanks',
  'well_played',
  'nice_move',
  'good_game',
  'sorry',
  'oops',
  'wow',
  'one_more',
  'bye',
];

/**
 * @param {App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../game.js').GameState} game
 * @param {Set<string>} muted Users whose lines are hidden here.
 * @param {(user: string) => void} toggleMute
 */
export function chat(app, info, game, muted, toggleMute) {
  const { t } = app;
  const say = (/** @type {{phrase: string} | {text: string}} */ what) =>
    void orSay(app, app.socket.ask({ type: 'say', game: game.game, ...what }));
  const unmuteAll = () => {
    for (const user of muted) toggleMute(user);
  };
  const lines = game.chat.filter((line) => !muted.has(line.user));
  return h(
    'div.chat',
    { key: 'chat' },
    h(
      'ol.lines',
      { 'aria-label': t('chat.label'), 'aria-live': 'polite', tabindex: 0 },
      lines.length === 0 && h('li.hint', null, t('chat.none')),
      lines.map((line, index) =>
        chatLine(app, line, `${line.at}-${line.user}-${index}`, tintOf(info, line), toggleMute),
      ),
    ),
    muted.size > 0 && h('button.small', { onclick: unmuteAll }, t('chat.unmute', { n: muted.size })),
    game.you !== null &&
      h(
        'div.phrases',
        { role: 'group', 'aria-label': t('chat.phrases') },
        PHRASES.map((key) =>
          h('button.small', { onclick: () => say({ phrase: key }) }, phraseText(app, key)),
        ),
      ),
    game.you !== null && game.setup.free_chat && freeText(app, (text) => say({ text })),
  );
}

/** @param {import('../protocol.js').VariantInfo} info @param {ChatLine} line */
function tintOf(info, line) {
  return line.seat ? `tint-${wearOf(info, line.seat).tint}` : '';
}

/** @param {App} app @param {ChatLine} line @param {string} key @param {string} tint @param {(user: string) => void} mute */
function chatLine(app, line, key, tint, mute) {
  const { t } = app;
  const words = line.phrase !== undefined ? phraseText(app, line.phrase) : (line.text ?? '');
  const muteText = t('chat.mute', { name: line.name });
  return h(
    'li',
    { key, class: tint },
    h('b', null, line.name),
    ' ',
    h('span', null, words),
    line.user !== app.store.state().me?.id &&
      h('button.mute', { 'aria-label': muteText, title: muteText, onclick: () => mute(line.user) }, '⊘'),
  );
}

/** @param {App} app @param {(text: string) => void} say */
function freeText({ t }, say) {
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem('say'));
    if (!input.value.trim()) return;
    say(input.value.trim());
    input.value = '';
  };
  return h(
    'form.say',
    { onsubmit: submit },
    h('input', {
      name: 'say',
      maxlength: 200,
      autocomplete: 'off',
      'aria-label': t('chat.write'),
      placeholder: t('chat.write'),
    }),
    h('button', null, t('chat.send')),
  );
}

/** @param {App} app @param {string} key */
function phraseText({ t }, key) {
  return t.has(`phrase.${key}`) ? t(`phrase.${key}`) : key;
}
