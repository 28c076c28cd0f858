/** The players whom one does not want to hear or to meet. */

import { remove } from '../api.js';
import { orSay } from '../app.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../protocol.js').UserView} UserView */
/** @typedef {import('../ui/fetched.js').Fetched<UserView[]>} Users */

/** @param {import('../app.js').App} app @param {{blocks: Users, mutes: Users}} lists */
export function keptAway(app, { blocks, mutes }) {
  const { t } = app;
  const lift = async (
    /** @type {'blocks' | 'mutes'} */ kind,
    /** @type {Users} */ list,
    /** @type {string} */ user,
  ) => {
    if (
      await orSay(
        app,
        remove(`/me/${kind}/${user}`).then(() => true),
      )
    )
      await list.load();
  };
  const part = (/** @type {'blocks' | 'mutes'} */ kind, /** @type {Users} */ list) =>
    (list.value ?? []).map((user) =>
      h(
        'li',
        { key: `${kind}-${user.id}` },
        h(
          'span.what',
          null,
          h('a', { href: `/users/${user.id}` }, user.name),
          ' ',
          h('span.chip', null, t(`conduct.${kind}`)),
        ),
        h(
          'button.small',
          {
            'aria-label': `${t(`conduct.lift.${kind}`)}: ${user.name}`,
            onclick: () => void lift(kind, list, user.id),
          },
          t(`conduct.lift.${kind}`),
        ),
      ),
    );
  const entries = [...part('blocks', blocks), ...part('mutes', mutes)];
  return h(
    'section.panel',
    { key: 'away', 'aria-labelledby': 'away-title' },
    h('h2', { id: 'away-title' }, t('conduct.title')),
    entries.length > 0 ? h('ul.plain.entries', null, entries) : h('p.hint', null, t('conduct.none')),
  );
}
