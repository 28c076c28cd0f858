/** Oneself: a guest can make an account or sign in; an account looks after its sessions, tokens and password. */

import { post, remove } from '../api.js';
import { orSay } from '../app.js';
import { ownData } from '../account/data.js';
import { keptAway } from '../account/kept-away.js';
import { sessionList } from '../account/sessions.js';
import { tokenList } from '../account/tokens.js';
import { h } from '../ui/dom.js';
import { Fetched } from '../ui/fetched.js';
import { liveView } from '../ui/view.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  let mode = 'register';
  const changed = () => view.refresh();
  /** @type {Fetched<import('../account/sessions.js').Session[]>} */
  const sessions = new Fetched('/me/sessions', changed);
  /** @type {Fetched<import('../account/tokens.js').Token[]>} */
  const tokens = new Fetched('/me/tokens', changed);
  /** @type {Record<'blocks' | 'mutes', Fetched<import('../protocol.js').UserView[]>>} */
  const lists = { blocks: new Fetched('/me/blocks', changed), mutes: new Fetched('/me/mutes', changed) };
  const made = { secret: '' };
  /** Whose lists have been asked for. */
  let asked = '';
  const view = liveView(root, app, () => render());

  /** @param {SubmitEvent} event @param {string[]} names @returns {Record<string, string>} */
  function fields(event, names) {
    event.preventDefault();
    const { elements } = /** @type {HTMLFormElement} */ (event.target);
    return Object.fromEntries(
      names.map((name) => [name, /** @type {HTMLInputElement} */ (elements.namedItem(name)).value]),
    );
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    const given = fields(event, ['name', 'password']);
    if (
      await orSay(
        app,
        post(mode === 'register' ? '/accounts' : '/session', given).then(() => true),
      )
    )
      enter();
  }

  /** @param {SubmitEvent} event */
  async function changePassword(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (
      !(await orSay(
        app,
        post('/me/password', fields(event, ['current', 'new'])).then(() => true),
      ))
    )
      return;
    form.reset();
    app.notify(app.t('account.password_changed'));
    await sessions.load();
  }

  /** The session has changed: everything is learned anew with it. */
  function enter() {
    app.socket.restart();
    app.go('/');
  }

  function learn() {
    const { me } = app.store.state();
    if (!me || asked === me.id + me.kind) return;
    asked = me.id + me.kind;
    for (const list of [lists.blocks, lists.mutes, ...(me.kind === 'account' ? [sessions, tokens] : [])])
      void list.load();
  }

  function render() {
    const { t } = app;
    const { me } = app.store.state();
    learn();
    const rest = [keptAway(app, lists), ownData(app, enter)];
    if (me?.kind !== 'account') return [h('section.page.narrow', { key: 'guest' }, ...guest(), ...rest)];
    return [
      h(
        'section.page.narrow',
        { key: 'me' },
        h('p.eyebrow', null, t('kind.account')),
        h('h1', null, me.name),
        h(
          'div.row',
          null,
          h('a.button', { href: `/users/${me.id}` }, t('account.profile')),
          h(
            'button',
            {
              onclick: async () => {
                if (
                  await orSay(
                    app,
                    remove('/session').then(() => true),
                  )
                )
                  enter();
              },
            },
            t('account.sign_out'),
          ),
        ),
        h(
          'section.panel',
          { key: 'password', 'aria-labelledby': 'password-title' },
          h('h2', { id: 'password-title' }, t('account.change_password')),
          h(
            'form.inline',
            { onsubmit: changePassword },
            password('current', t('account.password_now'), 'current-password'),
            password('new', t('account.password_new'), 'new-password'),
            h('button', null, t('account.change_password')),
          ),
        ),
        sessionList(app, sessions),
        tokenList(app, tokens, made),
        ...rest,
      ),
    ];
  }

  /** @param {string} name @param {string} words @param {string} kind */
  function password(name, words, kind) {
    return h(
      'label',
      { key: name },
      words,
      h('input', { name, type: 'password', required: true, minlength: 8, autocomplete: kind }),
    );
  }

  function guest() {
    const { t } = app;
    const tab = (/** @type {string} */ name) =>
      h(
        'button',
        {
          key: name,
          'aria-pressed': mode === name ? 'true' : 'false',
          class: mode === name ? 'chosen' : '',
          onclick: () => {
            mode = name;
            view.refresh();
          },
        },
        t(`account.${name}`),
      );
    return [
      h('p.eyebrow', null, t('kind.guest')),
      h('h1', null, t('account.title', { name: app.store.state().me?.name ?? '' })),
      h('p.lead', null, t('account.lead')),
      h('div.choices', { role: 'group', 'aria-label': t('account.choose') }, tab('register'), tab('sign_in')),
      h(
        'form.panel',
        { onsubmit: submit },
        h(
          'label',
          null,
          t('account.name'),
          h('input', {
            name: 'name',
            required: true,
            minlength: 3,
            maxlength: 20,
            autocomplete: 'username',
            'aria-describedby': mode === 'register' ? 'name-hint' : null,
          }),
        ),
        mode === 'register' && h('p.hint', { key: 'name-hint', id: 'name-hint' }, t('account.name_hint')),
        password(
          'password',
          t('account.password'),
          mode === 'register' ? 'new-password' : 'current-password',
        ),
        mode === 'register' && h('p.hint', { key: 'password-hint' }, t('account.password_hint')),
        h('button.primary', null, t(`account.${mode}`)),
      ),
    ];
  }
  return () => view.stop();
}
