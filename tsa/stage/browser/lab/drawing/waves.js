// The mechanism: one row for each weight with its circles and its wave, the sum of the waves, the posterior and what
// each turn leaves over, all on one axis of s.

import { context } from "../../shared/canvas.js";
import { TURN, hue, withStops } from "../../shared/colour.js";
import { fill } from "../../shared/text.js";
import { drawLeftOvers } from "./pictures.js";
import { planRows, rowName } from "./rows.js";
import { drawPosterior, drawPosteriorTexts } from "./strip.js";
import { COS, namedModes, posteriorParameters, triedTurn, wave, waveSum } from "../sweep.js";
import { setType, wrapped, write } from "./type.js";

/** @import { Pen } from "../../shared/canvas.js" */
/** @import { PlacedRow, Plan } from "./rows.js" */
/** @import { Stage } from "../stage.js" */

const SWITCHES_END = 42; // pixels, in stage.css

/**
 * Places in the drawing, in pixels: the axis from `west` to `east`, `names` of the rows, their circles between `circles`
 * and `circlesEnd`, `top` of the rows, then the sum around `zero`, the posterior above `base`, discs around `discs`.
 * @typedef {{
 *   width: number, height: number, unit: number, pad: number, names: number, circles: number,
 *   circlesEnd: number, west: number, east: number, top: number, rule: number, sumTop: number, zero: number, sumHeight: number,
 *   base: number, tall: number, discs: number, disc: number, plan: Plan,
 * }} WaveLayout
 */

/**
 * @param {Stage} self
 * @param {number} width
 * @param {number} height
 * @returns {WaveLayout}
 */
export function waveLayout(self, width, height) {
  const { rows, prior } = self.sweep;
  const unit = Math.min(1.5, Math.max(0.86, Math.min(width / 600, height / 640)));
  const pad = 16;
  const narrow = width < 480;
  const names = Math.max(pad + 32 * unit, SWITCHES_END + 7);
  const circles = names + (narrow ? 30 : 42) * unit;
  const circlesEnd = circles + (narrow ? 70 : 116) * unit;
  const [west, east] = [circlesEnd + 14, width - pad - 40 * unit];
  const top = 46 * unit;
  const disc = Math.max(6, Math.min((east - west) / 12 - 6, 26 * unit));
  const tall = Math.min(110 * unit, Math.max(46, 0.15 * height));
  const below = 26 * unit + tall + disc + 34 * unit; // gaps, posterior, discs and their degrees
  const gap = 9 * unit;
  const leastSum = (height < 500 ? 44 : 70) * unit;
  const room = Math.max(120, height - top - below - 2 * gap - (prior.length ? 22 * unit : 0));
  const least = window.matchMedia("(pointer: coarse)").matches ? 26 : 19; // pixels of a row, which has a switch
  const { low, high } = self.sumRange;
  const plan = planRows(rows, (k) => (k ? self.loudness[k - 1] : 0), high - low, leastSum, room, unit, least);
  const rule = top + plan.used + (prior.length ? 22 * unit : 0) + gap;
  const sumTop = rule + gap;
  const sumHeight = Math.max(leastSum, (high - low) * plan.scale);
  const zero = sumTop + (sumHeight - (high - low) * plan.scale) / 2 + high * plan.scale;
  const base = height - disc - 34 * unit;
  return {
    width, height, unit, pad, names, circles, circlesEnd, west, east, top, rule, sumTop, zero, sumHeight, base,
    tall: Math.min(tall, base - sumTop - sumHeight - 20 * unit), discs: base + 10 + disc / 2, disc, plan,
  };
}

