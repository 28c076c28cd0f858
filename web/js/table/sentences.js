/** Tells in words what happened in a game, and by which rule. Pure. */

import { armyList, armyName, pieceName, squareText } from '../names.js';
import { letterOf, parseMove } from '../moves.js';
import { listed } from '../i18n/translate.js';
import { standing } from '../standing.js';

/** @typedef {import('../i18n/translate.js').Translate} Translate */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('../protocol.js').Effect} Effect */
/** @typedef {import('../protocol.js').GameEvent} GameEvent */
/** @typedef {import('../protocol.js').BoardView} BoardView */
/** @typedef {{seat: string | null, text: string, rule: string | null, weight: 'light' | 'plain' | 'heavy'}} Line */

/**
 * The lines of the ledger for one event; none for quiet moves.
 * @param {Translate} t
 * @param {VariantInfo} info
 * @param {GameEvent} event
 * @param {Effect[]} effects
 * @param {BoardView} after The board after the event.
 * @returns {Line[]}
 */
export function ledgerLines(t, info, event, effects, after) {
  const army = (/** @type {string} */ seat) => armyName(t, info, seat);
  switch (event.kind) {
    case 'played':
      return effects.flatMap((effect) => effectLine(t, info, effect, event.action, after) ?? []);
    case 'proposed':
      return [line(event.by, t(`ledger.proposed.${event.what}`, { army: army(event.by) }), null, 'light')];
    case 'voted': {
      const words = t(event.accept ? 'ledger.accepted' : 'ledger.declined', { army: army(event.by) });
      return [line(event.by, words, null, 'light')];
    }
    case 'lapsed':
      return [line(null, t('ledger.lapsed'), null, 'light')];
    case 'gift':
      return [
        line(
          event.by,
          t('ledger.gift', {
            army: army(event.by),
            to: army(event.to),
            seconds: Math.round(event.millis / 1000),
          }),
          null,
          'light',
        ),
      ];
    case 'outage':
      return [
        line(
          null,
          t('ledger.outage', { seconds: Math.round(event.millis / 1000) }),
          t('rule.outage'),
          'plain',
        ),
      ];
    case 'departed':
      return [line(event.seat, t('ledger.departed', { army: army(event.seat) }), null, 'light')];
    case 'returned':
      return [line(event.seat, t('ledger.returned', { army: army(event.seat) }), null, 'light')];
    case 'aborted':
      return [line(null, t(`ledger.aborted.${event.cause}`), t('rule.aborted'), 'heavy')];
    case 'finished': {
      const rule = reasonRule(t, info, event.reason);
      return [line(event.winners[0] ?? null, endingText(t, info, event), rule, 'heavy')];
    }
    case 'match_ended':
      return [line(event.gone[0] ?? null, matchEndText(t, info, event.gone), null, 'heavy')];
    default:
      return [];
  }
}

/**
 * Why a match has no second game.
 * @param {Translate} t @param {VariantInfo} info @param {string[]} gone The seats of who is not here any more.
 */
export function matchEndText(t, info, gone) {
  const [army, another] = gone;
  if (!army) return t('ledger.match_ended.aborted');
  return another
    ? t('ledger.match_ended.all')
    : t('ledger.match_ended.one', { army: armyName(t, info, army) });
}

/** @param {string | null} seat @param {string} text @param {string | null} rule @param {Line['weight']} weight @returns {Line} */
function line(seat, text, rule, weight) {
  return { seat, text, rule, weight };
}

/**
 * @param {Translate} t @param {VariantInfo} info @param {Effect} effect @param {string} action @param {BoardView} after
 * @returns {Line | null}
 */
