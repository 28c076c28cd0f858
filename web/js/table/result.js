/** The end of a game: placements, reason, ratings with their arithmetic, and what next. */

import { orSay } from '../app.js';
import { emblemOf } from '../board/skins.js';
import { armyName } from '../names.js';
import { h } from '../ui/dom.js';
import { endingWords, reasonRule } from './words.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */
/** @typedef {import('../ui/rating-graph.js').RatingChange} RatingChange */

const COLUMNS = ['opponent', 'score', 'expected', 'weight', 'points'];

/**
 * @param {App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {GameState} game
 * @param {RatingChange[]} changes
 */
export function result(app, info, game, changes) {
  const { t } = app;
  if (game.aborted) {
    return h('section.result', { key: 'result', 'aria-label': t('result.label') }, h('h2', null, t('result.aborted')), h('p', null, t('rule.aborted')), next(app, game));
  }
  const { ending } = game;
  if (!ending) return null;
  const rule = reasonRule(t, info, ending.reason);
  let rank = 1;
  return h('section.result', { key: 'result', 'aria-label': t('result.label') },
    h('h2', null, endingWords(t, info, ending)),
    rule && h('p.rule', null, rule),
    h('ol.placements', null, ending.placements.flatMap((group) => {
      const place = rank;
      rank += group.length;
      return group.map((seat) => row(app, info, game, seat, place, changes));
    })),
    game.setup.rated ? h('p.hint', null, t('result.rating_how')) : h('p.hint', null, t('result.casual')),
    next(app, game));
}

/**
 * @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game
 * @param {string} seat @param {number} place @param {RatingChange[]} changes
 */
function row(app, info, game, seat, place, changes) {
  const { t } = app;
  const { symbol, tint } = emblemOf(info, seat);
  const player = game.setup.players.find((other) => other.seat === seat);
  const points = game.ending?.points?.find(([letter]) => letter === seat)?.[1];
  const change = changes.find((other) => other.user === player?.user);
  return h('li', { key: seat, class: `tint-${tint}` },
    h('span.place', { 'aria-label': t('result.place', { place }) }, place),
    h('svg.emblem', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` })),
    h('span.who', null, h('b', null, armyName(t, info, seat)), h('a', { href: `/users/${player?.user ?? ''}` }, player?.name ?? '')),
    points !== undefined && h('span.points', null, t('plate.points', { n: points })),
    change && arithmetic(app, info, game, change));
}

/** @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game @param {RatingChange} change */
function arithmetic({ t }, info, game, { before, after, aged_deviation: aged, pairs }) {
  const { round } = Math;
  const delta = round(after.rating) - round(before.rating);
  const signed = (/** @type {number} */ value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
  const nameOf = (/** @type {string} */ user) => {
    const player = game.setup.players.find((other) => other.user === user);
    return player ? armyName(t, info, player.seat) : '?';
  };
  return h('details.delta', { class: delta >= 0 ? 'up' : 'down' },
    h('summary', null, `${round(before.rating)} ${delta >= 0 ? '+' : '−'} ${Math.abs(delta)} = ${round(after.rating)}`, h('small', null, ` ±${round(after.deviation)}`)),
    h('table.pairs', null,
      h('thead', null, h('tr', null, COLUMNS.map((name) => h('th', { scope: 'col' }, t(`result.pairs.${name}`))))),
      h('tbody', null, (pairs ?? []).map((pair) => h('tr', { key: pair.opponent }, h('th', { scope: 'row' }, nameOf(pair.opponent)),
        [pair.score.toString(), pair.expected.toFixed(2), pair.weight.toFixed(2), signed(pair.points)].map((value) => h('td', null, value)))))),
    h('p', null, t('result.deviation', { before: round(aged ?? before.deviation), after: round(after.deviation) })));
}

/** @param {App} app @param {GameState} game */
function next(app, game) {
  const { t } = app;
  const again = () => void orSay(app, app.socket.ask({ type: 'propose', game: game.game, what: 'rematch' }));
  return h('div.row.next', null,
    game.rematch
      ? h('a.button.primary', { href: `/game/${game.rematch}` }, t('result.to_rematch'))
      : game.you !== null && !game.proposal && h('button.primary', { onclick: again }, t('result.rematch')),
    h('a.button', { href: '/' }, t('result.home')));
}
