/** Names of games, armies, pieces, squares and actions in the language of the reader. Pure. */

import { listed } from './i18n/translate.js';
import { letterOf, parseMove } from './moves.js';
import { standing } from './standing.js';

/** @typedef {import('./i18n/translate.js').Translate} Translate */
/** @typedef {import('./protocol.js').VariantInfo} VariantInfo */

/** @param {Translate} t @param {number} at Milliseconds since 1970. @param {'short' | undefined} [timeStyle] */
export function dateText(t, at, timeStyle = 'short') {
  return new Intl.DateTimeFormat(t.language, { dateStyle: 'medium', timeStyle }).format(at);
}

/** @param {Translate} t @param {VariantInfo} info */
export function variantName(t, info) {
  const key = `variant.${info.variant}`;
  return t.has(key) ? t(key) : info.name;
}

/** @param {Translate} t @param {VariantInfo} info @param {string} seat The name of an army as its player is called: `South`. */
export function armyName(t, info, seat) {
  const key = `army.${info.variant}.${seat}`;
  return t.has(key) ? t(key) : (info.armies.find((army) => army.letter === seat)?.name ?? seat);
}

/** @param {Translate} t @param {VariantInfo} info @param {string} seat The faction that an army wears, where it has one: `Bone`. */
export function factionName(t, info, seat) {
  const key = `faction.${info.variant}.${seat}`;
  return t.has(key) ? t(key) : armyName(t, info, seat);
}

/** @param {Translate} t @param {VariantInfo} info @param {string} letter */
export function pieceName(t, info, letter) {
  for (const key of [`piece.${info.variant}.${letter}`, `piece.${letter}`]) if (t.has(key)) return t(key);
  return info.pieces.find((piece) => piece.letter === letter)?.name ?? letter;
}

/** @param {Translate} t @param {VariantInfo} info @param {string[]} seats */
export function armyList(t, info, seats) {
  return listed(
    t,
    seats.map((seat) => armyName(t, info, seat)),
  );
}

/** @param {Translate} t @param {string} square `g11` → `golf 11`. */
export function squareText(t, square) {
  const letter = square[0] ?? '';
  return `${t(`file.${letter}`)} ${square.slice(1)}`;
}

/** @param {Translate} t @param {string} level How well a bot plays; one that this client has no word for keeps the server's. */
export function levelName(t, level) {
  const key = `level.${level}`;
  return t.has(key) ? t(key) : level;
}

/** @param {Translate} t @param {string} status */
export function statusName(t, status) {
  const key = `status.${status}`;
  return t.has(key) ? t(key) : status;
}

/**
 * What a square holds, in words: `golf 11, Idol knight, fallen`.
 * @param {Translate} t
 * @param {VariantInfo} info
 * @param {import('./protocol.js').BoardView} board
 * @param {string} square
 */
export function contentText(t, info, board, square) {
  const piece = board.pieces[square];
  const where = squareText(t, square);
  if (!piece) return `${where}, ${t('board.empty')}`;
  const army = piece[0] ?? '';
  const state = board.armies.find((other) => other.army === army);
  const words = [
    where,
    t('board.piece', { army: factionName(t, info, army), piece: pieceName(t, info, letterOf(piece)) }),
  ];
  const suffix = piece.slice(2);
  if (suffix) words.push(t(`badge.${suffix}`));
  if (state && state.controller !== army)
    words.push(t('board.ruled', { army: factionName(t, info, state.controller) }));
  else if (state && !standing(state.status).isPlayed) words.push(statusName(t, state.status));
  if (board.checks.includes(square)) words.push(t('board.check'));
  return words.join(', ');
}

/**
 * An action in short, as in a move table: `Nb1–c3`, `×`, `pass`.
 * @param {Translate} t
 * @param {import('./protocol.js').Played} played
 * @param {import('./protocol.js').BoardChange | undefined} change
 * @param {Record<string, string>} before The pieces before it.
 */
export function actionShort(t, played, change, before) {
  const move = parseMove(played.action);
  if (!move) return t(`action.${played.action.replace(/^random:/, '').split(':')[0]}`);
  const effects = change?.effects ?? [];
  if (effects.some((effect) => effect.kind === 'castled')) return castlingText(move.from, change);
  const letter = letterOf(before[move.from] ?? '');
  const takes = effects.some((effect) => effect.kind === 'captured');
  const ends = effects.some((effect) => effect.kind === 'fell')
    ? '#'
    : (change?.checks?.length ?? 0) > 0
      ? '+'
      : '';
  return `${letter === 'P' ? '' : letter}${move.from}${takes ? '×' : '–'}${move.to}${move.promotion ? `=${move.promotion}` : ''}${ends}`;
}

/** @param {string} from @param {import('./protocol.js').BoardChange | undefined} change */
function castlingText(from, change) {
  const rook = change?.moved?.find(([origin]) => origin !== from);
  if (!rook) return 'O-O';
  const [a, b] = rook;
  const distance =
    Math.abs(a.charCodeAt(0) - b.charCodeAt(0)) + Math.abs(Number(a.slice(1)) - Number(b.slice(1)));
  return distance > 2 ? 'O-O-O' : 'O-O';
}

/**
 * An action as a sentence part for listeners: `North knight bravo 1 to charlie 3, takes a pawn`.
 * @param {Translate} t
 * @param {VariantInfo} info
 * @param {import('./protocol.js').Played} played
 * @param {import('./protocol.js').BoardChange | undefined} change
 * @param {Record<string, string>} after The pieces after it.
 */
export function actionText(t, info, played, change, after) {
  const army = armyName(t, info, played.seat);
  const move = parseMove(played.action);
  if (!move) return t(`told.${played.action.replace(/^random:/, '').split(':')[0]}`, { army });
  const effects = change?.effects ?? [];
  if (effects.some((effect) => effect.kind === 'castled')) return t('told.castled', { army });
  const piece = pieceName(t, info, letterOf(after[move.to] ?? ''));
  const words = [t('told.move', { army, piece, from: squareText(t, move.from), to: squareText(t, move.to) })];
  for (const effect of effects) {
    if (effect.kind === 'captured')
      words.push(
        t('told.takes', {
          piece: pieceName(t, info, letterOf(effect.piece)),
          army: armyName(t, info, effect.army),
        }),
      );
    if (effect.kind === 'promoted')
      words.push(t('told.promotes', { piece: pieceName(t, info, letterOf(effect.piece)) }));
    if (effect.kind === 'fell') words.push(t('told.fell', { army: armyName(t, info, effect.army) }));
  }
  return words.join(', ');
}

/**
 * A span in words: whole minutes as such, all else in seconds.
 * @param {Translate} t @param {number} millis
 */
export function spanText(t, millis) {
  return millis % 60_000 === 0
    ? t('span.minutes', { n: millis / 60_000 })
    : t('span.seconds', { n: Math.round(millis / 1000) });
}

/**
 * How much later spectators may see a game, to choose from: usual delays, and the greatest where that is a smaller one.
 * @param {number} most What the server allows, in milliseconds.
 */
export function delaysUpTo(most) {
  const usual = [0, 15_000, 60_000, 300_000];
  return usual.every((delay) => delay <= most) ? usual : [...usual.filter((delay) => delay < most), most];
}

/**
 * Who sees a game late and how late; nothing where all see it at once.
 * @param {Translate} t @param {number} millis @param {boolean} plays Whether it is told to a player.
 */
export function lateText(t, millis, plays) {
  return millis > 0 ? t(plays ? 'table.late_for_others' : 'table.late', { span: spanText(t, millis) }) : '';
}
