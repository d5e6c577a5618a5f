// The rules as the API serves them, with small boards for what differs from chess, and tips.

import { h } from '../dom/element.js';
import { currentLanguage, t } from '../i18n/index.js';
import { asyncPart } from '../shell/async-part.js';
import * as api from '../transport/api.js';
import { illustration } from './rules/illustrations.js';
import { pointsTable } from './rules/points-table.js';

/** @typedef {{ id: string, heading: string, body: string[] }} Section */
/** @typedef {{ lang: string, title: string, sections: Section[], tips: string[] }} Rules */

export function rulesPage() {
  return {
    title: t('nav.rules'),
    el: h('div', { class: 'page medium rules' }, asyncPart(() => api.rules(currentLanguage()), draw)),
  };
}

/** @param {Rules} rules */
function draw(rules) {
  const jump = (/** @type {string} */ id) => (/** @type {Event} */ event) => {
    event.preventDefault();
    const heading = document.getElementById(id);
    heading?.scrollIntoView();
    heading?.focus({ preventScroll: true });
  };
  return h('article', {},
    h('h1', {}, rules.title),
    h('nav', { class: 'rules-index', 'aria-label': t('rules.contents') },
      ...rules.sections.map((section) => h('a', { href: '#/rules', onclick: jump(`rule-${section.id}`) }, section.heading)),
      h('a', { href: '#/rules', onclick: jump('rule-tips') }, t('rules.tips'))),
    ...rules.sections.map(drawSection),
    h('section', { class: 'card tips' },
      h('h2', { id: 'rule-tips', tabindex: '-1' }, t('rules.tips')),
      h('ul', {}, ...rules.tips.map((tip) => h('li', {}, tip)))));
}

/** @param {Section} section */
function drawSection(section) {
  const picture = illustration(section.id);
  return h('section', { class: picture ? 'rule with-picture' : 'rule' },
    h('div', { class: 'rule-words' },
      h('h2', { id: `rule-${section.id}`, tabindex: '-1' }, section.heading),
      ...section.body.map((paragraph) => h('p', {}, paragraph)),
      section.id === 'points' ? pointsTable() : null),
    picture);
}
