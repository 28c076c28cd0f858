/** A table: a game that is played, watched or looked at afterwards. */

import { linkTo } from '../base.js';
import { get, startOf } from '../api.js';
import { infoOf, orSay } from '../app.js';
import { cornerGap, shapeOf, viewOf } from '../board/geometry.js';
import { wearOf } from '../board/army-skins.js';
import { fromRecord } from '../table/record.js';
import { Replay } from '../table/replay.js';
import { Announcer } from '../table/announcer.js';
import { chat } from '../table/chat.js';
import { confirmBar, promotionChooser, typedMove } from '../table/entry.js';
import { exportLinks } from '../table/export.js';
import { facts } from '../table/facts.js';
import { firstMove } from '../table/first-move.js';
import { ledger } from '../table/ledger.js';
import { moveList } from '../table/movelist.js';
import { plates } from '../table/plates.js';
import { openProposal, playerActions } from '../table/proposals.js';
import { replayBar } from '../table/replay-bar.js';
import { outOfPlay, result } from '../table/result.js';
import { ring } from '../table/ring.js';
import { TableBoard } from '../table/table-board.js';
import { tabs } from '../table/tabs.js';
import { clocksAfter, timeline } from '../table/timeline.js';
import { variantName } from '../names.js';
import { stillPlays } from '../standing.js';
import { h } from '../ui/dom.js';
import { liveView } from '../ui/view.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../game.js').GameState} GameState */
/** @typedef {import('../protocol.js').BoardView} BoardView */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {import('../table/timeline.js').Step} Step */
/** @typedef {import('../board/geometry.js').View} View */

/** @type {import('../app.js').Mount} */
export function mount(root, app, { game = '' }) {
  const table = new Table(root, app, game);
  return () => table.destroy();
}

class Table {
  /** @type {GameState | null} */ record = null;
  /** @type {BoardView | null} */ start = null;
  /** @type {TableBoard | null} */ stage = null;
  /** @type {Announcer | null} */ announcer = null;
  /** @type {import('../table/result.js').RatingChange[]} */ ratings = [];
  /** @type {Set<string>} */ muted = new Set();
  /** @type {View} */ turned = 0;
  /** @type {number | null} The event that was last shown. */ shownSeq = null;
  /** @type {string | null} The other game of a match on two boards, followed to tell whose turn it is there. */ #otherGame =
    null;
  /** @type {{history: import('../protocol.js').HistoryEntry[], steps: import('../table/timeline.js').Step[]} | null} */ #walk =
    null;
  tab = 'moves';
  listed = -1;
  failed = '';

