/**
 * Which body and tint each army of a variant wears. The board is given the result and knows no variant;
 * a variant that is not named here gets the four bodies in turn order.
 */

import { isDrawn } from './symbols.js';

/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('../protocol.js').ArmyView} ArmyView */
/** @typedef {'bone' | 'iron' | 'idol' | 'circuit'} Tint */
/** @typedef {{body: string, tint: Tint}} Wear */
/**
 * How one piece is drawn.
 * @typedef {object} Look
 * @property {string} symbol
 * @property {Tint} tint
 * @property {boolean} fallen
 * @property {boolean} dormant Standing, but neither attacking nor moving.
 * @property {Tint | null} ruler The tint of the controller, where that is another army.
 * @property {string} badge `+` for a promoted piece, an arrow for a pawn with a direction, `*` for one without yet; or empty.
 * @property {string} letter Written on the disc instead of a drawing; or empty.
 */

/** @type {Tint[]} */
const ORDER = ['bone', 'iron', 'idol', 'circuit'];

/** @type {Record<string, Record<string, Wear>>} */
const ARMY_SKINS = {
  crossfire: { s: both('bone'), w: both('iron'), n: both('idol'), e: both('circuit') },
  kingdoms: { r: both('iron'), b: both('idol'), y: both('bone'), g: both('circuit') },
  quaternity: { w: both('bone'), r: both('iron'), b: both('idol'), g: both('circuit') },
  'cross-a': { w: { body: 'xiangqi-first', tint: 'iron' }, b: { body: 'xiangqi-second', tint: 'circuit' } },
  'cross-b': { w: { body: 'chess', tint: 'bone' }, b: { body: 'chess', tint: 'idol' } },
};

/** @param {Tint} name @returns {Wear} */
function both(name) {
  return { body: name, tint: name };
}

/**
 * @param {VariantInfo} info
 * @param {string} army
 * @returns {Wear}
 */
export function wearOf(info, army) {
  const index = info.armies.findIndex((other) => other.letter === army);
  return ARMY_SKINS[info.variant]?.[army] ?? both(ORDER[Math.max(0, index) % ORDER.length] ?? 'bone');
}

/** @param {VariantInfo} info The bodies that its armies wear. */
export function bodiesOf(info) {
  return info.armies.map((army) => wearOf(info, army.letter).body);
}

/**
 * The symbol that stands for an army in lists and on plates: its king.
 * @param {VariantInfo} info
 * @param {string} army
 */
export function emblemOf(info, army) {
  const { body, tint } = wearOf(info, army);
  return { symbol: `${body}-K`, tint };
}

/**
 * How a piece looks, by its text and the state of the armies.
 * @param {VariantInfo} info
 * @param {ArmyView[]} armies
 * @param {{letters?: boolean}} options
 * @returns {(piece: string) => Look}
 */
export function looks(info, armies, { letters = false } = {}) {
  const byLetter = new Map(armies.map((army) => [army.army, army]));
  return (piece) => {
    const army = piece[0] ?? '';
    const letter = piece[1] ?? '';
    const { body, tint } = wearOf(info, army);
    const state = byLetter.get(army);
    const controller = state?.controller ?? army;
    const ruled = controller !== army;
    const fallen = !ruled && state?.status === 'fallen';
    const written = letters && body.startsWith('xiangqi');
    return {
      symbol: `${body}-${isDrawn(body, letter) ? letter : 'P'}${fallen ? '-fallen' : ''}`,
      tint,
      fallen,
      dormant: byLetter.get(controller)?.status === 'frozen',
      ruler: ruled ? wearOf(info, controller).tint : null,
      badge: piece.slice(2),
      letter: written ? letter : '',
    };
  };
}
