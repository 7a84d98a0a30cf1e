// The pictures of the stage: x and y as they are and as the model sees them, y with its noise, and what a turn leaves
// over.

import { context, paint, penOf } from "../../shared/canvas.js";
import { TURN, hue } from "../../shared/colour.js";
import { cached, drawDisc } from "../../shared/dial.js";
import { row, triedTurn } from "../sweep.js";

/** @import { Pen, Point } from "../../shared/canvas.js" */
/** @import { Find } from "../../shared/mount.js" */
/** @import { Stage } from "../stage.js" */
/** @import { Sweep } from "../sweep.js" */

/** @typedef {{ plus: OffscreenCanvas, minus: OffscreenCanvas }} Noise what is added, and 1 − what is subtracted */

const OUTLINE_PIXELS = 192; // along a side of the picture of edges
const EDGE_GAIN = 4; // opacity of an edge, per grey step of 1 from one pixel to the next

/**
 * The pictures of a sweep: `first` of x, `picture` of y, the noise on y, and the edges of x as opacity.
 * @param {Sweep} sweep
 */
export function picturesOf({ sides, copy, picture, first, noise, size }) {
  const [x, y] = sides.map((side, i) => {
    const canvas = new OffscreenCanvas(side, side);
    paint(canvas, i === 0 && !copy ? first : picture, side);
    return canvas;
  });
  return { first: x, picture: y, noise: noise.length ? noiseOf(noise, size) : null, edges: edgesOf(x) };
}

/**
 * @param {Float32Array} noise
 * @param {number} size
 * @returns {Noise}
 */
function noiseOf(noise, size) {
  const [plus, minus] = [new OffscreenCanvas(size, size), new OffscreenCanvas(size, size)];
  const byte = (/** @type {number} */ value) => Math.round(255 * Math.min(1, Math.max(0, value)));
  paint(plus, Array.from(noise, byte), size);
  paint(minus, Array.from(noise, (value) => 255 - byte(-value)), size);
  return { plus, minus };
}

/**
 * A picture that is opaque where the grey values of `source` change.
 * @param {OffscreenCanvas} source
 */
function edgesOf(source) {
  const side = OUTLINE_PIXELS;
  const canvas = new OffscreenCanvas(side, side);
  const pen = penOf(canvas, { willReadFrequently: true });
  pen.imageSmoothingQuality = "high";
  pen.drawImage(source, 0, 0, side, side);
  const image = pen.getImageData(0, 0, side, side);
  const { data } = image;
  const edges = new ImageData(side, side);
  const words = new Uint32Array(edges.data.buffer);
  for (let v = 1; v < side - 1; v++) {
    for (let i = v * side + 1; i < (v + 1) * side - 1; i++) {
      const across = data[4 * i + 4] - data[4 * i - 4];
      const down = data[4 * (i + side)] - data[4 * (i - side)];
      if (across || down) words[i] = 0xffffff | (Math.min(255, (EDGE_GAIN / 2) * Math.sqrt(across * across + down * down)) << 24);
    }
  }
  pen.putImageData(edges, 0, 0);
  pen.globalCompositeOperation = "destination-in"; // inside the disc
  pen.arc(side / 2, side / 2, side / 2 - 1, 0, TURN);
  pen.fill();
  return canvas;
}

/**
 * A picture in a disc, turned.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {OffscreenCanvas} source
 * @param {number} degrees
 * @param {string} name under which the disc is kept
 */
function drawTurned(self, pen, [x, y], radius, source, degrees, name) {
  const disc = cached(self.cache, name, radius, source, (pen, size) => drawDisc(pen, size, source, 1));
  pen.save();
  pen.translate(x, y);
  pen.rotate((-degrees * TURN) / 360);
  pen.drawImage(disc, -radius, -radius, 2 * radius, 2 * radius);
  pen.restore();
}

/**
 * y as it was observed: turned by the dial, with its noise, whose pixels do not turn.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {string} name
 */
export function drawY(self, pen, centre, radius, name) {
  drawTurned(self, pen, centre, radius, self.pictures.picture, self.angle, `y-${name}`);
  const { noise } = self.pictures;
  if (!noise) return;
  const [x, y] = centre;
  pen.save();
  pen.beginPath();
  pen.arc(x, y, radius - 1, 0, TURN);
  pen.clip();
  pen.imageSmoothingEnabled = false;
  pen.globalCompositeOperation = "lighter";
  pen.drawImage(noise.plus, x - radius, y - radius, 2 * radius, 2 * radius);
  pen.globalCompositeOperation = "multiply";
  pen.drawImage(noise.minus, x - radius, y - radius, 2 * radius, 2 * radius);
  pen.restore();
}

