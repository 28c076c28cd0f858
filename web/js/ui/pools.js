/** The pools of the queue, which are also the times that a lobby offers first. */

import { get } from '../api.js';
import { timeText } from '../protocol.js';

/** @typedef {{pool: string, kind: string, time: import('../protocol.js').TimeControl, needed: number, players: number, estimate: number | null}} Pool */

/** @returns {Promise<Pool[]>} As they stand now; none when they cannot be had. */
export async function listPools() {
  try {
    return await get('/pools');
  } catch {
    return [];
  }
}

/**
 * The different times of some pools, in their order. Pure.
 * @param {Pool[]} pools
 */
export function timesOf(pools) {
  return [...new Set(pools.map((pool) => timeText(pool.time)))];
}
