/** Walking through a game: which place is shown, stepping, playing by itself, and what happened since the own move. */

/** @typedef {import('./timeline.js').Step} Step */

const STEP_MS = 900;

export class Replay {
  /** @type {number | null} Steps shown; null follows the game. */ #at = null;
  #before = 0;
  length = 0;
  /** @type {number | undefined} */ #timer;
  /** Whether the last change went further than one step forward. */
  isJump = true;

  /** @param {import('../app.js').App} app @param {() => void} changed */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
  }

  get count() {
    return this.#at ?? this.length;
  }

  get isLive() {
    return this.#at === null;
  }

  get isPlaying() {
    return this.#timer !== undefined;
  }

  /** @param {number} count */
  goTo(count) {
    this.stop();
    this.#set(count);
  }

  toEnd() {
    this.stop();
    this.#set(this.length);
  }

  /** @param {number} count */
  #set(count) {
    const wanted = Math.max(0, Math.min(this.length, count));
    this.#before = this.count;
    this.isJump = wanted !== this.#before + 1;
    this.#at = wanted === this.length ? null : wanted;
    this.changed();
  }

  /** Plays on from here, or from the start when the end is shown; a second call stops it. */
  toggle() {
    if (this.isPlaying) {
      this.stop();
      this.changed();
    } else this.#playFrom(this.isLive ? 0 : this.count);
  }

  /** @param {number} count */
  #playFrom(count) {
    this.stop();
    this.#timer = window.setTimeout(() => this.#tick(), STEP_MS);
    this.#set(count);
  }

  #tick() {
    this.#timer = this.count + 1 < this.length ? window.setTimeout(() => this.#tick(), STEP_MS) : undefined;
    this.#set(this.count + 1);
  }

  stop() {
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Shows again what the others did since this seat acted last.
   * @param {Step[]} steps @param {string | null} you
   */
  sinceOwnMove(steps, you) {
    const last = steps.findLastIndex((step) => step.event.seat === you && !step.event.by_server);
    if (last + 1 < steps.length) this.#playFrom(last + 1);
  }

  /** @param {Step[]} steps What travelled in the step that was just shown. @returns {[string, string][]} */
  moved(steps) {
    return this.isJump ? [] : (steps[this.count - 1]?.change?.moved ?? []);
  }

  /** @param {KeyboardEvent} event @param {() => void} since Shows what happened since the own move. */
  key(event, since) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest('input, textarea, select, dialog')) return;
    const onBoard = target?.closest('[role="grid"], [role="tablist"]');
    const act = {
      ArrowLeft: () => this.goTo(this.count - 1),
      ArrowRight: () => this.goTo(this.count + 1),
      Home: () => this.goTo(0),
      End: () => this.toEnd(),
      w: since,
    }[event.key];
    if (!act || (onBoard && event.key !== 'w')) return;
    event.preventDefault();
    act();
  }
}
