// Reads a packed sweep at the angle of the dial.

/** @import { Stage } from "./stage.js" */

/**
 * Texts, in Python's words. The sentence of angle t is `sentences[sentence[t]]`, and so on.
 * @typedef {object} SweepWords
 * @property {string[]} sentences
 * @property {string[]} reasons
 * @property {string[]} numbers names of the numbers
 * @property {string[][]} values of the numbers, for each angle
 * @property {number} namedPerTurn M
 * @property {Record<string, string>} templates
 */

/**
 * Sizes and opacities that the drawings in Python share; see tsa/stage/look.py.
 * @typedef {{
 *   logRange: number,
 *   pictureRadius: number, rimOverPicture: number, rimHalfWidth: number, rimToPetals: number,
 *   flatPetals: number, flatStrip: number, paleOpacity: number,
 *   minCertainty: number, minColouredCertainty: number, bandHeight: number, tickRadii: [number, number],
 *   opacityRange: [number, number], tickOpacityRange: [number, number],
 * }} Look
 */

/**
 * What `pack_sweep` of tsa/stage/packing.py sends: T angles (360, or one), J subspaces, K harmonics, at most M named
 * modes. Complex numbers are pairs of floats.
 * @typedef {object} Sweep
 * @property {SweepWords} words
 * @property {Look} look
 * @property {number} size side of a patch in pixels
 * @property {number | null} only angle in degrees, if the sweep has one angle only
 * @property {boolean} copy whether y is a turned copy of x
 * @property {[number, number]} sides pixels of the pictures of x and y
 * @property {number} harmonics K
 * @property {[number, number][]} prior natural parameters of the first harmonics
 * @property {number[]} weights (J,)
 * @property {boolean[]} lines whether a subspace has one dimension, (J,)
 * @property {number} noise σ
 * @property {Uint8Array} first picture of x; empty if y is a copy of it
 * @property {Uint8Array} picture of y
 * @property {Uint8Array} x patch, (size²,)
 * @property {Uint8Array} y patches, (T, size²)
 * @property {Uint16Array} density log density at each degree, 65535 at the peak, (T, 360)
 * @property {Float32Array} level density at the edge of the 95 % credible set over the peak, (T,)
 * @property {Uint16Array} sentence (T,)
 * @property {Uint16Array} reason (T,)
 * @property {Float32Array} named modes: whole degrees and percent, −1 where there are fewer, (T, M, 2)
 * @property {Float32Array} pooled natural parameters of the posterior, (T, K) complex
 * @property {Float32Array} eta natural parameters of each subspace, (T, J) complex
 * @property {Uint8Array} certainty |E[e^{iφ}]| of each subspace, 255 if certain, (T, J)
 * @property {Float32Array} z coordinates of x, then of each y, (1 + T, J) complex
 * @property {Uint8Array} filters (J, 2, size²), 128 is zero
 */

/**
 * Index of the dial's angle: an early answer has one angle only.
 * @param {Stage} self
 */
export const row = (self) => (self.sweep.only === null ? self.angle : 0);

/**
 * The density at each whole degree, as a share of its peak, or as a share of the logarithmic scale.
 * @param {Stage} self
 */
export function heights(self) {
  const { density, look } = self.sweep;
  const values = density.subarray(360 * row(self), 360 * row(self) + 360);
  return Float32Array.from(values, (q) => (self.log ? q / 65535 : Math.exp((q / 65535 - 1) * look.logRange)));
}

/**
 * The modes that Python names: none if the posterior is nearly flat.
 * @param {Stage} self
 */
export function namedModes(self) {
  const { named, words } = self.sweep;
  const start = 2 * words.namedPerTurn * row(self);
  const modes = [];
  for (let i = start; i < start + 2 * words.namedPerTurn && named[i + 1] >= 0; i += 2) {
    modes.push({ degrees: named[i], percent: named[i + 1] });
  }
  return modes;
}

/**
 * The von Mises density of a subspace: concentration, mean in radians, and |E[e^{iφ}]| between 0 and 1.
 * @param {Stage} self
 * @param {number} j
 */
export function subspace(self, j) {
  const { eta, certainty, weights } = self.sweep;
  const at = row(self) * weights.length + j;
  const [re, im] = [eta[2 * at], eta[2 * at + 1]];
  return { kappa: Math.hypot(re, im), mu: Math.atan2(im, re), certainty: certainty[at] / 255 };
}

/**
 * The subspace with the largest concentration among those that a turn changes.
 * @param {Stage} self
 */
export function mostConcentrated(self) {
  let [best, most] = [0, 0];
  self.sweep.weights.forEach((weight, j) => {
    const { kappa } = subspace(self, j);
    if (weight !== 0 && kappa > most) [best, most] = [j, kappa];
  });
  return best;
}
