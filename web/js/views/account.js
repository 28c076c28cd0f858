/** Oneself: a guest can make an account or sign in; an account can sign out. */

import { post, remove } from '../api.js';
import { orSay } from '../app.js';
import { h } from '../ui/dom.js';
import { liveView } from '../ui/view.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  let mode = 'register';
  const view = liveView(root, app, () => render());

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const fields = /** @type {HTMLFormElement} */ (event.target).elements;
    const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (fields.namedItem(name)).value;
    const answer = await orSay(app, post(mode === 'register' ? '/accounts' : '/session', { name: value('name'), password: value('password') }).then(() => true));
    if (answer) enter();
  }

  /** The session has changed: everything is learned anew with it. */
  function enter() {
    app.socket.restart();
    app.go('/');
  }

  function render() {
    const { t } = app;
    const { me } = app.store.state();
    if (me?.kind === 'account') {
      return [h('section.page.narrow', { key: 'me' }, h('h1', null, me.name), h('div.row', null,
        h('a.button', { href: `/users/${me.id}` }, t('account.profile')),
        h('button', { onclick: async () => { if (await orSay(app, remove('/session').then(() => true))) enter(); } }, t('account.sign_out'))))];
    }
    const tab = (/** @type {string} */ name) => h('button', { key: name, 'aria-pressed': mode === name ? 'true' : 'false', class: mode === name ? 'chosen' : '', onclick: () => { mode = name; view.refresh(); } }, t(`account.${name}`));
    return [h('section.page.narrow', { key: 'guest' },
      h('h1', null, t('account.title', { name: me?.name ?? '' })),
      h('p.lead', null, t('account.lead')),
      h('div.choices', { role: 'group', 'aria-label': t('account.choose') }, tab('register'), tab('sign_in')),
      h('form.panel', { onsubmit: submit },
        h('label', null, t('account.name'), h('input', { name: 'name', required: true, minlength: 3, maxlength: 20, autocomplete: 'username' })),
        h('label', null, t('account.password'), h('input', { name: 'password', type: 'password', required: true, minlength: 8, autocomplete: mode === 'register' ? 'new-password' : 'current-password' })),
        h('button.primary', null, t(`account.${mode}`))))];
  }
  return () => view.stop();
}
