// Packed bytes, made here by hand as tsa/stage/packing.py describes them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { unpack } from "../../tsa/stage/browser/shared/unpack.js";

/** @type {(header: object, arrays: ArrayBufferView[], before?: number) => Uint8Array} */
function packed(header, arrays, before = 0) {
  let text = JSON.stringify(header);
  while ((new TextEncoder().encode(text).length + 4) % 8) text += " ";
  const json = new TextEncoder().encode(text);
  const parts = [new Uint8Array(new Uint32Array([json.length]).buffer), json];
  for (const array of arrays) {
    parts.push(new Uint8Array(array.buffer), new Uint8Array((8 - (array.byteLength % 8)) % 8));
  }
  const bytes = Buffer.concat([new Uint8Array(before), ...parts]);
  return new Uint8Array(bytes.buffer, bytes.byteOffset + before, bytes.length - before);
}

const ARRAYS = [new Uint8Array([1, 2, 255]), new Uint16Array([65535, 0, 7]), new Float32Array([0.5, -2])];
const HEADER = {
  text: "κ̂ ≥ 3",
  arrays: [["bytes", "uint8", 3], ["shorts", "uint16", 3], ["floats", "float32", 2], ["none", "float32", 0]],
};

for (const before of [0, 1, 3]) {
  test(`header and arrays of every type, from bytes that start at ${before}`, () => {
    const found = unpack(packed(HEADER, ARRAYS, before));
    assert.equal(found.text, "κ̂ ≥ 3");
    assert.deepEqual([...found.bytes], [1, 2, 255]);
    assert.deepEqual([...found.shorts], [65535, 0, 7]);
    assert.deepEqual([...found.floats], [0.5, -2]);
    assert.equal(found.none.length, 0);
    assert.ok(found.floats instanceof Float32Array);
  });
}

test("arrays do not share memory with the message", () => {
  const message = packed(HEADER, ARRAYS);
  const found = unpack(message);
  message.fill(0);
  assert.deepEqual([...found.bytes], [1, 2, 255]);
});
