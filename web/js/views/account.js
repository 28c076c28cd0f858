/** An address that names nothing. */

import { h, patch } from '../ui/dom.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  patch(root, h('section.page', null, h('h1', null, app.t('missing.title')), h('p', null, h('a', { href: '/' }, app.t('missing.home')))));
  return () => patch(root);
}
