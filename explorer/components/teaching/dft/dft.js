// The DFT as a TSA model: a signal, its shifted copy, a circle for each frequency, the posterior over the shift, and the
// same numbers by numpy.fft. Python sends the results for all shifts of a signal; a signal is sent when it is drawn.

import { context, penStyle } from "../../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue } from "../../../../tsa/stage/browser/shared/colour.js";
import { follow, follower } from "../../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../../tsa/stage/browser/shared/mount.js";
import { setText } from "../../../../tsa/stage/browser/shared/text.js";

/** @import { PenStyle } from "../../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Mount } from "../../../../tsa/stage/browser/shared/mount.js" */

/**
 * What `pack_dft` of dft/__init__.py sends; arrays have a row for each shift.
 * @typedef {object} Packed
 * @property {number} length
 * @property {number} levels
 * @property {number} frequencies
 * @property {number} perPlace
 * @property {string[]} code
 * @property {string[]} answers
 * @property {Float32Array} arrows
 * @property {Float32Array} density
 * @property {Float32Array} ours κ and μ in degrees
 * @property {Float32Array} theirs
 */

/** @param {Mount} mount */
export default function (mount) {
  follow(mount, create);
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  /** @type {Packed | null} */
  let packed = null;
  /** @type {number[]} */
  let signal = [];
  let [shift, place, drawing] = [0, -1, false];
  /** @type {PenStyle} */
  let style;

  const readStyle = () => {
    style = penStyle(find("signals"));
  };
  const draw = () => {
    if (!packed || !find("dft").clientWidth) return;
    drawBars(find("x-canvas"), signal, packed.levels, style, place);
    const moved = signal.map((_, i) => signal[(i - shift + signal.length) % signal.length]);
    drawBars(find("y-canvas"), moved, packed.levels, style, -1, shift);
    drawPosterior(find("posterior-canvas"), packed, shift, style);
    drawCircles(find("circles-canvas"), packed, shift, style);
    setText(find("answer"), packed.answers[shift]);
    setText(find("shift-value"), `${shift}`);
    find("posterior-canvas").setAttribute("aria-label", packed.answers[shift]);
    find("shift").value = shift;
    setText(find("code"), packed.code.join("\n"));
    fillTable(find("rows"), packed, shift);
    find("dft").dataset.drawn = `${Number(find("dft").dataset.drawn ?? 0) + 1}`;
  };
  const self = {
    follower: follower({
      adopt: (fields) => {
        [signal, shift] = [[...fields.signal], fields.shifted];
      },
      show: (result) => {
        packed = result;
      },
    }),
    readStyle,
    draw,
  };
  const send = () => self.follower.send({ signal, shifted: shift });
  find("shift").oninput = () => {
    shift = Number(find("shift").value);
    draw();
  };
  find("shift").onchange = send;
  find("presets").onclick = (/** @type {MouseEvent} */ event) => {
    const { signal: chosen } = /** @type {HTMLElement} */ (event.target).dataset;
    if (!chosen) return;
    signal = Array.from(chosen, Number);
    send();
    draw();
  };

  /** @type {HTMLCanvasElement} */
  const canvas = find("x-canvas");
  let [last, lastLevel] = [-1, 0];
  const touch = (/** @type {PointerEvent} */ event) => {
    if (!packed) return;
    const box = canvas.getBoundingClientRect();
    const at = Math.min(packed.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * packed.length)));
    const share = 1 - (event.clientY - box.top - 6) / (box.height - 12);
    const level = Math.round(Math.min(1, Math.max(0, share)) * (packed.levels - 1));
    if (last < 0) [last, lastLevel] = [at, level];
    for (let i = Math.min(at, last); i <= Math.max(at, last); i++) {
      const part = at === last ? 1 : (i - last) / (at - last);
      signal[i] = Math.round(lastLevel + part * (level - lastLevel));
    }
    [last, lastLevel] = [at, level];
    draw();
  };
  canvas.onpointerdown = (event) => {
    [drawing, last] = [true, -1];
    canvas.setPointerCapture(event.pointerId);
    touch(event);
  };
  canvas.onpointermove = (event) => {
    if (drawing) touch(event);
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    if (drawing) send();
    drawing = false;
  };
  canvas.onkeydown = (event) => {
    if (!packed) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    place = (Math.max(place, 0) + step[0] + packed.length) % packed.length;
    signal[place] = Math.min(packed.levels - 1, Math.max(0, signal[place] + step[1]));
    if (step[1]) send();
    draw();
  };
  canvas.onblur = () => {
    place = -1;
    draw();
  };
  new ResizeObserver(() => draw()).observe(find("dft"));
  return self;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} values
 * @param {number} levels
 * @param {PenStyle} style
 * @param {number} place that is chosen, or −1
 * @param {number} [start] where the first place of x has gone
 */
