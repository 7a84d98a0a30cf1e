// Reads a packed sweep at the angle of the dial.

import { TURN } from "../shared/colour.js";

/** @import { Stage } from "./stage.js" */

/**
 * Texts, in Python's words. The answer of angle t is `answers[answer[t]]`, and so on.
 * @typedef {object} SweepWords
 * @property {string} question
 * @property {string[]} titles of the waves
 * @property {string[]} answers
 * @property {string[]} equations
 * @property {string[]} whys
 * @property {string[]} fits
 * @property {string[]} numbers names of the numbers
 * @property {string[][]} values of the numbers, for each angle
 * @property {number} namedPerTurn M
 * @property {Record<string, string>} templates
 * @property {Record<string, string>} glossary
 * @property {string[]} odds texts for `oddsStep` nats below the best turn, twice that, and so on
 * @property {number} oddsStep nats
 */

/**
 * Sizes and opacities that the drawings in Python share; see tsa/stage/look.py.
 * @typedef {{
 *   logRange: number,
 *   pictureRadius: number, rimOverPicture: number, rimHalfWidth: number,
 *   petalMargin: number, petalDensity: number, areaSample: number, paleOpacity: number,
 *   minCertainty: number, minColouredCertainty: number, bandHeight: number, tickRadii: [number, number],
 *   opacityRange: [number, number], tickOpacityRange: [number, number],
 * }} Look
 */

/** The cosine of each whole degree. */
export const COS = Float64Array.from({ length: 360 }, (_, d) => Math.cos((d * TURN) / 360));

/** @typedef {{ weights: number[], kind: "fixed" | "loud" | "quiet" | "silent" }} WeightRow see tsa/stage/rows.py */

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
 * @property {WeightRow[]} rows
 * @property {number[]} loudest the two weights with the largest amplitudes
 * @property {number[]} without weights that are not part of the posterior
 * @property {number} sigma noise of the model
 * @property {Uint8Array} first picture of x; empty if y is a copy of it
 * @property {Uint8Array} picture of y
 * @property {Uint8Array} x patch, (size²,)
 * @property {Uint8Array} y patches, (T, size²)
 * @property {Float32Array} noise added to the pixels of y, (size²,); empty if there is none
 * @property {Uint16Array} density log density at each degree, 65535 at the peak, (T, 360)
 * @property {Float32Array} peak largest density per radian, (T,)
 * @property {Float32Array} level density at the edge of the 95 % credible set over the peak, (T,)
 * @property {Uint16Array} answer (T,)
 * @property {Uint16Array} equation (T,)
 * @property {Uint16Array} why (T,)
 * @property {Uint16Array} fit (T,)
 * @property {Uint16Array} title (T,)
 * @property {Float32Array} named modes: whole degrees and percent, −1 where there are fewer, (T, M, 2)
 * @property {Float32Array} waves natural parameters of each weight, prior not included, (T, K) complex
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
 * The density per radian at each whole degree.
 * @param {Stage} self
 */
export function density(self) {
  const { density: packed, peak, look } = self.sweep;
  const [start, most] = [360 * row(self), peak[row(self)]];
  return Float32Array.from(packed.subarray(start, start + 360), (q) => (q ? most * Math.exp((q / 65535 - 1) * look.logRange) : 0));
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
 * The turn by which x is laid over y, in degrees: the one that was tried, or else the first answer.
 * @param {Stage} self
 */
export const triedTurn = (self) => self.tried ?? namedModes(self)[0]?.degrees ?? self.angle;

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
 * Concentration and phase (radians) of the wave κ cos(ks − μ) that the pair adds for weight k.
 * @param {Stage} self
 * @param {number} k
 */
export function wave(self, k) {
  const { waves, harmonics } = self.sweep;
  const at = 2 * (row(self) * harmonics + k - 1);
  return { kappa: Math.hypot(waves[at], waves[at + 1]), mu: Math.atan2(waves[at + 1], waves[at]) };
}

/**
 * The values of Re Σ conj(η_k) e^{iks} at s = 0°, 1°, …, 360°.
 * @param {[number, number][]} eta natural parameters of the harmonics 1, 2, …
 * @returns {Float32Array} (361,) nats
 */
export function waveSum(eta) {
  const values = new Float32Array(361);
  eta.forEach(([re, im], i) => {
    if (re === 0 && im === 0) return;
    for (let d = 0; d <= 360; d++) {
      const degrees = ((i + 1) * d) % 360;
      values[d] += re * COS[degrees] + im * COS[(degrees + 270) % 360];
    }
  });
  return values;
}

/**
 * Natural parameters of the harmonics 1, 2, … of the posterior: the prior, and each weight's wave times `gain(k)`.
 * @param {Stage} self
 * @param {(k: number) => number} gain
 */
export function posteriorParameters(self, gain) {
  const { waves, harmonics, prior, without } = self.sweep;
  const start = 2 * row(self) * harmonics;
  const most = Math.max(harmonics, prior.length);
  return Array.from({ length: most }, (_, i) => {
    const [re, im] = prior[i] ?? [0, 0];
    const share = i < harmonics && !without.includes(i + 1) ? gain(i + 1) : 0;
    return /** @type {[number, number]} */ (
      share ? [re + share * waves[start + 2 * i], im + share * waves[start + 2 * i + 1]] : [re, im]
    );
  });
}

/**
 * The density per radian of which `energy` (361 values) is the logarithm plus a constant.
 * @param {Float32Array} energy
 */
export function normalized(energy) {
  const most = Math.max(...energy);
  const values = energy.subarray(0, 360).map((value) => Math.exp(value - most));
  const total = (values.reduce((sum, value) => sum + value, 0) * TURN) / 360;
  return values.map((value) => value / total);
}
