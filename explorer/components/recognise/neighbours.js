// One row for each distance: its nearest neighbours, each turned by the angle found for it, and how many vote for each digit.

import { context, greyscale } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue } from "../../../tsa/stage/browser/shared/colour.js";
import { cached, drawDisc } from "../../../tsa/stage/browser/shared/dial.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { lookedAt, neighboursOf, votesFor, winnerOf } from "./votes.js";

/** @import { Recognise } from "./recognise.js" */
/** @import { Votes } from "./votes.js" */

const ONE_LINE_PIXELS = 58; // room for a digit and its angle side by side
const LINE_PIXELS = 14;

/**
 * The elements of a row.
 * @typedef {{
 *   row: HTMLElement, near: HTMLCanvasElement, bars: HTMLCanvasElement,
 *   winner: HTMLElement, mark: HTMLElement, of: HTMLElement,
 * }} Row
 */

/**
 * Built once; afterwards only their contents change.
 * @param {Votes} votes
 * @param {HTMLElement} rows
 * @returns {Row[]}
 */
export function buildRows(votes, rows) {
  const { titles, meanings } = votes.words;
  return votes.names.map((name, distance) => {
    const row = rows.appendChild(document.createElement("div"));
    row.className = "row";
    row.dataset.distance = name;
    row.innerHTML = `<div class="name" tabindex="0"><span></span></div>
      <canvas class="near" role="img"></canvas><canvas class="bars" role="img"></canvas>
      <div class="verdict"><span class="winner"></span><span class="share"><span class="mark"></span><span class="of"></span></span></div>`;
    const part = (/** @type {string} */ which) => /** @type {any} */ (row.querySelector("." + which));
    part("name").firstElementChild.textContent = titles[distance];
    part("name").setAttribute("aria-description", meanings[distance]);
    return { row, near: part("near"), bars: part("bars"), winner: part("winner"), mark: part("mark"), of: part("of") };
  });
}

/** @param {Recognise} self */
export function drawRows(self) {
  const { k, digit, words } = self.votes;
  self.rows?.forEach((parts, distance) => {
    const winner = winnerOf(self, distance);
    const right = winner === digit;
    drawNear(self, parts.near, distance);
    drawBars(self, parts.bars, distance);
    parts.row.classList.toggle("other", !right);
    setText(parts.winner, `${winner}`);
    setText(parts.mark, words.marks[Number(right)]);
    setText(parts.of, fill(words.templates.share, { count: votesFor(self, distance, winner), all: k }));
    parts.row.dataset.winner = `${winner}`;
    describeRow(self, parts, distance);
  });
}

/**
 * Alternative texts of a row.
 * @param {Recognise} self
 * @param {Row} row
 * @param {number} distance
 */
function describeRow(self, { near, bars }, distance) {
  const { titles, templates } = self.votes.words;
  const digits = [...neighboursOf(self, distance)].map(({ label }) => label).join(", ");
  const votes = Array.from({ length: 10 }, (_, digit) => ({ digit, count: votesFor(self, distance, digit) }))
    .filter(({ count }) => count)
    .map((vote) => fill(templates.vote, vote));
  near.setAttribute("aria-label", fill(templates.neighbours, { title: titles[distance], digits }));
  bars.setAttribute("aria-label", fill(templates.votes, { votes: votes.join(", ") }));
}

/**
 * @param {Recognise} self
 * @param {HTMLCanvasElement} canvas
 * @param {number} distance
 */
