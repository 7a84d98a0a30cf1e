// How a component follows the view that Python keeps, and reports what a person changes. explorer/PROTOCOL.md describes
// the messages, and what happens when one is lost.

import { instance } from "./mount.js";
import { unpack } from "./unpack.js";

/** @import { Mount } from "./mount.js" */

/** @typedef {ReturnType<typeof follower>} Follower */
/** @typedef {{ revision: number, sequence: number, bytes: Uint8Array }} Answer of the live line, at one angle */

const MAX_HELD_RESULTS = 8; // results kept by digest; Python relies on the last 4 that it sent

/**
 * The number of the next message: it grows over all components of a tab, so that any two messages can be compared.
 * @returns {number}
 */
export function nextSequence() {
  const tab = /** @type {any} */ (window);
  tab.tsaSequence = (tab.tsaSequence ?? 0) + 1;
  return tab.tsaSequence;
}

/**
 * @param {object} component
 * @param {(fields: any) => void} component.adopt sets fields of the view that another writer has changed
 * @param {(result: any) => void} component.show shows unpacked bytes
 */
export function follower({ adopt, show }) {
  let [session, obeyed] = ["", 0];
  let shown = [0, 0]; // revision and sequence
  let fields = {};
  /** @type {[number, string][]} with the numbers of their messages, until a run says that it has taken them in */
  let actions = [];
  /** @type {Map<string, any>} */
  const held = new Map(); // digest → unpacked bytes, the newest last

  const report = (missing = "", action = "") => {
    const sequence = nextSequence();
    // A message replaces one that Python has not read yet. Fields are values; actions are steps, and go along.
    if (action) actions = [...actions, [sequence, action]];
    self.post({ session, obeyed, sequence, ...fields, actions, missing });
  };
  const keep = (/** @type {string} */ digest, /** @type {any} */ result) => {
    held.delete(digest);
    held.set(digest, result);
    if (held.size > MAX_HELD_RESULTS) held.delete(held.keys().next().value ?? "");
  };
  const self = {
    /** Revision of the last run that has sent data to the component. */
    revision: 0,
    /** @type {any} what that run sent besides bytes: digest, fields of the view and more */
    header: {},
    /** @type {(message: object) => void} sends a message to Python */
    post: () => {},
    /** Process the data that Python sends with each run: `framed` of tsa/stage/packing.py. */
    receive(/** @type {Uint8Array} */ data) {
      const { header, body } = unframe(data);
      if (header.session !== session) [session, obeyed, shown, actions] = [header.session, 0, [0, 0], []];
      actions = actions.filter(([number]) => number > header.heard);
      [self.revision, self.header] = [header.revision, header];
      if (header.obey > obeyed) {
        [obeyed, fields] = [header.obey, header.fields];
        adopt(fields);
      }
      const result = held.get(header.digest) ?? (body.length ? unpack(body) : null);
      if (!result) return report(header.digest);
      if (header.whole) keep(header.digest, result);
      self.offer(header.revision, header.sequence, result);
    },
    /** Show a result unless it is older than what is shown; whether it is shown. */
    offer(/** @type {number} */ revision, /** @type {number} */ sequence, /** @type {any} */ result) {
      if (revision < shown[0] || (revision === shown[0] && sequence < shown[1])) return false;
      shown = [revision, sequence];
      show(result);
      return true;
    },
    /** Report fields that a person has changed, when the control is released, and an action, see PROTOCOL.md. */
    send(/** @type {object} */ changed, action = "") {
      fields = { ...fields, ...changed };
      report("", action);
    },
  };
  return self;
}

/**
 * The component in this place, after it has processed the data from Python; Streamlit calls this on every run, and when
 * the theme changes.
 * @template {{ follower: Follower, readStyle: () => void, draw: () => void }} T
 * @param {Mount} mount
 * @param {(root: ParentNode) => T} create
 * @returns {T}
 */
export function follow({ data, parentElement, setStateValue }, create) {
  const self = instance(parentElement, create);
  self.follower.post = (message) => setStateValue("message", message);
  self.readStyle();
  if (data) self.follower.receive(data);
  self.draw();
  return self;
}

/**
 * The header and the bytes of what `framed` of tsa/stage/packing.py has joined.
 * @param {Uint8Array} data
 */
export function unframe(data) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  return { header, body: data.subarray(4 + length) };
}
