/** Variants as the server describes them, reduced to what the tests need. */

const corner = (/** @type {number} */ at) => at < 3 || at > 10;

/** @type {string[]} */
const holes = [];
for (let file = 0; file < 14; file += 1) {
  for (let rank = 0; rank < 14; rank += 1)
    if (corner(file) && corner(rank)) holes.push(String.fromCharCode(97 + file) + (rank + 1));
}

const pieces = [
  { letter: 'K', name: 'king' },
  { letter: 'P', name: 'pawn' },
];

/** @type {import('../js/protocol.js').VariantInfo} */
export const CROSS = {
  variant: 'crossfire',
  name: 'Crossfire',
  width: 14,
  height: 14,
  holes,
  pieces,
  armies: [
    { letter: 's', name: 'South', side: 'south' },
    { letter: 'w', name: 'West', side: 'west' },
    { letter: 'n', name: 'North', side: 'north' },
    { letter: 'e', name: 'East', side: 'east' },
  ],
  marks: { on_lines: false, palaces: [] },
  points: false,
  targets: true,
  levels: ['page', 'squire'],
  max_spectator_delay: 300_000,
  pool: 'crossfire',
};

/** @type {import('../js/protocol.js').VariantInfo} */
export const POINTS = {
  variant: 'cross-b',
  name: 'Cross Chess B',
  width: 9,
  height: 10,
  holes: [],
  pieces,
  armies: [
    { letter: 'w', name: 'White', side: 'south' },
    { letter: 'b', name: 'Black', side: 'north' },
  ],
  marks: {
    on_lines: true,
    river: 5,
    palaces: [
      ['d1', 'f3'],
      ['d8', 'f10'],
    ],
  },
  points: false,
  targets: false,
  levels: ['page', 'squire'],
  max_spectator_delay: 300_000,
  pool: 'cross',
};
