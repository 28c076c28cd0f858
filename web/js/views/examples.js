/** One position of each game with something to find; every one is checked by the engine when it is opened. */

/** @param {string} text Squares and pieces: `h1=sK g1=sR`. */
const pieces = (text) => Object.fromEntries(text.split(' ').map((entry) => entry.split('=')));
/** @param {string} letters @param {(letter: string) => object} more */
const armies = (letters, more) =>
  Object.fromEntries([...letters].map((letter) => [letter, { status: 'active', ...more(letter) }]));

/** @type {Record<string, Record<string, unknown>>} */
export const EXAMPLES = {
  crossfire: {
    variant: 'crossfire',
    ply: 40,
    turn: 's',
    en_passant: [],
    quiet_plies: 0,
    phase: 'war',
    offer: null,
    passes: 0,
    left: [],
    outcome: null,
    armies: armies('swne', () => ({ castling: '' })),
    pieces: pieces(
      'h1=sK g1=sR k5=sR g2=sP h2=sP i3=sP f4=sB h14=nK g13=nP h13=nP i13=nP f12=nB d14=nR e11=nP a7=wK b7=wP b6=wP c9=wN a4=wR n8=eK m8=eP m9=eP m4=eQ n4=eR l6=eP',
    ),
  },
  kingdoms: {
    variant: 'kingdoms',
    ply: 40,
    turn: 'r',
    quiet_plies: 0,
    offer: null,
    outcome: null,
    armies: armies('rbyg', () => ({ castling: '', points: 0, result_points: 0 })),
    pieces: pieces(
      'h1=rK g2=rP h2=rP k5=rR e6=rB f3=rP g14=yK f13=yP g13=yP h13=yP d12=yN c9=gQ a7=gK b7=gP b6=gP a4=gR n8=bK m8=bP m7=bP n11=bR l9=bB',
    ),
  },
  quaternity: {
    variant: 'quaternity',
    ply: 40,
    turn: 'w',
    offer: null,
    passes: 0,
    left: [],
    outcome: null,
    armies: armies('wrbg', (controller) => ({ controller })),
    pieces: pieces(
      'a1=wK h11=wR g5=wR b4=wN d4=wP* a12=rK c8=rN b8=rPv d9=rP* k8=bK j9=bN i6=bR l8=bPv k2=gK j3=gB l5=gP^ h2=gP<',
    ),
  },
  'cross-a': {
    variant: 'cross-a',
    ply: 40,
    turn: 'w',
    quiet_plies: 0,
    offer: null,
    outcome: null,
    armies: armies('wb', () => ({})),
    pieces: pieces('e1=wK a7=wR b3=wR d2=wA f2=wP g4=wP e8=bK d6=bP g6=bH h6=bP f5=bE'),
  },
  'cross-b': {
    variant: 'cross-b',
    ply: 40,
    turn: 'w',
    en_passant: [],
    quiet_plies: 0,
    offer: null,
    outcome: null,
    armies: armies('wb', () => ({})),
    pieces: pieces('e1=wK a9=wR b4=wR d2=wQ e4=wP g4=wP e10=bK g7=bP e7=bP h6=bN i9=bB f9=bQ'),
  },
};
