/** API tokens: for programs that act for this account. The secret of a new one is shown once. */

import { post, remove } from '../api.js';
import { orSay } from '../app.js';
import { dateText } from '../names.js';
import { copyField } from '../ui/copy-field.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../ui/fetched.js').Fetched<Token[]>} Tokens */
/** @typedef {{id: string, name: string, scopes: string[], created: number, last_used?: number | null}} Token */

const SCOPES = ['read', 'play'];

/**
 * @param {App} app
 * @param {Tokens} tokens
 * @param {{secret: string}} made The secret that was made last, kept by the page as long as it is shown.
 */
export function tokenList(app, tokens, made) {
  const { t } = app;
  return h(
    'section.panel',
    { key: 'tokens', 'aria-labelledby': 'tokens-title' },
    h('h2', { id: 'tokens-title' }, t('tokens.title')),
    h('p.hint', null, t('tokens.lead')),
    made.secret &&
      copyField(
        app,
        { key: 'secret', role: 'status' },
        { label: t('tokens.secret'), value: made.secret, copied: t('tokens.copied') },
      ),
    h(
      'ul.plain.entries',
      null,
      (tokens.value ?? []).map((token) => tokenEntry(app, tokens, token)),
    ),
    tokenForm(app, tokens, made),
  );
}

/** @param {App} app @param {Tokens} tokens @param {Token} token */
function tokenEntry(app, tokens, token) {
  const { t } = app;
  const revoke = async () => {
    const asked = remove(`/me/tokens/${token.id}`).then(() => true);
    if (await orSay(app, asked)) await tokens.load();
  };
  return h(
    'li',
    { key: token.id },
    h(
      'span.what',
      null,
      token.name,
      ' ',
      token.scopes.map((scope) => h('span.chip', { key: scope }, t(`tokens.scope.${scope}`))),
      h(
        'small',
        null,
        token.last_used ? t('tokens.used', { date: dateText(t, token.last_used) }) : t('tokens.unused'),
      ),
    ),
    h(
      'button.small',
      { 'aria-label': `${t('tokens.revoke')}: ${token.name}`, onclick: revoke },
      t('tokens.revoke'),
    ),
  );
}

/** @param {App} app @param {Tokens} tokens @param {{secret: string}} made */
function tokenForm(app, tokens, made) {
  const { t } = app;
  /** @param {SubmitEvent} event */
  const create = async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const field = (/** @type {string} */ name) =>
      /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
    const wanted = { name: field('token').value, scopes: SCOPES.filter((scope) => field(scope).checked) };
    /** @type {{secret: string} | null} */
    const answer = await orSay(app, post('/me/tokens', wanted));
    if (!answer) return;
    made.secret = answer.secret;
    form.reset();
    await tokens.load();
  };
  return h(
    'form.inline',
    { onsubmit: create },
    h(
      'label',
      null,
      t('tokens.name'),
      h('input', { name: 'token', required: true, maxlength: 40, autocomplete: 'off' }),
    ),
    SCOPES.map((scope) =>
      h(
        'label.check',
        { key: scope },
        h('input', { type: 'checkbox', name: scope, checked: true }),
        h('span', null, t(`tokens.scope.${scope}`)),
      ),
    ),
    h('button', null, t('tokens.make')),
  );
}
