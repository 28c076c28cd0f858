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

/** @typedef {import('../app.js').App} App */

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  const account = new Account(root, app);
  return () => account.view.stop();
}

class Account {
  /** @type {'register' | 'sign_in'} What the form of a guest does. */ mode = 'register';
  made = { secret: '' };
  /** Whose lists have been asked for. */ asked = '';

  /** @param {HTMLElement} root @param {App} app */
  constructor(root, app) {
    this.app = app;
    const changed = () => this.view.refresh();
    /** @type {Fetched<import('../account/sessions.js').Session[]>} */
    this.sessions = new Fetched('/me/sessions', changed);
    /** @type {Fetched<import('../account/tokens.js').Token[]>} */
    this.tokens = new Fetched('/me/tokens', changed);
    /** @type {Record<'blocks' | 'mutes', Fetched<import('../protocol.js').UserView[]>>} */
    this.lists = { blocks: new Fetched('/me/blocks', changed), mutes: new Fetched('/me/mutes', changed) };
    this.view = liveView(root, app, () => this.#render());
  }

  /** @param {Promise<unknown>} asked @returns {Promise<boolean>} Whether it was done; a refusal is shown. */
  async #isDone(asked) {
    return Boolean(
      await orSay(
        this.app,
        asked.then(() => true),
      ),
    );
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    const given = fields(event, ['name', 'password']);
    if (await this.#isDone(post(this.mode === 'register' ? '/accounts' : '/session', given))) this.#enter();
  }

  /** @param {SubmitEvent} event */
  async #changePassword(event) {
    const { app } = this;
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (!(await this.#isDone(post('/me/password', fields(event, ['current', 'new']))))) return;
    form.reset();
    app.notify(app.t('account.password_changed'));
    await this.sessions.load();
  }

  async #signOut() {
    if (await this.#isDone(remove('/session'))) this.#enter();
  }

  /** The session has changed: everything is learned anew with it. */
  #enter() {
    this.app.socket.restart();
    this.app.go('/');
  }

  #learn() {
    const { me } = this.app.store.state();
    if (!me || this.asked === me.id + me.kind) return;
    this.asked = me.id + me.kind;
    const { blocks, mutes } = this.lists;
    for (const list of [blocks, mutes, ...(me.kind === 'account' ? [this.sessions, this.tokens] : [])])
      void list.load();
  }

  #render() {
    const { app } = this;
    const { me } = app.store.state();
    this.#learn();
    const rest = [keptAway(app, this.lists), ownData(app, () => this.#enter())];
    return [
      me?.kind === 'account'
        ? h('section.page.narrow', { key: 'me' }, ...this.#account(me), ...rest)
        : h('section.page.narrow', { key: 'guest' }, ...this.#guest(), ...rest),
    ];
  }

  /** @param {import('../protocol.js').UserView} me */
  #account(me) {
    const { app } = this;
    const { t } = app;
    return [
      h('p.eyebrow', null, t('kind.account')),
      h('h1', null, me.name),
      h(
        'div.row',
        null,
        h('a.button', { href: `/users/${me.id}` }, t('account.profile')),
        h('button', { onclick: () => this.#signOut() }, t('account.sign_out')),
      ),
      h(
        'section.panel',
        { key: 'password', 'aria-labelledby': 'password-title' },
        h('h2', { id: 'password-title' }, t('account.change_password')),
        h(
          'form.inline',
          { onsubmit: (/** @type {SubmitEvent} */ event) => this.#changePassword(event) },
          password('current', t('account.password_now'), 'current-password'),
          password('new', t('account.password_new'), 'new-password'),
          h('button', null, t('account.change_password')),
        ),
      ),
      sessionList(app, this.sessions),
      tokenList(app, this.tokens, this.made),
    ];
  }

  #guest() {
    const { t, store } = this.app;
    return [
      h('p.eyebrow', null, t('kind.guest')),
      h('h1', null, t('account.title', { name: store.state().me?.name ?? '' })),
      h('p.lead', null, t('account.lead')),
      h(
        'div.choices',
        { role: 'group', 'aria-label': t('account.choose') },
        this.#modeButton('register'),
        this.#modeButton('sign_in'),
      ),
      this.#guestForm(),
    ];
  }

  /** @param {'register' | 'sign_in'} mode */
  #modeButton(mode) {
    const choose = () => {
      this.mode = mode;
      this.view.refresh();
    };
    const isChosen = this.mode === mode;
    return h(
      'button',
      {
        key: mode,
        'aria-pressed': isChosen ? 'true' : 'false',
        class: isChosen ? 'chosen' : '',
        onclick: choose,
      },
      this.app.t(`account.${mode}`),
    );
  }

  #guestForm() {
    const { t } = this.app;
    const isNew = this.mode === 'register';
    return h(
      'form.panel',
      { onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event) },
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
          'aria-describedby': isNew ? 'name-hint' : null,
        }),
      ),
      isNew && h('p.hint', { key: 'name-hint', id: 'name-hint' }, t('account.name_hint')),
      password('password', t('account.password'), isNew ? 'new-password' : 'current-password'),
      isNew && h('p.hint', { key: 'password-hint' }, t('account.password_hint')),
      h('button.primary', null, t(`account.${this.mode}`)),
    );
  }
}

/** @param {SubmitEvent} event @param {string[]} names @returns {Record<string, string>} */
function fields(event, names) {
  event.preventDefault();
  const { elements } = /** @type {HTMLFormElement} */ (event.target);
  return Object.fromEntries(
    names.map((name) => [name, /** @type {HTMLInputElement} */ (elements.namedItem(name)).value]),
  );
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
