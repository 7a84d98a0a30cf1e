// What `pack_motion` of tsa/stage/motion_output/packing.py sends. Motions and places are [right, up] in pixels.

/** @typedef {{ name: string, answer: string, fields: Record<string, unknown>, edge: number }} Other `edge` is the byte on its outline */

/**
 * @typedef {object} Packed
 * @property {number} side pixels of the world
 * @property {number} edge byte of the map on the outline of the 95 % region
 * @property {[number, number]} motion
 * @property {number} window diameter
 * @property {[number, number]} windowAt
 * @property {[number, number]} mode
 * @property {[number, number]} slowest
 * @property {[right: number, up: number, mass: string][]} masses of the pieces of the region, if there are several
 * @property {[number, number]} shown motion by which x is laid over y
 * @property {boolean} isTried whether a person chose that motion
 * @property {any} words
 * @property {Uint8Array} x
 * @property {Uint8Array} y
 * @property {Uint8Array} after
 * @property {Uint8Array} laid
 * @property {Uint8Array} left
 * @property {Uint8Array} seen
 * @property {Uint8Array} map log density, 255 at its highest
 * @property {Uint8Array} opacity of each byte of the map
 * @property {Float32Array} right marginal density of the motion to the right, relative to its highest
 * @property {Float32Array} up the same of the motion up
 * @property {Float32Array} fan
 * @property {Float32Array} waves
 * @property {{ label: string, edge: number }[]} sums
 * @property {Other[]} others
 * @property {string[]} waveLabels
 * @property {[diameter: number, label: string][]} steps what the answer would be from each of these sizes of the window on
 * @property {Uint8Array} sumMaps
 * @property {Uint8Array} otherMaps
 */

export const WAVE_NUMBERS = 4; // of each wave in `waves`: right, up, certainty, phase
