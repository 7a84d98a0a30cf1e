// The weight spectrum of the chosen filter: bars over the weights, a map of them if the group has two parameters, or a list
// of the largest if it has more.
// Its bytes are the square roots of the shares of the highest bar.

import { context } from "../../../tsa/stage/browser/shared/canvas.js";
import { fill } from "../../../tsa/stage/browser/shared/text.js";
import { number, remainder } from "./weights.js";

/** @import { Pen, Point } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Filters } from "./filters.js" */

/**
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawSpectrum(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { spectrum, frequencies } = self.packed;
  const n = frequencies.length;
  const roots = Array.from(spectrum.subarray(self.chosen * n, self.chosen * n + n), (byte) => byte / 255);
  pen.font = `400 11px ${self.style.fontFamily}`;
  const parameters = [frequencies[0]].flat().length;
  (parameters > 2 ? drawLargest : parameters > 1 ? drawMap : drawBars)(self, pen, roots, width, height);
}

/**
 * The largest shares, each beside its weight.
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number[]} roots
 * @param {number} width
 * @param {number} height
 */
function drawLargest(self, pen, roots, width, height) {
  const { top, own } = self.packed;
  const frequencies = /** @type {number[][]} */ (/** @type {unknown} */ (self.packed.frequencies));
  const j = self.chosen;
  const high = 19;
  const seen = roots.map((_, i) => i).filter((i) => top[j] * roots[i] ** 2 >= 0.0005);
  const order = seen.sort((a, b) => roots[b] - roots[a]);
  const names = order.slice(0, Math.floor(height / high)).map((i) => `(${frequencies[i].map(number).join(", ")})`);
  const left = 14 + Math.max(...names.map((name) => pen.measureText(name).width));
  pen.textBaseline = "middle";
  names.forEach((name, row) => {
    const i = order[row];
    const share = top[j] * roots[i] ** 2;
    const long = share * (width - left - 60);
    const y = row * high;
    pen.fillStyle = own[j].includes(i) ? self.accent : self.style.color;
    pen.globalAlpha = own[j].includes(i) ? 1 : 0.45;
    pen.fillRect(left, y + 3, Math.max(1, long), high - 6);
    pen.fillStyle = self.style.color;
    pen.globalAlpha = 0.8;
    pen.textAlign = "right";
    pen.fillText(name, left - 8, y + high / 2);
    pen.textAlign = "left";
    pen.fillText(`${(100 * share).toFixed(1)} %`, left + Math.max(1, long) + 6, y + high / 2);
  });
  pen.globalAlpha = 1;
}

/**
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number[]} roots
 * @param {number} width
 * @param {number} height
 */
function drawBars(self, pen, roots, width, height) {
  const { top, own, purity } = self.packed;
  const frequencies = /** @type {number[]} */ (self.packed.frequencies);
  const j = self.chosen;
  const mine = new Set(own[j]);
  // A shorter scale for a filter that is a mixture of many weights.
  const scale = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((share) => top[j] <= share) ?? 1;
  const [left, right, above, base] = [44, width - 6, 16, height - 24];
  const step = (right - left) / roots.length;
  const middle = (/** @type {number} */ i) => left + (i + 0.5) * step;
  pen.fillStyle = pen.strokeStyle = self.style.color;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const part of [0, 0.5, 1]) {
    const y = Math.round(base - part * (base - above)) + 0.5;
    pen.globalAlpha = part ? 0.15 : 0.5;
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(right, y);
    pen.stroke();
    pen.globalAlpha = 0.8;
    pen.fillText(`${number(100 * part * scale)} %`, left - 6, y);
  }
  pen.fillText("ω", left - 6, base + 13);
  pen.textAlign = "center";
  const every = [1, 2, 5, 10, 20, 50, 100].find((ticks) => ticks * step > 26) ?? 200;
  for (let i = 0; i < roots.length; i++) {
    const h = (top[j] / scale) * roots[i] ** 2 * (base - above);
    pen.fillStyle = mine.has(i) ? self.accent : self.style.color;
    pen.globalAlpha = mine.has(i) ? 1 : 0.45;
    pen.fillRect(left + i * step + 0.5, base - h, Math.max(1, step - 1), h);
    pen.globalAlpha = 0.8;
    const crowded = own[j].some((k) => Math.abs(i - k) * step < 22);
    if (!crowded && frequencies[i] % every === 0) pen.fillText(number(frequencies[i]), middle(i), base + 13);
  }
  pen.globalAlpha = 1;
  pen.font = `650 12px ${self.style.fontFamily}`;
  for (const i of mine) {
    const share = purity[j] / mine.size;
    const h = Math.min(1, share / scale) * (base - above);
    pen.fillStyle = self.accent;
    pen.beginPath();
    for (const [x, y] of [[0, 1], [-4, 7], [4, 7]]) pen.lineTo(middle(i) + x, base + y);
    pen.fill();
    pen.fillStyle = self.style.color;
    pen.fillText(number(frequencies[i]), middle(i), base + 15);
    pen.fillText(`${(100 * share).toFixed(1)} %`, Math.min(right - 22, Math.max(left + 22, middle(i))), base - h - 8);
  }
}

