// Drawings of the subspaces: one circle for each, and the selected one in detail.

import { context, paint } from "../../shared/canvas.js";
import { TURN, hue } from "../../shared/colour.js";
import { fill, setText, signedText } from "../../shared/text.js";
import { row, subspace, wave } from "../sweep.js";

/** @import { Pen, Point } from "../../shared/canvas.js" */
/** @import { Find } from "../../shared/mount.js" */
/** @import { Stage } from "../stage.js" */

/**
 * The circles of the subspaces, in the row of their weight: the density as a band around each, its mean as a line from
 * the centre. Those of weight 0 are grey discs: no turn changes them.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawCircles(self, canvas) {
  const [pen] = context(canvas);
  if (!self.layout) return;
  const { weights, without } = self.sweep;
  const { circles, circlesEnd, top, plan, unit } = self.layout;
  const quiet = new Path2D(); // circles without a visible density, drawn in one go
  self.cells = [];
  for (const row of plan.rows) {
    const middle = top + row.top + row.height / 2;
    const members = row.weights.map((k) => weights.flatMap((weight, j) => (Math.abs(weight) === k ? [j] : [])));
    const most = Math.max(...members.map((one) => one.length));
    const large = row.kind === "loud" ? 10.5 * unit : row.weights.length > 1 ? Math.max(1.8, row.thin / 2 - 1) : 6.5 * unit;
    const radius = Math.max(1.5, Math.min(large, row.height / 2 - 3, ((circlesEnd - circles) / most - 2.5) / 2));
    const step = Math.min(2 * radius + 4, (circlesEnd - circles) / most);
    members.forEach((group, i) => {
      const y = row.weights.length > 1 ? middle + row.thin * (i - (row.weights.length - 1) / 2) : middle;
      group.forEach((j, place) => {
        const x = circles + radius + place * step;
        self.cells[j] = [x, y, radius];
        drawCircle(self, pen, quiet, j, x, y, radius, without.includes(row.weights[i]));
      });
    });
  }
  pen.strokeStyle = self.style.border;
  pen.lineWidth = 1.2;
  pen.stroke(quiet);
  const [x, y, radius] = self.cells[self.selected] ?? [];
  if (x === undefined || !self.opened) return;
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, radius + 2.5, 0, TURN);
  pen.stroke();
}

/**
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Path2D} quiet to which a circle without evidence is added
 * @param {number} j
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {boolean} off whether its weight is switched off
 */
function drawCircle(self, pen, quiet, j, x, y, radius, off) {
  const { weights, look } = self.sweep;
  const { kappa, mu, certainty } = subspace(self, j);
  if (weights[j] === 0) {
    pen.fillStyle = self.style.faint;
    pen.globalAlpha = 0.15 + 0.7 * certainty;
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.fill();
    pen.globalAlpha = 1;
    return;
  }
  if (certainty < look.minCertainty || off) {
    quiet.moveTo(x + radius, y);
    quiet.arc(x, y, radius, 0, TURN);
    return;
  }
  const strong = between(look.opacityRange, certainty);
  pen.beginPath();
  for (let i = 0; i <= 40; i++) {
    const phi = (i * TURN) / 40;
    const r = radius * (1 + look.bandHeight * certainty * Math.exp(kappa * (Math.cos(phi - mu) - 1)) * 0.4);
    pen.lineTo(x + r * Math.cos(phi), y - r * Math.sin(phi));
  }
  pen.arc(x, y, radius, 0, TURN, true);
  pen.fillStyle = hue(mu, strong);
  pen.fill("evenodd");
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.strokeStyle = certainty > look.minColouredCertainty ? self.style.faint : self.style.border;
  pen.lineWidth = 1.2;
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + radius * certainty * Math.cos(mu), y - radius * certainty * Math.sin(mu));
  pen.strokeStyle = hue(mu, strong);
  pen.lineWidth = Math.max(2, radius * 0.3);
  pen.stroke();
}

/** @type {(range: [number, number], share: number) => number} */
const between = ([low, high], share) => low + (high - low) * share;

/**
 * An arrow from a point, with its name at the tip; returns the tip.
 * @param {Stage} self
 * @param {Pen} pen
 * @param {Point} start
 * @param {[re: number, im: number]} vector pixels to the right and up
 * @param {{ colour: string, name?: string, thick?: number, dash?: number[] }} look
 * @returns {Point}
 */
function arrow(self, pen, [x, y], [re, im], { colour, name = "", thick = 2.2, dash = [] }) {
  const [ex, ey] = [x + re, y - im];
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = thick;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(ex, ey);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.arc(ex, ey, thick + 1, 0, TURN);
  pen.fill();
  pen.font = `600 12px ${self.style.fontFamily}`;
  pen.textAlign = re < 0 ? "right" : "left";
  pen.fillText(name, ex + (re < 0 ? -9 : 9), ey + 4);
  return [ex, ey];
}

/**
 * The selected subspace.
 * @param {Stage} self
 * @param {Find} find
 */
export function drawDetail(self, find) {
  const panel = find("detail");
  panel.hidden = !self.opened;
  if (!self.opened || !self.cells[self.selected]) return;
  const j = self.selected;
  const { kappa } = subspace(self, j);
  const { templates } = self.sweep.words;
  setText(find("detail-kappa"), kappa < 0.01 ? templates.slight : fill(templates.concentration, { kappa: kappa.toPrecision(2) }));
  // Below its circle, or above it where there is no room.
  const [, y, radius] = self.cells[j];
  const space = panel.parentElement?.clientHeight ?? 0;
  const offset = find("waves").offsetTop;
  const below = offset + y + radius + 8;
  panel.style.top = `${below + panel.offsetHeight < space ? below : Math.max(4, offset + y - radius - 8 - panel.offsetHeight)}px`;
  if (self.drawnFilter !== j) {
    self.drawnFilter = j;
    introduce(self, find, j);
  }
  drawPlane(self, find("arrows-canvas"), j);
  drawSum(self, find, j);
}

