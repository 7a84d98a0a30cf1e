// The dial: the picture of y inside a circle of hues, with petals whose areas are probabilities.

import { context } from "../../shared/canvas.js";
import { TURN, hue } from "../../shared/colour.js";
import { drawKnob, hueWheel } from "../../shared/dial.js";
import { drawOutline, drawY } from "./pictures.js";
import { density, namedModes, triedTurn } from "../sweep.js";

/** @import { Pen, Point } from "../../shared/canvas.js" */
/** @import { Look } from "../sweep.js" */
/** @import { Stage } from "../stage.js" */

/** @typedef {[left: number, top: number, right: number, bottom: number]} Box pixels */

/**
 * Radii of a dial in pixels: the picture, the hue circle, its outer edge r₀ and the edge that no petal exceeds.
 * @param {number} outer half the shorter side of the box
 * @param {Look} look
 */
export function dialRadii(outer, look) {
  const unit = outer / 215;
  const picture = outer * look.pictureRadius;
  const rim = picture * look.rimOverPicture;
  return { picture, rim, base: rim + look.rimHalfWidth * unit, edge: outer - look.petalMargin * unit, unit };
}

/**
 * A of r(s) = √(r₀² + 2A·p(s)): squared pixels per unit of probability. `petal_scale` of tsa/stage/look.py is the same.
 * @param {number} base
 * @param {number} edge
 * @param {number} peak density per radian
 * @param {Look} look
 */
export const petalScale = (base, edge, peak, look) =>
  (edge ** 2 - base ** 2) / (2 * look.petalDensity) / Math.hypot(1, peak / look.petalDensity);

/**
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { look } = self.sweep;
  const [x, y] = [width / 2, height / 2];
  const outer = Math.min(width, height) / 2;
  const { picture, rim, base, edge, unit } = dialRadii(outer, look);
  const hidden = self.pending || self.hidden; // no posterior is shown
  const p = density(self);
  const scale = petalScale(base, edge, Math.max(...p), look);
  const reach = Float32Array.from(p, (value) => Math.sqrt(base ** 2 + (hidden ? 0 : 2 * scale * value)));
  /** @type {(radius: number, degrees: number) => Point} */
  const point = (radius, degrees) => [x + radius * Math.cos((degrees * TURN) / 360), y - radius * Math.sin((degrees * TURN) / 360)];

  const petals = new Path2D();
  for (let d = 0; d < 360; d++) petals.lineTo(...point(reach[d], d));
  petals.closePath();
  const ring = new Path2D(petals);
  ring.arc(x, y, rim - look.rimHalfWidth * unit, 0, TURN, true);
  pen.save();
  pen.clip(ring, "evenodd");
  pen.drawImage(hueWheel(self.cache, edge + 2), x - edge - 2, y - edge - 2, 2 * edge + 4, 2 * edge + 4);
  pen.restore();
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.4;
  pen.lineJoin = "round";
  pen.stroke(petals);

  drawY(self, pen, [x, y], picture, "dial");
  const tried = triedTurn(self);
  if (!hidden) drawOutline(self, pen, [x, y], picture, tried);

  const at = (/** @type {number} */ d) => reach[((Math.round(d) % 360) + 360) % 360];
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Box} */
  const frame = [2, 2, width - 2, height - 2];
  if (!hidden) boxes.push(drawAreaSample(self, pen, scale, [10, height - 10], unit));
  if (!hidden) drawLabels(self, pen, [x, y], at, unit, frame, boxes);
  drawTicks(self, pen, [x, y], at, unit, boxes, frame);
  if (!hidden && tried !== self.angle) drawTried(self, pen, point(rim, tried), tried, unit);
  drawKnob(self, pen, point(rim, self.angle), unit);
}

/**
 * A label beside each named mode. Of several places the first is taken that covers no petal and no other label.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {(degrees: number) => number} reach radius of the petals
 * @param {number} unit pixels, 1 for a dial of radius 215
 * @param {Box} frame
 * @param {Box[]} boxes that are taken; those of the modes are added
 */
function drawLabels(self, pen, centre, reach, unit, frame, boxes) {
  const modes = namedModes(self);
  const type = Math.max(self.leastType, Math.max(15, 17 * unit) * (modes.length > 8 ? 0.85 : 1));
  const tried = triedTurn(self);
  self.labels = [];
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const { degrees, percent } of [...modes].sort((a, b) => b.percent - a.percent)) {
    pen.font = `650 ${type}px ${self.style.fontFamily}`;
    const half = /** @type {Point} */ ([Math.max(pen.measureText(`${degrees}°`).width, 2.6 * type) / 2, 1.05 * type]);
    const box = places(centre, degrees, reach(degrees), half, frame).find(
      (one) => isFree(one, boxes) && isOutside(one, centre, reach),
    );
    if (!box) continue;
    boxes.push(box);
    const [px, py] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    self.labels.push({ box, degrees });
    if (degrees === tried && self.tried !== null) {
      pen.strokeStyle = self.style.color;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.roundRect(box[0] - 3, box[1] - 1, box[2] - box[0] + 6, box[3] - box[1] + 2, 8);
      pen.stroke();
    }
    pen.fillStyle = self.style.color;
    pen.fillText(`${degrees}°`, px, py - 0.42 * type);
    pen.font = `400 ${Math.max(self.leastType, 0.82 * type)}px ${self.style.fontFamily}`;
    pen.globalAlpha = 0.75;
    pen.fillText(`${percent} %`, px, py + 0.58 * type);
    pen.globalAlpha = 1;
  }
}

