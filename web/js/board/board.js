/**
 * The board: draws what it is given and tells which squares the player means. It knows no rule and no game's name.
 *
 * Pointer and keyboard live in their own files and come back here through `tap`, `drag` and `draw`.
 */

import { svg } from '../ui/dom.js';
import { targetsByOrigin } from '../moves.js';
import { UNIT, cornerOf, fieldDrawing, gridRows, viewBox } from './field.js';
import { extent, placeOfSide, shapeOf } from './geometry.js';
import { listenToKeys } from './keyboard.js';
import { NO_MARKS, marksAbove, marksBelow } from './marks.js';
import { Pieces } from './pieces.js';
import { listenToPointer } from './pointer.js';
import { placeSymbols } from './symbols.js';

/** @typedef {import('../protocol.js').Choice} Choice */
/** @typedef {import('./geometry.js').View} View */
/**
 * @typedef {object} BoardProps
 * @property {View} view
 * @property {Record<string, string>} pieces
 * @property {(piece: string) => import('./army-skins.js').Look} look
 * @property {Choice[]} choices What may be played now; empty when it is not the player's turn.
 * @property {(square: string) => boolean} owns Whether the piece there is the player's, for premoves and for jumping between pieces.
 * @property {boolean} premoves Whether squares may be named ahead of the turn.
 * @property {import('./marks.js').Marks['last']} last
 * @property {string[]} checks
 * @property {{from: string, to: string} | null} premove
 * @property {{from: string, to: string} | null} pending
 * @property {[string, string][]} moved What travelled since the last update.
 * @property {{side: string, tint: string} | null} turn The side of the player on turn.
 * @property {boolean} still Show the change without motion.
 */
/**
 * @typedef {object} BoardEvents
 * @property {(from: string, to: string, choices: Choice[]) => void} move The player wants one of these choices.
 * @property {(from: string, to: string) => void} premove
 * @property {() => void} cancel The player takes back what was named ahead.
 * @property {((square: string) => boolean)} [place] A square was named while a position is set up; true when that was all that was meant.
 */
/** @typedef {{info: import('../protocol.js').VariantInfo, bodies: string[], label: string, describe: (square: string, state: {selected: boolean, target: boolean, captures: boolean}) => string}} BoardSetup */

/** @type {BoardProps} */
const EMPTY = {
  view: 0,
  pieces: {},
  look: () => ({
    symbol: '',
    tint: 'bone',
    fallen: false,
    dormant: false,
    ruler: null,
    badge: '',
    letter: '',
  }),
  choices: [],
  owns: () => false,
  premoves: false,
  last: [],
  checks: [],
  premove: null,
  pending: null,
  moved: [],
  turn: null,
  still: true,
};

export class Board {
  /** @type {BoardProps} */ props = EMPTY;
  /** @type {string | null} */ selected = null;
  /** @type {string} */ focused = '';
  /** @type {{from: string, to: string}[]} */ #arrows = [];
  /** @type {Map<string, SVGRectElement>} */ cells = new Map();
  /** @type {Map<string, import('../moves.js').Target[]>} */ targets = new Map();
  /** @type {View | null} */ #drawn = null;
  /** @type {(() => void)[]} */ #stop = [];

  /**
   * @param {HTMLElement} parent
   * @param {BoardSetup} setup
   * @param {BoardEvents | null} events Null for a board to look at.
   */
  constructor(parent, setup, events) {
    placeSymbols(setup.bodies);
    this.setup = setup;
    this.events = events;
    this.shape = shapeOf(setup.info);
    this.root = svg('svg', {
      class: `board${setup.info.marks.on_lines ? ' on-lines' : ''}${events ? '' : ' picture'}`,
    });
    this.grid = svg('g', { role: 'grid', 'aria-label': setup.label, class: 'grid' });
    this.field = svg('g', {});
    this.below = svg('g', { class: 'below', 'aria-hidden': 'true' });
    this.above = svg('g', { class: 'above', 'aria-hidden': 'true' });
    this.layer = svg('g', { class: 'piece-layer', 'aria-hidden': 'true' });
    this.ring = svg('rect', {
      width: UNIT - 6,
      height: UNIT - 6,
      rx: 6,
      class: 'focus-ring',
      'aria-hidden': 'true',
    });
    this.turnBar = svg('path', { d: '', class: 'turn-bar', 'aria-hidden': 'true' });
    this.pieces = new Pieces(this.layer);
    if (events)
      this.root.append(this.grid, this.field, this.turnBar, this.below, this.layer, this.above, this.ring);
    else {
      this.root.setAttribute('role', 'img');
      this.root.setAttribute('aria-label', setup.label);
      for (const name of ['role', 'aria-label']) this.grid.removeAttribute(name);
      this.root.append(this.grid, this.field, this.below, this.layer, this.above);
    }
    parent.append(this.root);
    if (events) this.#stop = [listenToPointer(this), listenToKeys(this)];
  }