function effectLine(t, info, effect, action, after) {
  const army = (/** @type {string} */ seat) => armyName(t, info, seat);
  /** @param {string | null} seat @param {string} words @param {string} rule */
  const heavy = (seat, words, rule) => line(seat, words, ruleOf(t, info, rule), 'heavy');
  switch (effect.kind) {
    case 'captured':
      return capturedLine(t, info, effect, action);
    case 'castled':
      return line(effect.army, t('ledger.castled', { army: army(effect.army) }), null, 'light');
    case 'promoted': {
      const piece = pieceName(t, info, letterOf(effect.piece));
      const places = { army: army(effect.army), piece, square: effect.square };
      return line(effect.army, t('ledger.promoted', places), null, 'plain');
    }
    case 'fell':
      return heavy(effect.army, fellText(t, info, effect, after), `fell.${effect.cause}`);
    case 'left': {
      const words = t(`ledger.left.${effect.how}`, { army: army(effect.seat) });
      return heavy(effect.seat, words, `left.${effect.status}`);
    }
    case 'transferred': {
      const places = { army: army(effect.army), from: army(effect.from), to: army(effect.to) };
      return heavy(effect.to, t('ledger.transferred', places), 'transferred');
    }
    case 'eliminated':
      return heavy(effect.seat, t('ledger.eliminated', { army: army(effect.seat) }), 'eliminated');
    case 'ultimatum':
      return heavy(null, t('ledger.ultimatum'), 'ultimatum');
    case 'passed':
      return passedLine(t, info, effect.seat, after);
    case 'points': {
      const places = { army: army(effect.seat), amount: effect.amount };
      return line(effect.seat, t(`ledger.points.${effect.why}`, places), null, 'plain');
    }
  }
}

/** @param {Translate} t @param {VariantInfo} info @param {Extract<Effect, {kind: 'captured'}>} effect @param {string} action */
function capturedLine(t, info, effect, action) {
  const passing = parseMove(action)?.to !== effect.square;
  const key = effect.points
    ? 'ledger.captured_points'
    : passing
      ? 'ledger.captured_passing'
      : 'ledger.captured';
  const places = {
    army: armyName(t, info, effect.by),
    owner: armyName(t, info, effect.army),
    piece: pieceName(t, info, letterOf(effect.piece)),
    square: effect.square,
    points: effect.points ?? 0,
  };
  return line(effect.by, t(key, places), passing ? t('rule.passing') : null, 'plain');
}

/** @param {Translate} t @param {VariantInfo} info @param {string} seat @param {BoardView} after */
function passedLine(t, info, seat, after) {
  const army = armyName(t, info, seat);
  const left = after.armies.some((other) => other.army === seat && !standing(other.status).isPlayed);
  return left
    ? line(seat, t('told.pass', { army }), null, 'light')
    : line(seat, t('ledger.passed', { army }), ruleOf(t, info, 'passed'), 'plain');
}

/**
 * @param {Translate} t @param {VariantInfo} info @param {Extract<Effect, {kind: 'fell'}>} effect @param {BoardView} after
 */
function fellText(t, info, effect, after) {
  const army = armyName(t, info, effect.army);
  const parts = [t(`ledger.fell.${effect.cause}`, { army })];
  if (effect.credited) parts.push(t('ledger.fell.by', { army: armyName(t, info, effect.credited) }));
  const checkers = (effect.checkers ?? []).flatMap((square) => {
    const piece = after.pieces[square];
    return piece
      ? [
          t('ledger.checker', {
            army: armyName(t, info, piece[0] ?? ''),
            piece: pieceName(t, info, letterOf(piece)),
            square,
          }),
        ]
      : [];
  });
  if (checkers.length > 0)
    parts.push(t('ledger.fell.check', { n: checkers.length, checkers: listed(t, checkers) }));
  if (effect.points) parts.push(t('ledger.fell.points', { points: effect.points }));
  return `${parts.join('; ')}.`;
}

/** @param {Translate} t @param {VariantInfo} info @param {string} name The rule behind something, where it is worth a sentence. */
function ruleOf(t, info, name) {
  for (const key of [`rule.${info.variant}.${name}`, `rule.${name}`]) if (t.has(key)) return t(key);
  return null;
}

/** @param {Translate} t @param {VariantInfo} info @param {string} reason */
export function reasonRule(t, info, reason) {
  return ruleOf(t, info, `reason.${reason}`);
}

/**
 * The result in one sentence.
 * @param {Translate} t
 * @param {VariantInfo} info
 * @param {import('../protocol.js').Ending} ending
 */
export function endingText(t, info, ending) {
  const reason = t(`reason.${ending.reason}`);
  if (ending.winners.length === 1)
    return t('ending.won', { army: armyName(t, info, ending.winners[0] ?? ''), reason });
  return t('ending.drawn', { armies: armyList(t, info, ending.winners), reason });
}

/** @param {Translate} t @param {string[]} squares */
export function squaresList(t, squares) {
  return listed(
    t,
    squares.map((square) => squareText(t, square)),
  );
}
