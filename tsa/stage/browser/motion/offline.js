// The motion page in one file, without a server: answers for sizes of the window are stored, and the window is as wide as
// the nearest of them. Its rim can be dragged; the picture stays where it is.

import { follow, unframe } from "../shared/follower.js";
import { unpack } from "../shared/unpack.js";
import { motionView } from "./view.js";

/** @import { Mount } from "../shared/mount.js" */
/** @import { Packed } from "./packed.js" */

/** @param {Mount} mount */
export default function (mount) {
  const { header, body } = unframe(mount.data);
  const { header: stored, body: packs } = unframe(body);
  const text = JSON.stringify(header);
  // What the follower expects: the whole answer of the size that the page opens with.
  const first = framed(text, packs.subarray(0, stored.bytes[0]));
  const self = follow({ ...mount, data: first }, (root) => create(root, stored, packs));
  return self.stop;
}

/**
 * @param {ParentNode} root
 * @param {{ bytes: number[], sizes: number[] }} stored lengths of the packed answers; the first is whole
 * @param {Uint8Array} packs
 */
function create(root, stored, packs) {
  const starts = stored.bytes.reduce((/** @type {number[]} */ all, length) => [...all, (all.at(-1) ?? 0) + length], [0]);
  /** @type {Packed[]} */
  const answers = stored.sizes.map((_, i) => unpack(packs.subarray(starts[i + 1], starts[i + 2])));
  const nearest = (/** @type {number} */ size) =>
    stored.sizes.reduce((best, one, i) => (Math.abs(one - size) < Math.abs(stored.sizes[best] - size) ? i : best), 0);
  const self = motionView(root, (view) => {
    const at = nearest(view.fields.window);
    const { motion, windowAt } = answers[at];
    view.fields = { ...view.fields, window: stored.sizes[at], shift: motion, window_at: windowAt, tried_shift: null };
    view.packed = Object.assign({}, view.packed, { waveLabels: [] }, answers[at]);
    view.drawSoon();
  });
  self.sizes = stored.sizes;
  self.find("motion").classList.add("offline");
  const draw = self.draw;
  self.draw = () => {
    draw();
    if (!self.packed) return;
    for (const button of self.find("others").children) button.disabled = true;
  };
  return self;
}

/**
 * @param {string} header
 * @param {Uint8Array} body
 */
function framed(header, body) {
  const text = new TextEncoder().encode(header);
  const padded = text.length + ((8 - ((text.length + 4) % 8)) % 8);
  const data = new Uint8Array(4 + padded + body.length).fill(32);
  new DataView(data.buffer).setUint32(0, padded, true);
  data.set(text, 4);
  data.set(body, 4 + padded);
  return data;
}
