// Arithmetic of weights: a number, or a pair of numbers if the group has two parameters.

/** @typedef {number | [number, number]} Weight */

/**
 * A number with at most one decimal.
 * @param {number} value
 */
export const number = (value) => `${Number(value.toFixed(1))}`.replace("-", "−");

/** @type {(weight: Weight) => number} */
export const modulus = (weight) => Math.hypot(...[weight].flat());

/**
 * The bar of the histogram that counts a weight.
 * @param {Weight} weight
 */
export const size = (weight) => Math.round(modulus(weight));

/** @type {(value: number, period: number) => number} */
export const remainder = (value, period) => ((value % period) + period) % period;
