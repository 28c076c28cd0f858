/** A position to look at on the home page: the middle of a war, with one army fallen. It is a picture, not a game. */

/**
 * @param {string} variant
 * @returns {import('../protocol.js').BoardView | null}
 */
export function showcase(variant) {
  if (variant !== 'crossfire') return null;
  const pieces = Object.fromEntries(WAR.split(' ').map((entry) => entry.split('=')));
  const army = (/** @type {string} */ letter, /** @type {string} */ target, status = 'active') => ({
    army: letter,
    status,
    controller: letter,
    target,
  });
  return {
    pieces,
    armies: [army('s', 'n'), army('w', 'e', 'fallen'), army('n', 's'), army('e', 'w')],
    turn: 's',
    ply: 63,
    checks: [],
  };
}

const WAR =
  'd1=sR e4=sN f1=sB g3=sQ h1=sK k1=sR d2=sP e2=sP f4=sP g4=sP h2=sP j3=sP k2=sP i6=sB ' +
  'a11=wR c8=wN a9=wB d8=wQ a7=wK c6=wB a4=wR b10=wP b9=wP d9=wP c7=wP b6=wP d5=wP b4=wP ' +
  'd14=nR g10=nN f14=nB g12=nQ h14=nK i11=nB j14=nN k14=nR d13=nP e12=nP f13=nP g11=nP h12=nP j13=nP k13=nP ' +
  'n11=eR l9=eN n9=eB l8=eQ n7=eK k6=eB n4=eR m11=eP m10=eP l10=eP m8=eP l7=eP m6=eP l5=eP m4=eP';
