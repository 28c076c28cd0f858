/** API tokens: for programs that act for this account. The secret of a new one is shown once. */

import { post, remove } from '../api.js';
import { orSay } from '../app.js';
import { dateText } from '../names.js';
import { h } from '../ui/dom.js';

/** @typedef {{id: string, name: string, scopes: string[], created: number, last_used?: number | null}} Token */

const SCOPES = ['read', 'play'];

/**
 * @param {import('../app.js').App} app
 * @param {import('../ui/fetched.js').Fetched<Token[]>} tokens
 * @param {{secret: string}} made The secret that was made last, kept by the page as long as it stands.
 */
export function tokenList(app, tokens, made) {
  const { t } = app;
  /** @param {SubmitEvent} event */
  const create = async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const field = (/** @type {string} */ name) =>
      /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
    /** @type {{secret: string} | null} */
    const answer = await orSay(
      app,
      post('/me/tokens', {
        name: field('token').value,
        scopes: SCOPES.filter((scope) => field(scope).checked),
      }),
    );
    if (!answer) return;
    made.secret = answer.secret;
    form.reset();
    await tokens.load();
  };
  const revoke = async (/** @type {string} */ id) => {
    if (
      await orSay(
        app,
        remove(`/me/tokens/${id}`).then(() => true),
      )
    )
      await tokens.load();
  };
  return h(
    'section.panel',
    { key: 'tokens', 'aria-labelledby': 'tokens-title' },
    h('h2', { id: 'tokens-title' }, t('tokens.title')),
    h('p.hint', null, t('tokens.lead')),
    made.secret &&
      h(
        'div.share',
        { key: 'secret', role: 'status' },
        h(
          'label',
          null,
          t('tokens.secret'),
          h('input', {
            readonly: true,
            value: made.secret,
            onfocus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select(),
          }),
        ),
        h(
          'button',
          {
            onclick: () =>
              void navigator.clipboard.writeText(made.secret).then(
                () => app.notify(t('tokens.copied')),
                () => undefined,
              ),
          },
          t('lobby.copy'),
        ),
      ),
    h(
      'ul.plain.entries',
      null,
      (tokens.value ?? []).map((token) =>
        h(
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
            { 'aria-label': `${t('tokens.revoke')}: ${token.name}`, onclick: () => void revoke(token.id) },
            t('tokens.revoke'),
          ),
        ),
      ),
    ),
    h(
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
    ),
  );
}
