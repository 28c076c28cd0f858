/** An address that names nothing. */

import { placeSymbols } from '../board/symbols.js';
import { h, patch } from '../ui/dom.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  placeSymbols();
  patch(
    root,
    h(
      'section.page.center',
      null,
      h(
        'svg.emblem.tint-bone',
        { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
        h('use', { href: '#bone-K-fallen' }),
      ),
      h('h1', null, app.t('missing.title')),
      h('p', null, h('a.button', { href: '/' }, app.t('missing.home'))),
    ),
  );
  return () => patch(root);
}
