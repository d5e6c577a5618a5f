// A platform of its own for a test: the one binary, free ports, an empty folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BINARY = process.env.FK_STANDALONE_BIN ?? '';
const START_MS = 60_000;

/** @type {Set<number>} never given again */
const given = new Set();

/** Below the range from which the system takes ports for outgoing connections: it stays free while the platform restarts. */
async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

export class Platform {
  /** @param {Record<string, string>} environment */
  constructor(environment) {
    this.environment = environment;
    this.url = `http://${environment.FK_HTTP_ADDR}`;
    /** @type {import('node:child_process').ChildProcess | null} */
    this.process = null;
    this.log = '';
  }

  static async start(extra = {}) {
    if (!BINARY) throw new Error('FK_STANDALONE_BIN says where the platform is; tests/run sets it');
    const names = ['HTTP', 'OPS', 'GAME', 'MATCHMAKING', 'RATING', 'CLOCK'];
    const addresses = await Promise.all(names.map(async (name) => [`FK_${name}_ADDR`, `127.0.0.1:${await freePort()}`]));
    const platform = new Platform({
      ...Object.fromEntries(addresses),
      FK_DATA_DIR: mkdtempSync(join(tmpdir(), 'fk-web-')),
      FK_LIMITS: 'off',
      FK_FIRST_MOVE_MS: '120000',
      FK_ROAMING_DELAY_MS: '200',
      FK_LOG: 'warn',
      ...extra,
    });
    await platform.run();
    return platform;
  }

  async run() {
    const child = spawn(BINARY, { env: { PATH: process.env.PATH, ...this.environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => { this.log += text; });
    const until = Date.now() + START_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the platform ended with ${child.exitCode}:\n${this.log}`);
      try {
        if ((await fetch(`http://${this.environment.FK_OPS_ADDR}/readyz`)).ok) return;
      } catch {
        // Not listening yet.
      }
      if (Date.now() > until) throw new Error(`the platform is not ready:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async halt() {
    const child = this.process;
    this.process = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), 25_000);
    await ended;
    clearTimeout(forced);
  }

  async stop() {
    await this.halt();
    rmSync(this.environment.FK_DATA_DIR, { recursive: true, force: true });
  }
}
