/**
 * Small declarative DOM: views describe what should be there, `patch` makes it so and keeps what is the same,
 * so that focus and typing survive an update. Text goes in as text nodes only.
 */

import { at } from '../base.js';

/** @typedef {string | number | boolean | null | undefined | ((event: never) => void)} AttrValue */
/** @typedef {Record<string, AttrValue>} Attrs */
/**
 * Attributes: `on…` listen, `href` with a path leads to that path of the server, `--…` set a custom property (style attributes are forbidden by the page's policy).
 * @typedef {object} VElement
 * @property {string} tag
 * @property {string | undefined} key
 * @property {Attrs} attrs
 * @property {(VElement | string)[]} kids
 * @property {((element: HTMLElement) => (() => void) | void) | undefined} mount Called once the element stands; what it returns when it goes.
 */
/** @typedef {VElement | string} VNode */
/** @typedef {VNode | number | null | undefined | false} Leaf */
/** @typedef {Leaf | Leaf[] | Leaf[][] | (Leaf | Leaf[])[]} Kid */
/** @typedef {{vnode: VNode, unmount: (() => void) | void, listeners: Record<string, (event: Event) => void>}} Kept */

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set([
  'svg',
  'use',
  'path',
  'g',
  'circle',
  'rect',
  'line',
  'polyline',
  'polygon',
  'text',
  'title',
]);
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'selected', 'open']);

/** @type {WeakMap<Node, Kept>} */
const kept = new WeakMap();

/**
 * @param {string} tag Name, with classes behind dots: `button.primary`.
 * @param {(Attrs & {key?: string, mount?: (element: HTMLElement) => (() => void) | void}) | null} attrs
 * @param {...Kid} kids
 * @returns {VElement}
 */
export function h(tag, attrs = null, ...kids) {
  const [name = 'div', ...classes] = tag.split('.');
  const { key, mount, ...rest } = attrs ?? {};
  if (classes.length > 0) rest.class = [...classes, rest.class].filter(Boolean).join(' ');
  return { tag: name, key, attrs: rest, kids: flat(kids), mount };
}

/** @param {Kid[]} kids @returns {VNode[]} */
function flat(kids) {
  /** @type {VNode[]} */
  const found = [];
  for (const kid of kids) {
    if (Array.isArray(kid)) found.push(...flat(kid));
    else if (typeof kid === 'number') found.push(String(kid));
    else if (kid || kid === '') found.push(kid);
  }
  return found;
}

/**
 * Makes the children of an element what is described.
 * @param {Element} parent
 * @param {...Kid} kids
 */
export function patch(parent, ...kids) {
  const wanted = flat(kids);
  /** @type {Map<string, ChildNode>} */
  const keyed = new Map();
  /** @type {ChildNode[]} */
  const loose = [];
  for (const node of [...parent.childNodes]) {
    const vnode = kept.get(node)?.vnode;
    if (typeof vnode === 'object' && vnode.key !== undefined) keyed.set(vnode.key, node);
    else loose.push(node);
  }
  /** @type {ChildNode | null} */
  let at = parent.firstChild;
  for (const vnode of wanted) {
    const found = match(vnode, keyed, loose);
    const node = found ?? create(vnode);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    if (found) update(found, vnode);
    else if (typeof vnode === 'object') mounted(node, vnode);
    if (!found && typeof vnode === 'object' && vnode.attrs.autofocus)
      queueMicrotask(() => /** @type {HTMLElement} */ (node).focus());
  }
  for (const node of [...keyed.values(), ...loose]) remove(node);
}

/**
 * @param {VNode} vnode
 * @param {Map<string, ChildNode>} keyed
 * @param {ChildNode[]} loose
 */
function match(vnode, keyed, loose) {
  if (typeof vnode === 'object' && vnode.key !== undefined) {
    const node = keyed.get(vnode.key);
    keyed.delete(vnode.key);
    if (node && isSame(node, vnode)) return node;
    if (node) loose.push(node);
    return null;
  }
  const index = loose.findIndex((node) => isSame(node, vnode));
  return index < 0 ? null : (loose.splice(index, 1)[0] ?? null);
}

