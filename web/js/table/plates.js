/** The plates of the players: who sits where, how much time is left, and what counts in this game. */

import { orSay } from '../app.js';
import { clockText, lowMark, remaining } from '../clocks.js';
import { placeOfSide } from '../board/geometry.js';
import { emblemOf } from '../board/army-skins.js';
import { armyName, factionName, statusName } from '../names.js';
import { standing } from '../standing.js';
import { countdown } from '../ui/countdown.js';
import { h } from '../ui/dom.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('../protocol.js').BoardView} BoardView */
/**
 * @typedef {object} PlateContext
 * @property {App} app
 * @property {VariantInfo} info
 * @property {() => GameState} game Read again at every tick.
 * @property {BoardView} board The board that is shown, which may lie in the past.
 * @property {import('../protocol.js').BySeat | null} past The clocks at that moment; null when it is now.
 * @property {import('../board/geometry.js').View} view
 * @property {() => void} lowTime Called once when the own clock runs low.
 */

const CORNERS = ['bottom-left', 'top-left', 'top-right', 'bottom-right'];
const PAIR = ['bottom-left', '', 'top-left', ''];

/** @param {PlateContext} context */
export function plates(context) {
  const { info, view } = context;
  const places = info.armies.length === 2 ? PAIR : CORNERS;
  return info.armies.map((army) => plate(context, army.letter, places[placeOfSide(army.side, view)] ?? ''));
}

