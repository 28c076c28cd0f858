/** What the server keeps about oneself: to take along, and to delete. */

import { remove } from '../api.js';
import { orSay } from '../app.js';
import { openDialog } from '../ui/dialog.js';
import { h } from '../ui/dom.js';

/** @param {import('../app.js').App} app @param {() => void} gone Called when the account is no more. */
export function ownData(app, gone) {
  const { t } = app;
  return h(
    'section.panel',
    { key: 'data', 'aria-labelledby': 'data-title' },
    h('h2', { id: 'data-title' }, t('data.title')),
    h('p.hint', null, t('data.lead')),
    h(
      'div.row',
      null,
      h('a.button', { href: '/api/v1/me/export', download: 'kingscross-export.json' }, t('data.export')),
      h('button.danger', { onclick: () => deletion(app, gone) }, t('data.delete')),
    ),
  );
}

/** @param {import('../app.js').App} app @param {() => void} gone */
function deletion(app, gone) {
  const { t } = app;
  const withPassword = app.store.state().me?.kind === 'account';
  openDialog(
    t('data.delete'),
    (close) => [
      h(
        'form',
        {
          onsubmit: async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const field = /** @type {HTMLFormElement} */ (event.target).elements.namedItem('password');
            const password = field instanceof HTMLInputElement ? { password: field.value } : {};
            if (
              !(await orSay(
                app,
                remove('/me', password).then(() => true),
              ))
            )
              return;
            close();
            gone();
          },
        },
        h('p', null, t('data.delete_sure')),
        withPassword &&
          h(
            'label',
            null,
            t('account.password'),
            h('input', {
              name: 'password',
              type: 'password',
              required: true,
              autocomplete: 'current-password',
              autofocus: true,
            }),
          ),
        h(
          'div.row.end',
          null,
          h('button', { type: 'button', onclick: close }, t('dialog.cancel')),
          h('button.danger', null, t('data.delete')),
        ),
      ),
    ],
    { name: 'question' },
  );
}
