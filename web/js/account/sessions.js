/** Where one is signed in, and ending that. */

import { remove } from '../api.js';
import { orSay } from '../app.js';
import { dateText } from '../names.js';
import { h } from '../ui/dom.js';

/** @typedef {{id: string, label: string, created: number, last_seen: number, current: boolean}} Session */

/** @param {import('../app.js').App} app @param {import('../ui/fetched.js').Fetched<Session[]>} sessions */
export function sessionList(app, sessions) {
  const { t } = app;
  const list = sessions.value ?? [];
  const end = async (/** @type {string} */ path) => {
    if (
      await orSay(
        app,
        remove(path).then(() => true),
      )
    )
      await sessions.load();
  };
  return h(
    'section.panel',
    { key: 'sessions', 'aria-labelledby': 'sessions-title' },
    h('h2', { id: 'sessions-title' }, t('sessions.title')),
    h(
      'ul.plain.entries',
      null,
      list.map((session) =>
        h(
          'li',
          { key: session.id },
          h(
            'span.what',
            null,
            browserName(session.label) || t('sessions.unnamed'),
            session.current && h('span.chip', null, t('sessions.current')),
            h('small', null, t('sessions.seen', { date: dateText(t, session.last_seen) })),
          ),
          !session.current &&
            h(
              'button.small',
              {
                'aria-label': `${t('sessions.end')}: ${browserName(session.label)}`,
                onclick: () => void end(`/me/sessions/${session.id}`),
              },
              t('sessions.end'),
            ),
        ),
      ),
    ),
    list.length > 1 && h('button', { onclick: () => void end('/me/sessions') }, t('sessions.end_others')),
  );
}

/** @param {string} label What a browser says of itself, shortened to what people call it; anything else stays as it is. */
function browserName(label) {
  const program = /Firefox|Edg|OPR|Chrome|Safari/
    .exec(label)?.[0]
    .replace('Edg', 'Edge')
    .replace('OPR', 'Opera');
  const system = /Windows|Android|iPhone|iPad|Mac|Linux/.exec(label)?.[0];
  return label.startsWith('Mozilla/') && program && system ? `${program} · ${system}` : label;
}
