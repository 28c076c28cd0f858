/** Iron: blades, gears, pistons; right angles and teeth. A furnace behind a slot. */

/** @type {import('../symbols.js').Body} */
export const iron = {
  join: 'miter',
  pieces: {
    P: {
      body: 'M34 24h32v10h6v12h-6v8h-8v18h12v6h8v12H22V78h8v-6h12V54h-8v-8h-6V34h6z',
      lines: 'M42 60h16M42 66h16',
      slot: [42, 34, 16, 9],
    },
    R: {
      body: 'M22 14h14v10h8V14h12v10h8V14h14v26h-10v32h6v6h8v12H18V78h8v-6h6V40H22z',
      lines: 'M32 40h36M32 72h36',
      slot: [42, 48, 16, 16],
    },
    N: {
      body: 'M24 90V78h8v-8l14-16H32l-8 6-9-8 16-22 8-4V12l11 9h9l13 9h7v8h-6v7h7v8h-7v7h7v8h-7v10h9v12z',
      lines: 'M15 52l8-2M32 78h40',
      slot: [40, 33, 12, 7],
    },
    B: {
      body: 'M50 6l20 30v20h-9v14h9v8h8v12H22V78h8v-8h9V56h-9V36z',
      lines: 'M61 22L50 34M39 56h22M39 70h22',
      slot: [43, 40, 14, 9],
    },
    Q: {
      body: 'M15 20l17 18 2-24 11 20 5-26 5 26 11-20 2 24 17-18-7 44h-7v10h7v16H22V74h7V64h-7z',
      lines: 'M29 64h42M29 74h42',
      slot: [38, 46, 24, 10],
    },
    K: {
      body: 'M43 4h14v9h9v12h-9v8h20v9h7v22h-9v10h7v16H18V74h7V64h-9V42h7v-9h20v-8h-9V13h9z',
      lines: 'M25 64h50M25 74h50M30 42v14M70 42v14',
      slot: [39, 43, 22, 13],
    },
  },
  fallen: { settle: '', wreck: 'M16 95h20M44 96h10M62 95h22M14 70l8 6M86 66l-8 8' },
};
