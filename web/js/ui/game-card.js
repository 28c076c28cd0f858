/** A game in a list. */

import { emblemOf } from '../board/army-skins.js';
import { armyName, dateText, variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { endingText } from '../table/sentences.js';
import { h } from './dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').GameSummary} game
 */
export function gameCard(app, game) {
  const { t } = app;
  const info = app.infos.get(game.variant);
  if (!info) return null;
  const winners = new Set(game.ending?.winners ?? []);
  return h(
    'li.game-card',
    { key: game.game },
    h(
      'a',
      { href: `/game/${game.game}` },
      h(
        'span.title',
        null,
        variantName(t, info),
        ' ',
        h('small', null, `${timeText(game.time)} · ${game.rated ? t('game.rated') : t('game.casual')}`),
      ),
      h(
        'span.people',
        null,
        game.players.map((player) => {
          const { symbol, tint } = emblemOf(info, player.seat);
          return h(
            'span.person',
            {
              class: `tint-${tint}${winners.has(player.seat) ? ' winner' : ''}`,
              title: armyName(t, info, player.seat),
            },
            h(
              'svg.emblem.small',
              { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
              h('use', { href: `#${symbol}` }),
            ),
            player.name,
          );
        }),
      ),
      h(
        'span.state',
        null,
        game.status === 'running'
          ? h('b.running', null, t('game.running'))
          : h('span', null, game.ending ? endingText(t, info, game.ending) : t('game.aborted')),
        h('time', { datetime: new Date(game.created).toISOString() }, dateText(t, game.created)),
      ),
    ),
  );
}
