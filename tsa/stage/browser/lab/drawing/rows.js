// Heights of the rows of waves, all on one scale.

/** @import { WeightRow } from "../sweep.js" */

/** @typedef {WeightRow & { top: number, height: number, thin: number }} PlacedRow `thin`: pixels between its waves */
/** @typedef {{ rows: PlacedRow[], scale: number, used: number }} Plan `scale` in pixels per nat, `used` pixels */

const MAX_PIXELS_PER_NAT = 6; // so that next to nothing looks like next to nothing
const ENOUGH = 0.8; // of the least height of the sum: below it, rows that are not loud are folded into one

/**
 * The largest scale at which all rows and their sum fit into `room` pixels, up to a maximum.
 * @param {WeightRow[]} rows
 * @param {(weight: number) => number} kappa largest amplitude of a weight, in nats
 * @param {number} sumRange nats from the lowest to the highest value of the sum
 * @param {number} leastSum pixels that the sum is given at least
 * @param {number} room pixels for rows and sum
 * @param {number} unit size of the type, 1 at 15 pixels
 * @param {number} least pixels of a row
 * @returns {Plan}
 */
export function planRows(rows, kappa, sumRange, leastSum, room, unit, least) {
  const cap = MAX_PIXELS_PER_NAT * unit;
  const attempts = [plan(rows, 12 * unit), plan(rows, 8 * unit), plan(folded(rows), 5 * unit)];
  return attempts.find(({ scale }) => scale === cap || scale * sumRange >= ENOUGH * leastSum) ?? attempts[2];

  /**
   * @param {WeightRow[]} rows
   * @param {number} thin
   */
  function plan(rows, thin) {
    const lowest = (/** @type {WeightRow} */ row) =>
      row.kind === "loud" ? Math.max(least, 26 * unit) : Math.max(least, row.weights.length > 1 ? thin * row.weights.length + 6 : 0);
    const most = (/** @type {WeightRow} */ row) => Math.max(...row.weights.map(kappa), 0);
    const height = (/** @type {WeightRow} */ row, /** @type {number} */ scale) =>
      Math.max(lowest(row), row.kind === "loud" || row.kind === "quiet" ? 2 * most(row) * scale + 8 : 0);
    const need = (/** @type {number} */ scale) =>
      rows.reduce((sum, row) => sum + height(row, scale), 0) + Math.max(leastSum, sumRange * scale);
    let [low, high] = [0, cap];
    if (need(cap) <= room) low = cap;
    else
      for (let i = 0; i < 40; i++) {
        const middle = (low + high) / 2;
        if (need(middle) > room) high = middle;
        else low = middle;
      }
    let top = 0;
    const placed = rows.map((row) => {
      const own = height(row, low);
      top += own;
      return { ...row, thin: row.weights.length > 1 ? Math.min(thin, (own - 6) / row.weights.length) : 0, top: top - own, height: own };
    });
    return { rows: placed, scale: low, used: top };
  }
}

/**
 * Neighbouring rows that are not loud, in one.
 * @param {WeightRow[]} rows
 */
function folded(rows) {
  /** @type {WeightRow[]} */
  const result = [];
  for (const row of rows) {
    const last = result.at(-1);
    const quiet = (/** @type {WeightRow | undefined} */ one) => one?.kind === "quiet" || one?.kind === "silent";
    if (last && quiet(last) && quiet(row)) result[result.length - 1] = { weights: [...last.weights, ...row.weights], kind: "silent" };
    else result.push(row);
  }
  return result;
}

/**
 * "4", "1, 3" or "1–3": the weights of a row.
 * @param {number[]} weights
 */
export const rowName = (weights) => (weights.length > 2 ? `${weights[0]}–${weights.at(-1)}` : weights.join(", "));
