// The outline of a region on a grid, and pictures in the colours of directions.

import { WHEEL } from "../shared/colour.js";
import { penOf } from "../shared/canvas.js";

/** @import { Pen } from "../shared/canvas.js" */

/**
 * The line where values on an n×n grid of cell centres cross a level, in cells from the left and from the top.
 * @param {Uint8Array} values
 * @param {number} n
 * @param {number} level
 */
export function contour(values, n, level) {
  const path = new Path2D();
  for (let row = 0; row < n - 1; row++) {
    // Corners of a square that are above the level: bits 1 to 8, clockwise from the upper left. One step to the right the
    // right corners become the left ones.
    let at = row * n;
    let kind = (values[at] > level ? 2 : 0) | (values[at + n] > level ? 4 : 0);
    for (let column = 0; column < n - 1; column++, at++) {
      kind = ((kind & 2) >> 1) | ((kind & 4) << 1) | (values[at + 1] > level ? 2 : 0) | (values[at + n + 1] > level ? 4 : 0);
      if (kind === 0 || kind === 15) continue; // all but the few squares that the line crosses
      const ends = ENDS[kind];
      for (let i = 0; i < ends.length; i++) {
        const [x, y] = crossing(values, n, at, level, ends[i]);
        if (i % 2) path.lineTo(column + 0.5 + x, row + 0.5 + y);
        else path.moveTo(column + 0.5 + x, row + 0.5 + y);
      }
    }
  }
  return path;
}

/**
 * Draw a contour, which is many short segments: flat ends are much faster than round ones, and here look the same.
 * @param {Pen} pen
 * @param {Path2D} path
 */
export function strokeContour(pen, path) {
  const { lineCap } = pen;
  pen.lineCap = "butt";
  pen.stroke(path);
  pen.lineCap = lineCap;
}

/**
 * Where the line crosses a side (0 top, 1 right, 2 bottom, 3 left) of the square between four cells.
 * @param {Uint8Array} values
 * @param {number} n
 * @param {number} at index of the upper left cell
 * @param {number} level
 * @param {number} side
 * @returns {[number, number]}
 */
function crossing(values, n, at, level, side) {
  const from = side === 1 ? at + 1 : side === 2 ? at + n : at;
  const step = side % 2 ? n : 1;
  const share = (level - values[from]) / (values[from + step] - values[from]);
  return side % 2 ? [side === 1 ? 1 : 0, share] : [share, side === 2 ? 1 : 0];
}

/** Between which sides of a square the line runs, two ends after two, by the corners that are above the level. */
const ENDS = [[], [3, 0], [0, 1], [3, 1], [1, 2], [3, 0, 1, 2], [0, 2], [3, 2], [2, 3], [0, 2], [0, 1, 2, 3], [1, 2], [1, 3], [0, 1], [3, 0], []];

const GREY_PIXELS = 2.5; // around no motion, where a direction means little

/** @type {Map<string, { colours: Uint32Array, canvas: OffscreenCanvas, image: ImageData }>} */
const prepared = new Map();

/**
 * The hue of the direction of each cell of a map from its middle, and what it is drawn into.
 * @param {number} cells along a side
 * @param {number} side pixels of the world
 */
function directions(cells, side) {
  const key = `${cells} ${side}`;
  let found = prepared.get(key);
  if (found) return found;
  const bytes = new Uint8Array(4 * cells * cells); // red, green, blue and 0
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const [right, up] = [((column - cells / 2) * side) / cells, ((cells / 2 - row) * side) / cells];
      const degrees = Math.round((Math.atan2(up, right) * 180) / Math.PI);
      const wheel = WHEEL[(degrees + 360) % 360];
      const share = Math.min(1, Math.hypot(right, up) / GREY_PIXELS);
      for (let i = 0; i < 3; i++) bytes[4 * (row * cells + column) + i] = share * wheel[i] + (1 - share) * 150;
    }
  }
  found = { colours: new Uint32Array(bytes.buffer), canvas: new OffscreenCanvas(cells, cells), image: new ImageData(cells, cells) };
  prepared.set(key, found);
  return found;
}

/**
 * A map of shifts as a picture: hue is direction, opacity density. It is valid until the next call.
 * @param {Uint8Array} map
 * @param {number} side pixels of the world
 * @param {Uint8Array} [opacity] of each byte of the map; without it the map holds opacities
 */
export function mapPicture(map, side, opacity) {
  const { colours, canvas, image } = directions(Math.sqrt(map.length), side);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < map.length; i++) pixels[i] = colours[i] | ((opacity ? opacity[map[i]] : map[i]) << 24);
  penOf(canvas).putImageData(image, 0, 0);
  return canvas;
}
