// The vote at every angle: one strip for each distance, as high as the share of the answer, which is written on it.

import { context, penOf } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue, withStops } from "../../../tsa/stage/browser/shared/colour.js";

/** @import { Recognise } from "./recognise.js" */
/** @typedef {{ left: number, scale: number, narrow: boolean }} Box scale: pixels per degree */
/** @typedef {{ distance: number, winner: number, from: number, to: number }} Run angles with one answer */

const [LEFT_PIXELS, RIGHT_PIXELS, FOOT_PIXELS] = [118, 96, 24];
const TITLE_PIXELS = 20; // above a strip, if there is no room beside it

/**
 * @param {number} width
 * @returns {Box}
 */
export const stripBox = (width) => {
  const narrow = width < 560;
  const [left, right] = narrow ? [8, 8] : [LEFT_PIXELS, RIGHT_PIXELS];
  return { narrow, left, scale: (width - left - right) / 360 };
};

/**
 * @param {Recognise} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawVotesByAngle(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { names, steps, words } = self.votes;
  const { narrow, left, scale } = stripBox(width);
  const pitch = (height - FOOT_PIXELS) / names.length;
  pen.textBaseline = "middle";
  names.forEach((_, distance) => {
    const [top, base] = [distance * pitch + (narrow ? TITLE_PIXELS : 5), (distance + 1) * pitch - 1];
    const middle = narrow ? top - 8 : (top + base) / 2;
    pen.textAlign = "left";
    pen.fillStyle = self.style.color;
    pen.font = `600 12.5px ${self.style.fontFamily}`;
    pen.fillText(words.titles[distance], 0, middle);
    if (steps > 1) {
      for (const run of runs(self, distance)) drawRun(self, pen, run, { left, scale, top, base });
      pen.textAlign = "right";
      pen.fillStyle = self.style.color;
      pen.font = `600 12.5px ${self.style.fontFamily}`;
      pen.fillText(words.shares[distance], width, middle);
    }
    pen.fillStyle = self.style.border;
    pen.fillRect(left, base, 360 * scale, 1);
    drawMark(self, pen, left + self.angle * scale, narrow ? top : distance * pitch, base); // not through a title
  });
  drawAxis(self, pen, { left, scale, narrow }, height - FOOT_PIXELS);
  pen.textBaseline = "alphabetic";
}

/**
 * Runs of angles with one answer; the run across 0° is split there.
 * @param {Recognise} self
 * @param {number} distance
 */
function runs(self, distance) {
  const { steps, winners } = self.votes;
  /** @type {Run[]} */
  const found = [];
  for (let t = 0; t < steps; t++) {
    const winner = winners[distance * steps + t];
    const last = found.at(-1);
    if (last?.winner === winner) last.to = t;
    else found.push({ distance, winner, from: t, to: t });
  }
  return found;
}

/**
 * Cell t is centred at its angle.
 * @param {Recognise} self
 * @param {CanvasRenderingContext2D} pen
 * @param {Run} run
 * @param {{ left: number, scale: number, top: number, base: number }} box
 */
function drawRun(self, pen, { distance, winner, from, to }, { left, scale, top, base }) {
  const { k, steps, counts, digit } = self.votes;
  const right = winner === digit;
  const x = (/** @type {number} */ t) => left + Math.max(0, ((t - 0.5) * 360) / steps) * scale;
  const y = (/** @type {number} */ t) => base - ((base - top) * counts[10 * (distance * steps + t) + winner]) / k;
  const end = (/** @type {number} */ t) => (t === steps - 1 ? left + 360 * scale : x(t + 1));
  pen.beginPath();
  pen.moveTo(x(from), base);
  for (let t = from; t <= to; t++) {
    pen.lineTo(x(t), y(t));
    pen.lineTo(end(t), y(t));
  }
  pen.lineTo(end(to), base);
  pen.closePath();
  pen.fillStyle = right ? self.style.quiet : self.hatch(pen);
  pen.globalAlpha = right ? 0.35 : 1;
  pen.fill();
  pen.globalAlpha = 1;
  if (end(to) - x(from) < 15) return;
  pen.textAlign = "center";
  pen.font = `700 13px ${self.style.fontFamily}`;
  pen.lineWidth = 4;
  pen.strokeStyle = self.style.paper;
  const middle = (x(from) + end(to)) / 2;
  if (!right) pen.strokeText(`${winner}`, middle, base - 8);
  pen.fillStyle = right ? self.style.color : self.style.wrong;
  pen.fillText(`${winner}`, middle, base - 8);
}

/**
 * Slanted lines, so that wrong answers do not depend on colour.
 * @param {string} colour
 * @returns {(pen: CanvasRenderingContext2D) => CanvasPattern}
 */
export function hatching(colour) {
  const size = 6 * (window.devicePixelRatio || 1);
  const tile = new OffscreenCanvas(size, size);
  const pen = penOf(tile);
  pen.strokeStyle = colour;
  pen.lineWidth = size / 4;
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  return (onto) => {
    const pattern = /** @type {CanvasPattern} */ (onto.createPattern(tile, "repeat"));
    pattern.setTransform(new DOMMatrix().scale(6 / size));
    return pattern;
  };
}

/**
 * A line at the angle of the dial.
 * @param {Recognise} self
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} from
 * @param {number} to
 */
function drawMark(self, pen, x, from, to) {
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.6;
  pen.beginPath();
  pen.moveTo(x, from);
  pen.lineTo(x, to);
  pen.stroke();
}

/**
 * @param {Recognise} self
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} box
 * @param {number} base
 */
function drawAxis(self, pen, { left, scale, narrow }, base) {
  const gradient = pen.createLinearGradient(left, 0, left + 360 * scale, 0);
  pen.fillStyle = withStops(gradient, (t) => t * TURN);
  pen.fillRect(left, base + 2, 360 * scale, 4);
  pen.fillStyle = self.style.quiet;
  pen.font = `400 12px ${self.style.fontFamily}`;
  for (let d = 0; d <= 360; d += narrow ? 90 : 45) {
    pen.textAlign = narrow && d === 0 ? "left" : narrow && d === 360 ? "right" : "center";
    pen.fillText(`${d}°`, left + d * scale, base + 16);
  }
  const x = left + self.angle * scale;
  drawMark(self, pen, x, base - 1, base);
  pen.beginPath();
  pen.arc(x, base + 4, 6, 0, TURN);
  pen.fillStyle = hue((self.angle * TURN) / 360);
  pen.fill();
  pen.lineWidth = 2;
  pen.stroke();
}
