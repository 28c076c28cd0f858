/** What the clocks show between two messages of the server. Pure. */

/** @typedef {import('./protocol.js').Clocks} Clocks */

/**
 * Remaining milliseconds of a seat.
 * @param {Clocks} clocks As they were sent.
 * @param {string} seat
 * @param {number} elapsed Milliseconds since they were heard.
 */
export function remaining(clocks, seat, elapsed) {
  const sent = clocks.remaining.find(([letter]) => letter === seat)?.[1] ?? 0;
  if (clocks.running !== seat) return sent;
  return Math.max(0, sent - Math.max(0, elapsed - (clocks.delay ?? 0)));
}

/**
 * A time as it is shown: `1:02:03`, `4:05`, below ten seconds with tenths.
 * @param {number} millis
 */
export function clockText(millis) {
  const tenths = Math.ceil(millis / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(millis / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/**
 * Milliseconds until the text of a running clock changes.
 * @param {number} millis
 */
export function untilChange(millis) {
  if (millis <= 0) return Infinity;
  const grain = millis <= 10_000 ? 100 : 1000;
  return (millis % grain || grain) + 1;
}

/** Below this a clock is low: a tenth of the time at the start, at most 20 s and at least 5 s. @param {number} initial */
export function lowMark(initial) {
  return Math.max(5_000, Math.min(20_000, initial / 10));
}
