/**
 * From what a player does with squares to one of the choices that came with the turn, and back to words.
 *
 * No rule of any game is known here: castling is seen from the rook that a choice moves along, promotion from its suffix.
 */

/** @typedef {import('./protocol.js').Choice} Choice */
/** @typedef {{from: string, to: string, promotion: string | null}} MoveParts */
/** @typedef {{to: string, captures: boolean, choices: Choice[]}} Target */

/**
 * @param {string} mv
 * @returns {MoveParts | null} null for `pass` and other actions that are no moves.
 */
export function parseMove(mv) {
  const parts = /^(?:random:)?([a-z]\d{1,2})-([a-z]\d{1,2})(?:=([A-Z]))?$/.exec(mv);
  return parts ? { from: parts[1] ?? '', to: parts[2] ?? '', promotion: parts[3] ?? null } : null;
}

/**
 * Where each piece may go: by square of origin, then target. A castling choice can also be asked for by naming king and rook.
 * @param {Choice[]} choices
 * @returns {Map<string, Target[]>}
 */
export function targetsByOrigin(choices) {
  /** @type {Map<string, Map<string, Target>>} */
  const origins = new Map();
  /** @param {string} from @param {string} to @param {Choice} choice */
  const add = (from, to, choice) => {
    const targets = origins.get(from) ?? new Map();
    origins.set(from, targets);
    const target = targets.get(to) ?? { to, captures: choice.captures !== undefined, choices: [] };
    targets.set(to, target);
    target.choices.push(choice);
  };
  for (const choice of choices) {
    const move = parseMove(choice.mv);
    if (move) add(move.from, move.to, choice);
  }
  for (const choice of choices) {
    const move = parseMove(choice.mv);
    if (!move || !choice.rook) continue;
    const rook = choice.rook[0];
    if (rook !== move.to) add(move.from, rook, choice);
    if (!origins.get(rook)?.has(move.from)) add(rook, move.from, choice);
  }
  return new Map([...origins].map(([from, targets]) => [from, [...targets.values()]]));
}

/**
 * The choices that going from one square to another can mean: none, one, or one for each promotion.
 * @param {Choice[]} choices
 * @param {string} from
 * @param {string} to
 */
export function choicesFor(choices, from, to) {
  return (
    targetsByOrigin(choices)
      .get(from)
      ?.find((target) => target.to === to)?.choices ?? []
  );
}

/**
 * The choice that a premove has become, now that it is due; null when it is not legal. A promotion takes the first letter offered.
 * @param {Choice[]} choices
 * @param {{from: string, to: string}} premove
 * @param {string} order Promotion letters, most wanted first.
 */
export function duePremove(choices, premove, order = 'QRBNEHA') {
  const found = choicesFor(choices, premove.from, premove.to);
  const rank = (/** @type {Choice} */ choice) => {
    const letter = parseMove(choice.mv)?.promotion;
    const at = letter ? order.indexOf(letter) : 0;
    return at < 0 ? order.length : at;
  };
  return [...found].sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

/**
 * The piece letter of a piece text (`sK` → `K`, `rQ+` → `Q`).
 * @param {string} piece
 */
export function letterOf(piece) {
  return piece[1] ?? '';
}

/**
 * Reads a typed move: `e2-e4`, `e2e4`, `e2 e4`, with `=q` for a promotion; a piece letter and a square when that is clear
 * (`Nf3`, or `nf3` on boards where that is no square); `o-o` and `o-o-o` for castling; `pass`.
 * @param {string} text
 * @param {Choice[]} choices
 * @param {Record<string, string>} pieces
 * @returns {{choice: Choice} | {problem: 'unreadable' | 'illegal' | 'ambiguous' | 'promotion'}}
 */
export function readTyped(text, choices, pieces) {
  const typed = text.trim().replace(/\s+/g, '');
  const lower = typed.toLowerCase();
  if (lower === 'pass') return only(choices.filter((choice) => choice.mv === 'pass'));
  if (/^[o0](-?[o0]){1,2}$/.test(lower)) return castling(lower.replace(/[^o0]/g, '').length, choices);
  const exact = /^([a-n]\d{1,2})[-x:]?([a-n]\d{1,2})=?([a-z])?$/.exec(lower);
  if (exact) {
    const found = choicesFor(choices, exact[1] ?? '', exact[2] ?? '');
    return only(withPromotion(found, exact[3]), found.length > 1 ? 'promotion' : 'ambiguous');
  }
  const named = /^([A-Za-z])?x?([a-n]\d{1,2})(?:=?([A-Za-z]))?$/.exec(typed);
  if (!named) return { problem: 'unreadable' };
  const letter = (named[1] ?? 'P').toUpperCase();
  const found = choices.filter((choice) => {
    const move = parseMove(choice.mv);
    return (
      move !== null &&
      move.to === (named[2] ?? '').toLowerCase() &&
      letterOf(pieces[move.from] ?? '') === letter
    );
  });
  const origins = new Set(found.map((choice) => parseMove(choice.mv)?.from));
  return only(withPromotion(found, named[3]), origins.size > 1 ? 'ambiguous' : 'promotion');
}

/**
 * @param {Choice[]} found
 * @param {'ambiguous' | 'promotion'} several
 * @returns {{choice: Choice} | {problem: 'illegal' | 'ambiguous' | 'promotion'}}
 */
function only(found, several = 'ambiguous') {
  const [choice, ...rest] = found;
  if (!choice) return { problem: 'illegal' };
  return rest.length > 0 ? { problem: several } : { choice };
}

/** @param {Choice[]} found @param {string | undefined} letter */
function withPromotion(found, letter) {
  if (!letter) return found;
  return found.filter((choice) => parseMove(choice.mv)?.promotion === letter.toUpperCase());
}

/**
 * The short castling is the one whose rook stands nearer to the king.
 * @param {number} length 2 or 3.
 * @param {Choice[]} choices
 */
function castling(length, choices) {
  return only(
    choices.filter((choice) => {
      const move = parseMove(choice.mv);
      if (!move || !choice.rook) return false;
      const rook = choice.rook[0];
      const distance =
        Math.abs(rook.charCodeAt(0) - move.from.charCodeAt(0)) +
        Math.abs(Number(rook.slice(1)) - Number(move.from.slice(1)));
      return distance === length + 1;
    }),
  );
}
