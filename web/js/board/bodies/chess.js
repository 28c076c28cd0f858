/** A plain chess set for discs. */

const BASE = 'M30 76v-6l5-4h30l5 4v6z';

/** @type {import('../symbols.js').Body} */
export const chess = {
  join: 'round',
  disc: true,
  pieces: {
    P: {
      body: `M50 27a9 9 0 0 1 6 16h4l2 4h-5c0 8 2 13 6 19H37c4-6 6-11 6-19h-5l2-4h4a9 9 0 0 1 6-16z${BASE}`,
      lines: '',
    },
    R: { body: `M33 26h7v6h6v-6h8v6h6v-6h7v13l-5 4v20l3 3H35l3-3V43l-5-4z${BASE}`, lines: 'M38 43h24' },
    N: {
      body: `M62 66c0-10 6-15 4-26-2-9-9-13-17-12l-5-6-2 8c-5 5-9 11-12 17-1 5 4 7 8 5 4-3 7-3 10-3-1 7-10 8-11 17z${BASE}`,
      lines: 'M45 37h2',
    },
    B: {
      body: `M50 22c3 0 4 3 2 5 6 5 10 10 10 16 0 4-3 7-5 9l4 14H39l4-14c-2-2-5-5-5-9 0-6 4-11 10-16-2-2-1-5 2-5z${BASE}`,
      lines: 'M56 34l-6 8M43 53h14',
    },
    Q: { body: `M27 33l9 12 3-18 8 16 3-19 3 19 8-16 3 18 9-12-6 33H33z${BASE}`, lines: 'M35 58h30' },
    K: {
      body: `M47 35v-6h-5v-5h5v-5h6v5h5v5h-5v6c12-4 21 1 19 12-1 7-6 11-8 19H36c-2-8-7-12-8-19-2-11 7-16 19-12z${BASE}`,
      lines: 'M50 36v30M36 60h28',
    },
  },
  fallen: { settle: '', wreck: '' },
};