/**
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawWaves(self, canvas) {
  const [pen, width, height] = context(canvas);
  if (!self.odds.length || width < 200) return; // no texts yet, or no room for an axis, as before the page is laid out
  if (self.layout?.width !== width || self.layout.height !== height || self.layoutOf !== self.sweep) {
    self.layout = waveLayout(self, width, height);
    self.layoutOf = self.sweep;
    self.placeSwitches();
    const { west, east, sumTop, sumHeight, zero, top, plan } = self.layout;
    const rows = plan.rows.map(({ kind, top: start, height }) => ({ kind, top: top + start, height }));
    canvas.dataset.layout = JSON.stringify({ west, east, sumTop, sumHeight, zero, scale: plan.scale, rows }); // for tests
  }
  const at = self.layout;
  const x = (/** @type {number} */ degrees) => at.west + ((at.east - at.west) * degrees) / 360;
  const hues = withStops(pen.createLinearGradient(at.west, 0, at.east, 0), (t) => t * TURN);
  drawHeads(self, pen, at);
  for (const row of at.plan.rows) drawRow(self, pen, at, row, x, hues);
  if (self.sweep.prior.length) drawPriorRow(self, pen, at, x, hues);
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(at.pad, at.rule);
  pen.lineTo(at.width - at.pad, at.rule);
  pen.stroke();
  const energy = waveSum(posteriorParameters(self, self.gain));
  signed(self, pen, energy, at.zero, at.plan.scale, x, hues);
  drawSumTexts(self, pen, at);
  drawDiscs(self, pen, at, x);
  if (self.hidden) return;
  const share = drawPosterior(self, pen, at, energy, x, hues);
  drawVerticals(self, pen, at, x);
  drawPosteriorTexts(self, pen, at, x, share); // over the line at the tried turn
}

/**
 * A curve with its crests in the hues of s and its troughs in grey.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Float32Array} values nats at 0°…360°
 * @param {number} zero
 * @param {number} scale pixels per nat
 * @param {(degrees: number) => number} x
 * @param {CanvasGradient} hues
 */
