/** No function of the client is long: what it does in steps has names of its own. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';

/** Lines of a function, with those of the functions in it. */
const MOST = 60;

const root = new URL('../js/', import.meta.url);

/** @param {ts.SignatureDeclaration} node A function's own name, or that of the variable, property or call that takes it. */
function nameOf(node) {
  const { name, parent } = node;
  if (name) return name.getText();
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  return ts.isCallExpression(parent) ? `what ${parent.expression.getText()} calls` : 'a function';
}

/** @param {string} path @param {string} text @returns {string[]} The functions that are too long, each as a line to read. */
function tooLong(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const lineOf = (/** @type {number} */ place) => source.getLineAndCharacterOfPosition(place).line + 1;
  /** @type {string[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - first + 1;
      if (lines > MOST) found.push(`${path}:${first} ${nameOf(node)}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('no function is longer than 60 lines', () => {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js'),
  );
  assert.ok(paths.length > 60, 'the modules were found');
  assert.deepEqual(
    paths.flatMap((path) => tooLong(path, readFileSync(new URL(path, root), 'utf8'))),
    [],
  );
});

test('a long function is found by its name, whatever its form', () => {
  const body = '\n'.repeat(MOST);
  const forms = [
    `function a() {${body}}`,
    `const a = () => {${body}};`,
    `class A { a() {${body}} }`,
    `const o = { a: function () {${body}} };`,
  ];
  for (const form of forms) assert.deepEqual(tooLong('x.js', form), [`x.js:1 a: ${MOST + 1} lines`], form);
  assert.deepEqual(tooLong('x.js', `function a() {${body.slice(1)}}`), []);
});
