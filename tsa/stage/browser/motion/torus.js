// The posterior on the torus that shifts live on: right and left go around it, up and down around its tube. The camera
// circles the axis, so turning the torus only moves along the ring; where each pixel of the screen looks is computed anew
// only when the tilt or the size changes.

import { context, penOf } from "../shared/canvas.js";
import { TURN } from "../shared/colour.js";
import { contour, mapPicture, strokeContour } from "./contour.js";
import { drawMarkers } from "./plane.js";

/** @import { PenStyle } from "../shared/canvas.js" */
/** @import { Packed } from "./packed.js" */
/** @typedef {{ yaw: number, pitch: number, rough: boolean }} TorusCamera radians; rough while a hand tilts the torus */
/**
 * @typedef {object} Rays what each pixel of a square picture sees
 * @property {string} key
 * @property {number} size pixels along a side
 * @property {Float32Array} ring place along the ring, in turns, at yaw 0
 * @property {Float32Array} tube place around the tube, in turns
 * @property {Float32Array} shade from 0 to 1
 * @property {Uint8Array} cover 0 beside the torus, 255 on it
 */

const TUBE_RADIUS = 0.43; // that of the ring is 1
const EYE_DISTANCE = 7; // from the centre, in radii of the ring
const VIEW_RADIUS = 1.55; // radii of the ring from the middle to the edge of the picture
const MAX_STEPS = 48; // along a ray
const NEAR_ENOUGH = 0.002; // to the surface, in radii of the ring
const TEXTURE_CELLS = 2; // pixels of the texture along a cell of the map
const LIGHT = [-0.45, 0.65, 0.61]; // right, up, towards the eye

/** @type {Rays | null} */
let rays = null;
/**
 * @typedef {object} Texture of the whole torus, a square
 * @property {Uint8Array} of the map that it shows
 * @property {string} key
 * @property {number} size pixels along a side
 * @property {Float32Array} pixels red, green and blue times opacity, then the opacity, from 0 to 1
 * @property {Uint8Array} empty 1 for each pixel that is transparent
 */

/** @type {Texture | null} */
let texture = null;
/** @type {OffscreenCanvas | null} */
let sheet = null;
let box = { left: 0, top: 0, size: 1 }; // of the last drawing, in CSS pixels

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {PenStyle} style
 * @param {TorusCamera} camera
 */
export function drawTorus(canvas, packed, style, camera) {
  const [pen, width, height] = context(canvas);
  const size = Math.min(width, height);
  box = { left: (width - size) / 2, top: (height - size) / 2, size };
  const ratio = Math.min(2, window.devicePixelRatio || 1) / (camera.rough ? 2 : 1);
  const { ring, tube, shade, cover, size: n } = raysOf(Math.max(1, Math.round(size * ratio)), camera.pitch);
  const { pixels, empty, size: cells } = textureOf(packed, style);
  const [dark, light] = bodyColours(pen, style);
  const image = new ImageData(n, n);
  const { data } = image;
  const yaw = camera.yaw / TURN + 64; // positive for every yaw within reach
  for (let i = 0; i < cover.length; i++) {
    if (!cover[i]) continue;
    // Between the four nearest pixels of the texture, so that its lines stay smooth.
    const u = ((ring[i] + yaw) % 1) * cells + cells - 0.5;
    const v = tube[i] * cells + cells - 0.5;
    const column = Math.floor(u);
    const row = Math.floor(v);
    const above = (row % cells) * cells;
    const below = ((row + 1) % cells) * cells;
    const left = column % cells;
    const right = (column + 1) % cells;
    const isEmpty = empty[above + left] & empty[above + right] & empty[below + left] & empty[below + right];
    const x = u - column;
    const y = v - row;
    const opacity = isEmpty ? 0 : between(pixels, above, below, left, right, x, y, 3);
    for (let c = 0; c < 3; c++) {
      const body = dark[c] + shade[i] * (light[c] - dark[c]);
      data[4 * i + c] = isEmpty ? body : (1 - opacity) * body + between(pixels, above, below, left, right, x, y, c);
    }
    data[4 * i + 3] = cover[i];
  }
  if (sheet?.width !== n) sheet = new OffscreenCanvas(n, n);
  penOf(sheet).putImageData(image, 0, 0);
  pen.drawImage(sheet, box.left, box.top, size, size);
}

/**
 * One channel of the texture at a share x of the way from left to right, and y from above to below.
 * @param {Float32Array} pixels
 * @param {number} above index of a row's first pixel
 * @param {number} below
 * @param {number} left index in a row
 * @param {number} right
 * @param {number} x
 * @param {number} y
 * @param {number} channel
 */
function between(pixels, above, below, left, right, x, y, channel) {
  const upper = (1 - x) * pixels[4 * (above + left) + channel] + x * pixels[4 * (above + right) + channel];
  const lower = (1 - x) * pixels[4 * (below + left) + channel] + x * pixels[4 * (below + right) + channel];
  return (1 - y) * upper + y * lower;
}

/**
 * The yaw at which motions of `right` pixels to the right are in front.
 * @param {number} right
 * @param {number} side pixels of the world
 */
export const yawFacing = (right, side) => TURN * (0.25 + right / side);

/**
 * The shift [right, up] at a place on the canvas, or null beside the torus.
 * @param {number} x CSS pixels
 * @param {number} y
 * @param {number} side pixels of the world
 * @param {TorusCamera} camera
 */
