/** Circuit: traces that turn by 45 degrees and end in pads. A data-core on a chip. */

const BASE = 'M18 90v-8l6-6h52l6 6v8z';

/** @type {import('../symbols.js').Body} */
export const circuit = {
  join: 'bevel',
  pieces: {
    P: {
      body: `M40 22h20l11 11v16L60 60h-4v16H44V60h-4L29 49V33z${BASE}`,
      lines: 'M29 41H18M71 41h11M50 60v16',
      pads: [
        [15, 41],
        [85, 41],
      ],
      chip: [43, 34, 14],
    },
    R: {
      body: `M22 12h11l4 5v8h6v-8l4-5h6l4 5v8h6v-8l4-5h11v24l-9 9v25l6 6H25l6-6V45l-9-9z${BASE}`,
      lines: 'M31 56h-9l-6 6M69 56h9l6 6M31 45h38',
      pads: [
        [14, 65],
        [86, 65],
      ],
      chip: [42, 51, 16],
    },
    N: {
      body: `M34 76v-8l14-14H34l-9 9H15l-1-9 17-22 9-10V10l11 11h11l12 12v27l-9 9v7z${BASE}`,
      lines: 'M74 38h9M74 48h9M74 58h9M36 37h7M18 55h6',
      pads: [
        [86, 38],
        [86, 48],
        [86, 58],
      ],
      chip: [50, 38, 13],
    },
    B: {
      body: `M50 6l20 24v19L59 60v8l7 8H34l7-8v-8L30 49V30z${BASE}`,
      lines: 'M62 22L51 33M30 40H20l-4-4M70 40h10l4-4',
      pads: [
        [14, 34],
        [86, 34],
      ],
      chip: [43, 38, 14],
    },
    Q: {
      body: `M20 44h60l-7 22-9 10H36l-9-10z${BASE}`,
      lines: 'M26 44V33l-9-9M38 44V20M50 44V13M62 44V20M74 44V33l9-9M30 60h8M62 60h8',
      pads: [
        [15, 22],
        [38, 17],
        [50, 9],
        [62, 17],
        [85, 22],
      ],
      chip: [42, 51, 16],
    },
    K: {
      body: `M45 33V24H34v-9h11V6l3-3h4l3 3v9h11v9H55v9h18l9 10v16L71 76H29L18 59V43l9-10z${BASE}`,
      lines: 'M18 51h10l6-6M82 51H72l-6-6M34 66h6M60 66h6',
      pads: [
        [30, 19],
        [70, 19],
      ],
      chip: [40, 44, 20],
    },
  },
  fallen: { settle: '', wreck: 'M12 30l76 32M12 37l76 32' },
};
