// One filter: its parts, its phase, its orbit, its spectrum, and its response to the patch of the lab.

import { context, greyscale, penOf, signal } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue } from "../../../tsa/stage/browser/shared/colour.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { tileAt } from "./grid.js";
import { drawSpectrum } from "./spectrum.js";
import { modulus, number } from "./weights.js";

/** @import { Find } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Filters, FilterSet } from "./filters.js" */

/**
 * What does not depend on the phase.
 * @param {Filters} self
 * @param {Find} find
 */
export function introduceFilter(self, find) {
  const { weights, lines, purity, runnerHeight, verdict, motion, words } = self.packed;
  const { templates } = words;
  const j = self.chosen;
  const { set, relative } = self.packed;
  const filter = { number: set?.numbers[j] ?? j + 1, weight: words.weights[j], percent: percent(purity[j]) };
  setText(find("name"), fill(lines[j] ? templates.singleName : templates.name, filter));
  setText(find("purity"), fill(templates.purity, filter));
  // A single filter has no imaginary part: one picture, as large as the four of a pair.
  find("pictures").classList.toggle("one", lines[j]);
  for (const figure of find("pictures").querySelectorAll(".part")) figure.hidden = lines[j];
  setText(find("kin"), set ? kin(set, j, templates) : "");
  find("beside").hidden = !relative;
  if (relative) {
    const cosine = relative.cosines[j].toFixed(2);
    const found = relative.numbers[j] > 0;
    find("relative").hidden = !found;
    setText(find("relative-text"), fill(found ? templates.relative : templates.noRelative, { name: relative.name, number: relative.numbers[j], cosine }));
    find("relative").setAttribute("aria-label", find("relative-text").textContent);
  }
  const moves = words.motions[motion[j]];
  setText(find("turning-text"), moves);
  find("turn").disabled = modulus(weights[j]) === 0;
  const next = { next: words.runners[j], nextPercent: percent(runnerHeight[j]) };
  const text = fill(words.verdicts[verdict[j]], { ...filter, ...next });
  setText(find("verdict"), text);
  find("spectrum").setAttribute("aria-label", text);
  for (const name of ["cosine", "sine", "phase", "turning"]) {
    const label = fill(templates.part, { ...filter, part: find(name).dataset.part });
    find(name).setAttribute("aria-label", name === "turning" ? `${label} ${moves}` : label);
  }
}

/**
 * What a filter of a set is to others.
 * @param {FilterSet} set
 * @param {number} j
 * @param {Record<string, string>} templates
 */
function kin(set, j, templates) {
  if (set.dead[j]) return templates.dead;
  const { numbers, partner, original, columns } = set;
  const copy = original[j] >= 0 ? fill(templates.copy, { original: numbers[original[j]] }) : "";
  const score = columns.quadrature[j].toFixed(2);
  const pair = partner[j] >= 0 ? fill(templates.pair, { partner: numbers[partner[j]], score }) : "";
  return [copy, pair].filter(Boolean).join(" ");
}

/** @param {number} share */
const percent = (share) => (100 * share).toFixed(1);

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(pen: CanvasRenderingContext2D, width: number, height: number) => void} draw
 */
function picture(canvas, draw) {
  const [pen, width, height] = context(canvas);
  pen.imageSmoothingEnabled = false;
  draw(pen, width, height);
}

/**
 * @param {Filters} self
 * @param {Find} find
 */
export function drawOneFilter(self, find) {
  const j = self.chosen;
  if (!self.packed.lines[j]) {
    picture(find("cosine"), (pen, w, h) => tileAt(self, pen, j, 0, 0, 0, w, h));
    picture(find("sine"), (pen, w, h) => tileAt(self, pen, j, 1, 0, 0, w, h));
    drawPhase(self, find("phase"), self.packed.shape);
  }
  drawSpectrum(self, find("spectrum"));
  drawResponse(self, find);
  drawTurning(self, find);
}

/**
 * Hue is the phase, opacity the modulus.
 * @param {Filters} self
 * @param {HTMLCanvasElement} canvas
 * @param {[number, number]} shape
 */
function drawPhase(self, canvas, [rows, columns]) {
  const { filters } = self.packed;
  const start = 2 * self.chosen * rows * columns;
  const small = new OffscreenCanvas(columns, rows);
  const dots = penOf(small);
  for (let i = 0; i < rows * columns; i++) {
    const [re, im] = [filters[start + i] / 127.5 - 1, filters[start + rows * columns + i] / 127.5 - 1];
    dots.fillStyle = hue(Math.atan2(im, re), Math.min(1, Math.hypot(re, im)));
    dots.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  }
  picture(canvas, (pen, w, h) => pen.drawImage(small, 0, 0, w, h));
}

