/** What one can do about another player: not hear, not meet, tell the moderators. */

import { post, put, remove } from '../api.js';
import { orSay } from '../app.js';
import { openDialog } from '../ui/dialog.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../protocol.js').UserView} UserView */
/** @typedef {import('../ui/fetched.js').Fetched<UserView[]>} Users */

const REASONS = ['abuse', 'cheating', 'teaming', 'stalling', 'name', 'other'];

/** @param {import('../app.js').App} app @param {UserView} user @param {{blocks: Users, mutes: Users}} lists */
export function conductActions(app, user, { blocks, mutes }) {
  const { t } = app;
  const toggle = (/** @type {'blocks' | 'mutes'} */ kind, /** @type {Users} */ list) => {
    const on = list.value?.some((other) => other.id === user.id) ?? false;
    return h(
      'button.small',
      {
        key: kind,
        class: on ? 'chosen' : '',
        onclick: async () => {
          const path = `/me/${kind}/${user.id}`;
          if (
            await orSay(
              app,
              (on ? remove(path) : put(path)).then(() => true),
            )
          )
            await list.load();
        },
      },
      t(`conduct.${on ? 'lift' : 'set'}.${kind}`),
    );
  };
  return h(
    'div.row.conduct',
    { key: 'conduct', role: 'group', 'aria-label': t('conduct.label', { name: user.name }) },
    toggle('mutes', mutes),
    toggle('blocks', blocks),
    h('button.small', { key: 'report', onclick: () => reportDialog(app, user) }, t('report.open')),
  );
}

/** @param {import('../app.js').App} app @param {UserView} user @param {string} [game] The game in which it happened. */
export function reportDialog(app, user, game) {
  const { t } = app;
  openDialog(
    t('report.title', { name: user.name }),
    (close) => [
      h(
        'form',
        {
          onsubmit: async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
            const filed = {
              user: user.id,
              reason: String(data.get('reason')),
              note: String(data.get('note')),
              ...(game ? { game } : {}),
            };
            if (
              !(await orSay(
                app,
                post('/reports', filed).then(() => true),
              ))
            )
              return;
            close();
            app.notify(t('report.thanks'));
          },
        },
        h(
          'fieldset',
          null,
          h('legend', null, t('report.reason')),
          h(
            'div.choices',
            null,
            REASONS.map((reason) =>
              h(
                'label.choice',
                { key: reason },
                h('input', { type: 'radio', name: 'reason', value: reason, required: true }),
                h('span', null, t(`report.reason.${reason}`)),
              ),
            ),
          ),
        ),
        h('label', null, t('report.note'), h('textarea', { name: 'note', rows: 4, maxlength: 500 })),
        h(
          'div.row.end',
          null,
          h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
          h('button.primary', null, t('report.send')),
        ),
      ),
    ],
    { name: 'report' },
  );
}
