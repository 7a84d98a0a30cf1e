// Three dials: the turn of the picture, and the two phases.

import { context } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue, withStops } from "../../../tsa/stage/browser/shared/colour.js";
import { drawTurned } from "../../../tsa/stage/browser/shared/dial.js";
import { fill } from "../../../tsa/stage/browser/shared/text.js";
import { dot, fraction } from "./flat.js";

/** @import { Pen, Point } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Orbits } from "./orbits.js" */

/**
 * @param {Orbits} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawDials(self, canvas) {
  const [pen, width, height] = context(canvas);
  const radius = Math.min(width / 6 - 14, (height - 52) / 2);
  const y = radius + 10;
  /** @type {(i: number) => Point} */
  const centre = (i) => [((i + 0.5) * width) / 3, y];
  drawPicture(self, pen, centre(0), radius);
  caption(self, pen, centre(0), radius, `s = ${inDegrees(self.s)}°`, canvas.dataset.picture ?? "");
  self.weights.forEach((weight, i) => {
    const phase = fraction((weight * self.s) / TURN) * TURN;
    drawHand(self, pen, centre(i + 1), radius, phase);
    const name = fill(canvas.dataset.weight ?? "", { weight: self.labels[i] });
    caption(self, pen, centre(i + 1), radius, `φ${"₁₂"[i]} = ${inDegrees(phase)}°`, name);
  });
}

/** @param {number} radians */
export const inDegrees = (radians) => Math.round(fraction(radians / TURN) * 360) % 360;

/**
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 */
function drawPicture(self, pen, [x, y], radius) {
  drawTurned(self, pen, [x, y], radius * 0.9);
  pen.strokeStyle = withStops(pen.createConicGradient(0, x, y), (t) => -t * TURN);
  pen.lineWidth = 3;
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.stroke();
  // Small dots at the other angles that give the same pair of phases.
  const { kernel, wholeTurns } = self.facts;
  const same = wholeTurns === 1 ? kernel : 1;
  for (let k = 1; k < same; k++) dot(self, pen, rim([x, y], radius, self.s + (k * TURN) / same), self.s + (k * TURN) / same, 5);
  dot(self, pen, rim([x, y], radius, self.s), self.s, 9);
}

/** @type {(centre: Point, radius: number, angle: number) => Point} */
const rim = ([x, y], radius, angle) => [x + radius * Math.cos(angle), y - radius * Math.sin(angle)];

/**
 * A line at the phase, and the sector from 0 to it.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {number} phase
 */
function drawHand(self, pen, centre, radius, phase) {
  pen.lineWidth = 1.6;
  pen.strokeStyle = self.style.border;
  pen.beginPath();
  pen.arc(...centre, radius, 0, TURN);
  pen.stroke();
  pen.strokeStyle = hue(phase);
  pen.fillStyle = hue(phase, 0.16);
  pen.beginPath();
  pen.moveTo(...centre);
  pen.arc(...centre, radius, 0, -phase, true);
  pen.fill();
  pen.lineWidth = 5;
  pen.beginPath();
  pen.moveTo(...centre);
  pen.lineTo(...rim(centre, radius - 3, phase));
  pen.stroke();
}

/**
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {string} value
 * @param {string} name
 */
function caption(self, pen, [x, y], radius, value, name) {
  pen.fillStyle = self.style.color;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.font = `650 15px ${self.style.fontFamily}`;
  pen.fillText(value, x, y + radius + 12);
  pen.globalAlpha = 0.72;
  pen.font = `400 12.5px ${self.style.fontFamily}`;
  pen.fillText(name, x, y + radius + 32);
  pen.globalAlpha = 1;
}
