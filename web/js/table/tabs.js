/** What the table tells beside the board, one tab at a time: moves, ledger and chat. */

import { h } from '../ui/dom.js';

const TABS = ['moves', 'ledger', 'chat'];

/**
 * @param {import('../i18n/translate.js').Translate} t
 * @param {string} chosen
 * @param {(tab: string) => void} choose
 * @param {import('../ui/dom.js').Kid} panel What the chosen tab shows.
 */
export function tabs(t, chosen, choose, panel) {
  return h(
    'div.tabs',
    { key: 'tabs' },
    h(
      'div.tablist',
      {
        role: 'tablist',
        'aria-label': t('table.tabs'),
        onkeydown: (/** @type {KeyboardEvent} */ event) => chooseByKey(event, chosen, choose),
      },
      TABS.map((tab) =>
        h(
          'button',
          {
            key: tab,
            role: 'tab',
            id: `tab-${tab}`,
            'aria-selected': tab === chosen ? 'true' : 'false',
            'aria-controls': 'tabpanel',
            tabindex: tab === chosen ? 0 : -1,
            onclick: () => choose(tab),
          },
          t(`tab.${tab}`),
        ),
      ),
    ),
    h('div.tabpanel', { role: 'tabpanel', id: 'tabpanel', 'aria-labelledby': `tab-${chosen}` }, panel),
  );
}

/** @param {KeyboardEvent} event @param {string} chosen @param {(tab: string) => void} choose */
function chooseByKey(event, chosen, choose) {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? TABS.length - 1 : 0;
  if (step === 0) return;
  event.preventDefault();
  event.stopPropagation();
  choose(TABS[(TABS.indexOf(chosen) + step) % TABS.length] ?? 'moves');
  queueMicrotask(() => {
    const tab = document.querySelector('[role="tab"][aria-selected="true"]');
    if (tab instanceof HTMLElement) tab.focus();
  });
}
