// Asks a running server through types that openapi-typescript has made of its description.
//
//     node client.js URL NUMBER-OF-GAMES

import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

declare const process: { argv: string[] };

type Schemas = components['schemas'];

function must<T>(value: T | undefined | null, what: unknown): T {
  if (value === undefined || value === null) throw new Error(JSON.stringify(what));
  return value;
}

/** What happened, in words; a new kind of event is an error of the compiler. */
function told(event: Schemas['Event']): string {
  switch (event.kind) {
    case 'created': return `${event.variant} of ${event.players.length}`;
    case 'played': return `${event.seat} ${event.action}`;
    case 'proposed': return event.what;
    case 'voted': return String(event.accept);
    case 'gift': return `${event.millis} to ${event.to}`;
    case 'outage': return event.cause;
    case 'finished': return event.reason;
    case 'aborted': return event.cause;
    case 'rematch': return event.game;
    case 'match_ended': return event.gone.join();
    case 'departed':
    case 'returned': return event.seat;
    case 'lapsed': return event.proposal;
    default: return event satisfies never;
  }
}

const [url = '', count = '0'] = process.argv.slice(2);
const visitor = createClient<paths>({ baseUrl: url });
const made = await visitor.POST('/api/v1/guest');
const guest = must(made.data, made.error);
const cookie = must(made.response.headers.get('set-cookie'), 'no cookie').split(';')[0];
const client = createClient<paths>({ baseUrl: url, headers: { cookie } });
const me = await client.GET('/api/v1/me');
if (must(me.data, me.error).id !== guest.id) throw new Error('another guest');

const games: Schemas['GameSummary'][] = [];
for (let cursor: string | undefined; ;) {
  const page = await client.GET('/api/v1/games', { params: { query: { limit: 7, ...(cursor ? { cursor } : {}) } } });
  const data = must(page.data, page.error);
  if (typeof data === 'string') throw new Error('lines, which were not asked for');
  const { items, next } = data;
  games.push(...items);
  if (!next) break;
  cursor = next;
}
if (new Set(games.map((game) => game.game)).size !== Number(count)) throw new Error(`${games.length} games`);

for (const { game } of games.slice(0, 5)) {
  const record = await client.GET('/api/v1/games/{game}/record', { params: { path: { game } } });
  const { events, players } = must(record.data, record.error);
  const [first] = events.map((entry) => told(entry.event));
  if (!first?.endsWith(` of ${players.length}`)) throw new Error(first);
}

const unknown = await client.GET('/api/v1/games/{game}', { params: { path: { game: guest.id } } });
if (unknown.error?.code !== 'unknown_game') throw new Error(JSON.stringify(unknown));
const start = await client.POST('/api/v1/positions', { body: { variant: 'crossfire', actions: [] } });
if (must(start.data, start.error).legal.length !== 20) throw new Error('not 20 first moves');
console.log(`TypeScript: ${games.length} games, as ${guest.name}`);
