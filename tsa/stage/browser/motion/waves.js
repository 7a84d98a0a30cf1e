// The waves of the posterior in the frequency plane: each at its periods to the right and up, k and −k alike.

import { context, drawStill } from "../shared/canvas.js";
import { TURN, hue } from "../shared/colour.js";
import { WAVE_NUMBERS } from "./packed.js";

/** @import { Pen, PenStyle, Point } from "../shared/canvas.js" */
/** @import { Packed } from "./packed.js" */

const MOST = 8; // periods that are shown along each axis
const SQUARE_RADIUS = 1.8; // pixels, below which a wave is a square of the same area: much faster, and looks the same
const FADED = 0.4; // opacity of a wave at −k, which is the same wave

/**
 * Where a wave is on a canvas.
 * @param {number} right
 * @param {number} up
 * @param {number} width
 * @param {number} height
 * @returns {Point}
 */
function placeOf(right, up, width, height) {
  const step = Math.min(width, height) / (2 * MOST + 2);
  return [width / 2 + right * step, height / 2 - up * step];
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {number} chosen index of a wave, or -1
 */
export function drawWaves(canvas, { waves }, style, chosen) {
  const [pen, width, height] = context(canvas);
  const step = Math.min(width, height) / (2 * MOST + 2);
  drawStill(pen, "waves", [style.soft, style.border].join(), width, height, (still) => drawGrid(still, width, height, style));
  for (let i = waves.length - WAVE_NUMBERS; i >= 0; i -= WAVE_NUMBERS) {
    const [right, up, certainty, phase] = waves.subarray(i, i + WAVE_NUMBERS);
    const radius = 0.62 * step * Math.sqrt(certainty);
    if (radius < 0.5) continue;
    for (const sign of [-1, 1]) {
      const [x, y] = placeOf(sign * right, sign * up, width, height);
      pen.globalAlpha = sign < 0 ? FADED : 1;
      pen.fillStyle = hue(sign * phase);
      if (radius < SQUARE_RADIUS) pen.fillRect(x - 0.9 * radius, y - 0.9 * radius, 1.8 * radius, 1.8 * radius);
      else {
        pen.beginPath();
        pen.arc(x, y, radius, 0, TURN);
        pen.fill();
      }
      if (radius > 2.5) {
        pen.strokeStyle = style.paper;
        pen.lineWidth = 1.3;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x + radius * Math.cos(sign * phase), y - radius * Math.sin(sign * phase));
        pen.stroke();
      }
      pen.globalAlpha = 1;
      if (sign > 0 && i === chosen * WAVE_NUMBERS) {
        pen.strokeStyle = style.color;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(x, y, radius + 3, 0, TURN);
        pen.stroke();
      }
    }
  }
}

/**
 * The frequency plane without waves: its axes, and a dot for each wave that there could be.
 * @param {Pen} pen
 * @param {number} width
 * @param {number} height
 * @param {PenStyle} style
 */
function drawGrid(pen, width, height, style) {
  pen.fillStyle = style.soft;
  pen.fillRect(0, 0, width, height);
  pen.strokeStyle = style.border;
  pen.beginPath();
  pen.moveTo(0, height / 2);
  pen.lineTo(width, height / 2);
  pen.moveTo(width / 2, 0);
  pen.lineTo(width / 2, height);
  pen.stroke();
  pen.fillStyle = style.border;
  for (let k = -MOST; k <= MOST; k++) {
    for (let l = -MOST; l <= MOST; l++) {
      const [x, y] = placeOf(k, l, width, height);
      pen.fillRect(x - 0.75, y - 0.75, 1.5, 1.5);
    }
  }
}

/**
 * The wave nearest to a place on the canvas.
 * @param {Packed} packed
 * @param {Point} place
 * @param {number} width
 * @param {number} height
 */
export function waveAt({ waves }, [px, py], width, height) {
  let [best, least] = [-1, Infinity];
  for (let i = 0; i < waves.length / WAVE_NUMBERS; i++) {
    for (const sign of [1, -1]) {
      const [x, y] = placeOf(sign * waves[WAVE_NUMBERS * i], sign * waves[WAVE_NUMBERS * i + 1], width, height);
      const distance = Math.hypot(x - px, y - py);
      if (distance < least) [best, least] = [i, distance];
    }
  }
  return best;
}
