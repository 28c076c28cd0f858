/** What the player may set. */

import { DEFAULTS, OPTIONS } from '../settings.js';
import { placeSymbols } from '../board/symbols.js';
import { h } from '../ui/dom.js';
import { liveView } from '../ui/view.js';

const GROUPS = [
  ['look', ['palette', 'marks', 'coordinates', 'xiangqi', 'motion']],
  ['play', ['confirm', 'sound']],
  ['language', ['language']],
];
const SAMPLE = ['bone-N', 'iron-R', 'idol-Q', 'circuit-B', 'iron-K-fallen', 'bone-P-fallen'];

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  placeSymbols();
  const view = liveView(root, app, () => {
    const { t, settings } = app;
    const current = settings.get();
    return [
      h(
        'section.page.narrow',
        { key: 'settings' },
        h('h1', null, t('settings.title')),
        h(
          'div.sample',
          { 'aria-hidden': 'true' },
          SAMPLE.map((symbol) =>
            h(
              'span',
              { class: `tint-${symbol.split('-')[0]} piece` },
              h('svg', { viewBox: '0 0 100 100' }, h('use', { href: `#${symbol}` })),
            ),
          ),
        ),
        GROUPS.map(([group, names]) =>
          h(
            'section.panel',
            { key: String(group), 'aria-labelledby': `settings-${group}` },
            h('h2', { id: `settings-${group}` }, t(`settings.group.${group}`)),
            /** @type {(keyof typeof OPTIONS)[]} */ (names).map((name) =>
              h(
                'fieldset',
                { key: name },
                h('legend', null, t(`settings.${name}`)),
                h(
                  'div.choices',
                  null,
                  OPTIONS[name].map((value) =>
                    h(
                      'label.choice',
                      { key: value },
                      h('input', {
                        type: 'radio',
                        name,
                        value,
                        checked: current[name] === value,
                        onchange: () => settings.set({ [name]: value }),
                      }),
                      h('span', null, t(`settings.${name}.${value}`)),
                    ),
                  ),
                ),
              ),
            ),
          ),
        ),
        h('button', { key: 'reset', onclick: () => settings.set(DEFAULTS) }, t('settings.reset')),
      ),
    ];
  });
  return () => view.stop();
}
