/** The pieces on a board: one element each, moved and not redrawn when they travel. */

import { svg } from '../ui/dom.js';
import { turnOfArrow } from './geometry.js';

/** @typedef {import('./army-skins.js').Look} Look */
/** @typedef {{element: SVGGElement, text: string, look: string}} ShownPiece */
/** @typedef {(square: string) => {x: number, y: number}} Corner */

export class Pieces {
  /** @type {Map<string, ShownPiece>} */ #shown = new Map();
  /** @type {Element | null} What stays where a lifted piece came from. */ #ghost = null;

  /** @param {SVGGElement} layer */
  constructor(layer) {
    this.layer = layer;
  }

  /**
   * Shows a position.
   * @param {Record<string, string>} pieces
   * @param {(piece: string) => Look} look
   * @param {{corner: Corner, view: import('./geometry.js').View, moved: [string, string][], still: boolean}} how
   *   `moved` names what travelled; `still` shows the result without motion.
   */
  show(pieces, look, { corner, view, moved, still }) {
    this.layer.classList.toggle('still', still);
    const travelling = moved.flatMap(([from, to]) => {
      const piece = this.#shown.get(from);
      return piece && pieces[to] ? [{ from, to, piece }] : [];
    });
    for (const { from } of travelling) this.#shown.delete(from);
    for (const { to, piece } of travelling) {
      this.#shown.get(to)?.element.remove();
      this.#shown.set(to, piece);
      this.layer.append(piece.element);
    }
    for (const [square, piece] of this.#shown) {
      if (pieces[square]) continue;
      piece.element.remove();
      this.#shown.delete(square);
    }
    for (const [square, text] of Object.entries(pieces))
      this.#set(square, text, look(text), corner(square), view);
  }

  /**
   * @param {string} square @param {string} text @param {Look} look
   * @param {{x: number, y: number}} at @param {import('./geometry.js').View} view
   */
  #set(square, text, look, at, view) {
    const key = `${JSON.stringify(look)}${view}`;
    let piece = this.#shown.get(square);
    if (!piece) {
      piece = { element: svg('g', { class: 'piece' }), text, look: '' };
      this.#shown.set(square, piece);
      this.layer.append(piece.element);
    }
    if (piece.look !== key) {
      const changed = piece.look !== '';
      piece.element.replaceChildren(...drawing(look, view));
      piece.element.setAttribute(
        'class',
        `piece tint-${look.tint}${look.fallen ? ' fallen' : ''}${look.dormant ? ' dormant' : ''}${changed ? ' changed' : ''}`,
      );
      piece.look = key;
    }
    piece.text = text;
    place(piece.element, at.x, at.y);
  }

  /** @param {string} square */
  at(square) {
    return this.#shown.get(square)?.element ?? null;
  }

  /**
   * Lifts a piece to where the pointer is and leaves its ghost behind; `null` puts it back.
   * @param {string} square
   * @param {{x: number, y: number} | null} at Its middle.
   * @param {Corner} corner
   */
  lift(square, at, corner) {
    const element = this.at(square);
    if (!element) return;
    element.classList.toggle('lifted', at !== null);
    const home = corner(square);
    if (at) {
      if (!this.#ghost) {
        const ghost = /** @type {SVGGElement} */ (element.cloneNode(true));
        ghost.setAttribute('class', `${element.getAttribute('class')} ghost`);
        place(ghost, home.x, home.y);
        this.layer.prepend(ghost);
        this.#ghost = ghost;
      }
      this.layer.append(element);
      place(element, at.x - 50, at.y - 50);
    } else {
      this.#ghost?.remove();
      this.#ghost = null;
      place(element, home.x, home.y);
    }
  }
}

/** @param {SVGElement} element @param {number} x @param {number} y */
export function place(element, x, y) {
  element.style.setProperty('transform', `translate(${x}px, ${y}px)`);
}

/**
 * @param {Look} look
 * @param {import('./geometry.js').View} view
 * @returns {SVGElement[]}
 */
export function drawing(look, view) {
  /** @type {SVGElement[]} */
  const parts = [];
  if (look.ruler) {
    parts.push(svg('rect', { x: 5, y: 5, width: 90, height: 90, rx: 14, class: `ruler tint-${look.ruler}` }));
  }
  if (look.letter) {
    const text = svg('text', { x: 50, y: 66, class: 'disc-letter' });
    text.textContent = look.letter;
    parts.push(
      svg('circle', { cx: 50, cy: 50, r: 43, class: 'disc' }),
      svg('circle', { cx: 50, cy: 50, r: 43, class: 'glow-thin' }),
      text,
    );
  } else {
    parts.push(svg('use', { href: `#${look.symbol}`, x: 2, y: 0, width: 96, height: 96 }));
  }
  parts.push(
    ...badge(look.badge, view),
    svg('use', { href: `#mark-${look.tint}`, x: 4, y: 4, width: 22, height: 22, class: 'corner-mark' }),
  );
  if (look.ruler)
    parts.push(
      svg('use', {
        href: `#mark-${look.ruler}`,
        x: 74,
        y: 4,
        width: 24,
        height: 24,
        class: `ruler-mark tint-${look.ruler}`,
      }),
    );
  return parts;
}

/**
 * @param {string} sign
 * @param {import('./geometry.js').View} view
 * @returns {SVGElement[]}
 */
function badge(sign, view) {
  if (sign === '') return [];
  if (sign === '+')
    return [
      svg('circle', { cx: 80, cy: 78, r: 15, class: 'badge' }),
      svg('path', { d: 'M80 70v16M72 78h16', class: 'badge-sign' }),
    ];
  if (sign === '*')
    return [svg('path', { d: 'M82 62l6 12 12 6-12 6-6 12-6-12-12-6 12-6z', class: 'badge star' })];
  const turn = turnOfArrow(sign, view) * 90;
  return [svg('path', { d: 'M50 1l12 13H38z', class: 'badge-arrow', transform: `rotate(${turn} 50 50)` })];
}