function drawBars(canvas, values, levels, style, place, start = 0) {
  const [pen, width, height] = context(canvas);
  const [step, floor] = [width / values.length, height - 6];
  values.forEach((value, i) => {
    const top = floor - (value / (levels - 1)) * (floor - 6);
    const from = (i - start + values.length) % values.length;
    pen.fillStyle = i === place ? style.color : hue((from / values.length) * TURN);
    pen.fillRect(i * step + 2, Math.min(top, floor - 2), step - 4, Math.max(2, floor - top));
  });
  pen.fillStyle = style.border;
  pen.fillRect(0, floor, width, 1);
}

/**
 * The posterior at all shifts: hue is the shift, the true one is marked.
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {number} shift
 * @param {PenStyle} style
 */
function drawPosterior(canvas, { density, length, perPlace }, shift, style) {
  const [pen, width, height] = context(canvas);
  const [count, floor] = [length * perPlace, height - 20];
  const at = (/** @type {number} */ i) => ((i + perPlace / 2) * width) / count;
  for (let i = -perPlace / 2; i < count - perPlace / 2; i++) {
    const value = density[shift * count + ((i + count) % count)];
    pen.fillStyle = hue((i / count) * TURN);
    pen.fillRect(at(i), floor - value * (floor - 4), width / count + 0.6, value * (floor - 4));
  }
  pen.fillStyle = style.border;
  pen.fillRect(0, floor, width, 1);
  pen.font = `12.5px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (let m = 0; m < length; m++) {
    pen.fillStyle = m === shift ? style.color : style.faint;
    pen.fillText(`${m}`, at(m * perPlace), floor + 4);
  }
}

/**
 * Seven circles with the arrows of x and of y.
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {number} shift
 * @param {PenStyle} style
 */
function drawCircles(canvas, { arrows, ours, frequencies }, shift, style) {
  const [pen, width, height] = context(canvas);
  const columns = width < 430 ? 3 : 4;
  const rows = Math.ceil(frequencies / columns);
  const [wide, tall] = [width / columns, height / rows];
  const radius = Math.min(wide / 2 - 6, (tall - 20) / 2 - 2);
  pen.font = `13px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  for (let k = 0; k < frequencies; k++) {
    const [x, y] = [((k % columns) + 0.5) * wide, Math.floor(k / columns) * tall + radius + 3];
    pen.strokeStyle = style.border;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.stroke();
    const arrow = (/** @type {number} */ row) => [arrows[2 * (row * frequencies + k)], arrows[2 * (row * frequencies + k) + 1]];
    const mu = (ours[2 * (shift * frequencies + k) + 1] * TURN) / 360;
    drawArrow(pen, x, y, radius, arrow(0), style.faint, 2);
    drawArrow(pen, x, y, radius, arrow(shift), mu < 0 ? style.faint : hue(mu), 4);
    pen.fillStyle = style.color;
    pen.fillText(`k = ${k + 1}`, x, y + radius + 18);
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number[]} arrow
 * @param {string} colour
 * @param {number} width
 */
function drawArrow(pen, x, y, radius, [u, v], colour, width) {
  const length = Math.hypot(u, v);
  if (length < 0.02) return;
  const [dx, dy] = [u * radius, -v * radius];
  const [cx, cy] = [dx / (length * radius), dy / (length * radius)];
  const head = Math.min(9, 0.5 * length * radius);
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + dx - cx * head * 0.8, y + dy - cy * head * 0.8);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x + dx, y + dy);
  pen.lineTo(x + dx - head * (cx - 0.5 * cy), y + dy - head * (cy + 0.5 * cx));
  pen.lineTo(x + dx - head * (cx + 0.5 * cy), y + dy - head * (cy - 0.5 * cx));
  pen.fill();
}

/**
 * @param {HTMLElement} rows
 * @param {Packed} packed
 * @param {number} shift
 */
function fillTable(rows, { ours, theirs, frequencies }, shift) {
  const degrees = (/** @type {number} */ value) => (value < 0 ? "–" : `${value.toFixed(1)}°`);
  for (let k = 0; k < frequencies; k++) {
    const at = 2 * (shift * frequencies + k);
    const row = rows.children[k] ?? rows.appendChild(document.createElement("tr"));
    const cells = [`${k + 1}`, ours[at].toFixed(2), theirs[at].toFixed(2), degrees(ours[at + 1]), degrees(theirs[at + 1])];
    cells.forEach((text, i) => setText(row.children[i] ?? row.appendChild(document.createElement("td")), text));
  }
}