function signed(self, pen, values, zero, scale, x, hues) {
  for (const [side, style] of /** @type {[number, string | CanvasGradient][]} */ ([[1, hues], [-1, self.style.border]])) {
    pen.beginPath();
    pen.moveTo(x(0), zero);
    for (let d = 0; d <= 360; d++) pen.lineTo(x(d), zero - side * Math.max(0, side * values[d]) * scale);
    pen.lineTo(x(360), zero);
    pen.fillStyle = style;
    pen.fill();
  }
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.5;
  pen.lineJoin = "round";
  pen.beginPath();
  for (let d = 0; d <= 360; d++) pen.lineTo(x(d), zero - values[d] * scale);
  pen.stroke();
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 */
function drawHeads(self, pen, at) {
  const { labelTexts: texts } = self;
  setType(self, pen, 13 * at.unit);
  const y = at.top - 8 * at.unit;
  write(self, pen, texts.weight, at.pad, y, { quiet: true });
  write(self, pen, texts.circles, at.circles, y, { quiet: true });
  write(self, pen, texts.loudness, at.width - at.pad, y, { quiet: true, align: "right" });
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {PlacedRow} row
 * @param {(degrees: number) => number} x
 * @param {CanvasGradient} hues
 */
function drawRow(self, pen, at, row, x, hues) {
  const [top, middle] = [at.top + row.top, at.top + row.top + row.height / 2];
  const loud = row.kind === "loud";
  const off = row.weights.every((k) => self.sweep.without.includes(k));
  if (loud) {
    pen.fillStyle = self.style.soft;
    pen.beginPath();
    pen.roundRect(8, top + 1, at.width - 16, row.height - 2, 8);
    pen.fill();
  }
  const size = (loud ? 21 : 14) * at.unit;
  setType(self, pen, size, loud ? 650 : 400);
  write(self, pen, rowName(row.weights), row.kind === "fixed" ? at.pad : at.names, middle + size * 0.35, { quiet: !loud });
  if (row.kind === "fixed") return drawFixed(self, pen, at, middle);
  row.weights.forEach((k, i) => {
    const { kappa, mu } = wave(self, k);
    const y = row.weights.length > 1 ? middle + row.thin * (i - (row.weights.length - 1) / 2) : middle;
    const share = self.gain(k);
    if (self.sweep.without.includes(k) || kappa * at.plan.scale < 0.4) {
      pen.strokeStyle = self.style.faint;
      pen.lineWidth = 1.2;
      pen.setLineDash(off ? [2, 4] : []);
      pen.beginPath();
      for (let d = 0; d <= 360; d += off ? 3 : 360) pen.lineTo(x(d), y - kappa * at.plan.scale * Math.cos((k * d * TURN) / 360 - mu));
      pen.stroke();
      pen.setLineDash([]);
      return;
    }
    const [re, im] = [share * kappa * Math.cos(mu), share * kappa * Math.sin(mu)];
    const values = new Float32Array(361);
    for (let d = 0; d <= 360; d++) values[d] = re * COS[(k * d) % 360] + im * COS[(k * d + 270) % 360];
    signed(self, pen, values, y, at.plan.scale, x, hues);
  });
  const most = Math.max(...row.weights.map((k) => wave(self, k).kappa));
  setType(self, pen, (loud ? 16 : 13) * at.unit, loud ? 650 : 400);
  const text = off ? self.labelTexts.off : most < self.minPrintedKappa ? "0" : most < 100 ? most.toFixed(1) : most.toFixed(0);
  write(self, pen, text, at.width - at.pad, middle + 5 * at.unit, { quiet: !loud, align: "right" });
}

/**
 * Weight 0: a dotted line, and why it does not matter.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {number} y
 */
function drawFixed(self, pen, at, y) {
  setType(self, pen, 13 * at.unit);
  const text = self.labelTexts.fixed;
  const wide = pen.measureText(text).width;
  const middle = (at.west + at.east) / 2;
  const fits = wide < at.east - at.west - 20;
  pen.strokeStyle = self.style.faint;
  pen.lineWidth = 1.2;
  pen.setLineDash([2, 4]);
  pen.beginPath();
  for (const [from, to] of fits ? [[at.west, middle - wide / 2 - 8], [middle + wide / 2 + 8, at.east]] : [[at.west, at.east]]) {
    pen.moveTo(from, y);
    pen.lineTo(to, y);
  }
  pen.stroke();
  pen.setLineDash([]);
  if (fits) write(self, pen, text, middle, y + 4.5 * at.unit, { quiet: true, align: "center" });
  write(self, pen, "–", at.width - at.pad, y + 5 * at.unit, { quiet: true, align: "right" });
}

/**
 * What the prior adds: the last row before the sum.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {(degrees: number) => number} x
 * @param {CanvasGradient} hues
 */
function drawPriorRow(self, pen, at, x, hues) {
  const y = at.top + at.plan.used + 11 * at.unit;
  const values = waveSum(self.sweep.prior);
  const most = Math.max(...values);
  const scale = Math.min(at.plan.scale, (9 * at.unit) / Math.max(most, 1e-9));
  signed(self, pen, values, y, scale, x, hues);
  setType(self, pen, 14 * at.unit);
  write(self, pen, self.labelTexts.prior, at.pad, y + 5 * at.unit);
  setType(self, pen, 13 * at.unit);
  write(self, pen, most.toFixed(1), at.width - at.pad, y + 5 * at.unit, { align: "right" });
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 */
function drawSumTexts(self, pen, at) {
  const { labelTexts: texts } = self;
  const { unit, pad } = at;
  const y = at.sumTop + 18 * unit;
  setType(self, pen, 19 * unit, 650);
  write(self, pen, texts.sum, pad, y);
  const wide = pen.measureText(texts.sum).width;
  setType(self, pen, 14 * unit);
  if (at.west - pad > 180) write(self, pen, texts.formula, pad + wide + 10, y);
  const lines = at.sumHeight > 58 * unit ? wrapped(pen, texts.sumText, at.west - pad - 12) : [];
  lines.forEach((line, i) => write(self, pen, line, pad, y + 19 * unit * (i + 1), { quiet: true }));
  const keyEnd = pad + 56 * unit + 28 + pen.measureText(texts.against).width;
  if (at.sumHeight > 88 * unit && keyEnd < at.west) {
    const key = y + 19 * unit * (lines.length + 1);
    pen.fillStyle = withStops(pen.createLinearGradient(pad, 0, pad + 22, 0), (t) => (0.08 + 0.6 * t) * TURN);
    pen.fillRect(pad, key - 10, 22, 11);
    write(self, pen, texts.for, pad + 28, key, { quiet: true });
    pen.fillStyle = self.style.border;
    pen.fillRect(pad + 56 * unit, key - 10, 22, 11);
    write(self, pen, texts.against, pad + 56 * unit + 28, key, { quiet: true });
  }
  // A scale bar for all waves and their sum.
  const { scale } = at.plan;
  const nats = [500, 200, 100, 50, 20, 10, 5, 2, 1].find((count) => count * scale <= 44 * unit) ?? 1;
  const [bar, start] = [at.width - pad - 4, at.sumTop + 4];
  pen.strokeStyle = self.style.color;
  pen.globalAlpha = 0.7;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const [px, py] of [[-4, 0], [4, 0]]) pen.lineTo(bar + px, start + py);
  pen.moveTo(bar, start);
  pen.lineTo(bar, start + nats * scale);
  for (const px of [-4, 4]) px < 0 ? pen.moveTo(bar + px, start + nats * scale) : pen.lineTo(bar + px, start + nats * scale);
  pen.stroke();
  pen.globalAlpha = 1;
  setType(self, pen, 12.5 * unit);
  write(self, pen, fill(texts.nats, { count: nats }), at.width - pad, start + nats * scale + 15 * unit, { quiet: true, align: "right" });
}

/**
 * What x, turned by every thirty degrees, leaves over of y.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {(degrees: number) => number} x
 */
function drawDiscs(self, pen, at, x) {
  const places = Array.from({ length: 13 }, (_, i) => ({ degrees: 30 * i, x: x(30 * i) }));
  drawLeftOvers(self, pen, places, at.discs, at.disc / 2);
  const modes = self.hidden ? [] : namedModes(self).map(({ degrees }) => degrees);
  setType(self, pen, 15 * at.unit, 650);
  write(self, pen, self.labelTexts.left, at.pad, at.discs + 2);
  setType(self, pen, 12.5 * at.unit);
  write(self, pen, self.labelTexts.leftText, at.pad, at.discs + 18 * at.unit, { quiet: true });
  const isHit = (/** @type {number} */ degrees) =>
    modes.some((mode) => Math.abs(mode - degrees) < 2 || Math.abs(mode + 360 - degrees) < 2);
  const hits = places.filter(({ degrees }) => isHit(degrees));
  for (const { degrees, x: px } of hits) {
    pen.strokeStyle = hue((degrees * TURN) / 360);
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(px, at.discs, at.disc / 2 + 1, 0, TURN);
    pen.stroke();
  }
  // Labels of the modes first; then those of the axis, as far as there is room.
  /** @type {[number, number][]} */
  const taken = [];
  for (const { degrees, x: px } of [...hits, ...places.filter(({ degrees }) => degrees % 90 === 0 && !isHit(degrees))]) {
    setType(self, pen, 13 * at.unit, isHit(degrees) ? 650 : 400);
    const half = pen.measureText(`${degrees}°`).width / 2 + 2;
    if (taken.some(([other, room]) => Math.abs(other - px) < room + half)) continue;
    taken.push([px, half]);
    write(self, pen, `${degrees}°`, px, at.discs + at.disc / 2 + 15 * at.unit, { quiet: !isHit(degrees), align: "center" });
  }
}

/**
 * One s for everything: the turn of the dial dashed, the turn that is tried as a line with a flag.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {WaveLayout} at
 * @param {(degrees: number) => number} x
 */
function drawVerticals(self, pen, at, x) {
  const tried = triedTurn(self);
  const line = (/** @type {number} */ px, /** @type {number[]} */ dash, /** @type {number} */ wide) => {
    pen.strokeStyle = self.style.color;
    pen.lineWidth = wide;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(px, at.top - 4);
    pen.lineTo(px, at.base);
    pen.stroke();
    pen.setLineDash([]);
  };
  line(x(self.angle), [5, 4], 1.4);
  line(x(tried), [], 2);
  setType(self, pen, 13 * at.unit, 650);
  const flag = fill(self.labelTexts.tried, { angle: tried });
  const half = pen.measureText(flag).width / 2 + 8;
  const px = Math.min(at.width - at.pad - half - 70 * at.unit, Math.max(at.west, x(tried)));
  pen.fillStyle = self.style.color;
  pen.beginPath();
  pen.roundRect(px - half, at.top - 27 * at.unit, 2 * half, 21 * at.unit, 6);
  pen.fill();
  pen.fillStyle = self.style.paper;
  pen.textAlign = "center";
  pen.fillText(flag, px, at.top - 12 * at.unit);
  setType(self, pen, 13 * at.unit);
  const mark = self.sweep.words.templates.mark;
  const wide = pen.measureText(mark).width;
  // The name of the dashed line stands beside its top, on the side away from the flag.
  const [left, right] = [x(self.angle) - wide / 2, x(self.angle) + wide / 2];
  const clear = right < px - half - 4 || left > px + half + 4;
  const end = at.width - at.pad - 68 * at.unit;
  if (clear && right < end) write(self, pen, mark, Math.max(at.west - 10, left), at.top - 12 * at.unit);
  else if (clear === false && x(self.angle) >= px && px + half + 6 + wide < end) write(self, pen, mark, px + half + 6, at.top - 12 * at.unit);
  else if (clear === false && px - half - 6 - wide > at.west - 30) write(self, pen, mark, px - half - 6 - wide, at.top - 12 * at.unit);
}