  destroy() {
    for (const stop of this.#stop) stop();
    this.root.remove();
  }

  /** @param {Partial<BoardProps>} change */
  update(change) {
    this.props = { ...this.props, moved: [], ...change };
    const { props } = this;
    const turned = this.#drawn !== props.view;
    if (turned) this.#turn();
    this.targets = targetsByOrigin(props.choices);
    if (this.selected && !this.maySelect(this.selected)) this.selected = null;
    this.pieces.show(props.pieces, props.look, {
      corner: this.corner,
      view: props.view,
      moved: props.moved,
      still: props.still || turned,
    });
    this.root.classList.toggle('playable', props.choices.length > 0 || props.premoves);
    this.refresh();
  }

  /** Draws marks and labels anew, after a selection or an arrow. */
  refresh() {
    const { props, selected } = this;
    const targets = selected ? (this.targets.get(selected) ?? []) : [];
    const marks = {
      ...NO_MARKS,
      last: props.last,
      checks: props.checks,
      premove: props.premove,
      pending: props.pending,
      arrows: this.#arrows,
      selected,
      targets,
    };
    this.below.replaceChildren(...marksBelow(marks, this.corner));
    this.above.replaceChildren(...marksAbove(marks, this.corner));
    this.#describe(new Map(targets.map((target) => [target.to, target.captures])));
    this.#showTurn();
  }

  /** @param {Map<string, boolean>} targets */
  #describe(targets) {
    if (!this.events) return;
    for (const [square, cell] of this.cells) {
      const state = {
        selected: square === this.selected,
        target: targets.has(square),
        captures: targets.get(square) ?? false,
      };
      const words = this.setup.describe(square, state);
      if (cell.getAttribute('aria-label') !== words) cell.setAttribute('aria-label', words);
      if (state.selected) cell.setAttribute('aria-selected', 'true');
      else cell.removeAttribute('aria-selected');
    }
  }

  #turn() {
    const { view } = this.props;
    const box = viewBox(this.shape, view);
    this.root.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    // Labels grow slower than squares.
    this.root.style.setProperty('--label-size', `${13 + extent(this.shape, view).columns}px`);
    const { groups, cells } = gridRows(this.shape, view, this.setup.info.marks.on_lines);
    this.cells = cells;
    if (!this.events)
      for (const element of [...groups, ...cells.values()])
        for (const name of ['role', 'tabindex']) element.removeAttribute(name);
    this.grid.replaceChildren(...groups);
    this.field.replaceChildren(fieldDrawing(this.shape, view, this.setup.info));
    this.#drawn = view;
    const first = cells.has(this.focused)
      ? this.focused
      : (groups.at(-1)?.lastElementChild?.getAttribute('data-square') ?? '');
    this.focusable(first);
  }

  /** @param {string} square Makes a square the one that Tab reaches. */
  focusable(square) {
    if (!this.events) return;
    this.cells.get(this.focused)?.setAttribute('tabindex', '-1');
    this.focused = square;
    this.cells.get(square)?.setAttribute('tabindex', '0');
    const { x, y } = this.corner(square || 'a1');
    this.ring.setAttribute('x', String(x + 3));
    this.ring.setAttribute('y', String(y + 3));
  }

  #showTurn() {
    const { turn, view } = this.props;
    if (!turn) {
      this.turnBar.setAttribute('d', '');
      return;
    }
    const { columns, rows } = extent(this.shape, view);
    const [width, height] = [columns * UNIT, rows * UNIT];
    const gap = Math.min(4, Math.floor(columns / 4)) * UNIT;
    const bars = [
      `M${gap} ${height + 8}H${width - gap}`,
      `M-8 ${gap}V${height - gap}`,
      `M${gap} -8H${width - gap}`,
      `M${width + 8} ${gap}V${height - gap}`,
    ];
    const d = bars[placeOfSide(turn.side, view)] ?? '';
    if (this.turnBar.getAttribute('d') === d) return;
    // A new element breathes anew: it does so a few times after the turn has passed on, and then the page is still.
    const fresh = svg('path', { d, class: `turn-bar tint-${turn.tint}`, 'aria-hidden': 'true' });
    this.turnBar.replaceWith(fresh);
    this.turnBar = fresh;
  }

  /** @param {string} square */
  corner = (square) => cornerOf(this.shape, this.props.view, square);

  /** @param {string} square Whether a piece there can be picked up now. */
  maySelect(square) {
    return this.targets.has(square) || (this.props.premoves && this.props.owns(square));
  }

  /**
   * A square was tapped, clicked or entered: picks up, moves or lets go.
   * @param {string} square
   */
  tap(square) {
    if (this.events?.place?.(square)) return;
    if (this.selected && this.selected !== square && this.#go(this.selected, square)) return;
    this.select(this.selected === square || !this.maySelect(square) ? null : square);
  }

  /** @param {string | null} square */
  select(square) {
    if (!square && !this.selected && this.props.premove) this.events?.cancel();
    if (this.#arrows.length > 0) this.#arrows = [];
    this.selected = square;
    this.refresh();
  }

  /**
   * A piece was dropped on a square; null when outside.
   * @param {string} from
   * @param {string | null} to
   */
  drop(from, to) {
    if (!to || to === from || !this.#go(from, to)) this.refresh();
  }

  /** @param {string} from @param {string} to */
  #go(from, to) {
    const target = this.targets.get(from)?.find((other) => other.to === to);
    if (target) {
      this.selected = null;
      this.#arrows = [];
      this.refresh();
      this.events?.move(from, to, target.choices);
      return true;
    }
    if (this.props.choices.length > 0 || !this.props.premoves || !this.props.owns(from)) return false;
    this.selected = null;
    this.refresh();
    this.events?.premove(from, to);
    return true;
  }

  /** @param {string} from @param {string} to Draws an arrow or a circle, or takes it away again. */
  draw(from, to) {
    const index = this.#arrows.findIndex((arrow) => arrow.from === from && arrow.to === to);
    if (index < 0) this.#arrows.push({ from, to });
    else this.#arrows.splice(index, 1);
    this.refresh();
  }
}