/**
 * The second number of a weight runs to the right, the first one down, as in the picture. The frequencies n/2 and −n/2 are
 * the same: it is drawn at both ends.
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number[]} roots
 * @param {number} width
 * @param {number} height
 */
function drawMap(self, pen, roots, width, height) {
  const { shape, own, top } = self.packed;
  const frequencies = /** @type {[number, number][]} */ (self.packed.frequencies);
  const j = self.chosen;
  const [down, across] = /** @type {[number, number]} */ (self.packed.weights[j]);
  const place = (/** @type {number} */ y, /** @type {number} */ x) => `${remainder(y, shape[0])} ${remainder(x, shape[1])}`;
  const at = new Map(frequencies.map(([y, x], i) => [place(y, x), i]));
  const [rows, columns] = shape.map((n) => 2 * Math.floor(n / 2) + 1);
  const cell = Math.min((height - 26) / rows, (0.55 * width) / columns);
  const [left, up, wide, high] = [34, 6, cell * columns, cell * rows];
  const [x0, y0] = [left + wide / 2, up + high / 2];
  /** @type {(weight: [number, number]) => Point} */
  const corner = ([y, x]) => [x0 + (x - 0.5) * cell, y0 + (y - 0.5) * cell];
  pen.fillStyle = pen.strokeStyle = self.style.color;
  pen.globalAlpha = 0.04;
  pen.fillRect(left, up, wide, high);
  pen.globalAlpha = 0.35;
  pen.strokeRect(left - 0.5, up - 0.5, wide + 1, high + 1);
  pen.beginPath();
  pen.moveTo(left, y0);
  pen.lineTo(left + wide, y0);
  pen.moveTo(x0, up);
  pen.lineTo(x0, up + high);
  pen.stroke();
  for (let y = -(rows - 1) / 2; y <= (rows - 1) / 2; y++) {
    for (let x = -(columns - 1) / 2; x <= (columns - 1) / 2; x++) {
      const i = at.get(place(y, x)) ?? -1;
      pen.fillStyle = own[j].includes(i) ? self.accent : self.style.color;
      pen.globalAlpha = roots[i];
      pen.fillRect(...corner([y, x]), cell, cell);
    }
  }
  pen.strokeStyle = self.accent;
  /** @type {(weight: [number, number], alpha: number) => void} */
  const ring = (weight, alpha) => {
    const [x, y] = corner(weight);
    pen.globalAlpha = alpha;
    pen.lineWidth = 2;
    pen.strokeRect(x - 2, y - 2, cell + 4, cell + 4);
  };
  if (down || across) ring([-down, -across], 0.5);
  ring([down, across], 1);
  pen.globalAlpha = 0.8;
  pen.fillStyle = self.style.color;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const ends = (/** @type {number} */ n) => [-(n - 1) / 2, 0, (n - 1) / 2];
  for (const k of ends(columns)) pen.fillText(number(k), x0 + k * cell, up + high + 5);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const k of ends(rows)) pen.fillText(number(k), left - 5, y0 + k * cell);
  drawKey(self, pen, left + wide + 28, top[j], width, Boolean(down || across));
}

/**
 * The key beside the map.
 * @param {Filters} self
 * @param {Pen} pen
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {boolean} moves whether the weight is not 0
 */
function drawKey(self, pen, left, top, width, moves) {
  const { weights, templates } = self.packed.words;
  const long = Math.min(120, width - left - 70);
  pen.textAlign = "left";
  pen.font = `400 12px ${self.style.fontFamily}`;
  for (let i = 0; i < long; i++) {
    pen.globalAlpha = Math.sqrt((i + 0.5) / long);
    pen.fillRect(left + 14 + i, 14, 1, 12);
  }
  pen.globalAlpha = 0.85;
  pen.fillText("0", left, 20);
  pen.fillText(`${(100 * top).toFixed(1)} %`, left + long + 20, 20);
  const rings = [fill(templates.ownWeight, { weight: weights[self.chosen] }), ...(moves ? [templates.negative] : [])];
  pen.strokeStyle = self.accent;
  rings.forEach((text, i) => {
    pen.globalAlpha = 1 - 0.5 * i;
    pen.strokeRect(left + 1, 43 + 20 * i, 10, 10);
    pen.globalAlpha = 0.85;
    pen.fillText(text, left + 20, 48 + 20 * i);
  });
  pen.fillText(templates.across, left, 94);
  pen.fillText(templates.down, left, 113);
}
