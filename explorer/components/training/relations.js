// The relations between phases as a table: a row for each relation, a column for each plane.

import { context } from "../../../tsa/stage/browser/shared/canvas.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */

const [LEAST_CELL, LARGEST_CELL] = [4, 22]; // pixels
const LEAST_CELL_WITH_NUMBER = 13;

/**
 * A disc for each number other than 0: full if it is positive, a ring if it is negative, with the number if it is not
 * ±1. Rows that were found later than what is on show stay empty.
 * @param {HTMLCanvasElement} canvas
 * @param {number[][]} relations all that were found so far
 * @param {number} found how many of them at the time that is on show
 * @param {PenStyle} style
 */
export function drawRelations(canvas, relations, found, style) {
  const planes = relations.length ? relations[0].length : 0;
  const cell = Math.max(LEAST_CELL, Math.min(LARGEST_CELL, Math.floor((canvas.clientWidth - 2) / Math.max(1, planes))));
  canvas.style.height = `${relations.length * cell + 2}px`;
  const [pen] = context(canvas);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  relations.forEach((row, i) => {
    const y = (i + 0.5) * cell + 1;
    pen.globalAlpha = 0.16;
    pen.strokeStyle = style.color;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(1, y);
    pen.lineTo(planes * cell, y);
    pen.stroke();
    pen.globalAlpha = 1;
    if (i < found) row.forEach((m, j) => m && drawEntry(pen, m, (j + 0.5) * cell + 1, y, cell, style));
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} m
 * @param {number} x
 * @param {number} y
 * @param {number} cell
 * @param {PenStyle} style
 */
function drawEntry(pen, m, x, y, cell, style) {
  pen.beginPath();
  pen.arc(x, y, cell * 0.38, 0, 2 * Math.PI);
  pen.fillStyle = m > 0 ? style.color : style.paper;
  pen.strokeStyle = style.color;
  pen.lineWidth = cell > 9 ? 1.4 : 1;
  pen.fill();
  pen.stroke();
  if (Math.abs(m) === 1 || cell < LEAST_CELL_WITH_NUMBER) return;
  pen.fillStyle = m > 0 ? style.paper : style.color;
  pen.font = `600 ${Math.round(cell * 0.5)}px ${style.fontFamily}`;
  pen.fillText(String(Math.abs(m)), x, y + 0.5);
}
