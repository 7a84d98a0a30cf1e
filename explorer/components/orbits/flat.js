// The torus cut open to a square, and the path on it; hue is s.

import { context, penOf } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue, withStops } from "../../../tsa/stage/browser/shared/colour.js";

/** @import { Pen, Point } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Orbits } from "./orbits.js" */

/** @typedef {{ pen: OffscreenCanvasRenderingContext2D, key: string, to: number }} PathLayer part of a path up to s = `to` */

export const BIN_RADIANS = TURN / 72; // of s that share a colour: one stroke per colour, however long the path

/**
 * The range of s that is shown: one period if the path closes, from 0 if it does not.
 * @param {Orbits} self
 * @returns {[from: number, to: number]}
 */
const shown = ({ s, facts, still }) => (still ? [s, s] : [facts.windings ? s - facts.period * TURN : 0, s]);

/**
 * Visit the pieces of one colour; each reaches a little into the next, so that no seams show.
 * @param {number} from
 * @param {number} to
 * @param {(from: number, to: number, bin: number) => void} visit
 */
export function alongPath(from, to, visit) {
  for (let k = Math.floor(from / BIN_RADIANS); k * BIN_RADIANS < to; k++) {
    visit(Math.max(from, k * BIN_RADIANS), Math.min(to, (k + 1.05) * BIN_RADIANS), ((k % 72) + 72) % 72);
  }
}

/**
 * @param {Pen} pen
 * @param {(Path2D | undefined)[]} bins
 */
export const strokeBins = (pen, bins) =>
  bins.forEach((path, k) => {
    if (!path) return;
    pen.strokeStyle = hue((k + 0.5) * BIN_RADIANS);
    pen.stroke(path);
  });

/**
 * The part after the whole turns; a rounding error below a whole turn counts as one.
 * @param {number} x
 */
export const fraction = (x) => Math.max(0, x - Math.floor(x + 1e-9));

/**
 * The more windings, the finer the line, in steps of √2, so that neighbouring strands do not touch.
 * @param {Orbits} self
 * @param {number} room pixels
 */
export function lineWidth(self, room) {
  const [from, to] = shown(self);
  const strands = Math.max(1, ((to - from) / TURN) * Math.max(...self.weights));
  return Math.max(1.3, Math.min(4.5, room / (4 * 2 ** (Math.ceil(2 * Math.log2(strands)) / 2))));
}

/**
 * Draw the path by `add`, which draws a part of it. A path that never closes only grows, so what is drawn of it stays on a
 * canvas of its own until the key changes.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {string} name
 * @param {[number, number]} size
 * @param {unknown} key
 * @param {(pen: Pen, from: number, to: number) => void} add
 */
export function layPath(self, pen, name, size, key, add) {
  const [from, to] = shown(self);
  if (self.facts.windings) return add(pen, from, to);
  const pixels = size.map((side) => Math.max(1, Math.round(side * (window.devicePixelRatio || 1))));
  const layer = (self.layers[name] ??= { pen: penOf(new OffscreenCanvas(1, 1)), key: "", to: 0 });
  const { canvas } = layer.pen;
  const newKey = [...pixels, ...self.chosen, key].join();
  if (layer.key !== newKey || layer.to > to) {
    [canvas.width, canvas.height] = pixels; // clears it
    layer.pen.scale(pixels[0] / size[0], pixels[1] / size[1]);
    Object.assign(layer, { key: newKey, to: 0 });
  }
  add(layer.pen, Math.max(0, layer.to - BIN_RADIANS / 20), to);
  layer.to = to;
  pen.drawImage(canvas, 0, 0, ...size);
}

/**
 * @param {Orbits} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawFlat(self, canvas) {
  const [pen, width, height] = context(canvas);
  const side = Math.min(width - 50, height - 40);
  const [left, bottom] = [(width - side) / 2 + 17, (height + side) / 2 - 12];
  /** @type {(u: number, v: number) => Point} */
  const at = (u, v) => [left + side * u, bottom - side * v];
  pen.fillStyle = self.style.soft;
  pen.strokeStyle = self.style.border;
  pen.fillRect(left, bottom - side, side, side);
  pen.strokeRect(left, bottom - side, side, side);
  drawAxes(self, pen, at, side);
  drawWraps(self, pen, at);

  const thick = lineWidth(self, side);
  pen.save();
  pen.beginPath();
  pen.rect(left, bottom - side, side, side);
  pen.clip();
  layPath(self, pen, "flat", [width, height], thick, (pen, from, to) => {
    /** @type {Path2D[]} */
    const bins = [];
    alongPath(from, to, (a, b, k) => addFlat((bins[k] ??= new Path2D()), self.weights, a, b, at));
    pen.lineCap = "butt";
    pen.lineWidth = thick;
    strokeBins(pen, bins);
  });
  pen.restore();
  drawDots(self, pen, at);

  const [u, v] = self.weights.map((weight) => fraction((weight * self.s) / TURN));
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.2;
  pen.setLineDash([3, 4]);
  pen.beginPath();
  pen.moveTo(...at(u, 0));
  pen.lineTo(...at(u, v));
  pen.lineTo(...at(0, v));
  pen.stroke();
  pen.setLineDash([]);
  const [x, y] = at(0, 0);
  dot(self, pen, [at(u, 0)[0], y + 7], u * TURN, 5);
  dot(self, pen, [x - 7, at(0, v)[1]], v * TURN, 5);
  dot(self, pen, at(u, v), self.s, 9);
}

