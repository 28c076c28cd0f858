/** Xiangqi characters written by us in strokes, so that no font is needed; both sides have their own where tradition has. */

const CHARIOT = 'M34 31h32M37 38h26v20H37zM37 48h26M28 66h44M50 24v54';
const HORSE =
  'M34 26v34M34 26h30M34 37h27M34 48h27M49 26v34M34 60h36c0 10-2 16-6 17l-5-2M33 66l-4 9M42 66l1 7M51 66l2 7M59 65l2 6';

/** @param {Record<string, string>} glyphs @returns {import('../symbols.js').Body} */
function written(glyphs) {
  const pieces = Object.fromEntries(
    Object.entries(glyphs).map(([letter, lines]) => [letter, { body: '', lines }]),
  );
  return { join: 'round', disc: true, pieces, fallen: { settle: '', wreck: '' } };
}

export const xiangqiFirst = written({
  K: 'M42 21l-4 9M31 31h16v14H31zM31 51h16v14H31zM31 31v44M55 33h21v27l-5 2M55 33v29M65 22v56',
  A: 'M40 22L27 46M34 37v41M44 43h32M60 24v46M47 72h26',
  E: 'M27 37h23M39 22v56M39 41L27 59M40 45l9 10M55 28h18v46H55zM55 43h18M55 58h18',
  H: HORSE,
  R: CHARIOT,
  P: 'M62 22L38 29M38 29v29M38 42h32M56 42v16M26 58h48M42 65L32 78M58 65l11 13',
});

export const xiangqiSecond = written({
  K: 'M38 23v55M27 30v15h11M25 60h13L27 75M56 22L46 36M54 27h18c-4 9-10 15-20 19M58 35l5 4M45 55h30M66 47v27l-6 3M51 61l4 7',
  A: 'M27 44h46M50 23v48M33 72h34',
  E: 'M44 21L34 32M41 27h16l-6 8M33 35h34v12H33zM50 35v12M58 48L31 62M45 55c9 6 9 18 1 24l-5-3M49 61L29 74M67 50L54 58c4 8 10 14 18 17',
  H: HORSE,
  R: CHARIOT,
  P: 'M50 20v9M29 30h42M42 33l-8 15M40 41l6 7M60 33l-8 15M58 41l8 7M27 59h46M50 51v29',
});