  /** @param {HTMLElement} root @param {App} app @param {string} id */
  constructor(root, app, id) {
    this.app = app;
    this.id = id;
    this.replay = new Replay(app, () => this.#replayed());
    this.view = liveView(root, app, () => this.#render());
    this.unsubscribe = app.store.subscribe(() => this.#heard());
    this.keys = (/** @type {KeyboardEvent} */ event) =>
      this.replay.key(event, () => this.replay.sinceOwnMove(this.steps(), this.game?.you ?? null));
    document.addEventListener('keydown', this.keys);
    app.socket.watch(id);
    this.#heard();
  }

  destroy() {
    this.replay.stop();
    document.removeEventListener('keydown', this.keys);
    this.unsubscribe();
    for (const game of [this.id, this.#otherGame]) {
      if (!game) continue;
      this.app.socket.unwatch(game);
      this.app.store.dispatch({ kind: 'forget_game', game });
    }
    this.view.stop();
  }

  /** @returns {GameState | null} */
  get game() {
    return this.app.store.state().games[this.id] ?? this.record;
  }

  steps() {
    const { game, start } = this;
    if (!game || !start) return [];
    if (this.#walk?.history !== game.history)
      this.#walk = { history: game.history, steps: timeline(start, game.history) };
    return this.#walk.steps;
  }

  #heard() {
    const { app, game } = this;
    const { refusal } = app.store.state();
    if (!game && refusal?.request?.type === 'watch' && refusal.request.game === this.id && !this.failed) {
      this.failed = 'loading';
      app.store.dispatch({ kind: 'seen', what: 'refusal' });
      void this.#loadRecord();
    }
    if (!game) return;
    this.#followOtherGame(game);
    if (!this.start) void this.#learnStart(game.setup.variant);
    if (this.shownSeq === game.seq) {
      this.#show([], true);
      return;
    }
    const first = this.shownSeq === null;
    const next = !first && game.fresh && game.seq === (this.shownSeq ?? 0) + 1 ? game.fresh : null;
    this.shownSeq = game.seq;
    if (first) this.announcer = new Announcer(app, infoOf(app, game.setup.variant));
    this.#show(next?.change?.moved ?? [], !next);
    if (next) this.#react(game, next);
    this.stage?.playDuePremove();
    if (game.ending && game.setup.rated && this.ratings.length === 0) void this.#loadRatings();
  }

  /** @param {GameState} game */
  #followOtherGame(game) {
    const { other_game: otherGame } = game.setup;
    if (!otherGame || this.#otherGame || game.you === null) return;
    this.#otherGame = otherGame;
    this.app.socket.watch(otherGame);
  }

  /** @param {GameState} game The way to the other board of a match, and whether one is waited for there. */
  #otherBoard(game) {
    const { t, store } = this.app;
    const { other_game: otherGame } = game.setup;
    if (!otherGame || game.history.some(({ event }) => event.kind === 'match_ended')) return null;
    const other = store.state().games[otherGame];
    const over = Boolean(other?.ending || other?.aborted);
    const mine = other && other.you !== null && other.board.turn === other.you && !over;
    const words = t(over ? 'table.other_board_over' : mine ? 'table.other_board_yours' : 'table.other_board');
    return h(
      'p',
      { key: 'other_game', role: 'status' },
      h('a.button.small', { href: `/game/${otherGame}`, class: mine ? 'primary' : '' }, words),
    );
  }

  /** @param {GameState} game @param {import('../protocol.js').HistoryEntry} entry Sounds, words and deaths of something that just happened. */
  #react(game, entry) {
    const { app } = this;
    this.announcer?.tell(game);
    const effects = entry.change?.effects ?? [];
    const fallen = effects.flatMap((effect) => (effect.kind === 'fell' ? [effect.army] : []));
    if (fallen.length > 0) {
      if (this.replay.isLive) this.stage?.playDeaths(fallen);
      app.sound.play(`fall-${wearOf(infoOf(app, game.setup.variant), fallen[0] ?? '').tint}`);
    }
    if (entry.event.kind === 'rematch' && game.you !== null) app.go(`/game/${entry.event.game}`);
    if (entry.event.kind === 'finished') app.sound.play('end');
    else if (entry.event.kind === 'played' && fallen.length === 0) {
      const mine = game.board.turn === game.you && game.you !== null;
      if (mine && game.board.checks.some((square) => game.board.pieces[square]?.startsWith(game.you ?? '')))
        app.sound.play('check');
      else if (mine) app.sound.play('turn');
      else app.sound.play(effects.some((effect) => effect.kind === 'captured') ? 'capture' : 'move');
    }
  }

  /** @param {string} variant */
  async #learnStart(variant) {
    try {
      this.start ??= await startOf(variant);
      this.#show([], true);
      this.view.refresh();
    } catch {
      // Without the start there is no walking back; the game itself goes on.
    }
  }

  async #loadRecord() {
    const { app } = this;
    try {
      /** @type {import('../protocol.js').GameRecord} */
      const record = await get(`/games/${this.id}`);
      this.start = await startOf(record.variant);
      this.ratings = record.rating_changes ?? [];
      this.record = fromRecord(record, this.start, app.store.state().me?.id ?? null);
      this.failed = '';
      this.#heard();
    } catch {
      this.failed = 'missing';
    }
    this.view.refresh();
  }

