// The module graph: every file is used, imports are relative, and the browser is told of all of them at once.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const APP = resolve(new URL('../../app', import.meta.url).pathname);
const INDEX = readFileSync(join(APP, 'index.html'), 'utf8');

/** @param {string} folder @returns {string[]} */
const files = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? files(path) : [path];
});

/** @param {string} file @returns {string[]} what it imports at once */
function imports(file) {
  const source = readFileSync(file, 'utf8').replace(/^\s*\/\*\*.*$/gm, '');
  return [...source.matchAll(/^(?:import|export)\b[^'";]*?\bfrom\s+'([^']+)'/gms)].map(([, path]) => {
    assert.ok(path.startsWith('.'), `${file} imports ${path}`);
    return resolve(dirname(file), path);
  });
}

/** @returns {Set<string>} */
function graph() {
  const seen = new Set();
  const queue = [join(APP, 'main.js')];
  for (let file = queue.pop(); file; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    queue.push(...imports(file));
  }
  return seen;
}

test('every module is loaded from the start or by a choice of language', () => {
  const reached = graph();
  const scripts = files(APP).filter((file) => file.endsWith('.js') && !file.endsWith('boot.js'));
  const unused = scripts.filter((file) => !reached.has(file) && !/i18n\/(ar|nl|id|hi|es)\.js$/.test(file));
  assert.deepEqual(unused, []);
});

test('the page names every module it will need, so that none waits for another', () => {
  const named = new Set([...INDEX.matchAll(/modulepreload" href="\.\/([^"]+)"/g)].map((found) => found[1]));
  const needed = new Set([...graph()].map((file) => relative(APP, file)).filter((file) => file !== 'main.js'));
  assert.deepEqual([...needed].filter((file) => !named.has(file)).sort(), [], 'missing in index.html');
  assert.deepEqual([...named].filter((file) => !needed.has(file)).sort(), [], 'left over in index.html');
});

/** What each folder may know besides itself: the board squares and SVG, the record of a game no page, and so on. @type {Record<string, readonly string[]>} */
const KNOWS = {
  dom: [],
  position: [],
  board: ['dom', 'position'],
  transport: [],
  i18n: ['shell/settings.js'],
  game: ['position', 'transport', 'shell/settings.js'],
  shell: ['dom', 'i18n', 'transport', 'game'],
  pages: ['dom', 'position', 'board', 'transport', 'i18n', 'game', 'shell'],
};

test('folders know only what they need', () => {
  const wrong = files(APP).filter((file) => file.endsWith('.js') && dirname(file) !== APP).flatMap((file) => {
    const own = relative(APP, file).split('/')[0];
    return imports(file).map((path) => relative(APP, path)).filter((path) => ![own, ...KNOWS[own]].some((known) => path === known || path.startsWith(`${known}/`)))
      .map((path) => `${relative(APP, file)} imports ${path}`);
  });
  assert.deepEqual(wrong, []);
});

test('nothing inline and nothing from elsewhere, as the policy demands', () => {
  assert.doesNotMatch(INDEX, /<script(?![^>]*src=)|\sstyle=|\son\w+=|https?:/);
  // The gateway puts the hash of all files before these.
  for (const [, path] of INDEX.matchAll(/(?:href|src)="([^"]*)"/g)) assert.ok(path.startsWith('./'), path);
  for (const file of files(APP).filter((each) => each.endsWith('.css'))) {
    assert.doesNotMatch(readFileSync(file, 'utf8'), /@import|url\(/, file);
  }
});

test('no file is long', () => {
  const long = files(APP).filter((file) => /\.(js|css)$/.test(file) && !file.includes('/i18n/')).filter((file) => readFileSync(file, 'utf8').split('\n').length > 300);
  assert.deepEqual(long, []);
});
