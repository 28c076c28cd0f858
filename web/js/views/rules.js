/** A game explained: what counts, how its pieces move, and one position with something to find. */

import { startOf } from '../api.js';
import { orSay } from '../app.js';
import { drawing } from '../board/pieces.js';
import { looks, wearOf } from '../board/army-skins.js';
import { placeSymbols } from '../board/symbols.js';
import { armyName, factionName, pieceName, variantName } from '../names.js';
import { standing } from '../standing.js';
import { h } from '../ui/dom.js';
import { picture } from '../ui/picture.js';
import { promotionChooser } from '../table/entry.js';
import { TryBoard } from '../ui/try-board.js';
import { liveView } from '../ui/view.js';
import { EXAMPLES } from './examples.js';
import { mount as missing } from './missing.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app, params, query) {
  const info = app.infos.get(params.variant ?? '');
  if (!info) return missing(root, app, params, query);
  placeSymbols();
  /** @type {TryBoard | null} */
  let example = null;
  const view = liveView(root, app, () => render(info));

  /** @param {import('../protocol.js').VariantInfo} rules */
  function render(rules) {
    const { t } = app;
    const { variant } = rules;
    const name = variantName(t, rules);
    const points = Array.from({ length: 9 }, (_, index) => `rules.${variant}.${index + 1}`).filter((key) =>
      t.has(key),
    );
    return [
      h(
        'article.page.rules',
        { key: 'rules' },
        h(
          'nav.variant-links',
          { 'aria-label': t('rules.others') },
          [...app.infos.values()].map((other) =>
            h(
              'a',
              {
                key: other.variant,
                href: `/rules/${other.variant}`,
                'aria-current': other.variant === variant ? 'page' : null,
              },
              variantName(t, other),
            ),
          ),
        ),
        h('h1', null, name),
        h('p.lead', null, t(`about.${variant}`)),
        h(
          'div.rules-columns',
          null,
          h(
            'section',
            { 'aria-labelledby': 'rules-title' },
            h('h2', { id: 'rules-title' }, t('rules.title')),
            h(
              'ol.rule-list',
              null,
              points.map((key) => h('li', { key }, t(key))),
            ),
            h(
              'div.row',
              null,
              h('button.primary', { onclick: () => void play(variant) }, t('home.play_game', { game: name })),
            ),
          ),
          picture(app, rules, () => startOf(variant), { key: `start-${variant}`, name: 'rules-board' }),
        ),
        h(
          'section.panel',
          { 'aria-labelledby': 'pieces-title' },
          h('h2', { id: 'pieces-title' }, t('rules.pieces')),
          h(
            'dl.pieces',
            null,
            rules.pieces.flatMap(({ letter }) => [
              h('dt', { key: `t-${letter}` }, pieceDrawings(rules, letter), pieceName(t, rules, letter)),
              h(
                'dd',
                { key: `d-${letter}` },
                t(t.has(`moves.${variant}.${letter}`) ? `moves.${variant}.${letter}` : `moves.${letter}`),
              ),
            ]),
          ),
        ),
        rules.armies.length > 2 &&
          h(
            'section.panel',
            { 'aria-labelledby': 'armies-title' },
            h('h2', { id: 'armies-title' }, t('rules.armies')),
            h(
              'ul.army-list',
              null,
              rules.armies.map(({ letter }) =>
                h(
                  'li',
                  { key: letter, class: `tint-${wearOf(rules, letter).tint}` },
                  h(
                    'svg.emblem',
                    { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
                    h('use', { href: `#${wearOf(rules, letter).body}-K` }),
                  ),
                  h(
                    'svg.emblem',
                    { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
                    h('use', { href: `#${wearOf(rules, letter).body}-K-fallen` }),
                  ),
                  h(
                    'b',
                    null,
                    armyName(t, rules, letter),
                    factionName(t, rules, letter) !== armyName(t, rules, letter) &&
                      ` · ${factionName(t, rules, letter)}`,
                  ),
                  t.has(`body.${wearOf(rules, letter).body}`) &&
                    h('span.hint', null, t(`body.${wearOf(rules, letter).body}`)),
                ),
              ),
            ),
          ),
        exampleSection(rules),
      ),
    ];
  }

  /** @param {import('../protocol.js').VariantInfo} rules @param {string} letter */
  function pieceDrawings(rules, letter) {
    return rules.armies.slice(0, 2).map((army) => {
      const look = looks(rules, [], { letters: app.settings.get().xiangqi === 'letters' })(
        `${army.letter}${letter}`,
      );
      return h('svg.emblem', {
        key: army.letter,
        class: `tint-${look.tint}`,
        viewBox: '0 0 100 100',
        'aria-hidden': 'true',
        mount: (element) => {
          element.replaceChildren(...drawing(look, 0));
          return () => undefined;
        },
      });
    });
  }

  /** @param {import('../protocol.js').VariantInfo} rules */
  function exampleSection(rules) {
    const { t } = app;
    const start = EXAMPLES[rules.variant];
    if (!start) return null;
    const done = example && example.actions.length > 0;
    const solved =
      done &&
      (example?.now?.ending || example?.now?.board.armies.some((army) => standing(army.status).isLost));
    return h(
      'section.example',
      { 'aria-labelledby': 'example-title' },
      h(
        'div.arena',
        null,
        h('div.board-place', {
          key: `example-${rules.variant}`,
          mount: (element) => {
            example = new TryBoard(element, app, rules, { position: start }, () => view.refresh());
            return () => {
              example?.destroy();
              example = null;
            };
          },
        }),
        example &&
          promotionChooser(
            app,
            example.board,
            example.choosing,
            (choice) => example?.play(choice),
            () => example?.cancel(),
          ),
      ),
      h(
        'div',
        null,
        h('h2', { id: 'example-title' }, t('rules.example')),
        h('p', null, t(`example.${rules.variant}`)),
        h(
          'p.verdict',
          { role: 'status', class: solved ? 'solved' : '' },
          solved ? t(`example.${rules.variant}.solved`) : done ? t('example.not_yet') : '',
        ),
        h(
          'div.row',
          null,
          h('button', { disabled: !done, onclick: () => void example?.backTo(0) }, t('example.again')),
          h('a.button', { href: `/analysis?variant=${rules.variant}&example=1` }, t('example.analyse')),
        ),
      ),
    );
  }

  /** @param {string} variant */
  async function play(variant) {
    const answer = await orSay(app, app.socket.ask({ type: 'play_now', variant }));
    if (answer?.game) app.go(`/game/${answer.game}`);
  }

  return () => view.stop();
}
