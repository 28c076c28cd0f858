/**
 * What the status of an army means, in one table: whether turns come to it, whether its player decides, whether it is lost. Pure.
 */

/** @typedef {import('./protocol.js').BoardView} BoardView */
/** @typedef {{takesTurns: boolean, isPlayed: boolean, isLost: boolean}} Standing */

/** @type {Record<string, Standing>} A surrendered army still takes its turns, drawn at random; an abandoned one only passes. */
const STANDINGS = {
  active: { takesTurns: true, isPlayed: true, isLost: false },
  surrendered: { takesTurns: true, isPlayed: false, isLost: false },
  abandoned: { takesTurns: false, isPlayed: false, isLost: false },
  frozen: { takesTurns: false, isPlayed: false, isLost: false },
  fallen: { takesTurns: false, isPlayed: false, isLost: true },
  eliminated: { takesTurns: false, isPlayed: false, isLost: true },
};

/** @type {Standing} What is unknown takes no part. */
const UNKNOWN = { takesTurns: false, isPlayed: false, isLost: false };

/** @param {string | undefined} status */
export function standing(status) {
  return STANDINGS[status ?? ''] ?? UNKNOWN;
}

/** @param {BoardView} board @param {string | null} seat */
export function standingOf(board, seat) {
  return standing(board.armies.find((army) => army.army === seat)?.status);
}

/** @param {BoardView} board The seats that turns go round. */
export function seatsInTurn(board) {
  return board.armies.filter((army) => standing(army.status).takesTurns).map((army) => army.army);
}

/**
 * Whether a player still decides about moves: has a seat in a game that goes on, and an army that is its own to play.
 * @param {import('./game.js').GameState} game
 */
export function stillPlays(game) {
  return game.you !== null && !game.ending && !game.aborted && standingOf(game.board, game.you).isPlayed;
}
