// Reads what `pack_arrays` of tsa/stage/packing.py writes: the length of the header in four bytes, the header in JSON, which
// lists the arrays, then the arrays, each aligned to eight bytes.

/** @type {Record<string, any>} */
const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

/**
 * The header as an object, with each array under its name.
 * @param {Uint8Array} bytes
 * @returns {any}
 */
export function unpack(bytes) {
  const { buffer } = bytes.slice(); // Streamlit's bytes start anywhere; arrays of floats need an aligned start
  const length = new DataView(buffer).getUint32(0, true);
  const unpacked = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let start = 4 + length;
  for (const [name, type, size] of unpacked.arrays) {
    unpacked[name] = new ARRAYS[type](buffer, start, size);
    start += Math.ceil(unpacked[name].byteLength / 8) * 8;
  }
  return unpacked;
}
