// Purity of every filter against the size of its weight: points to choose, and a lasso around those to be shown.

import { context } from "../../../tsa/stage/browser/shared/canvas.js";
import { fill } from "../../../tsa/stage/browser/shared/text.js";
import { modulus, number } from "./weights.js";

/** @import { Filters } from "./filters.js" */
/** @import { Point } from "../../../tsa/stage/browser/shared/canvas.js" */

const RADIUS_PIXELS = 2;
const REACH_PIXELS = 14; // from a point that a click means
const CLICK_PIXELS = 6; // that a pointer may move during a click

/**
 * Points of one weight are spread a little to both sides, so that they do not cover one another.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 * @param {Point[]} [lasso]
 */
export function drawScatter(self, canvas, lasso = []) {
  const [pen, width, height] = context(canvas);
  const { weights, purity, words } = self.packed;
  const [left, right, above, base] = [44, width - 8, 10, height - 22];
  const largest = Math.max(1, weights.map(modulus).reduce((a, b) => Math.max(a, b), 0));
  const step = (right - left) / (largest + 1);
  const shown = new Set(self.shown);
  self.points = weights.map((weight, j) => [
    left + step * (modulus(weight) + 0.5 + 0.6 * (((j * 0.618034) % 1) - 0.5)),
    base - purity[j] * (base - above),
  ]);
  pen.font = `400 11px ${self.style.fontFamily}`;
  pen.fillStyle = pen.strokeStyle = self.style.color;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const part of [0, 0.5, 1]) {
    const y = Math.round(base - part * (base - above)) + 0.5;
    pen.globalAlpha = part ? 0.15 : 0.5;
    pen.fillRect(left, y, right - left, 1);
    pen.globalAlpha = 0.8;
    pen.fillText(`${100 * part} %`, left - 6, y);
  }
  pen.textAlign = "center";
  const every = [1, 2, 5, 10, 20, 50, 100].find((ticks) => ticks * step > 22) ?? 200;
  for (let k = 0; k <= largest; k += every) pen.fillText(number(k), left + step * (k + 0.5), base + 12);
  pen.textAlign = "right";
  pen.fillText("|ω|", left - 6, base + 12);
  for (const [j, [x, y]] of self.points.entries()) {
    pen.globalAlpha = shown.has(j) ? 0.6 : 0.14;
    pen.fillRect(x - RADIUS_PIXELS, y - RADIUS_PIXELS, 2 * RADIUS_PIXELS, 2 * RADIUS_PIXELS);
  }
  const [x, y] = self.points[self.chosen];
  pen.globalAlpha = 1;
  pen.fillStyle = pen.strokeStyle = self.accent;
  pen.beginPath();
  pen.arc(x, y, 5, 0, 7);
  pen.fill();
  if (lasso.length > 1) {
    pen.beginPath();
    for (const point of lasso) pen.lineTo(...point);
    pen.closePath();
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.globalAlpha = 0.1;
    pen.fill();
    pen.globalAlpha = 1;
  }
  canvas.setAttribute("aria-label", fill(words.templates.scatter, { count: weights.length }));
}

/**
 * A drag draws a lasso; a click chooses the nearest filter.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 * @param {(j: number) => void} choose
 * @param {(inside: Set<number>) => void} lasso
 */
export function lassoOn(self, canvas, choose, lasso) {
  /** @type {Point[]} */
  let path = [];
  const at = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return /** @type {Point} */ ([event.clientX - box.left, event.clientY - box.top]);
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    path = [at(event)];
  };
  canvas.onpointermove = (event) => {
    if (!path.length) return;
    path.push(at(event));
    drawScatter(self, canvas, path);
  };
  canvas.onpointercancel = () => {
    path = [];
    drawScatter(self, canvas);
  };
  canvas.onpointerup = () => {
    const drawn = path;
    path = [];
    if (!drawn.length) return;
    const [x, y] = drawn[0];
    if (drawn.every(([u, v]) => Math.hypot(u - x, v - y) < CLICK_PIXELS)) {
      const distance = self.points.map(([u, v]) => Math.hypot(u - x, v - y));
      const nearest = distance.reduce((best, d, j) => (d < distance[best] ? j : best), 0);
      if (distance[nearest] < REACH_PIXELS) choose(nearest);
      return drawScatter(self, canvas);
    }
    const inside = new Set([...self.points.keys()].filter((j) => contains(drawn, self.points[j])));
    if (inside.size) lasso(inside);
    else drawScatter(self, canvas);
  };
}

/**
 * Whether a polygon contains a point: an odd number of its sides lies to the right of it.
 * @param {Point[]} polygon
 * @param {Point} point
 */
export function contains(polygon, [x, y]) {
  let inside = false;
  polygon.forEach(([x0, y0], i) => {
    const [x1, y1] = polygon[(i + 1) % polygon.length];
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) inside = !inside;
  });
  return inside;
}