/** @param {ChildNode} node @param {VNode} vnode */
function isSame(node, vnode) {
  const before = kept.get(node)?.vnode;
  if (before === undefined) return false;
  if (typeof vnode === 'string' || typeof before === 'string') return typeof vnode === typeof before;
  return (
    before.tag === vnode.tag && before.key === vnode.key && Boolean(before.mount) === Boolean(vnode.mount)
  );
}

/** @param {VNode} vnode @returns {ChildNode} */
function create(vnode) {
  if (typeof vnode === 'string') {
    const text = document.createTextNode(vnode);
    kept.set(text, { vnode, unmount: undefined, listeners: {} });
    return text;
  }
  const element = SVG_TAGS.has(vnode.tag)
    ? document.createElementNS(SVG, vnode.tag)
    : document.createElement(vnode.tag);
  kept.set(element, { vnode, unmount: undefined, listeners: {} });
  for (const [name, value] of Object.entries(vnode.attrs))
    if (name !== 'value') setAttr(element, name, value);
  if (!vnode.mount) patch(element, ...vnode.kids);
  if ('value' in vnode.attrs) setAttr(element, 'value', vnode.attrs.value);
  return element;
}

/** @param {ChildNode} node @param {VElement} vnode */
function mounted(node, vnode) {
  const entry = kept.get(node);
  if (entry && vnode.mount) entry.unmount = vnode.mount(/** @type {HTMLElement} */ (node));
}

/** @param {ChildNode} node @param {VNode} vnode */
function update(node, vnode) {
  const entry = kept.get(node);
  if (!entry) return;
  const before = entry.vnode;
  entry.vnode = vnode;
  if (typeof vnode === 'string') {
    if (vnode !== before) node.nodeValue = vnode;
    return;
  }
  const element = /** @type {Element} */ (node);
  const old = typeof before === 'object' ? before.attrs : {};
  for (const name of Object.keys(old)) if (!(name in vnode.attrs)) setAttr(element, name, null);
  for (const [name, value] of Object.entries(vnode.attrs)) {
    if (old[name] !== value || name === 'value' || name === 'checked') setAttr(element, name, value);
  }
  if (!vnode.mount) patch(element, ...vnode.kids);
}

/** @param {ChildNode} node */
function remove(node) {
  release(node);
  node.remove();
}

/** @param {Node} node */
function release(node) {
  for (const child of node.childNodes) release(child);
  kept.get(node)?.unmount?.();
  kept.delete(node);
}

/** @param {Element} element @param {string} name @param {AttrValue} value */
function setAttr(element, name, value) {
  if (name.startsWith('on')) return listen(element, name.slice(2), value);
  if (name.startsWith('--'))
    return /** @type {HTMLElement} */ (element).style.setProperty(name, String(value ?? ''));
  if (PROPERTIES.has(name) && name in element) {
    const wanted = name === 'value' ? String(value ?? '') : Boolean(value);
    if (Reflect.get(element, name) !== wanted) Reflect.set(element, name, wanted);
    return;
  }
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else
    element.setAttribute(
      name,
      value === true
        ? ''
        : name === 'href' && String(value).startsWith('/')
          ? at(String(value))
          : String(value),
    );
}

/** @param {Element} element @param {string} type @param {AttrValue} value */
function listen(element, type, value) {
  const entry = kept.get(element);
  if (!entry) return;
  const before = entry.listeners[type];
  if (before) element.removeEventListener(type, before);
  delete entry.listeners[type];
  if (typeof value !== 'function') return;
  const listener = /** @type {(event: Event) => void} */ (value);
  entry.listeners[type] = listener;
  element.addEventListener(type, listener);
}

/**
 * An SVG element outside of `patch`.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attrs
 * @param {...Element} kids
 */
export function svg(tag, attrs = {}, ...kids) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attrs)) element.setAttribute(name, String(value));
  element.append(...kids);
  return element;
}