/** @param {PlateContext} context @param {string} seat @param {string} place */
function plate(context, seat, place) {
  const { app, info, board, past } = context;
  const game = context.game();
  const { t } = app;
  const { symbol, tint } = emblemOf(info, seat);
  const army = board.armies.find((other) => other.army === seat);
  const player = game.setup.players.find((other) => other.seat === seat);
  const presence = game.presence.find((other) => other.seat === seat);
  const gone = standing(army?.status).isLost;
  const turn = board.turn === seat;
  const faction = factionName(t, info, seat);
  const name = armyName(t, info, seat);
  return h(
    'section.plate',
    {
      key: `plate-${seat}`,
      class: `tint-${tint} ${place}${turn ? ' turn' : ''}${gone ? ' gone' : ''}${game.you === seat ? ' you' : ''}`,
      'aria-label': t('plate.label', { army: name, player: player?.name ?? '' }),
    },
    h(
      'svg.emblem',
      { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
      h('use', { href: `#${symbol}${gone && !info.marks.on_lines ? '-fallen' : ''}` }),
    ),
    h(
      'div.who',
      null,
      h('span.army', null, name, faction !== name && h('span.faction', null, faction)),
      h('span.player', { title: player?.name ?? '' }, h('span.name', null, player?.name ?? '')),
    ),
    h(
      'div.facts',
      null,
      ...facts(context, army, seat),
      player?.rating !== undefined &&
        h('span.chip.rating', { key: 'rating' }, `${player.rating}${player.provisional ? '?' : ''}`),
      presence && !presence.present && !game.ending && !game.aborted && away(context, seat),
    ),
    mayGiveTime(game, seat, gone) && giveTime(app, name, game.game, seat),
    past
      ? h('time.clock', { key: 'past' }, clockText(past.find(([letter]) => letter === seat)?.[1] ?? 0))
      : liveClock(context, seat),
  );
}

/** @param {GameState} game @param {string} seat @param {boolean} gone Time is given in casual games, by players to others. */
function mayGiveTime(game, seat, gone) {
  return (
    !game.setup.rated &&
    !game.ending &&
    !game.aborted &&
    !gone &&
    game.you !== null &&
    game.you !== seat &&
    game.clocks.remaining.length > 0
  );
}

/** @param {App} app @param {string} army @param {string} game @param {string} seat */
function giveTime(app, army, game, seat) {
  const { t } = app;
  return h(
    'button.give',
    {
      key: 'give',
      'aria-label': t('actions.give_time', { army }),
      title: t('actions.give_time', { army }),
      onclick: () => void orSay(app, app.socket.ask({ type: 'give_time', game, to: seat })),
    },
    '+',
  );
}

/** @param {PlateContext} context @param {string} seat */
function liveClock(context, seat) {
  const { app, lowTime } = context;
  const { initial } = context.game().setup.time;
  return h('time.clock', {
    key: 'live',
    role: 'timer',
    'aria-live': 'off',
    mount: (element) => {
      let warned = false;
      const read = () => {
        const game = context.game();
        const elapsed = performance.now() - game.clocksAt;
        const runs =
          game.clocks.running === seat &&
          !game.frozen &&
          !game.ending &&
          !game.aborted &&
          app.store.state().connection.status === 'open';
        return { millis: remaining(game.clocks, seat, elapsed), runs };
      };
      return countdown(
        element,
        read,
        (target, millis, runs) => {
          target.textContent = clockText(millis);
          const { ending, aborted, you } = context.game();
          const low = millis < lowMark(initial) && !ending && !aborted;
          target.classList.toggle('low', low);
          target.classList.toggle('runs', runs);
          if (!low) warned = false;
          if (low && runs && !warned && you === seat) {
            warned = true;
            lowTime();
          }
        },
        (refresh) => app.store.subscribe(refresh),
      );
    },
  });
}

/** @param {PlateContext} context @param {string} seat */
function away(context, seat) {
  const { app } = context;
  const { t } = app;
  return h('span.chip.away', {
    key: 'away',
    mount: (element) =>
      countdown(
        element,
        () => {
          const game = context.game();
          const presence = game.presence.find((other) => other.seat === seat);
          const left =
            presence?.judged_in === undefined
              ? 0
              : Math.max(0, presence.judged_in - (performance.now() - game.presenceAt));
          return { millis: left, runs: left > 0 && !game.ending };
        },
        (target, millis) => {
          target.textContent =
            millis > 0 ? t('plate.away_for', { seconds: Math.ceil(millis / 1000) }) : t('plate.away');
        },
        (refresh) => app.store.subscribe(refresh),
      ),
  });
}

/**
 * @param {PlateContext} context
 * @param {import('../protocol.js').ArmyView | undefined} army
 * @param {string} seat
 */
function facts(context, army, seat) {
  const { app, info, board } = context;
  const { t } = app;
  if (!army) return [];
  /** @type {(import('../ui/dom.js').VElement | false)[]} */
  const chips = [];
  if (!standing(army.status).isPlayed)
    chips.push(h('span.chip.status', { key: 'status' }, statusName(t, army.status)));
  if (info.targets && army.target && !standing(army.status).isLost) {
    const target = emblemOf(info, army.target);
    chips.push(
      h(
        'span.chip.target',
        {
          key: 'target',
          class: `tint-${target.tint}`,
          title: t('plate.target_long', { army: armyName(t, info, army.target) }),
        },
        crosshair(),
        h('span', null, armyName(t, info, army.target)),
      ),
    );
  } else if (info.targets && standing(army.status).isPlayed && board.phase !== 'ultimatum' && board.turn) {
    chips.push(h('span.chip', { key: 'free', title: t('plate.free_long') }, t('plate.free')));
  }
  if (army.points !== undefined) {
    const fixed = army.result_points !== undefined && army.result_points !== army.points;
    chips.push(
      h(
        'span.chip.points',
        { key: 'points' },
        fixed
          ? t('plate.points_fixed', { n: army.points, fixed: army.result_points ?? 0 })
          : t('plate.points', { n: army.points }),
      ),
    );
  }
  const held = board.armies.filter((other) => other.controller === seat && other.army !== seat);
  if (held.length > 0) {
    const words = t('plate.holds', { armies: held.map((other) => armyName(t, info, other.army)).join(', ') });
    chips.push(
      h(
        'span.chip.holds',
        { key: 'holds', title: words, 'aria-label': words, role: 'img' },
        held.map((other) => {
          const emblem = emblemOf(info, other.army);
          return h(
            'svg.emblem.small',
            { class: `tint-${emblem.tint}`, viewBox: '0 0 100 100', 'aria-hidden': 'true' },
            h('use', { href: `#${emblem.symbol}` }),
          );
        }),
      ),
    );
  }
  return chips;
}

function crosshair() {
  return h(
    'svg.crosshair',
    { viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    h('circle', { cx: 10, cy: 10, r: 6 }),
    h('path', { d: 'M10 1v6M10 13v6M1 10h6M13 10h6' }),
  );
}