function drawNear(self, canvas, distance) {
  const [pen, width, height] = context(canvas);
  const { k, alignments } = self.votes;
  const turns = alignments[distance] !== "none";
  // Neighbours aligned with the digit follow it from the angle that was searched.
  const follow = alignments[distance] === "posterior" ? self.angle - lookedAt(self) : 0;
  const lines = turns && width / k < ONE_LINE_PIXELS ? 2 : 1; // of the caption
  const below = 3 + LINE_PIXELS * lines;
  const radius = Math.min(width / k / 2 - 4, (height - below - 5) / 2);
  const pitch = Math.min(width / k, Math.max(3 * radius, ONE_LINE_PIXELS));
  const top = Math.max(2, (height - 2 * radius - below) / 2);
  const winner = winnerOf(self, distance);
  let i = 0;
  for (const { which, label, lies, turn: found } of neighboursOf(self, distance)) {
    const turn = found + follow;
    const [x, y] = [(i++ + 0.5) * pitch, top + radius];
    const alpha = label === winner ? 1 : 0.5; // dimmed if it votes for another digit
    pen.save();
    pen.translate(x, y);
    pen.beginPath();
    pen.arc(0, 0, radius, 0, TURN);
    pen.fillStyle = "black";
    pen.fill();
    pen.globalAlpha = alpha;
    pen.rotate((-(lies + turn) * TURN) / 360);
    pen.drawImage(uprightDisc(self, which, radius), -radius, -radius, 2 * radius, 2 * radius);
    pen.restore();
    pen.globalAlpha = alpha;
    pen.lineWidth = 2.5;
    pen.strokeStyle = turns ? hue((turn * TURN) / 360) : self.style.border;
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.stroke();
    const angle = turns ? `${Math.round(turn)}°`.replace("-", "−") : "";
    drawCaption(self, pen, x, y + radius + 15, `${label}`, angle, lines > 1);
    pen.globalAlpha = 1;
  }
}

/**
 * The digit of a neighbour, and the angle by which it is turned.
 * @param {Recognise} self
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {string} digit
 * @param {string} angle
 * @param {boolean} stacked whether the angle stands below the digit
 */
function drawCaption(self, pen, x, y, digit, angle, stacked) {
  const fonts = [`700 12.5px ${self.style.fontFamily}`, `400 11.5px ${self.style.fontFamily}`];
  if (stacked) {
    pen.textAlign = "center";
    [pen.fillStyle, pen.font] = [self.style.color, fonts[0]];
    pen.fillText(digit, x, y);
    [pen.fillStyle, pen.font] = [self.style.quiet, fonts[1]];
    pen.fillText(angle, x, y + LINE_PIXELS - 1);
    return;
  }
  const gap = angle ? 5 : 0;
  pen.fillStyle = self.style.color;
  pen.textAlign = "left";
  pen.font = fonts[1];
  const wide = pen.measureText(angle).width;
  pen.font = fonts[0];
  const left = x - (pen.measureText(digit).width + gap + wide) / 2;
  pen.fillText(digit, left, y);
  pen.fillStyle = self.style.quiet;
  const after = left + pen.measureText(digit).width + gap;
  pen.font = fonts[1];
  pen.fillText(angle, after, y);
}

/**
 * The image of a neighbour, not turned, clipped to a disc.
 * @param {Recognise} self
 * @param {number} which
 * @param {number} radius
 */
function uprightDisc(self, which, radius) {
  const { images, imageSide } = self.votes;
  return cached(self.cache, `digit ${which}`, radius, images, (pen, size) => {
    const small = new OffscreenCanvas(imageSide, imageSide);
    greyscale(small, images.subarray(which * imageSide ** 2, (which + 1) * imageSide ** 2));
    drawDisc(pen, size, small, 1);
  });
}

/**
 * How many neighbours vote for each digit.
 * @param {Recognise} self
 * @param {HTMLCanvasElement} canvas
 * @param {number} distance
 */
function drawBars(self, canvas, distance) {
  const [pen, width, height] = context(canvas);
  const { k, digit } = self.votes;
  const [pitch, base, tall] = [width / 10, height - 19, height - 28];
  const winner = winnerOf(self, distance);
  pen.textAlign = "center";
  for (let d = 0; d < 10; d++) {
    const share = votesFor(self, distance, d) / k;
    const middle = (d + 0.5) * pitch;
    pen.fillStyle = d !== winner ? self.style.quiet : d === digit ? self.style.color : self.style.wrong;
    pen.globalAlpha = share ? 1 : 0.3;
    pen.fillRect(middle - pitch * 0.34, base - Math.max(1.5, tall * share), pitch * 0.68, Math.max(1.5, tall * share));
    pen.globalAlpha = share ? 1 : 0.55;
    pen.font = `${d === winner ? 700 : 400} 12px ${self.style.fontFamily}`;
    pen.fillText(`${d}`, middle, height - 5);
  }
  pen.globalAlpha = 1;
}
