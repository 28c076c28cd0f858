/** The end of a game: placements, reason, ratings with their arithmetic, and what next. */

import { orSay } from '../app.js';
import { emblemOf } from '../board/army-skins.js';
import { armyName } from '../names.js';
import { h } from '../ui/dom.js';
import { endingText, matchEndText, reasonRule } from './sentences.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */
/** @typedef {import('../ui/rating-graph.js').RatingChange} RatingChange */

const COLUMNS = ['opponent', 'score', 'expected', 'weight', 'points'];

/**
 * @param {App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {GameState} game
 * @param {RatingChange[]} changes
 * @param {string | null} waitedFor Who was on turn at the last.
 */
export function result(app, info, game, changes, waitedFor) {
  const { t } = app;
  if (game.aborted) {
    const end = game.history.find(({ event }) => event.kind === 'aborted')?.event;
    return h(
      'section.result',
      { key: 'result', 'aria-label': t('result.label') },
      h('h2', null, t('result.aborted')),
      end?.kind === 'aborted' && h('p', null, abortText(app, info, end.cause, waitedFor)),
      h('p.rule', null, t('rule.aborted')),
      matchEnd(app, info, game),
      next(app, info, game),
    );
  }
  const { ending } = game;
  if (!ending) return null;
  const rule = reasonRule(t, info, ending.reason);
  let rank = 1;
  return h(
    'section.result',
    { key: 'result', 'aria-label': t('result.label') },
    h('h2', null, endingText(t, info, ending)),
    rule && h('p.rule', null, rule),
    h(
      'ol.placements',
      null,
      ending.placements.flatMap((group) => {
        const place = rank;
        rank += group.length;
        return group.map((seat) => row(app, info, game, seat, place, changes));
      }),
    ),
    matchEnd(app, info, game),
    game.setup.rated ? h('p.hint', null, t('result.rating_how')) : h('p.hint', null, t('result.casual')),
    next(app, info, game),
  );
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
  return h(
    'li',
    { key: seat, class: `tint-${tint}` },
    h('span.place', { 'aria-label': t('result.place', { place }) }, place),
    h('svg.emblem', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, h('use', { href: `#${symbol}` })),
    h(
      'span.who',
      null,
      h('b', null, armyName(t, info, seat)),
      h('a', { href: `/users/${player?.user ?? ''}` }, player?.name ?? ''),
    ),
    points !== undefined && h('span.points', null, t('plate.points', { n: points })),
    change && arithmetic(app, info, game, change),
  );
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
  return h(
    'details.delta',
    { class: delta >= 0 ? 'up' : 'down' },
    h(
      'summary',
      null,
      `${round(before.rating)} ${delta >= 0 ? '+' : '−'} ${Math.abs(delta)} = ${round(after.rating)}`,
      h('small', null, ` ±${round(after.deviation)}`),
    ),
    h(
      'table.pairs',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          COLUMNS.map((name) => h('th', { scope: 'col' }, t(`result.pairs.${name}`))),
        ),
      ),
      h(
        'tbody',
        null,
        (pairs ?? []).map((pair) =>
          h(
            'tr',
            { key: pair.opponent },
            h('th', { scope: 'row' }, nameOf(pair.opponent)),
            [
              pair.score.toString(),
              pair.expected.toFixed(2),
              pair.weight.toFixed(2),
              signed(pair.points),
            ].map((value) => h('td', null, value)),
          ),
        ),
      ),
    ),
    h(
      'p',
      null,
      t('result.deviation', { before: round(aged ?? before.deviation), after: round(after.deviation) }),
    ),
  );
}

/** @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game Why a match goes no further, where it does not. */
function matchEnd({ t }, info, game) {
  const end = game.history.find(({ event }) => event.kind === 'match_ended')?.event;
  return end?.kind === 'match_ended' && h('p', { key: 'match' }, matchEndText(t, info, end.gone));
}

/**
 * Why a game was aborted, and by whose fault where it is somebody's.
 * @param {App} app @param {import('../protocol.js').VariantInfo} info @param {string} cause @param {string | null} waitedFor
 */
function abortText({ t }, info, cause, waitedFor) {
  if (cause === 'first_move' && waitedFor)
    return t('result.no_first_move', { army: armyName(t, info, waitedFor) });
  return t(`ledger.aborted.${cause}`);
}

/** @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game */
function next(app, info, game) {
  const { t } = app;
  const again = () => void orSay(app, app.socket.ask({ type: 'propose', game: game.game, what: 'rematch' }));
  return h(
    'div.row.next',
    null,
    game.rematch
      ? h('a.button.primary', { href: `/game/${game.rematch}` }, t('result.to_rematch'))
      : game.you !== null && !game.proposal && h('button.primary', { onclick: again }, t('result.rematch')),
    newGame(app, info, game),
    h('a.button', { href: '/' }, t('result.home')),
  );
}

/**
 * The same game once more, for those who played it against the server's bots.
 * @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game
 */
export function newGame(app, info, game) {
  const others = game.setup.players.filter((player) => player.seat !== game.you);
  const level = others[0]?.bot;
  if (game.you === null || !level || others.some((player) => player.bot !== level)) return null;
  const play = async () => {
    const answer = await orSay(
      app,
      app.socket.ask({ type: 'play_now', variant: info.variant, time: game.setup.time, level }),
    );
    if (answer?.game) app.go(`/game/${answer.game}`);
  };
  return h('button', { key: 'new', onclick: () => void play() }, app.t('result.new_game'));
}

/**
 * For a player whose army is out while the game goes on: what that means, and where to go.
 * @param {App} app @param {import('../protocol.js').VariantInfo} info @param {GameState} game
 */
export function outOfPlay(app, info, game) {
  const { t } = app;
  return h(
    'section.result.out',
    { key: 'out', role: 'status' },
    h('h2', null, t('result.out')),
    h('p', null, t('result.out_hint')),
    h('div.row.next', null, newGame(app, info, game), h('a.button', { href: '/' }, t('result.home'))),
  );
}
