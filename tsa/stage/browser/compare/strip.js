// The posteriors of all pins over one axis of s. Hue stands for the angle, so the pins differ in their lines and numbers.

import { context } from "../shared/canvas.js";
import { TURN, withStops } from "../shared/colour.js";
import { density } from "../lab/sweep.js";

/** @import { Comparison } from "./compare.js" */

/** Lengths and gaps of the line of each pin, in pixels; tsa/stage/comparison/drawing.py has the same. */
export const DASHES = [[], [9, 5], [1.5, 4.5], [12, 4, 1.5, 4]];
const HUE_PIXELS = 6; // height of the band of hues below the axis
const TOP_PIXELS = 20; // for the numbers above the highest peak
const BELOW_PIXELS = 28; // for the band and its labels

/**
 * The highest peak of all fills the height; on a logarithmic scale the peak of each does.
 * @param {Comparison} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawStrip(self, canvas) {
  const [pen, width, height] = context(canvas);
  const [left, right, base] = [16, width - 16, height - BELOW_PIXELS];
  const tall = base - TOP_PIXELS;
  const x = (/** @type {number} */ degrees) => left + ((right - left) * degrees) / 360;
  const densities = self.pins.map(({ stage }) => density(stage));
  const peaks = densities.map((p) => Math.max(...p));
  const highest = Math.max(...peaks);
  const { logRange } = self.pins[0].stage.sweep.look;

  pen.fillStyle = withStops(pen.createLinearGradient(left, 0, right, 0), (t) => t * TURN);
  pen.fillRect(left, base + 2, right - left, HUE_PIXELS);
  pen.strokeStyle = pen.fillStyle = self.style.color;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(x(self.angle), TOP_PIXELS - 6);
  pen.lineTo(x(self.angle), base);
  pen.stroke();
  pen.globalAlpha = 0.75;
  pen.font = `${self.type + 0.5}px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  for (const degrees of [0, 90, 180, 270, 360]) pen.fillText(`${degrees}°`, x(degrees), height - 5);
  pen.globalAlpha = 1;
  pen.lineWidth = 1.8;
  pen.lineCap = "butt";
  pen.font = `650 ${self.type + 2.5}px ${self.style.fontFamily}`;
  /** @type {[number, number][]} */
  const taken = [];
  densities.forEach((p, i) => {
    const share = (/** @type {number} */ value) =>
      self.log ? Math.max(0, 1 + Math.log(Math.max(value / peaks[i], 1e-30)) / logRange) : value / highest;
    pen.setLineDash(DASHES[i]);
    pen.beginPath();
    for (let d = 0; d <= 360; d++) pen.lineTo(x(d), base - tall * share(p[d % 360]));
    pen.stroke();
    const first = p.findIndex((value) => value >= 0.999 * peaks[i]); // of equal peaks
    const py = base - tall * share(peaks[i]) - 5;
    const isFree = (/** @type {number} */ px) => px > 6 && px < width - 6 && taken.every(([ox, oy]) => Math.abs(ox - px) >= 13 || Math.abs(oy - py) >= 15);
    const px = [0, 14, -14, 28, -28, 42].map((aside) => x(first) + aside).find(isFree) ?? x(first);
    taken.push([px, py]);
    pen.fillText(`${i + 1}`, px, py);
  });
  pen.setLineDash([]);
}