/**
 * What stays the same at every angle.
 * @param {Stage} self
 * @param {Find} find
 * @param {number} j
 */
function introduce(self, find, j) {
  const { size, weights, lines, filters, words } = self.sweep;
  const weight = weights[j];
  const { title, moving, backwards, fixed } = words.templates;
  setText(find("detail-title"), fill(title, { number: j + 1, weight: signedText(weight) }));
  const text = weight === 0 ? fixed : weight > 0 ? moving : backwards;
  setText(find("detail-text"), fill(text, { weight: Math.abs(weight), kind: find("detail-text").dataset[lines[j] ? "line" : "plane"] }));
  for (const [part, name] of ["filter-a", "filter-b"].entries()) {
    const start = (2 * j + part) * size * size;
    find(name).hidden = lines[j] && part === 1;
    paint(find(name), filters.subarray(start, start + size * size), size);
  }
}

/**
 * z(x), z(y) and η̂ = conj z(x) z(y) / σ² on one circle.
 * @param {Stage} self
 * @param {HTMLCanvasElement} canvas
 * @param {number} j
 */
function drawPlane(self, canvas, j) {
  const [pen, width, height] = context(canvas);
  const { weights, z, sigma } = self.sweep;
  /** @type {Point} */
  const centre = [width / 2, height / 2];
  const radius = Math.min(width, height) / 2 - 14;
  if (radius <= 0) return; // the page is still narrow, and is drawn again when it has its width
  const text = self.style.color;
  pen.strokeStyle = self.style.border;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.arc(...centre, radius, 0, TURN);
  pen.stroke();
  /** @type {(turn: number) => Point} */
  const at = (turn) => [z[2 * (turn * weights.length + j)], z[2 * (turn * weights.length + j) + 1]];
  const [zx, zy] = [at(0), at(1 + row(self))];
  const largest = Math.max(Math.hypot(...zx), Math.hypot(...zy), 1e-9);
  const { mu } = subspace(self, j);
  const length = 0.85 * radius * Math.min(1, (largest / sigma) ** 2 / 4);
  arrow(self, pen, centre, [length * Math.cos(mu), length * Math.sin(mu)], { colour: hue(mu), thick: 5 });
  /** @type {(v: Point) => Point} */
  const scaled = ([re, im]) => [(0.85 * radius * re) / largest, (0.85 * radius * im) / largest];
  pen.globalAlpha = 0.6;
  arrow(self, pen, centre, scaled(zx), { colour: text, name: "x" });
  pen.globalAlpha = 1;
  arrow(self, pen, centre, scaled(zy), { colour: text, name: "y" });
}

/**
 * Prior + evidence = posterior, arrows head to tail, for the harmonic |ω| of this subspace.
 * @param {Stage} self
 * @param {Find} find
 * @param {number} j
 */
function drawSum(self, find, j) {
  const [pen, width, height] = context(find("sum-canvas"));
  const { weights, prior, words } = self.sweep;
  const k = Math.abs(weights[j]);
  if (k === 0) return setText(find("sum-text"), words.templates.noSum);
  const { kappa, mu } = subspace(self, j);
  /** @type {Point} */
  const own = [kappa * Math.cos(mu), Math.sign(weights[j]) * kappa * Math.sin(mu)];
  /** @type {Point} */
  const first = prior[k - 1] ?? [0, 0];
  const pair = wave(self, k);
  /** @type {Point} */
  const total = [first[0] + pair.kappa * Math.cos(pair.mu), first[1] + pair.kappa * Math.sin(pair.mu)];
  /** @type {Point} */
  const rest = [total[0] - first[0] - own[0], total[1] - first[1] - own[1]];
  /** @type {[Point, { colour: string, thick?: number, dash?: number[] }][]} */
  const steps = [
    [first, { colour: self.style.color, dash: [3, 3] }],
    [own, { colour: hue(mu * Math.sign(weights[j])), thick: 4 }],
    [rest, { colour: hue(Math.atan2(rest[1], rest[0]), 0.55) }],
  ];
  const visible = steps.filter(([step]) => Math.hypot(...step) > 1e-6 * Math.hypot(...total));
  // Centred and scaled so that all arrows fit.
  let [x, y] = [0, 0];
  const xs = [0];
  const ys = [0];
  for (const [step] of visible) {
    xs.push((x += step[0]));
    ys.push((y += step[1]));
  }
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 36) / Math.max(right - left, 1e-9), (height - 36) / Math.max(high - low, 1e-9), 40);
  /** @type {Point} */
  const origin = [width / 2 - (scale * (left + right)) / 2, height / 2 + (scale * (low + high)) / 2];
  let tip = origin;
  const posterior = { colour: hue(Math.atan2(total[1], total[0]), 0.3), thick: 9 };
  arrow(self, pen, origin, [total[0] * scale, total[1] * scale], posterior);
  for (const [[re, im], look] of visible) tip = arrow(self, pen, tip, [re * scale, im * scale], look);
  const others = weights.filter((w) => Math.abs(w) === k).length - 1;
  const { sum, sumPrior } = words.templates;
  setText(find("sum-text"), fill(sum, { prior: Math.hypot(...first) > 0 ? sumPrior : "", others, weight: k }));
}
