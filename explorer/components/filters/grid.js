// Drawings of all filters: histogram of the weights and grid of the filters.

import { context, greyscale, signal, stepped } from "../../../tsa/stage/browser/shared/canvas.js";
import { fill } from "../../../tsa/stage/browser/shared/text.js";
import { size } from "./weights.js";

/** @import { Pen } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Filters } from "./filters.js" */

/**
 * The real and the imaginary part of a filter, one pixel for each of its values; made when first drawn.
 * @param {Filters} self
 * @param {number} j
 */
function tilesOf(self, j) {
  const [height, width] = self.packed.shape;
  return (self.atlas[j] ??= [0, 1].map((part) => {
    const start = (2 * j + part) * height * width;
    const canvas = new OffscreenCanvas(width, height);
    greyscale(canvas, self.packed.filters.subarray(start, start + height * width));
    return canvas;
  }));
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
 * Where each filter that is shown is drawn, as large as fits the frame if the zoom is 0: a group of rows for each |ω|, with
 * its label on the left; or, sorted by something else, one group without a label.
 * @param {Filters} self
 * @param {HTMLElement} frame
 * @param {number} zoom between 0 and 1
 */
export function layOut(self, frame, zoom) {
  const { shape } = self.packed;
  const width = Math.max(120, frame.clientWidth - 4);
  const tall = Math.min(1, Math.max(shape[0] / shape[1], 0.4));
  const groups = grouped(self);
  const names = groups.map((places) => groupName(self, places));
  const left = Math.max(0, ...names.map(({ length }) => (length ? LABEL_PIXELS + 7 * Math.max(0, length - 3) : 0)));
  const labelled = groups.map((places) => hasOwnLabels(self, places));
  self.head = labelled.includes(true) ? 16 : 3;
  const cell = (/** @type {number} */ tile) => [2 * tile + 10, tile * tall + self.head + 3];
  const columns = (/** @type {number} */ tile) => Math.max(1, Math.floor((width - left) / cell(tile)[0]));
  const count = (/** @type {number} */ tile) => groups.reduce((sum, places) => sum + Math.ceil(places.length / columns(tile)), 0);
  const high = (/** @type {number} */ tile) => count(tile) * cell(tile)[1] + groups.length * GROUP_GAP_PIXELS;
  let fit = MIN_TILE_PIXELS;
  while (fit < 110 && high(fit + 1) <= frame.clientHeight) fit += 1;
  const tile = (self.tile = Math.round(fit + zoom * (128 - fit)));
  const [w, h] = cell(tile);
  [self.rows, self.cells, self.bands] = [[], [], []];
  let y = 0;
  groups.forEach((places, g) => {
    const top = y;
    y += GROUP_GAP_PIXELS;
    for (const row of inRows(places, columns(tile))) {
      for (const [column, i] of row.entries()) self.cells[i] = [left + column * w, y, w, h];
      self.rows.push(row);
      y += h;
    }
    self.bands.push({ top, bottom: y, name: names[g], labelled: labelled[g], places });
  });
  self.size = [width, Math.max(high(tile), 40), tile * tall];
}

/**
 * All rows; or, if they are too many for one canvas, those that the frame shows, wherever it has been scrolled to.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} frame
 */
export function drawGrid(self, canvas, frame) {
  const [width, height, high] = self.size;
  const view = height > MAX_CANVAS_PIXELS ? Math.max(40, frame.clientHeight) : height;
  const from = Math.max(0, Math.min(frame.scrollTop, height - view));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${view}px`;
  canvas.style.top = `${from}px`;
  const [pen] = context(canvas);
  pen.imageSmoothingEnabled = false;
  pen.textBaseline = "top";
  pen.save();
  pen.translate(0, -from);
  self.bands.forEach(({ top, bottom, name, labelled, places }, g) => {
    if (bottom < from || top > from + view) return;
    pen.fillStyle = self.style.border;
    if (g) pen.fillRect(0, Math.round(top), width, 1);
    pen.fillStyle = self.style.color;
    pen.font = `650 12.5px ${self.style.fontFamily}`;
    pen.fillText(name, 2, top + GROUP_GAP_PIXELS + self.head + high / 2 - 7);
    for (const i of places) {
      const [, y, , h] = self.cells[i];
      if (y + h >= from && y <= from + view) drawCell(self, pen, self.shown[i], self.cells[i], high, labelled);
    }
  });
  pen.restore();
}

const LABEL_PIXELS = 34; // for up to three characters
const GROUP_GAP_PIXELS = 4;
const MAX_CANVAS_PIXELS = 3000; // in height; a larger grid is drawn while it is scrolled
const MIN_TILE_PIXELS = 24; // below it the frame scrolls

/**
 * Whether scrolling has to draw the grid again.
 * @param {Filters} self
 */
export const drawsWhileScrolling = ({ size: [, height] }) => height > MAX_CANVAS_PIXELS;

/**
 * Places among the filters that are shown, one list for each |ω|; a single one if they are sorted by something else.
 * @param {Filters} self
 */
function grouped({ shown, packed, sortedBy }) {
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  shown.forEach((j, i) => {
    const key = sortedBy !== "weight" ? 0 : size(packed.weights[j]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key)?.push(i);
  });
  return [...groups.values()];
}

/** @type {(places: number[], columns: number) => number[][]} */
const inRows = (places, columns) =>
  Array.from({ length: Math.ceil(places.length / columns) }, (_, row) => places.slice(row * columns, (row + 1) * columns));

/**
 * The weight of a group: ω, −ω, or ±ω if it has both signs; |ω|, rounded, if weights are pairs.
 * @param {Filters} self
 * @param {number[]} places
 */
function groupName({ shown, packed: { weights, words }, sortedBy }, places) {
  if (sortedBy !== "weight") return "";
  const first = shown[places[0]];
  const weight = weights[first];
  if (typeof weight !== "number") return fill(words.templates.size, { size: size(weight) });
  return places.some((i) => weights[shown[i]] !== weight) ? `±${Math.abs(weight)}` : words.weights[first];
}

/**
 * Whether the filters of a group have labels of their own: purity, a sign if the group has both, or a pair of weights.
 * @param {Filters} self
 * @param {number[]} places
 */
const hasOwnLabels = ({ shown, packed: { weights }, sortedBy }, places) =>
  sortedBy !== "weight" || typeof weights[0] !== "number" || places.some((i) => weights[shown[i]] !== weights[shown[places[0]]]);

/**
 * One filter, below its label.
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number} j
 * @param {[x: number, y: number, width: number, height: number]} cell
 * @param {number} high of a filter, in pixels
 * @param {boolean} labelled
 */
function drawCell(self, pen, j, [x, y, w], high, labelled) {
  const { shape, lines, purity, words } = self.packed;
  const weight = words.weights[j];
  const column = self.packed.set?.columns[self.sortedBy];
  const value = column ? `${Number(column[j].toPrecision(3))}` : `${(100 * purity[j]).toFixed(1)} %`;
  const label = self.sortedBy === "weight" ? weight : self.tile > 40 ? `${weight} · ${value}` : value;
  pen.font = `400 11px ${self.style.fontFamily}`;
  pen.fillStyle = self.style.color;
  pen.globalAlpha = 0.7;
  if (labelled) pen.fillText(label, x + 4, y + 2, w - 6);
  pen.globalAlpha = 1;
  pen.strokeStyle = self.edge; // so that a white filter is seen on white
  for (const part of lines[j] ? [0] : [0, 1]) {
    const left = x + 4 + part * (self.tile + 2);
    tileAt(self, pen, j, part, left, y + self.head, self.tile, high);
    if (shape[0] > 1) pen.strokeRect(left - 0.5, y + self.head - 0.5, self.tile + 1, high + 1); // a signal has its own edge
  }
}

/**
 * The place that a key leads to; up and down lead to the same column of the next row, or to its end.
 * @param {Filters} self
 * @param {string} key
 * @param {number} from
 */
export function steppedInRows({ rows, shown }, key, from) {
  if (key !== "ArrowUp" && key !== "ArrowDown") return stepped(key, from, 1, shown.length);
  const row = rows.findIndex((places) => places.includes(from));
  const next = rows[row + (key === "ArrowUp" ? -1 : 1)];
  return next ? next[Math.min(rows[row]?.indexOf(from) ?? 0, next.length - 1)] : from;
}

/**
 * The place at a point of the grid; the label of a row belongs to its first filter.
 * @param {Filters} self
 * @param {number} x
 * @param {number} y
 */
export function placeAt({ cells, rows }, x, y) {
  const row = rows.filter((places) => y >= cells[places[0]][1] - GROUP_GAP_PIXELS).at(-1);
  return row && x < cells[row[0]][0] ? row[0] : row?.find((i) => x >= cells[i][0] && x < cells[i][0] + cells[i][2]);
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
  if (shape[0] > 1) return pen.drawImage(tilesOf(self, j)[part], x, y, width, height);
  const start = (2 * j + part) * shape[1];
  signal(pen, filters.subarray(start, start + shape[1]), x, y, width, height, self.style);
}
