/** A text to take along: it is selected when it is entered, and a button copies it. */

import { h } from './dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {{key: string, role: 'status'} | null} attributes
 * @param {{label: string, value: string, copied: string}} words What it is called, the text, and what is said when it is copied.
 */
export function copyField(app, attributes, { label, value, copied }) {
  const select = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select();
  const copy = () =>
    void navigator.clipboard.writeText(value).then(
      () => app.notify(copied),
      () => undefined,
    );
  return h(
    'div.share',
    attributes,
    h('label', null, label, h('input', { readonly: true, value, onfocus: select })),
    h('button', { onclick: copy }, app.t('lobby.copy')),
  );
}
