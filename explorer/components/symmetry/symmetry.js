// The symmetry of one picture: its stabiliser around it, its turned copies overlaid, the invariants that say so.

import { context, paint, penStyle } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN } from "../../../tsa/stage/browser/shared/colour.js";
import { cached, drawDisc, drawTurned, hueWheel } from "../../../tsa/stage/browser/shared/dial.js";
import { follow, follower } from "../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../tsa/stage/browser/shared/mount.js";
import { setText } from "../../../tsa/stage/browser/shared/text.js";

/** @import { Pen, PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { CanvasCache } from "../../../tsa/stage/browser/shared/dial.js" */
/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */

/**
 * What `pack_symmetry` of explorer/components/symmetry writes.
 * @typedef {object} Found
 * @property {Uint8Array} picture
 * @property {number} side
 * @property {Float32Array} density per radian, from 0 all around
 * @property {Float32Array} bars heights in 0…1 of the weights 1…K
 * @property {string} verdict
 * @property {number} petals
 * @property {Words} words
 * @property {number} pictureRadius in radii of the dial, like the next three
 * @property {number} rim
 * @property {number} rimHalfWidth
 * @property {number} petalScale
 */
/**
 * `SymmetryWords` of tsa/stage/words/symmetry.py.
 * @typedef {object} Words
 * @property {string} title
 * @property {string} text
 * @property {string} strength may be empty
 * @property {number} copies to overlay, or 0
 * @property {string} overlay
 * @property {string} bars
 * @property {string} dial_label
 * @property {string} bars_label
 * @property {number[]} loud weights with their number below their bars
 */
/** @typedef {{ picture: OffscreenCanvas, cache: CanvasCache, angle: number }} Turned */

const LABEL_PIXELS = 14; // below the bars, for the numbers of weights

/** @param {Mount} mount */
export default function (mount) {
  follow(mount, create);
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  /** @type {Found | null} */
  let found = null;
  /** @type {PenStyle} */
  let style;
  /** @type {Turned} */
  const turned = { picture: new OffscreenCanvas(1, 1), cache: {}, angle: 0 };

  const show = (/** @type {Found} */ result) => {
    found = result;
    turned.picture = new OffscreenCanvas(result.side, result.side);
    paint(turned.picture, result.picture, result.side);
    turned.cache = { wheel: turned.cache.wheel };
  };
  const draw = () => {
    if (!found || !find("stabiliser").clientWidth) return; // nothing to show, or not on the screen
    const { words, verdict, petals } = found;
    drawStabiliser(find("stabiliser"), found, turned, style);
    find("copies").hidden = !words.copies;
    find("reasons").classList.toggle("alone", !words.copies);
    if (words.copies) drawCopies(find("overlay"), words.copies, turned);
    drawBars(find("bars"), found, style);
    find("strength").hidden = !words.strength;
    for (const name of /** @type {const} */ (["title", "text", "strength"])) setText(find(name), words[name]);
    setText(find("overlay-caption"), words.overlay);
    setText(find("bars-caption"), words.bars);
    find("stabiliser").setAttribute("aria-label", words.dial_label);
    find("bars").setAttribute("aria-label", words.bars_label);
    Object.assign(find("symmetry").dataset, { verdict, petals, drawn: "true" });
  };
  const readStyle = () => {
    style = penStyle(find("symmetry"));
  };
  new ResizeObserver(() => draw()).observe(find("bars")); // the width of the column follows the window
  return { follower: follower({ adopt: () => {}, show }), readStyle, draw };
}

/**
 * The picture inside a circle of hues, and petals that grow out of it. The area of a petal is its probability.
 * @param {HTMLCanvasElement} canvas
 * @param {Found} found
 * @param {Turned} turned
 * @param {PenStyle} style
 */
function drawStabiliser(canvas, found, turned, style) {
  const [pen, width] = context(canvas);
  const radius = width / 2;
  const [rim, half] = [found.rim * radius, found.rimHalfWidth * radius];
  pen.translate(radius, radius);
  const wheel = hueWheel(turned.cache, radius);
  pen.save();
  petalPath(pen, found, radius);
  pen.arc(0, 0, rim - half, 0, TURN);
  pen.clip("evenodd");
  pen.drawImage(wheel, -radius, -radius, width, width);
  pen.restore();
  petalPath(pen, found, radius);
  pen.lineJoin = "round";
  pen.lineWidth = 1;
  pen.strokeStyle = style.color;
  pen.stroke();
  drawTurned(turned, pen, [0, 0], found.pictureRadius * radius);
}

/**
 * The closed curve r(s) = √(r₀² + 2A·p(s)), counter-clockwise.
 * @param {Pen} pen
 * @param {Found} found
 * @param {number} radius of the dial, in pixels
 */
function petalPath(pen, { density, rim, rimHalfWidth, petalScale }, radius) {
  pen.beginPath();
  density.forEach((p, i) => {
    const [r, s] = [radius * Math.sqrt((rim + rimHalfWidth) ** 2 + 2 * petalScale * p), (i * TURN) / density.length];
    pen.lineTo(r * Math.cos(s), -r * Math.sin(s));
  });
  pen.closePath();
}

/**
 * The mean of the picture and its copies, turned by equal steps: what all of them share stays white.
 * @param {HTMLCanvasElement} canvas
 * @param {number} copies
 * @param {Turned} turned
 */
function drawCopies(canvas, copies, turned) {
  const [pen, width] = context(canvas);
  const radius = width / 2;
  const disc = cached(turned.cache, "copy", radius, turned.picture, (pen, size) => drawDisc(pen, size, turned.picture, 2));
  pen.translate(radius, radius);
  for (let m = 0; m < copies; m++) {
    pen.globalAlpha = 1 / (m + 1); // so that all have the same share in the end
    pen.drawImage(disc, -radius, -radius, width, width);
    pen.rotate(-TURN / copies);
  }
}

/**
 * A bar for each weight, the loud ones with their number.
 * @param {HTMLCanvasElement} canvas
 * @param {Found} found
 * @param {PenStyle} style
 */
function drawBars(canvas, { bars, words }, style) {
  const [pen, width, height] = context(canvas);
  const [step, floor] = [width / bars.length, height - LABEL_PIXELS];
  pen.fillStyle = style.color;
  pen.font = `12px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  let free = 0; // where the next label may start
  bars.forEach((bar, i) => {
    const x = (i + 0.5) * step;
    pen.fillRect(x - 0.35 * step, floor - bar * (floor - 1), 0.7 * step, bar * (floor - 1));
    const half = pen.measureText(`${i + 1}`).width / 2;
    if (!words.loud.includes(i + 1) || x - half < free) return;
    pen.fillText(`${i + 1}`, x, height);
    free = x + half + 2;
  });
  pen.fillStyle = style.border;
  pen.fillRect(0, floor, width, 1);
}
