// The picture before and after, the window, and motions drawn from the posterior, at the scale of the picture.

import { context, drawStill, paint } from "../shared/canvas.js";
import { TURN, hue } from "../shared/colour.js";
import { contour, strokeContour } from "./contour.js";

/** @import { Point } from "../shared/canvas.js" */
/** @import { Packed } from "./packed.js" */

const OUTSIDE_OPACITY = 0.45; // of the moved picture outside the window, which is not seen
const FAN_CLEARANCE = 1.1; // pixels around the true motion within which no drawn motion is shown, to leave it legible

/** @type {Record<string, OffscreenCanvas>} */
const canvases = {};

/** @type {{ x: Uint8Array, number: number }} */
let before = { x: new Uint8Array(), number: 0 }; // the picture before it moved, which stays while a hand moves

/**
 * A number that is another one for each picture that was there before.
 * @param {Uint8Array} x
 */
function numberOf(x) {
  if (before.x.length !== x.length || x.some((value, i) => value !== before.x[i])) before = { x, number: before.number + 1 };
  return before.number;
}

/**
 * @param {string} name
 * @param {ArrayLike<number>} values
 * @param {number} side
 */
function grey(name, values, side) {
  const canvas = (canvases[name] ??= new OffscreenCanvas(side, side));
  paint(/** @type {any} */ (canvas), values, side);
  return canvas;
}

/**
 * Where a place (right, up) from the middle of the world is on a canvas of `size` pixels.
 * @param {readonly number[]} place
 * @param {number} side
 * @param {number} size
 * @returns {Point}
 */
export const onWorld = ([right, up], side, size) => [size / 2 + (right * size) / side, size / 2 - (up * size) / side];

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {boolean} onlyWindow whether what is outside of the window is hidden, and with it the answer
 * @param {number | null} share of the way, while playing
 */
export function drawWorld(canvas, packed, onlyWindow, share) {
  const [pen, size] = context(canvas);
  const { side, window, windowAt, motion } = packed;
  const scale = size / side;
  const centre = onWorld(windowAt, side, size);
  const radius = (window / 2) * scale;
  pen.fillStyle = "black";
  pen.fillRect(0, 0, size, size);
  pen.imageSmoothingEnabled = true;
  const drawMoving = (/** @type {number} */ part) => {
    const picture = grey("x", packed.x, side);
    const [dx, dy] = [part * motion[0] * scale, -part * motion[1] * scale];
    for (const i of [-1, 0, 1]) for (const j of [-1, 0, 1]) pen.drawImage(picture, dx + i * size, dy + j * size, size, size);
  };
  pen.globalAlpha = onlyWindow ? 0 : OUTSIDE_OPACITY;
  if (share !== null) drawMoving(share);
  else pen.drawImage(grey("after", packed.after, side), 0, 0, size, size);
  pen.globalAlpha = 1;
  pen.save();
  pen.beginPath();
  for (const i of [-1, 0, 1]) {
    for (const j of [-1, 0, 1]) {
      const [x, y] = [centre[0] + i * size, centre[1] + j * size];
      if (Math.max(Math.abs(x - size / 2), Math.abs(y - size / 2)) > size / 2 + radius) continue; // out of sight
      pen.moveTo(x + radius, y);
      pen.arc(x, y, radius, 0, TURN);
    }
  }
  pen.clip();
  if (share !== null) drawMoving(share);
  else {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(grey("y", packed.y, side), 0, 0, size, size);
  }
  pen.restore();
  if (share === null && packed.isTried) drawTried(pen, packed, scale);
  if (share === null && !onlyWindow) {
    drawGhost(pen, packed, scale);
    drawFan(pen, packed, centre, scale);
  }
  drawRim(pen, centre, radius);
}

/**
 * x moved by the shift that is tried, as an outline over y, in the hue of its direction.
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {number} scale
 */
