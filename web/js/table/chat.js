/** Talk at the table: preset phrases, and free text where the game allows it. */

import { wearOf } from '../board/army-skins.js';
import { orSay } from '../app.js';
import { h } from '../ui/dom.js';

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
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../game.js').GameState} game
 * @param {Set<string>} muted Users whose lines are hidden here.
 * @param {(user: string) => void} toggleMute
 */
export function chat(app, info, game, muted, toggleMute) {
  const { t } = app;
  const me = app.store.state().me?.id;
  const say = (/** @type {{phrase: string} | {text: string}} */ what) =>
    void orSay(app, app.socket.ask({ type: 'say', game: game.game, ...what }));
  const lines = game.chat.filter((line) => !muted.has(line.user));
  return h(
    'div.chat',
    { key: 'chat' },
    h(
      'ol.lines',
      { 'aria-label': t('chat.label'), 'aria-live': 'polite', tabindex: 0 },
      lines.length === 0 && h('li.hint', null, t('chat.none')),
      lines.map((line, index) =>
        h(
          'li',
          {
            key: `${line.at}-${line.user}-${index}`,
            class: line.seat ? `tint-${wearOf(info, line.seat).tint}` : '',
          },
          h('b', null, line.name),
          ' ',
          h('span', null, line.phrase !== undefined ? phraseWords(app, line.phrase) : (line.text ?? '')),
          line.user !== me &&
            h(
              'button.mute',
              {
                'aria-label': t('chat.mute', { name: line.name }),
                title: t('chat.mute', { name: line.name }),
                onclick: () => toggleMute(line.user),
              },
              '⊘',
            ),
        ),
      ),
    ),
    muted.size > 0 &&
      h(
        'button.small',
        {
          onclick: () => {
            for (const user of muted) toggleMute(user);
          },
        },
        t('chat.unmute', { n: muted.size }),
      ),
    game.you !== null &&
      h(
        'div.phrases',
        { role: 'group', 'aria-label': t('chat.phrases') },
        PHRASES.map((key) =>
          h('button.small', { onclick: () => say({ phrase: key }) }, phraseWords(app, key)),
        ),
      ),
    game.you !== null &&
      game.setup.free_chat &&
      h(
        'form.say',
        {
          onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const input = /** @type {HTMLInputElement} */ (
              /** @type {HTMLFormElement} */ (event.target).elements.namedItem('say')
            );
            if (!input.value.trim()) return;
            say({ text: input.value.trim() });
            input.value = '';
          },
        },
        h('input', {
          name: 'say',
          maxlength: 200,
          autocomplete: 'off',
          'aria-label': t('chat.write'),
          placeholder: t('chat.write'),
        }),
        h('button', null, t('chat.send')),
      ),
  );
}

/** @param {import('../app.js').App} app @param {string} key */
function phraseWords({ t }, key) {
  return t.has(`phrase.${key}`) ? t(`phrase.${key}`) : key;
}