/**
 * The edges of x, turned by the angle that is tried and in its hue.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {number} degrees
 */
export function drawOutline(self, pen, [x, y], radius, degrees) {
  const { edges } = self.pictures;
  if (self.outline?.edges !== edges || self.outline.degrees !== degrees) {
    const tinted = self.outline?.tinted ?? new OffscreenCanvas(OUTLINE_PIXELS, OUTLINE_PIXELS);
    const brush = penOf(tinted);
    brush.reset();
    brush.drawImage(edges, 0, 0);
    brush.globalCompositeOperation = "source-in";
    brush.fillStyle = hue((degrees * TURN) / 360);
    brush.fillRect(0, 0, OUTLINE_PIXELS, OUTLINE_PIXELS);
    self.outline = { edges, degrees, tinted };
  }
  pen.save();
  pen.translate(x, y);
  pen.rotate((-degrees * TURN) / 360);
  pen.drawImage(self.outline.tinted, -radius, -radius, 2 * radius, 2 * radius);
  pen.restore();
}

/**
 * What x, turned by some degrees, leaves over of y: |x − y|, black where nothing is left.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {number} degrees
 * @param {OffscreenCanvas} disc y, of the same size
 * @param {string} name
 */
function drawLeftOver(self, pen, [x, y], radius, degrees, disc, name) {
  drawTurned(self, pen, [x, y], radius, self.pictures.first, degrees, `x-${name}`);
  pen.globalCompositeOperation = "difference";
  pen.drawImage(disc, x - radius, y - radius, 2 * radius, 2 * radius);
  pen.globalCompositeOperation = "source-over";
}

/**
 * y in a canvas of its own, to be subtracted.
 * @param {Stage} self
 * @param {number} radius
 * @param {string} name
 */
function discOfY(self, radius, name) {
  const size = Math.ceil(2 * radius * (window.devicePixelRatio || 1));
  const canvas = (self.discs[name] ??= new OffscreenCanvas(size, size));
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const pen = penOf(canvas);
  pen.reset();
  drawY(self, pen, [size / 2, size / 2], size / 2, name);
  return canvas;
}

/**
 * A row of discs with what each turn leaves over.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {{ degrees: number, x: number }[]} places
 * @param {number} y
 * @param {number} radius
 */
export function drawLeftOvers(self, pen, places, y, radius) {
  const disc = discOfY(self, radius, "row");
  for (const { degrees, x } of places) drawLeftOver(self, pen, [x, y], radius, degrees, disc, "row");
}

/**
 * x turned by the angle that is tried, y, and what is left over.
 * @param {Stage} self
 * @param {Find} find
 */
export function drawTry(self, find) {
  const degrees = triedTurn(self);
  const [x, y, left] = ["turned-x", "plain-y", "left-over"].map((name) => context(find(name)));
  const radius = x[1] / 2;
  /** @type {Point} */
  const centre = [radius, radius];
  if (radius < 4) return; // not on this screen
  drawTurned(self, x[0], centre, radius, self.pictures.first, degrees, "x-try");
  drawY(self, y[0], centre, radius, "try");
  drawLeftOver(self, left[0], centre, radius, degrees, discOfY(self, radius, "minus"), "minus");
}

/**
 * x and y: the pictures, and the patches that the model gets.
 * @param {Stage} self
 * @param {Find} find
 */
export function drawSeen(self, find) {
  const { size, x, y } = self.sweep;
  paint(find("seen-y"), y.subarray(size * size * row(self), size * size * (row(self) + 1)), size);
  const [penY, width] = context(find("fine-y"));
  drawY(self, penY, [width / 2, width / 2], width / 2, "seen");
  const { first } = self.pictures;
  const pixels = find("fine-x").getBoundingClientRect().width * window.devicePixelRatio;
  if (self.drawnFirst?.first === first && self.drawnFirst.width === pixels) return; // x does not turn
  self.drawnFirst = { first, width: pixels };
  paint(find("seen-x"), x, size);
  const [penX, side] = context(find("fine-x"));
  drawTurned(self, penX, [side / 2, side / 2], side / 2, first, 0, "x-seen");
}
