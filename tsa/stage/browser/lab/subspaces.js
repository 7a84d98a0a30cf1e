// Drawings of the subspaces: one circle for each, and the selected one in detail.

import { context, paint } from "../shared/canvas.js";
import { TURN, hue } from "../shared/colour.js";
import { fill, setText } from "../shared/text.js";
import { row, subspace } from "./sweep.js";

/** @import { Pen, Point } from "../shared/canvas.js" */
/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * One circle for each subspace: its density as a band around it, its mean as a line from the centre.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawCircles(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { weights, look } = self.sweep;
  const columns = Math.max(4, Math.round(Math.sqrt((weights.length * width) / height / 0.82)));
  const rows = Math.ceil(weights.length / columns);
  const [cellWidth, cellHeight] = [width / columns, height / rows];
  const radius = Math.min(cellWidth / 3.3, cellHeight / 4.1);
  const { border } = self.style;
  const quiet = new Path2D(); // circles without a visible density, drawn in one go
  pen.textAlign = "center";
  pen.font = `400 12px ${self.style.fontFamily}`;
  self.columns = columns;
  self.cells = weights.map((weight, j) => {
    const x = ((j % columns) + 0.5) * cellWidth;
    const y = Math.floor(j / columns) * cellHeight + cellHeight * 0.4;
    const { kappa, mu, certainty } = subspace(self, j);
    const strong = between(look.opacityRange, certainty);
    if (j === self.selected) {
      pen.fillStyle = hue(mu, 0.14);
      pen.strokeStyle = hue(mu, 0.9);
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.roundRect(x - cellWidth / 2 + 2, y - cellHeight * 0.4 + 1, cellWidth - 4, cellHeight - 2, 8);
      pen.fill();
      pen.stroke();
    }
    if (certainty < look.minCertainty) {
      quiet.moveTo(x + radius, y);
      quiet.arc(x, y, radius, 0, TURN);
      drawMark(self, pen, x, y, radius, cellHeight, weight, certainty);
      return [x, y, radius];
    }
    // The von Mises density as a band around the circle, thickest at its mean.
    pen.beginPath();
    for (let i = 0; i <= 60; i++) {
      const phi = (i * TURN) / 60;
      const r = radius * (1 + look.bandHeight * certainty * Math.exp(kappa * (Math.cos(phi - mu) - 1)));
      pen.lineTo(x + r * Math.cos(phi), y - r * Math.sin(phi));
    }
    pen.arc(x, y, radius, 0, TURN, true);
    pen.fillStyle = hue(mu, strong);
    pen.fill("evenodd");
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.strokeStyle = certainty > look.minColouredCertainty ? hue(mu, strong) : border;
    pen.lineWidth = 1.4;
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + radius * certainty * Math.cos(mu), y - radius * certainty * Math.sin(mu));
    pen.strokeStyle = hue(mu, strong);
    pen.lineWidth = 3;
    pen.stroke();
    drawMark(self, pen, x, y, radius, cellHeight, weight, certainty);
    return [x, y, radius];
  });
  pen.strokeStyle = border;
  pen.lineWidth = 1.4;
  pen.stroke(quiet);
}

/** @type {(range: [number, number], share: number) => number} */
const between = ([low, high], share) => low + (high - low) * share;

/**
 * The weight, and a tick where the angle of the dial puts the mean.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number} cellHeight
 * @param {number} weight
 * @param {number} certainty
 */
function drawMark(self, pen, x, y, radius, cellHeight, weight, certainty) {
  const { look } = self.sweep;
  const angle = (weight * self.angle * TURN) / 360;
  pen.beginPath();
  for (const r of look.tickRadii) pen.lineTo(x + r * radius * Math.cos(angle), y - r * radius * Math.sin(angle));
  pen.strokeStyle = pen.fillStyle = self.style.color;
  pen.globalAlpha = between(look.tickOpacityRange, certainty);
  pen.lineWidth = 1.6;
  pen.stroke();
  pen.globalAlpha = 0.7 + 0.3 * certainty; // dark enough to be read
  pen.fillText(`${weight}`, x, y + cellHeight * 0.52);
  pen.globalAlpha = 1;
}

/**
 * An arrow from a point, with its name at the tip; returns the tip.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} start
 * @param {[re: number, im: number]} vector pixels to the right and up
 * @param {{ colour: string, name?: string, thick?: number, dash?: number[] }} look
 * @returns {Point}
 */
function arrow(self, pen, [x, y], [re, im], { colour, name = "", thick = 2.2, dash = [] }) {
  const [ex, ey] = [x + re, y - im];
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = thick;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(ex, ey);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.arc(ex, ey, thick + 1, 0, TURN);
  pen.fill();
  pen.font = `600 12px ${self.style.fontFamily}`;
  pen.textAlign = re < 0 ? "right" : "left";
  pen.fillText(name, ex + (re < 0 ? -9 : 9), ey + 4);
  return [ex, ey];
}

/**
 * The selected subspace.
 * @param {Stage} self
 * @param {Find} find
 */
