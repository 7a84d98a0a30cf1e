// The posterior over the axis of s, below the sum of the waves.

import { setType, wrapped, write } from "./type.js";
import { density, namedModes, normalized, posteriorParameters, row, waveSum } from "../sweep.js";

/** @import { Pen } from "../../shared/canvas.js" */
/** @import { Stage } from "../stage.js" */
/** @import { WaveLayout } from "./waves.js" */

/**
 * The density, on the scale of the petals: its 95 % credible set in full colour; with a prior, both parts as outlines.
 * Returns the height of the highest peak, as a share of `tall`.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {Float32Array} energy
 * @param {(degrees: number) => number} x
 * @param {CanvasGradient} hues
 */
export function drawPosterior(self, pen, at, energy, x, hues) {
  const { look, level, prior } = self.sweep;
  const p = self.building === null ? density(self) : normalized(energy);
  const peak = Math.max(...p);
  const share = peak / Math.hypot(look.petalDensity, peak); // compressed as the petals are
  const height = (/** @type {number} */ value) =>
    self.log ? at.tall * Math.max(0, 1 + Math.log(Math.max(value / peak, 1e-30)) / look.logRange) : (at.tall * share * value) / peak;
  const edge = self.building === null ? level[row(self)] * peak * 0.999 : 0;
  for (const [alpha, least] of [[look.paleOpacity, -1], [1, edge]]) {
    pen.beginPath();
    for (let d = 0; d <= 360; d++) {
      const inside = p[d % 360] >= least;
      const before = p[(d + 359) % 360] >= least && d > 0;
      if (inside && !before) pen.moveTo(x(d), at.base);
      if (inside) pen.lineTo(x(d), at.base - Math.max(1, height(p[d % 360])));
      if ((inside && d === 360) || (!inside && before)) pen.lineTo(x(inside ? d : d - 1), at.base);
    }
    pen.fillStyle = hues;
    pen.globalAlpha = alpha;
    pen.fill();
  }
  pen.globalAlpha = 1;
  curve(self, pen, p, height, at.base, x, []);
  if (prior.length && self.building === null && !self.log) {
    curve(self, pen, normalized(waveSum(prior)), height, at.base, x, [5, 4]);
    const pair = posteriorParameters(self, () => 1).map(([re, im], i) => /** @type {[number, number]} */ ([re - (prior[i]?.[0] ?? 0), im - (prior[i]?.[1] ?? 0)]));
    curve(self, pen, normalized(waveSum(pair)), height, at.base, x, [1.5, 3]);
  }
  return share;
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Float32Array} p
 * @param {(value: number) => number} height
 * @param {number} base
 * @param {(degrees: number) => number} x
 * @param {number[]} dash
 */
function curve(self, pen, p, height, base, x, dash) {
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.4;
  pen.setLineDash(dash);
  pen.beginPath();
  for (let d = 0; d <= 360; d++) pen.lineTo(x(d), base - height(p[d % 360]));
  pen.stroke();
  pen.setLineDash([]);
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {(degrees: number) => number} x
 * @param {number} share height of the highest peak, as a share of `tall`
 */
export function drawPosteriorTexts(self, pen, at, x, share) {
  const { labelTexts: texts } = self;
  const { unit, pad } = at;
  const top = at.base - at.tall;
  setType(self, pen, 19 * unit, 650);
  write(self, pen, texts.posterior, pad, top + 14 * unit);
  setType(self, pen, 13.5 * unit);
  const notes = self.sweep.prior.length ? [texts.priorLine, texts.pairLine] : wrapped(pen, texts.posteriorText, at.west - pad - 12);
  const room = Math.floor((at.tall - 22 * unit) / (18 * unit));
  notes.slice(0, room).forEach((line, i) => write(self, pen, line, pad, top + 14 * unit + 18 * unit * (i + 1), { quiet: true }));
  if (self.building !== null) return;
  setType(self, pen, 14.5 * unit, 650);
  let last = -Infinity;
  for (const { degrees, percent } of namedModes(self)) {
    const half = pen.measureText(`${percent} %`).width / 2;
    const px = Math.min(at.east - half + 20, Math.max(at.west + half, x(degrees)));
    if (px - half < last + 4) continue;
    last = px + half;
    const tip = self.log ? at.base - at.tall : at.base - at.tall * share;
    write(self, pen, `${percent} %`, px, tip - 6 * unit, { align: "center", halo: 5 * unit });
  }
}
