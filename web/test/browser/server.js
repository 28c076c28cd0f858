/** A server of a test's own: started, killed, started again. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Starts the program at KINGSCROSS_BINARY and waits for the address that it prints.
 * @param {string} database A file.
 * @param {string} listen
 * @param {Record<string, string>} settings Variables of its environment.
 */
export async function startServer(database, listen = '127.0.0.1:0', settings = {}) {
  const binary = process.env.KINGSCROSS_BINARY ?? '';
  if (!binary) throw new Error('KINGSCROSS_BINARY must name the server program that is to be started.');
  const server = spawn(binary, ['serve', '--listen', listen, '--database', database], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...settings },
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (found) return { server, url: found[0] };
  }
  throw new Error('The server ended before it listened.');
}