  async #loadRatings() {
    try {
      /** @type {{rating_changes?: import('../table/result.js').RatingChange[]}} */
      const record = await get(`/games/${this.id}`);
      this.ratings = record.rating_changes ?? [];
      this.view.refresh();
    } catch {
      // The result stands without its arithmetic.
    }
  }

  /** Keeps the current move of the list in sight, without moving the page. */
  #scrollList() {
    queueMicrotask(() => {
      const now = document.querySelector('.move.now');
      const list = now?.closest('.moves-scroll');
      if (!(now instanceof HTMLElement) || !list) return;
      const [a, b] = [now.getBoundingClientRect(), list.getBoundingClientRect()];
      if (a.top < b.top + 30) list.scrollTop += a.top - b.top - 40;
      else if (a.bottom > b.bottom) list.scrollTop += a.bottom - b.bottom + 8;
    });
  }

  #replayed() {
    this.#show(this.replay.moved(this.steps()), this.replay.isJump);
    this.view.refresh();
  }

  /** @param {[string, string][]} moved @param {boolean} still */
  #show(moved, still) {
    const { game, stage, app } = this;
    if (!game || !stage) return;
    const steps = this.steps();
    this.replay.length = steps.length;
    const { count, isLive } = this.replay;
    const shown = isLive ? game.board : (steps[count - 1]?.after ?? this.start ?? game.board);
    stage.show({
      game,
      shown,
      steps,
      count,
      isLive,
      view: this.orientation(game),
      moved,
      still: still || app.calm() || document.visibilityState !== 'visible',
    });
  }

  /** @param {GameState} game @returns {View} */
  orientation(game) {
    const info = infoOf(this.app, game.setup.variant);
    const side = info.armies.find((army) => army.letter === game.you)?.side ?? 'south';
    return /** @type {View} */ ((viewOf(side) + this.turned) % 4);
  }

  #render() {
    const { app, game } = this;
    const { t } = app;
    if (!game) {
      const words = this.failed === 'missing' ? t('table.missing') : t('table.loading');
      return [h('section.page.center', { key: 'wait' }, h('p.hint', { role: 'status' }, words))];
    }
    const info = infoOf(app, game.setup.variant);
    const steps = this.steps();
    const { count, isLive } = this.replay;
    const board = isLive ? game.board : (steps[count - 1]?.after ?? this.start ?? game.board);
    const corners = cornerGap(shapeOf(info)) >= 3;
    if (count !== this.listed) this.#scrollList();
    this.listed = count;
    return [
      h(
        'div.table',
        {
          key: 'table',
          class: `${corners ? 'with-corners' : 'with-bars'}${info.armies.length === 2 ? ' pair' : ''}`,
        },
        h('h1.unseen', null, t('table.title', { game: variantName(t, info) })),
        this.#arena(info, game, board, steps),
        this.#side(info, game, board, steps),
      ),
    ];
  }

  /** @param {VariantInfo} info @param {GameState} game @param {BoardView} board @param {Step[]} steps */
  #arena(info, game, board, steps) {
    const { count, isLive } = this.replay;
    const view = this.orientation(game);
    const seats = info.armies.map((army) => army.letter);
    const past = isLive && !this.record ? null : clocksAfter(steps, count, seats, game.setup.time.initial);
    const aspect = view % 2 === 0 ? info.height / info.width : info.width / info.height;
    return h(
      'div.arena',
      { key: 'arena', '--aspect': String(aspect.toFixed(3)) },
      plates({
        app: this.app,
        info,
        game: () => this.game ?? game,
        board,
        past,
        view,
        lowTime: () => this.#lowTime(),
      }),
      h('div.board-place', {
        key: `board-${info.variant}`,
        mount: (element) => this.#mountStage(element, info),
      }),
      this.#promotion(),
    );
  }

  /** @param {VariantInfo} info @param {GameState} game @param {BoardView} board @param {Step[]} steps */
  #side(info, game, board, steps) {
    const { app, stage, replay } = this;
    const { t } = app;
    const over = Boolean(game.ending || game.aborted);
    return h(
      'aside.side',
      { key: 'side' },
      firstMove({ app, info, game: () => this.game ?? game }),
      h(
        'div.heading',
        null,
        ring(app, info, board, game.you, this.orientation(game)),
        facts(app, info, game, board, this.#otherBoard(game)),
      ),
      game.frozen && h('p.frozen', { role: 'status' }, t(`table.frozen.${game.frozen}`)),
      !replay.isLive &&
        !over &&
        h('button.live', { onclick: () => replay.toEnd() }, t('replay.back_to_live')),
      stage && confirmBar(app, stage),
      over
        ? result(app, info, game, this.ratings, steps.at(-1)?.after.turn ?? this.start?.turn ?? null)
        : game.you !== null && !stillPlays(game) && outOfPlay(app, info, game),
      openProposal(app, info, game),
      playerActions(app, game),
      stage && typedMove(app, stage),
      replayBar(app, replay, steps, game, over),
      tabs(t, this.tab, (tab) => this.#chooseTab(tab), this.#panel(info, game, steps)),
      h(
        'div.row.tools',
        null,
        h('button.small', { onclick: () => this.#turn() }, t('table.turn')),
        h('button.small', { onclick: () => void copyLink(app, this.id) }, t('table.share')),
        h('a.button.small', { href: `/analysis?game=${this.id}&ply=${replay.count}` }, t('table.analyse')),
        over && exportLinks(app, this.id, info),
      ),
    );
  }

  #turn() {
    this.turned = /** @type {View} */ ((this.turned + 1) % 4);
    this.#show([], true);
    this.view.refresh();
  }

  /** @param {string} tab */
  #chooseTab(tab) {
    this.tab = tab;
    this.view.refresh();
  }

  /** @param {VariantInfo} info @param {GameState} game @param {Step[]} steps What the chosen tab shows. */
  #panel(info, game, steps) {
    const { app, replay } = this;
    switch (this.tab) {
      case 'ledger':
        return ledger(app, info, this.start ?? game.board, game.history);
      case 'chat':
        return chat(app, info, game, this.muted, (user) => this.#toggleMute(user));
      default:
        return moveList(app, info, steps, replay.count, (to) => replay.goTo(to));
    }
  }

  #promotion() {
    const { stage } = this;
    return (
      stage &&
      promotionChooser(
        this.app,
        stage.board,
        stage.choosing,
        (choice) => stage.propose(choice),
        () => stage.takeBack(),
      )
    );
  }

  /** @param {HTMLElement} element @param {VariantInfo} info */
  #mountStage(element, info) {
    this.stage = new TableBoard(element, this.app, info, () => this.view.refresh());
    this.#show([], true);
    queueMicrotask(() => this.view.refresh());
    return () => {
      this.stage?.destroy();
      this.stage = null;
    };
  }

  /** @param {string} user */
  #toggleMute(user) {
    const muted = !this.muted.has(user);
    if (muted) this.muted.add(user);
    else this.muted.delete(user);
    void orSay(this.app, this.app.socket.ask({ type: 'mute', user, muted }));
    this.view.refresh();
  }

  #lowTime() {
    this.app.sound.play('low');
    this.app.announce(this.app.t('told.low_time'), true);
  }
}

/** @param {App} app @param {string} game */
async function copyLink(app, game) {
  const link = linkTo(`/game/${game}`);
  await navigator.clipboard.writeText(link).then(
    () => app.notify(app.t('note.copied')),
    () => app.notify(link),
  );
}
