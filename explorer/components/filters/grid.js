// Drawings of all filters: histogram of the weights and grid of the filters.

import { context, greyscale, signal } from "../../../tsa/stage/browser/shared/canvas.js";
import { size } from "./weights.js";

/** @import { Pen } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Filters, Packed } from "./filters.js" */
/** @import { Weight } from "./weights.js" */

/**
 * The real and the imaginary part of every filter, one pixel for each of its values.
 * @param {Packed} packed
 */
export function tiles(packed) {
  const [height, width] = packed.shape;
  return packed.weights.map((_, j) =>
    [0, 1].map((part) => {
      const start = (2 * j + part) * height * width;
      const canvas = new OffscreenCanvas(width, height);
      greyscale(canvas, packed.filters.subarray(start, start + height * width));
      return canvas;
    }),
  );
}

/**
 * How many filters have each size of a weight.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawHistogram(self, canvas) {
  const [pen, width, height] = context(canvas);
  const counts = new Map();
  for (const weight of self.packed.weights) counts.set(size(weight), (counts.get(size(weight)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const last = Math.max(...counts.keys());
  const step = width / (last + 1);
  const chosen = size(self.packed.weights[self.chosen]);
  self.bars = [];
  pen.textAlign = "center";
  pen.font = `400 11px ${self.style.fontFamily}`;
  for (const [weight, count] of counts) {
    const h = ((height - 28) * count) / most;
    pen.fillStyle = weight === chosen ? self.accent : self.style.color;
    pen.globalAlpha = weight === chosen ? 1 : 0.35;
    pen.fillRect(weight * step + 2, height - 14 - h, Math.max(1, step - 4), h);
    pen.globalAlpha = 0.8;
    pen.fillStyle = self.style.color;
    if (step > 14 || weight % 5 === 0) pen.fillText(`${weight}`, (weight + 0.5) * step, height - 2);
    if (step > 14) pen.fillText(`${count}`, (weight + 0.5) * step, height - 17 - h);
    self.bars.push([weight * step, step, weight]);
  }
  pen.globalAlpha = 1;
  canvas.setAttribute("aria-label", self.packed.words.histogram);
}

/**
 * All filters that are shown, as large as fits the frame if the zoom is 0.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} frame
 * @param {number} zoom between 0 and 1
 */
export function drawGrid(self, canvas, frame, zoom) {
  const { shape, lines } = self.packed;
  const width = Math.max(120, frame.clientWidth - 4);
  const tall = Math.min(1, Math.max(shape[0] / shape[1], 0.4));
  const cell = (/** @type {number} */ tile) => [2 * tile + 10, tile * tall + 20];
  const columns = (/** @type {number} */ tile) => Math.max(1, Math.floor(width / cell(tile)[0]));
  const fits = (/** @type {number} */ tile) => Math.ceil(self.shown.length / columns(tile)) * cell(tile)[1] <= frame.clientHeight;
  let fit = 16;
  while (fit < 110 && fits(fit + 1)) fit += 1;
  const tile = Math.round(fit + zoom * (128 - fit));
  const [w, h] = cell(tile);
  [self.columns, self.tile] = [columns(tile), tile];
  const rows = Math.ceil(self.shown.length / self.columns);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${Math.max(rows * h + 4, 40)}px`;
  const [pen] = context(canvas);
  pen.imageSmoothingEnabled = false;
  pen.textBaseline = "top";
  const labels = gridLabels(self, tile > 40);
  self.cells = self.shown.map((j, i) => {
    const [x, y] = [(i % self.columns) * w, Math.floor(i / self.columns) * h];
    const [group, own] = labels[i];
    pen.fillStyle = self.style.color;
    pen.font = `650 11px ${self.style.fontFamily}`;
    pen.fillText(group, x + 4, y + 2, w - 6);
    const after = group ? pen.measureText(group).width + 8 : 0;
    pen.font = `400 11px ${self.style.fontFamily}`;
    pen.globalAlpha = 0.7;
    pen.fillText(own, x + 4 + after, y + 2, w - 6);
    pen.globalAlpha = 1;
    pen.strokeStyle = self.edge; // so that a white filter is seen on white
    for (const part of lines[j] ? [0] : [0, 1]) {
      const left = x + 4 + part * (tile + 2);
      tileAt(self, pen, j, part, left, y + 16, tile, tile * tall);
      if (shape[0] > 1) pen.strokeRect(left - 0.5, y + 15.5, tile + 1, tile * tall + 1); // a signal is drawn with an edge
    }
    return [x, y, w, h];
  });
}

/**
 * The labels above each filter, in bold and plain: ±ω above the first filter of each group of weights, as in the paper;
 * each filter's own weight, where there is room; the purity, if that is the order.
 * @param {Filters} self
 * @param {boolean} roomy
 */
function gridLabels({ shown, packed: { weights, purity, words }, byPurity }, roomy) {
  const own = (/** @type {number} */ j) => words.weights[j];
  if (byPurity) return shown.map((j) => ["", `${roomy ? `${own(j)} · ` : ""}${(100 * purity[j]).toFixed(1)} %`]);
  const groups = shown.map((j) => folded(weights[j]));
  const negative = new Set(groups.filter((group, i) => group !== `${weights[shown[i]]}`));
  return shown.map((j, i) => {
    const first = groups[i] !== groups[i - 1];
    const name = first ? (negative.has(`${weights[j]}`) ? `±${own(j)}` : own(j)) : "";
    return [name, roomy && name !== own(j) ? own(j) : ""];
  });
}

/**
 * ω and −ω give the same text: that of the one whose first number other than 0 is positive.
 * @param {Weight} weight
 */
function folded(weight) {
  const numbers = [weight].flat();
  const negative = (numbers.find((number) => number) ?? 0) < 0;
  return `${negative ? numbers.map((number) => -number || 0) : numbers}`;
}

/**
 * A filter as a picture, or as a curve if it is a signal.
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number} j
 * @param {number} part 0: real, 1: imaginary
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
export function tileAt(self, pen, j, part, x, y, width, height) {
  const { shape, filters } = self.packed;
  if (shape[0] > 1) return pen.drawImage(self.atlas[j][part], x, y, width, height);
  const start = (2 * j + part) * shape[1];
  signal(pen, filters.subarray(start, start + shape[1]), x, y, width, height, self.style);
}