/**
 * Re(e^{iφ} conj f) with φ = ωs: the real part, moved by the group.
 * @param {Filters} self
 * @param {Find} find
 */
export function drawTurning(self, find) {
  const { shape, filters, weights, lines, movement, movementRate, words } = self.packed;
  const [rows, columns] = shape;
  const j = self.chosen;
  const moves = modulus(weights[j]) > 0;
  const degrees = moves ? Math.round(self.turn) % 360 : 0;
  const phi = (degrees * Math.PI) / 180;
  setText(find("phi"), `φ = ${degrees}°`);
  const [perDegree, period] = movementRate.subarray(2 * j, 2 * j + 2);
  const moved = degrees * perDegree + (degrees * perDegree < 0 ? period : 0);
  setText(find("moved"), fill(words.movements[movement[j]], { s: number(moved) }));
  find("turn").value = degrees;
  find("turn").setAttribute("aria-valuetext", `${degrees}°. ${find("moved").textContent}`);
  drawRelative(self, find, phi);
  const [c, s] = [Math.cos(phi), lines[j] ? 0 : Math.sin(phi)];
  const start = 2 * j * rows * columns;
  const size = rows * columns;
  if (rows === 1) {
    return picture(find("turning"), (pen, w, h) => {
      pen.strokeStyle = moves ? hue(phi) : self.style.color;
      pen.lineWidth = 2;
      pen.beginPath();
      for (let i = 0; i < size; i++) {
        const value = c * (filters[start + i] / 127.5 - 1) + s * (filters[start + size + i] / 127.5 - 1);
        pen.lineTo(((i + 0.5) * w) / size, h * (0.5 - 0.45 * value));
      }
      pen.stroke();
    });
  }
  const turned = (self.turned ??= new OffscreenCanvas(columns, rows));
  [turned.width, turned.height] = [columns, rows];
  const values = new Uint8ClampedArray(size);
  for (let i = 0; i < size; i++) values[i] = 127.5 + c * (filters[start + i] - 127.5) + s * (filters[start + size + i] - 127.5);
  greyscale(turned, values);
  picture(find("turning"), (pen, w, h) => pen.drawImage(turned, 0, 0, w, h));
}

/**
 * The nearest filter of another model, at the same phase.
 * @param {Filters} self
 * @param {Find} find
 * @param {number} phi
 */
function drawRelative(self, find, phi) {
  const { relative, relatives, shape } = self.packed;
  const [j, size] = [self.chosen, shape[0] * shape[1]];
  if (!relative || !relatives || relative.numbers[j] < 1) return;
  const start = 2 * j * size;
  const [c, s] = [Math.cos(phi), Math.sin(phi)];
  const values = new Uint8ClampedArray(size);
  for (let i = 0; i < size; i++) values[i] = 127.5 + c * (relatives[start + i] - 127.5) + s * (relatives[start + size + i] - 127.5);
  if (shape[0] === 1) return picture(find("relative"), (pen, w, h) => signal(pen, new Uint8Array(values), 0, 0, w, h, self.style));
  const small = new OffscreenCanvas(shape[1], shape[0]);
  greyscale(small, values);
  picture(find("relative"), (pen, w, h) => pen.drawImage(small, 0, 0, w, h));
}

/**
 * @param {Filters} self
 * @param {Find} find
 */
function drawResponse(self, find) {
  const { response, noise, words } = self.packed;
  find("answer").hidden = !response.length;
  if (!response.length) return;
  const [pen, width, height] = context(find("response"));
  const [re, im] = response.subarray(2 * self.chosen, 2 * self.chosen + 2);
  const lengths = self.packed.weights.map((_, j) => Math.hypot(response[2 * j], response[2 * j + 1]));
  const radius = width / 2 - 6;
  const scale = radius / Math.max(...lengths, 1e-9);
  pen.strokeStyle = self.style.border;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.arc(width / 2, height / 2, radius, 0, TURN);
  pen.stroke();
  pen.strokeStyle = hue(Math.atan2(im, re));
  pen.lineWidth = 4;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(width / 2, height / 2);
  pen.lineTo(width / 2 + scale * re, height / 2 - scale * im);
  pen.stroke();
  const length = lengths[self.chosen];
  const text = fill(words.response, {
    length: length.toFixed(2),
    rank: 1 + lengths.filter((other) => other > length).length,
    count: lengths.length,
    kappa: ((length / noise) ** 2).toFixed(1),
  });
  setText(find("response-text"), text);
  find("response").setAttribute("aria-label", text);
}