function drawTried(pen, { laid, shown, side }, scale) {
  const path = contour(laid, side, 127.5);
  pen.save();
  pen.scale(scale, scale);
  for (const [colour, width] of /** @type {[string, number][]} */ ([["black", 4.5], [hue(Math.atan2(shown[1], shown[0])), 2.5]])) {
    pen.strokeStyle = colour;
    pen.lineWidth = width / scale;
    strokeContour(pen, path);
  }
  pen.restore();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {number} scale
 */
function drawGhost(pen, { x, side }, scale) {
  const size = side * scale;
  drawStill(pen, "ghost", `${numberOf(x)}`, size, size, (still) => {
    still.scale(scale, scale);
    still.strokeStyle = "rgba(255,255,255,0.75)";
    still.lineWidth = 1.2 / scale;
    still.setLineDash([3 / scale, 3 / scale]);
    strokeContour(still, contour(x, side, 127.5));
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {Point} centre
 * @param {number} scale
 */
function drawFan(pen, { fan, motion }, [x, y], scale) {
  for (let i = 0; i < fan.length; i += 2) {
    const [right, up] = [fan[i], fan[i + 1]];
    if (Math.hypot(right - motion[0], up - motion[1]) < FAN_CLEARANCE) continue;
    const colour = hue(Math.atan2(up, right));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + right * scale, y - up * scale);
    pen.stroke();
    pen.beginPath();
    pen.arc(x + right * scale, y - up * scale, 4.5, 0, TURN);
    pen.fillStyle = colour;
    pen.fill();
    pen.strokeStyle = "black";
    pen.stroke();
  }
  arrow(pen, [x, y], [x + motion[0] * scale, y - motion[1] * scale]);
}

/**
 * The true motion: white on black.
 * @param {CanvasRenderingContext2D} pen
 * @param {Point} from
 * @param {Point} to
 */
function arrow(pen, from, to) {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const head = Math.min(13, length);
  for (const [colour, width] of /** @type {[string, number][]} */ ([["black", 7], ["white", 3.5]])) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(to[0] - head * 0.8 * Math.cos(angle), to[1] - head * 0.8 * Math.sin(angle));
    pen.stroke();
    const grown = head + (colour === "black" ? 3 : 0);
    pen.beginPath();
    pen.moveTo(to[0] + (grown - head) * Math.cos(angle), to[1] + (grown - head) * Math.sin(angle));
    for (const turn of [2.6, -2.6]) pen.lineTo(to[0] + grown * Math.cos(angle + turn), to[1] + grown * Math.sin(angle + turn));
    pen.fill();
  }
}

/**
 * The window's rim with four handles, and a handle in its middle.
 * @param {CanvasRenderingContext2D} pen
 * @param {Point} centre
 * @param {number} radius
 */
function drawRim(pen, [x, y], radius) {
  for (const [colour, width, dash] of /** @type {[string, number, number[]][]} */ ([["black", 3.5, []], ["white", 2, [6, 4]]])) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.stroke();
  }
  pen.setLineDash([]);
  /** @type {Point[]} */
  const handles = [[x, y]];
  for (const turn of [1, 3, 5, 7]) handles.push([x + radius * Math.cos((turn * TURN) / 8), y + radius * Math.sin((turn * TURN) / 8)]);
  for (const [hx, hy] of handles) {
    pen.beginPath();
    pen.arc(hx, hy, 5.5, 0, TURN);
    pen.fillStyle = "white";
    pen.fill();
    pen.strokeStyle = "black";
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}

/**
 * x, y as seen, and what is left over, small.
 * @param {(name: string) => HTMLCanvasElement} find
 * @param {Packed} packed
 */
export function drawPair(find, packed) {
  const { side, x, y, seen, left, laid } = packed;
  paint(find("small-x"), x, side);
  paint(find("small-y"), y.map((value, i) => (seen[i] ? value : 205)), side);
  paint(find("small-laid"), laid, side);
  paint(find("small-left"), left.map((value, i) => (seen[i] ? value : 205)), side);
}
