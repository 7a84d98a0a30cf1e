// Drawings of the posterior: the dial with its petals, the strip, and the patches x and y.

import { context, paint } from "../shared/canvas.js";
import { TURN, withStops } from "../shared/colour.js";
import { drawKnob, drawTurned, hueWheel } from "../shared/dial.js";
import { heights, namedModes, row } from "./sweep.js";

/** @import { Point } from "../shared/canvas.js" */
/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * The picture of y inside a circle of hues; the density grows outwards from the circle.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { look } = self.sweep;
  const modes = namedModes(self);
  const [x, y] = [width / 2, height / 2];
  const outer = Math.min(width, height) / 2;
  // A small dial has shorter petals: its labels, which keep their size, need the room.
  const small = outer < 180;
  const inner = outer * (small ? 0.48 : look.pictureRadius);
  const rim = inner * look.rimOverPicture;
  const base = rim + look.rimToPetals;
  const tip = small ? outer - 40 : outer * 0.84;
  const text = self.style.color;
  const tall = self.pending ? 0 : modes.length ? 1 : look.flatPetals;
  const p = heights(self);
  const reach = (/** @type {number} */ i) => base + (tip - base) * p[i % 360] * tall;
  /** @type {(radius: number, radians: number) => Point} */
  const point = (radius, radians) => [x + radius * Math.cos(radians), y - radius * Math.sin(radians)];

  pen.save();
  pen.beginPath();
  for (let d = 0; d < 360; d++) pen.lineTo(...point(reach(d), (d * TURN) / 360));
  pen.closePath();
  pen.arc(x, y, base, 0, TURN, true);
  pen.closePath();
  pen.moveTo(x + rim + look.rimHalfWidth, y);
  pen.arc(x, y, rim + look.rimHalfWidth, 0, TURN);
  pen.closePath();
  pen.moveTo(x + rim - look.rimHalfWidth, y);
  pen.arc(x, y, rim - look.rimHalfWidth, 0, TURN, true);
  pen.clip("evenodd");
  pen.drawImage(hueWheel(self.cache, outer), x - outer, y - outer, 2 * outer, 2 * outer);
  pen.restore();

  drawTurned(self, pen, [x, y], inner);

  if (!self.pending) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const { degrees, percent } of modes) {
      const near = Math.max(...[-6, -3, 0, 3, 6].map((d) => reach(degrees + 360 + d)));
      const [px, py] = point(Math.min(near + 30, outer - 12), (degrees * TURN) / 360);
      pen.fillStyle = text;
      pen.font = `650 15px ${self.style.fontFamily}`;
      pen.fillText(`${degrees}°`, px, py - 8);
      pen.font = `400 12px ${self.style.fontFamily}`;
      pen.globalAlpha = 0.72;
      pen.fillText(`${percent} %`, px, py + 8);
      pen.globalAlpha = 1;
    }
  }
  drawKnob(self, pen, point(rim, (self.angle * TURN) / 360));
}

/**
 * x and y: the pictures, and the patches that the model gets.
 * @param {Stage} self
 * @param {Find} find
 */
export function drawSeen(self, find) {
  const { size, x, y } = self.sweep;
  /** @type {(canvas: HTMLCanvasElement, picture: OffscreenCanvas, turn: number) => void} */
  const fine = (canvas, picture, turn) => {
    const [pen, width] = context(canvas);
    pen.translate(width / 2, width / 2);
    pen.rotate((-turn * TURN) / 360);
    pen.drawImage(picture, -width / 2, -width / 2, width, width);
  };
  paint(find("seen-y"), y.subarray(size * size * row(self), size * size * (row(self) + 1)), size);
  fine(find("fine-y"), self.picture, self.angle);
  const [first, width] = [self.first, find("fine-x").getBoundingClientRect().width * window.devicePixelRatio];
  if (self.drawnFirst?.first === first && self.drawnFirst.width === width) return; // x does not turn
  self.drawnFirst = { first, width };
  paint(find("seen-x"), x, size);
  fine(find("fine-x"), self.first, 0);
}

/**
 * The density over s from 0° to 360°.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawStrip(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { look, level, words } = self.sweep;
  const p = heights(self);
  const [left, base, tall] = [14, height - 20, height - 34];
  const scale = (width - 2 * left) / 360;
  const flat = namedModes(self).length ? 1 : look.flatStrip;
  const edge = level[row(self)];
  const shown = self.log ? 1 + Math.log(edge) / look.logRange : edge;
  // All of the density pale, then the 95 % credible set in full colour.
  for (const [alpha, least] of [
    [look.paleOpacity, -1],
    [1, shown * 0.999],
  ]) {
    pen.fillStyle = withStops(pen.createLinearGradient(left, 0, width - left, 0), (t) => t * TURN, alpha);
    pen.beginPath();
    let inside = false;
    for (let d = 0; d <= 360; d++) {
      const [x, h] = [left + d * scale, p[d % 360]];
      if (h >= least && !inside) pen.moveTo(x, base);
      if (h >= least) pen.lineTo(x, base - Math.max(1, tall * h * flat));
      if (inside && (h < least || d === 360)) pen.lineTo(left + (h < least ? d - 1 : d) * scale, base);
      inside = h >= least;
    }
    pen.fill();
  }
  const text = self.style.color;
  pen.fillStyle = text;
  pen.font = `400 12px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  for (let d = 0; d <= 360; d += 45) pen.fillText(`${d}°`, left + d * scale, height - 5);
  const s = left + self.angle * scale;
  pen.strokeStyle = text;
  pen.setLineDash([4, 3]);
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.moveTo(s, 14);
  pen.lineTo(s, base);
  pen.stroke();
  pen.setLineDash([]);
  pen.font = `650 11.5px ${self.style.fontFamily}`;
  pen.textAlign = s > width - 60 ? "right" : s < 60 ? "left" : "center";
  pen.fillText(words.templates.mark, s, 10);
}
