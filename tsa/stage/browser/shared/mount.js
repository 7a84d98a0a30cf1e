// Streamlit calls a component again whenever its data or the theme change, while its elements stay on the page.

/**
 * What Streamlit passes to the default export of a component.
 * @typedef {object} Mount
 * @property {any} data what Python sent: bytes, or parsed JSON
 * @property {ParentNode} parentElement the root that holds the component's HTML
 * @property {(name: string, value: unknown) => void} setStateValue sends a value to Python, which runs the page again
 */

/** @typedef {(name: string) => any} Find element with a CSS class; `any`, because the class does not tell its type */

/** @type {WeakMap<ParentNode, any>} */
const instances = new WeakMap();

/**
 * The state of the component in this place, made by `create` at the first call.
 * @template T
 * @param {ParentNode} root
 * @param {(root: ParentNode) => T} create
 * @returns {T}
 */
export function instance(root, create) {
  if (!instances.has(root)) instances.set(root, create(root));
  return instances.get(root);
}

/** @type {(root: ParentNode) => Find} */
export const finder = (root) => (name) => root.querySelector("." + name);