/**
 * Pairs of phases that a lesson has found: small dots on top of the path.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {(u: number, v: number) => Point} at
 */
function drawDots(self, pen, at) {
  pen.fillStyle = self.style.color;
  for (const [first, second] of self.follower.header.dots ?? []) {
    pen.beginPath();
    pen.arc(...at(fraction(first / TURN), fraction(second / TURN)), 1.8, 0, TURN);
    pen.fill();
  }
}

/**
 * The straight piece from s = a to b, split where it leaves the square.
 * @param {Path2D} path
 * @param {number[]} weights
 * @param {number} a
 * @param {number} b
 * @param {(u: number, v: number) => Point} at place of the phases u and v, in turns
 */
function addFlat(path, weights, a, b, at) {
  const cuts = [a, b];
  for (const weight of weights) {
    for (let m = Math.floor((weight * a) / TURN) + 1; m * TURN < weight * b; m++) cuts.push((m * TURN) / weight);
  }
  cuts.sort((one, other) => one - other);
  for (let i = 1; i < cuts.length; i++) {
    const tile = weights.map((weight) => Math.floor((weight * (cuts[i - 1] + cuts[i])) / 2 / TURN));
    const [u0, v0] = weights.map((weight, j) => (weight * cuts[i - 1]) / TURN - tile[j]);
    const [u1, v1] = weights.map((weight, j) => (weight * cuts[i]) / TURN - tile[j]);
    path.moveTo(...at(u0, v0));
    path.lineTo(...at(u1, v1));
  }
}

/**
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {(u: number, v: number) => Point} at place of the phases u and v, in turns
 * @param {number} side
 */
function drawAxes(self, pen, at, side) {
  const [x, y] = at(0, 0);
  pen.fillStyle = withStops(pen.createLinearGradient(x, 0, x + side, 0), (t) => t * TURN);
  pen.fillRect(x, y + 4, side, 6);
  pen.fillStyle = withStops(pen.createLinearGradient(0, y, 0, y - side), (t) => t * TURN);
  pen.fillRect(x - 10, y - side, 6, side);
  pen.fillStyle = self.style.color;
  pen.globalAlpha = 0.7;
  pen.font = `400 12px ${self.style.fontFamily}`;
  pen.textBaseline = "top";
  for (const turn of [0, 90, 180, 270, 360]) {
    pen.textAlign = turn === 360 ? "right" : "center";
    if (turn !== 270) pen.fillText(`${turn}°`, x + (side * turn) / 360 + (turn === 360 ? 6 : 0), y + 15);
  }
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const turn of [90, 180, 360]) pen.fillText(`${turn}°`, x - 14, y - (side * turn) / 360 + (turn === 360 ? 5 : 0));
  pen.globalAlpha = 1;
  pen.font = `650 15px ${self.style.fontFamily}`;
  pen.fillText("φ₂", x - 14, y - 0.75 * side);
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.fillText("φ₁", x + 0.75 * side, y + 13);
}

/**
 * Grey lines from where the path leaves at one edge to where it returns at the other, as in the paper.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {(u: number, v: number) => Point} at place of the phases u and v, in turns
 */
function drawWraps(self, pen, at) {
  const [p, q] = self.facts.windings ?? [0, 0];
  if (p + q > 12) return;
  pen.strokeStyle = self.style.border;
  pen.lineWidth = 1.4;
  pen.setLineDash([2, 5]);
  pen.beginPath();
  for (let m = 1; m < p; m++) {
    pen.moveTo(...at(0, fraction((q * m) / p)));
    pen.lineTo(...at(1, fraction((q * m) / p)));
  }
  for (let m = 1; m < q; m++) {
    pen.moveTo(...at(fraction((p * m) / q), 0));
    pen.lineTo(...at(fraction((p * m) / q), 1));
  }
  pen.stroke();
  pen.setLineDash([]);
}

/**
 * A disc in the colour of an angle.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} angle radians
 * @param {number} radius
 */
export function dot(self, pen, [x, y], angle, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.fillStyle = self.style.paper;
  pen.fill();
  pen.lineWidth = radius / 4;
  pen.strokeStyle = self.style.color;
  pen.stroke();
  pen.beginPath();
  pen.arc(x, y, radius * 0.58, 0, TURN);
  pen.fillStyle = hue(angle);
  pen.fill();
}
