// Text on a canvas, in the font and the colour of the stage.

/** @import { Pen } from "../../shared/canvas.js" */
/** @import { Stage } from "../stage.js" */

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {number} size
 * @param {number} [weight]
 */
export function setType(self, pen, size, weight = 400) {
  pen.font = `${weight} ${size}px ${self.style.fontFamily}`;
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {string} text
 * @param {number} x
 * @param {number} y baseline
 * @param {{ quiet?: boolean, align?: CanvasTextAlign, halo?: number }} [look] `halo` is the width in pixels of an edge in
 *   the colour of the paper, for a text on a line
 */
export function write(self, pen, text, x, y, { quiet = false, align = "left", halo = 0 } = {}) {
  pen.fillStyle = self.style.color;
  pen.globalAlpha = quiet ? 0.72 : 1;
  pen.textAlign = align;
  pen.textBaseline = "alphabetic";
  if (halo) {
    pen.strokeStyle = self.style.paper;
    pen.lineWidth = halo;
    pen.lineJoin = "round";
    pen.strokeText(text, x, y);
  }
  pen.fillText(text, x, y);
  pen.globalAlpha = 1;
}

/**
 * A text in lines that are not wider than `width`.
 * @param {Pen} pen
 * @param {string} text
 * @param {number} width
 */
export function wrapped(pen, text, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