export function drawDetail(self, find) {
  const j = self.selected;
  setText(find("detail-kappa"), `κ̂ = ${subspace(self, j).kappa.toPrecision(2)}`);
  if (self.drawnFilter !== j) {
    self.drawnFilter = j;
    introduce(self, find, j);
  }
  drawPlane(self, find("arrows-canvas"), j);
  drawSum(self, find, j);
}

/**
 * What stays the same at every angle.
 * @param {Stage} self
 * @param {Find} find
 * @param {number} j
 */
function introduce(self, find, j) {
  const { size, weights, lines, filters, words } = self.sweep;
  const weight = weights[j];
  const { title, moving, fixed } = words.templates;
  setText(find("detail-title"), fill(title, { number: j + 1, weight }));
  setText(find("detail-text"), fill(weight === 0 ? fixed : moving, { weight, kind: find("detail-text").dataset[lines[j] ? "line" : "plane"] }));
  for (const [part, name] of ["filter-a", "filter-b"].entries()) {
    const start = (2 * j + part) * size * size;
    find(name).hidden = lines[j] && part === 1;
    paint(find(name), filters.subarray(start, start + size * size), size);
  }
}

/**
 * z(x), z(y) and η̂ = conj z(x) z(y) / σ² on one circle.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 * @param {number} j
 */
function drawPlane(self, canvas, j) {
  const [pen, width, height] = context(canvas);
  const { weights, z, noise } = self.sweep;
  /** @type {Point} */
  const centre = [width / 2, height / 2];
  const radius = Math.min(width, height) / 2 - 14;
  const text = self.style.color;
  pen.strokeStyle = self.style.border;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.arc(...centre, radius, 0, TURN);
  pen.stroke();
  /** @type {(turn: number) => Point} */
  const at = (turn) => [z[2 * (turn * weights.length + j)], z[2 * (turn * weights.length + j) + 1]];
  const [zx, zy] = [at(0), at(1 + row(self))];
  const largest = Math.max(Math.hypot(...zx), Math.hypot(...zy), 1e-9);
  const { mu } = subspace(self, j);
  const length = 0.85 * radius * Math.min(1, (largest / noise) ** 2 / 4);
  arrow(self, pen, centre, [length * Math.cos(mu), length * Math.sin(mu)], { colour: hue(mu), thick: 5 });
  /** @type {(v: Point) => Point} */
  const scaled = ([re, im]) => [(0.85 * radius * re) / largest, (0.85 * radius * im) / largest];
  pen.globalAlpha = 0.6;
  arrow(self, pen, centre, scaled(zx), { colour: text, name: "x" });
  pen.globalAlpha = 1;
  arrow(self, pen, centre, scaled(zy), { colour: text, name: "y" });
}

/**
 * Prior + evidence = posterior, arrows head to tail, for the harmonic |ω| of this subspace.
 * @param {Stage} self
 * @param {Find} find
 * @param {number} j
 */
function drawSum(self, find, j) {
  const [pen, width, height] = context(find("sum-canvas"));
  const { weights, prior, pooled, harmonics, words } = self.sweep;
  const k = Math.abs(weights[j]);
  if (k === 0) return setText(find("sum-text"), words.templates.noSum);
  const { kappa, mu } = subspace(self, j);
  /** @type {Point} */
  const own = [kappa * Math.cos(mu), Math.sign(weights[j]) * kappa * Math.sin(mu)];
  const at = 2 * (row(self) * harmonics + k - 1);
  /** @type {Point} */
  const total = [pooled[at], pooled[at + 1]];
  /** @type {Point} */
  const first = prior[k - 1] ?? [0, 0];
  /** @type {Point} */
  const rest = [total[0] - first[0] - own[0], total[1] - first[1] - own[1]];
  /** @type {[Point, { colour: string, thick?: number, dash?: number[] }][]} */
  const steps = [
    [first, { colour: self.style.color, dash: [3, 3] }],
    [own, { colour: hue(mu * Math.sign(weights[j])), thick: 4 }],
    [rest, { colour: hue(Math.atan2(rest[1], rest[0]), 0.55) }],
  ];
  const visible = steps.filter(([step]) => Math.hypot(...step) > 1e-6 * Math.hypot(...total));
  // Centred and scaled so that all arrows fit.
  let [x, y] = [0, 0];
  const xs = [0];
  const ys = [0];
  for (const [step] of visible) {
    xs.push((x += step[0]));
    ys.push((y += step[1]));
  }
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 36) / Math.max(right - left, 1e-9), (height - 36) / Math.max(high - low, 1e-9), 40);
  /** @type {Point} */
  const origin = [width / 2 - (scale * (left + right)) / 2, height / 2 + (scale * (low + high)) / 2];
  let tip = origin;
  const posterior = { colour: hue(Math.atan2(total[1], total[0]), 0.3), thick: 9 };
  arrow(self, pen, origin, [total[0] * scale, total[1] * scale], posterior);
  for (const [[re, im], look] of visible) tip = arrow(self, pen, tip, [re * scale, im * scale], look);
  const others = weights.filter((w) => Math.abs(w) === k).length - 1;
  const { sum, sumPrior } = words.templates;
  setText(find("sum-text"), fill(sum, { prior: Math.hypot(...first) > 0 ? sumPrior : "", others, weight: k }));
}
