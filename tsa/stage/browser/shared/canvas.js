// Helpers for drawings on a canvas: pens, grey pictures, curves, keys in a grid.

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Pen */
/** @typedef {[number, number]} Point pixels from the left and from the top */
/** @typedef {{ color: string, fontFamily: string, paper: string, border: string, soft: string, faint: string }} PenStyle */

/**
 * The colours and the font of a card. Read from a computed style, because a canvas does not resolve color-mix(); two of
 * them stand in properties that a card does not use otherwise (card.css).
 * @param {Element} card
 * @returns {PenStyle}
 */
export function penStyle(card) {
  const { color, fontFamily, backgroundColor: paper, borderTopColor: border, outlineColor, textDecorationColor } = getComputedStyle(card);
  return { color, fontFamily, paper, border, soft: outlineColor, faint: textDecorationColor };
}

/**
 * The two-dimensional context of a canvas, which every browser that we support has.
 * @template {HTMLCanvasElement | OffscreenCanvas} T
 * @param {T} canvas
 * @param {CanvasRenderingContext2DSettings} [options]
 * @returns {T extends OffscreenCanvas ? OffscreenCanvasRenderingContext2D : CanvasRenderingContext2D}
 */
export const penOf = (canvas, options) => /** @type {any} */ (canvas.getContext("2d", options));

/**
 * Draw bytes as a grey picture that fills the canvas.
 * @param {HTMLCanvasElement | OffscreenCanvas} canvas
 * @param {ArrayLike<number>} values one byte for each pixel
 */
export function greyscale(canvas, values) {
  const image = new ImageData(canvas.width, canvas.height);
  const words = new Uint32Array(image.data.buffer);
  for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | (values[i] * 0x10101);
  penOf(canvas).putImageData(image, 0, 0);
}

/**
 * Draw bytes as a square grey picture of `side` pixels.
 * @param {HTMLCanvasElement | OffscreenCanvas} canvas
 * @param {ArrayLike<number>} values
 * @param {number} side
 */
export function paint(canvas, values, side) {
  if (canvas.width !== side || canvas.height !== side) canvas.width = canvas.height = side;
  greyscale(canvas, values);
}

/**
 * Draw bytes as a curve in a box.
 * @param {Pen} pen
 * @param {Uint8Array} values
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {PenStyle} style
 */
export function signal(pen, values, x, y, width, height, style) {
  pen.strokeStyle = style.border;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.4;
  pen.beginPath();
  values.forEach((value, i) => pen.lineTo(x + ((i + 0.5) * width) / values.length, y + height * (0.95 - 0.9 * (value / 255))));
  pen.stroke();
}

/**
 * A cleared canvas with as many pixels as it covers on the screen, and a pen in its default state that measures in CSS
 * pixels.
 * @param {HTMLCanvasElement} canvas
 * @returns {[pen: CanvasRenderingContext2D, width: number, height: number]}
 */
export function context(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = penOf(canvas);
  pen.reset();
  pen.scale(ratio, ratio);
  pen.lineCap = "round";
  return [pen, width, height];
}

/** @type {Map<string, { key: string, picture: OffscreenCanvas }>} */
const stills = new Map();

/**
 * Draw what rarely changes, from the upper left corner on: it is drawn once, and copied as long as its key is the same.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} name
 * @param {string} key tells apart all that the drawing depends on besides its size
 * @param {number} width CSS pixels
 * @param {number} height
 * @param {(pen: Pen) => void} draw
 */
export function drawStill(pen, name, key, width, height, draw) {
  const ratio = window.devicePixelRatio || 1;
  const whole = [key, width, height, ratio].join();
  let still = stills.get(name);
  if (still?.key !== whole) {
    still = { key: whole, picture: new OffscreenCanvas(Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))) };
    const own = penOf(still.picture);
    own.scale(ratio, ratio);
    own.lineCap = "round";
    draw(own);
    stills.set(name, still);
  }
  pen.drawImage(still.picture, 0, 0, width, height);
}

/**
 * The index that a key leads to, from one of `count` things in rows of `columns`; undefined for other keys.
 * @param {string} key
 * @param {number} from
 * @param {number} columns
 * @param {number} count
 */
export function stepped(key, from, columns, count) {
  /** @type {Record<string, number>} */
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -count, End: count };
  return key in steps ? Math.min(count - 1, Math.max(0, from + steps[key])) : undefined;
}