export function shiftOnTorus(x, y, side, camera) {
  if (!rays) return null;
  const [column, row] = [x - box.left, y - box.top].map((value) => Math.floor((value / box.size) * (rays?.size ?? 0)));
  const i = row * rays.size + column;
  if (column < 0 || column >= rays.size || !rays.cover[i]) return null;
  return [(rays.ring[i] + camera.yaw / TURN - 0.5) * side, (0.5 - rays.tube[i]) * side];
}

/**
 * @param {number} n pixels along a side
 * @param {number} pitch
 * @returns {Rays}
 */
function raysOf(n, pitch) {
  const key = `${n} ${pitch}`;
  if (rays?.key === key) return rays;
  const [ring, tube, shade] = [new Float32Array(n * n), new Float32Array(n * n), new Float32Array(n * n)];
  const cover = new Uint8Array(n * n);
  const [c, s] = [Math.cos(pitch), Math.sin(pitch)];
  const pixel = (2 * VIEW_RADIUS) / n;
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      const [u, v] = [(column + 0.5 - n / 2) * pixel, (n / 2 - row - 0.5) * pixel];
      // From the eye, at EYE_DISTANCE along (0, −c, s), through u to the right and v up in the plane of the centre.
      const length = Math.hypot(u, v, EYE_DISTANCE);
      const [dx, dy, dz] = [u / length, (v * s + EYE_DISTANCE * c) / length, (v * c - EYE_DISTANCE * s) / length];
      let [t, least, at] = [EYE_DISTANCE - VIEW_RADIUS, Infinity, 0];
      for (let step = 0; step < MAX_STEPS && t < EYE_DISTANCE + VIEW_RADIUS; step++) {
        const [x, y, z] = [t * dx, t * dy - EYE_DISTANCE * c, t * dz + EYE_DISTANCE * s];
        const distance = Math.hypot(Math.hypot(x, y) - 1, z) - TUBE_RADIUS;
        if (distance < least) [least, at] = [distance, t];
        if (distance < NEAR_ENOUGH) break;
        t += distance;
      }
      if (least > pixel) continue;
      const i = row * n + column;
      const [x, y, z] = [at * dx, at * dy - EYE_DISTANCE * c, at * dz + EYE_DISTANCE * s];
      const radius = Math.hypot(x, y);
      const around = Math.atan2(z, radius - 1);
      ring[i] = (Math.atan2(y, x) / TURN + 1.5) % 1;
      tube[i] = (1.5 - around / TURN) % 1; // 0.5 on the outside, as no motion is in the middle of the map
      const [nx, ny, nz] = [(Math.cos(around) * x) / radius, (Math.cos(around) * y) / radius, Math.sin(around)];
      shade[i] = 0.5 + 0.5 * (LIGHT[0] * nx + LIGHT[1] * (ny * s + nz * c) + LIGHT[2] * (nz * s - ny * c));
      cover[i] = least < NEAR_ENOUGH ? 255 : 255 * (1 - least / pixel);
    }
  }
  rays = { key, size: n, ring, tube, shade, cover };
  return rays;
}

/**
 * The map with outline and markers, to be laid around the torus.
 * @param {Packed} packed
 * @param {PenStyle} style
 */
function textureOf(packed, style) {
  const { map, side, shown, isTried } = packed;
  const key = [style.color, style.paper, isTried, ...shown].join();
  if (texture?.of === map && texture.key === key) return texture;
  const cells = Math.sqrt(map.length);
  const size = TEXTURE_CELLS * cells;
  const pen = penOf(new OffscreenCanvas(size, size), { willReadFrequently: true });
  pen.strokeStyle = style.border;
  pen.lineWidth = 1.5;
  for (let i = 0; i < 12; i++) {
    const at = (i * size) / 12;
    pen.strokeRect(at, -2, size, size + 4);
    pen.strokeRect(-2, at, size + 4, size);
  }
  pen.drawImage(mapPicture(map, side, packed.opacity), 0, 0, size, size);
  pen.save();
  pen.scale(TEXTURE_CELLS, TEXTURE_CELLS);
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.1;
  strokeContour(pen, contour(map, cells, packed.edge));
  pen.restore();
  drawMarkers(pen, packed, style, ([right, up]) => [size / 2 + (right * size) / side, size / 2 - (up * size) / side]);
  const { data } = pen.getImageData(0, 0, size, size);
  const [pixels, empty] = [new Float32Array(data.length), new Uint8Array(size * size)];
  for (let i = 0; i < data.length; i += 4) {
    const opacity = data[i + 3] / 255;
    empty[i / 4] = Number(opacity === 0);
    for (let c = 0; c < 3; c++) pixels[i + c] = opacity * data[i + c];
    pixels[i + 3] = opacity;
  }
  texture = { of: map, key, size, pixels, empty };
  return texture;
}

/**
 * Red, green and blue of the body in shade and in light, between the colours of the paper and the text.
 * @param {CanvasRenderingContext2D} pen
 * @param {PenStyle} style
 */
function bodyColours(pen, style) {
  const rgb = (/** @type {string} */ colour) => {
    pen.fillStyle = colour;
    const hex = `${pen.fillStyle}`; // "#rrggbb"
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  };
  const [paper, text] = [rgb(style.paper), rgb(style.color)];
  const isDark = paper[1] < 128;
  const mixed = (/** @type {number} */ ink) => paper.map((c, k) => c + ink * (text[k] - c));
  return isDark ? [mixed(0.04), mixed(0.26)] : [mixed(0.3), mixed(0.02)];
}