/**
 * Boxes for a label near the tip of a petal, nearest first: outwards, then further and further beside it.
 * @param {Point} centre
 * @param {number} degrees
 * @param {number} reach
 * @param {Point} half width and height of the label, halved
 * @param {Box} frame
 * @returns {Box[]}
 */
export function places([x, y], degrees, reach, [w, h], [left, top, right, bottom]) {
  /** @type {Box[]} */
  const found = [];
  for (const aside of [0, 4, -4, 8, -8, 13, -13, 18, -18, 24, -24, 32, -32, 40, -40]) {
    for (const gap of [4, -16, -34]) {
      const angle = ((degrees + aside) * TURN) / 360;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const radius = reach + gap + Math.abs(cos) * w + Math.abs(sin) * h;
      const px = Math.min(right - w, Math.max(left + w, x + radius * cos));
      const py = Math.min(bottom - h, Math.max(top + h, y - radius * sin));
      found.push([px - w, py - h, px + w, py + h]);
    }
  }
  return found;
}

/** @type {(box: Box, others: Box[]) => boolean} */
export const isFree = ([l, t, r, b], others) => others.every(([ol, ot, or, ob]) => r <= ol || or <= l || b <= ot || ob <= t);

/**
 * Whether a box lies outside the petals.
 * @param {Box} box
 * @param {Point} centre
 * @param {(degrees: number) => number} reach
 */
export function isOutside([l, t, r, b], [x, y], reach) {
  for (let i = 0; i <= 6; i++) {
    const [u, v] = [l + ((r - l) * i) / 6, t + ((b - t) * i) / 6];
    for (const [px, py] of [[u, t], [u, b], [l, v], [r, v]]) {
      const degrees = (Math.atan2(y - py, px - x) * 360) / TURN;
      if (Math.hypot(px - x, py - y) < Math.max(reach(degrees - 2), reach(degrees), reach(degrees + 2)) + 3) return false;
    }
  }
  return true;
}

/**
 * 0°, 90°, 180° and 270° outside the rim, where no petal and no label is.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {(degrees: number) => number} reach
 * @param {number} unit
 * @param {Box[]} boxes
 * @param {Box} frame
 */
function drawTicks(self, pen, [x, y], reach, unit, boxes, frame) {
  const type = Math.max(self.leastType, 13 * unit);
  pen.font = `400 ${type}px ${self.style.fontFamily}`;
  pen.fillStyle = self.style.color;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.globalAlpha = 0.7;
  for (const degrees of [0, 90, 180, 270]) {
    const half = /** @type {Point} */ ([1.1 * type, 0.6 * type]);
    const [box] = places([x, y], degrees, reach(degrees) + 3, half, frame);
    if (!isFree(box, boxes) || !isOutside(box, [x, y], reach)) continue;
    pen.fillText(`${degrees}°`, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
  }
  pen.globalAlpha = 1;
}

/**
 * A grey square whose area stands for 5 % of the probability on this dial; the box that it takes with its label.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {number} scale
 * @param {Point} corner bottom left
 * @param {number} unit
 * @returns {Box}
 */
function drawAreaSample(self, pen, scale, [left, bottom], unit) {
  const { look } = self.sweep;
  const side = Math.sqrt(look.areaSample * scale);
  pen.fillStyle = self.style.color;
  pen.globalAlpha = 0.35;
  pen.fillRect(left, bottom - side, side, side);
  pen.globalAlpha = 0.75;
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  const [type, label] = [Math.max(self.leastType, 12.5 * unit), self.labelTexts.area ?? ""];
  pen.font = `400 ${type}px ${self.style.fontFamily}`;
  pen.fillText(label, left + side + 6, bottom - 1);
  pen.globalAlpha = 1;
  return [left - 4, bottom - Math.max(side, type) - 4, left + side + 10 + pen.measureText(label).width, bottom + 4];
}

/**
 * A small ring on the rim at the turn that is tried.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} degrees
 * @param {number} unit
 */
function drawTried(self, pen, [x, y], degrees, unit) {
  pen.beginPath();
  pen.arc(x, y, 7 * unit, 0, TURN);
  pen.fillStyle = hue((degrees * TURN) / 360);
  pen.fill();
  pen.lineWidth = 3 * unit;
  pen.strokeStyle = self.style.paper;
  pen.stroke();
}

