/** One whole game of each kind, short because its players help each other: who moves, and what is typed. */

/** @type {Record<string, string>} */
const TEXT = {
  Crossfire: 's h2-h3, w b11-c11, n i13-i12, e m11-l11, s g1-k5, w c11-d11, n j13-j11, e m9-l9, s k5-k11',
  'Four Kingdoms':
    'r g2-g4, b m8-l8, y f13-f12, g b11-d11, r j2-j3, b n7-h13, y g14-f13, g b8-c8, r f1-l7, b h13-e10, g a9-h2, r g1-h2, b e10-f10, g a8-a9, r h2-a9, ' +
    'b f10-d12, r a9-b9, b d12-f10, r b9-m9, b n8-n7, r m9-n9',
  Quaternity:
    'w b4-c6, r d12-b12, b i10-e6, g h5-g5, w c6-d8, r a12-a11, b k8-k7, g i3-g2, w d8-c10, r a11-a10, b k11-k12, g j4-d10, w c10-b8, r a10-b10, b e6-c8, g d10-c9, ' +
    'w c4-b6, r b10-c11, b k12-h9, g c9-b10, w b6-c8, r c11-c12, b h9-e12, g b10-a9, w d3-j9, b l12-k12, g a9-d12, w b2-a2, b k12-k11, g k5-k6, w a2-k12, b k11-j10, g i2-k1, ' +
    'w k12-k10, g l4-l2, w j9-g6, g k4-l3, w g6-i4, g g2-e1, w d1-e1, g g5-f5, w e12-d12, g h2-g2, w k10-f5, g i1-j1, w e1-h1, g h3-g3, w f5-j1, g g3-f3, w j1-k1',
  'Cross Chess A': 'w b2-b3, b f7-f6, w b1-a3, b f6-f5, w a3-b5, b d7-d6, w b5-d6',
  'Cross Chess B':
    'w i1-i2, b b10-d9, w i2-f2, b f10-d8, w f2-f10, b e10-e9, w f10-e10, b e9-f9, w a1-a2, b f9-f8, w a2-f2',
};

/** @param {string} game @returns {[string, string][]} */
export function lineOf(game) {
  return (TEXT[game] ?? '').split(', ').map((step) => {
    const [seat = '', mv = ''] = step.split(' ');
    return [seat, mv];
  });
}
