// The plane of shifts: the posterior as a map, its 95 % region, its marginals, and the motions that stand out.

import { context, drawStill, penOf } from "../shared/canvas.js";
import { TURN } from "../shared/colour.js";
import { contour, mapPicture, strokeContour } from "./contour.js";

/** @import { Pen, PenStyle, Point } from "../shared/canvas.js" */
/** @import { Packed } from "./packed.js" */

const [LEFT, RIGHT, TOP, BOTTOM] = [30, 40, 40, 22]; // pixels around the plane: numbers, marginals
const NAME_FONT = "600 12px ";
const MARKER_REACH = 8; // pixels by which a marker at the edge of the plane reaches over it

/**
 * The square of the plane on its canvas.
 * @param {number} width
 * @param {number} height
 */
export function planeBox(width, height) {
  const size = Math.min(width - LEFT - RIGHT, height - TOP - BOTTOM);
  return { left: LEFT + (width - LEFT - RIGHT - size) / 2, top: TOP, size };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {PenStyle} style
 */
export function drawPlane(canvas, packed, style) {
  const [pen, width, height] = context(canvas);
  const { left, top, size } = planeBox(width, height);
  const { side } = packed;
  /** @type {(motion: readonly number[]) => Point} */
  const at = ([right, up]) => [left + size / 2 + (right * size) / side, top + size / 2 - (up * size) / side];
  const { soft, border, color, fontFamily } = style;
  drawStill(pen, "plane", [soft, border, color, fontFamily, side].join(), width, height, (still) => {
    still.fillStyle = soft;
    still.fillRect(left, top, size, size);
    drawGrid(still, at, side, style, size, left, top);
  });
  pen.save();
  pen.beginPath();
  pen.rect(left, top, size, size);
  pen.clip();
  pen.drawImage(mapPicture(packed.map, side, packed.opacity), left, top, size, size);
  const cells = Math.sqrt(packed.map.length);
  pen.translate(left, top);
  pen.scale(size / cells, size / cells);
  pen.strokeStyle = style.color;
  pen.lineWidth = (1.3 * cells) / size;
  strokeContour(pen, contour(packed.map, cells, packed.edge));
  pen.restore();
  drawMarginals(pen, packed, style, { left, top, size });
  pen.save();
  pen.beginPath();
  pen.rect(left - MARKER_REACH, top - MARKER_REACH, size + 2 * MARKER_REACH, size + 2 * MARKER_REACH);
  pen.clip();
  drawMarkers(pen, packed, style, at);
  pen.restore();
  nameMasses(pen, packed, style, at);
  nameMarkers(pen, packed, style, at, { left, size });
}

/**
 * @param {Pen} pen
 * @param {(motion: readonly number[]) => Point} at
 * @param {number} side
 * @param {PenStyle} style
 * @param {number} size
 * @param {number} left
 * @param {number} top
 */
function drawGrid(pen, at, side, style, size, left, top) {
  pen.strokeStyle = style.border;
  pen.lineWidth = 1;
  pen.font = `12px ${style.fontFamily}`;
  pen.fillStyle = style.color;
  for (const share of [-0.5, -0.25, 0, 0.25, 0.5]) {
    const value = share * side;
    const [x, y] = at([value, value]);
    pen.beginPath();
    pen.setLineDash(share === 0 ? [] : [2, 4]);
    pen.moveTo(x, top);
    pen.lineTo(x, top + size);
    pen.moveTo(left, y);
    pen.lineTo(left + size, y);
    pen.stroke();
    const text = `${value}`.replace("-", "−");
    pen.globalAlpha = 0.75;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    pen.fillText(text, x, top + size + 6);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    if (share > -0.5) pen.fillText(text, left - 5, y);
    pen.globalAlpha = 1;
  }
  pen.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {{ left: number, top: number, size: number }} box
 */
function drawMarginals(pen, packed, style, { left, top, size }) {
  pen.fillStyle = style.faint;
  pen.strokeStyle = style.color;
  pen.lineWidth = 1;
  const n = packed.right.length;
  pen.beginPath();
  pen.moveTo(left, top - 4);
  packed.right.forEach((value, i) => pen.lineTo(left + (i * size) / n, top - 4 - 32 * value));
  pen.lineTo(left + size, top - 4);
  pen.fill();
  pen.stroke();
  pen.beginPath();
  pen.moveTo(left + size + 4, top + size);
  packed.up.forEach((value, i) => pen.lineTo(left + size + 4 + 32 * value, top + size - (i * size) / n));
  pen.lineTo(left + size + 4, top);
  pen.fill();
  pen.stroke();
}

/**
 * The true, the most probable and the slowest motion, the circle that touches the region at the slowest, and the one
 * that is tried.
 * @param {Pen} pen
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {(motion: readonly number[]) => Point} at
 */
export function drawMarkers(pen, packed, style, at) {
  const [origin, slowest, mode, truth] = [at([0, 0]), at(packed.slowest), at(packed.mode), at(packed.motion)];
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.2;
  pen.setLineDash([2, 3]);
  pen.beginPath();
  pen.arc(...origin, Math.hypot(slowest[0] - origin[0], slowest[1] - origin[1]), 0, TURN);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(...origin);
  pen.lineTo(...slowest);
  pen.stroke();
  dot(pen, origin, 3, style.color, style.color);
  dot(pen, slowest, 5, style.paper, style.color);
  diamond(pen, mode, 7, style);
  dot(pen, truth, 7, style.paper, style.color);
  dot(pen, truth, 2.5, style.color, style.color);
  if (packed.isTried) cross(pen, at(packed.shown), style);
}

/**
 * The probability of each piece of the region above it, if there are several.
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {(motion: readonly number[]) => Point} at
 */
function nameMasses(pen, packed, style, at) {
  pen.font = `11px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.lineWidth = 3;
  pen.strokeStyle = style.soft;
  pen.fillStyle = style.color;
  for (const [right, up, mass] of packed.masses) {
    const [x, y] = at([right, up]);
    pen.strokeText(mass, x, y - 9);
    pen.fillText(mass, x, y - 9);
  }
}

/**
 * Names beside their markers where there is room; markers that coincide share the first name.
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {(motion: readonly number[]) => Point} at
 * @param {{ left: number, size: number }} box
 */
function nameMarkers(pen, packed, style, at, { left, size }) {
  const { labels } = packed.words;
  /** @type {[Point, string][]} */
  const named = [[at(packed.motion), labels.truth], [at(packed.mode), labels.mode], [at(packed.slowest), labels.slowest]];
  /** @type {number[][]} */
  const taken = [];
  pen.font = NAME_FONT + style.fontFamily;
  for (const [[x, y], name] of named) {
    const length = pen.measureText(name).width;
    const onRight = x + 13 + length < left + size;
    const start = onRight ? x + 13 : x - 13 - length;
    if (start < left) continue;
    if (taken.some(([a, b, c]) => Math.abs(b - y) < 16 && start < c && a < start + length)) continue;
    taken.push([start, y, start + length]);
    const { picture, width, height } = nameOf(name, length, style);
    pen.drawImage(picture, Math.round(start) - NAME_MARGIN, Math.round(y - height / 2), width, height);
  }
}

const NAME_MARGIN = 4; // CSS pixels around a name, for its halo

/** @type {Map<string, { picture: OffscreenCanvas, width: number, height: number }>} */
const names = new Map();

/**
 * A name with a halo as a picture: text with an outline takes longer to draw than all else on the plane.
 * @param {string} name
 * @param {number} length in CSS pixels
 * @param {PenStyle} style
 */
function nameOf(name, length, style) {
  const ratio = window.devicePixelRatio || 1;
  const key = [name, style.color, style.paper, style.fontFamily, ratio].join();
  let found = names.get(key);
  if (found) return found;
  const [width, height] = [Math.ceil(length) + 2 * NAME_MARGIN, 22];
  const picture = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio));
  const pen = penOf(picture);
  pen.scale(ratio, ratio);
  pen.font = NAME_FONT + style.fontFamily;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 3.5;
  pen.strokeStyle = style.paper;
  pen.strokeText(name, NAME_MARGIN, height / 2);
  pen.fillStyle = style.color;
  pen.fillText(name, NAME_MARGIN, height / 2);
  found = { picture, width, height };
  names.set(key, found);
  return found;
}

/**
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {string} fill
 * @param {string} line
 */
function dot(pen, [x, y], radius, fill, line) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = line;
  pen.lineWidth = 2;
  pen.stroke();
}

/**
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 * @param {PenStyle} style
 */
function diamond(pen, [x, y], radius, style) {
  pen.beginPath();
  pen.moveTo(x, y - radius);
  pen.lineTo(x + radius, y);
  pen.lineTo(x, y + radius);
  pen.lineTo(x - radius, y);
  pen.closePath();
  pen.fillStyle = style.color;
  pen.fill();
  pen.strokeStyle = style.paper;
  pen.lineWidth = 1.5;
  pen.stroke();
}

/**
 * @param {Pen} pen
 * @param {Point} centre
 * @param {PenStyle} style
 * @param {number} [gap] pixels around the place that are left free
 */
function cross(pen, [x, y], style, gap = 4) {
  for (const [colour, width] of /** @type {[string, number][]} */ ([[style.paper, 5], [style.color, 2]])) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(x + gap * dx, y + gap * dy);
      pen.lineTo(x + (gap + 8) * dx, y + (gap + 8) * dy);
    }
    pen.stroke();
  }
}

/**
 * A small map with the outline of its 95 % region and a crosshair at the true motion.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} opacity
 * @param {number} edge opacity on the outline
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {boolean} withTruth
 */
export function drawSmallMap(canvas, opacity, edge, packed, style, withTruth) {
  const [pen, width, height] = context(canvas);
  pen.fillStyle = style.soft;
  pen.fillRect(0, 0, width, height);
  pen.strokeStyle = style.border;
  pen.beginPath();
  pen.moveTo(width / 2, 0);
  pen.lineTo(width / 2, height);
  pen.moveTo(0, height / 2);
  pen.lineTo(width, height / 2);
  pen.stroke();
  pen.drawImage(mapPicture(opacity, packed.side), 0, 0, width, height);
  const cells = Math.sqrt(opacity.length);
  pen.save();
  pen.scale(width / cells, height / cells);
  pen.strokeStyle = style.color;
  pen.lineWidth = cells / width;
  strokeContour(pen, contour(opacity, cells, edge));
  pen.restore();
  if (!withTruth) return;
  const [right, up] = packed.motion;
  cross(pen, [width / 2 + (right * width) / packed.side, height / 2 - (up * height) / packed.side], style, 9);
}
