// What Python's `pack` makes: a JSON header that lists arrays, then the arrays, each aligned to eight bytes.

function decode(bytes) {
  const copy = bytes.slice(); // arrives unaligned
  const length = new DataView(copy.buffer).getUint32(0, true);
  const blob = JSON.parse(new TextDecoder().decode(copy.subarray(4, 4 + length)));
  const kinds = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };
  let at = 4 + length;
  for (const [name, kind, size] of blob.arrays) {
    blob[name] = new kinds[kind](copy.buffer, at, size);
    at += Math.ceil(blob[name].byteLength / 8) * 8;
  }
  return blob;
}
