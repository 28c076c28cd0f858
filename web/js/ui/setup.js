/** A position that is set up by hand: pieces are put down, moved and taken away without any rule; the server judges the result. */

import { letterOf } from '../moves.js';

/** @typedef {Record<string, string>} Pieces */
/** @typedef {{pieces: Pieces, armies: Record<string, Record<string, unknown>>, turn: string | null} & Record<string, unknown>} PositionDocument */

/** The brush that takes away. */
export const ERASER = '-';

export class Setup {
  /** What a tap puts down: a piece, `ERASER`, or nothing, when pieces are moved. */
  brush = '';

  /** @param {PositionDocument} base The position that it begins with. @param {() => void} changed */
  constructor(base, changed) {
    this.base = base;
    this.changed = changed;
    /** @type {Pieces} */
    this.pieces = { ...base.pieces };
    this.turn = base.turn ?? Object.keys(base.armies)[0] ?? '';
  }

  /** @param {string} square @returns {boolean} False when nothing is to be put down. */
  place(square) {
    if (this.brush === '') return false;
    if (this.brush === ERASER || this.pieces[square] === this.brush) delete this.pieces[square];
    else this.pieces[square] = this.brush;
    this.changed();
    return true;
  }

  /** @param {string} from @param {string} to */
  move(from, to) {
    const piece = this.pieces[from];
    if (piece === undefined) return;
    delete this.pieces[from];
    this.pieces[to] = piece;
    this.changed();
  }

  clear() {
    this.pieces = {};
    this.changed();
  }

  document() {
    return documentOf(this.base, this.pieces, this.turn);
  }
}

/**
 * The position document for pieces that were set up: what a hand cannot show (en passant, offers, counts, who left when) begins anew,
 * and a right to castle stays where its king and rooks stand as they stood. Pure.
 * @param {PositionDocument} base
 * @param {Pieces} pieces
 * @param {string} turn
 * @returns {PositionDocument}
 */
export function documentOf(base, pieces, turn) {
  const { left: _left, ...rest } = base;
  const fresh = { en_passant: [], quiet_plies: 0, offer: null, passes: 0, outcome: null };
  const kept = Object.fromEntries(Object.entries(fresh).filter(([name]) => name in base));
  const armies = Object.fromEntries(
    Object.entries(base.armies).map(([letter, army]) => {
      const stands = ['K', 'R'].every(
        (piece) => places(base.pieces, letter + piece) === places(pieces, letter + piece),
      );
      return [
        letter,
        {
          ...army,
          ...('castling' in army && !stands ? { castling: '' } : {}),
          ...(letter === turn ? {} : withoutKing(base, pieces, letter, turn)),
        },
      ];
    }),
  );
  return { ...rest, ...kept, pieces, armies, turn };
}

/**
 * What became of an army that has no king on the board any more, where a game for more than two goes on without it.
 * @param {PositionDocument} base @param {Pieces} pieces @param {string} letter @param {string} turn
 */
function withoutKing(base, pieces, letter, turn) {
  const army = base.armies[letter];
  if (
    army?.status !== 'active' ||
    Object.keys(base.armies).length === 2 ||
    places(pieces, `${letter}K`) !== ''
  )
    return {};
  return 'controller' in army ? { status: 'eliminated', controller: turn } : { status: 'fallen' };
}

/** @param {Pieces} pieces @param {string} piece */
function places(pieces, piece) {
  return Object.keys(pieces)
    .filter((square) => pieces[square] === piece)
    .sort()
    .join();
}

/**
 * The pieces that can be put down for an army: every letter, in every form in which the start knows it. Pure.
 * @param {import('../protocol.js').VariantInfo} info
 * @param {Pieces} start The pieces at the start of the game.
 * @param {string} army
 */
export function brushes(info, start, army) {
  return info.pieces.flatMap(({ letter }) => {
    const forms = [
      ...new Set(
        Object.values(start)
          .filter((piece) => letterOf(piece) === letter)
          .map((piece) => piece.slice(2)),
      ),
    ];
    return (forms.length > 0 ? forms : ['']).map((form) => army + letter + form);
  });
}
