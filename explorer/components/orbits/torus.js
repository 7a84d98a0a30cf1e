// The torus in space: first the path behind it, then its body, half transparent, then the path in front.

import { context, penOf } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN } from "../../../tsa/stage/browser/shared/colour.js";
import { BIN_RADIANS, alongPath, dot, fraction, layPath, lineWidth, strokeBins } from "./flat.js";

/** @import { Pen } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Orbits } from "./orbits.js" */
/** @typedef {[number, number, number]} Vector */
/** @typedef {[right: Vector, up: Vector, towardsEye: Vector]} Axes */
/** @typedef {(point: Vector) => Vector} Project to pixels and depth */
/** @typedef {{ key: string, seen: Uint8Array, project: Project, body: OffscreenCanvas }} TorusView */
/** @typedef {(t: number) => [phi: number, psi: number]} Phases points of a curve on the torus */

const TUBE_RADIUS = 0.43; // that of the ring is 1
const EYE_DISTANCE = 7; // from the centre, in radii of the ring
const GRID_CELLS = [144, 72]; // along φ₁ and φ₂, for each of which it is known whether it is visible

const CORNERS = [[-0.1, -0.1], [1.1, -0.1], [1.1, 1.1], [-0.1, 1.1]]; // patches overlap, so that no seams show

/** @type {(phi: number, psi: number) => Vector} */
const onTorus = (phi, psi) => {
  const ring = 1 + TUBE_RADIUS * Math.cos(psi);
  return [ring * Math.cos(phi), ring * Math.sin(phi), TUBE_RADIUS * Math.sin(psi)];
};
/** @type {(phi: number, psi: number) => Vector} */
const normal = (phi, psi) => [Math.cos(psi) * Math.cos(phi), Math.cos(psi) * Math.sin(phi), Math.sin(psi)];
/** @type {(a: Vector, b: Vector) => number} */
const inner = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * The axes of the camera in the coordinates of the torus.
 * @param {Orbits["view"]} view
 * @returns {Axes}
 */
function camera({ yaw, pitch }) {
  const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[c, -s, 0], [s * sp, c * sp, cp], [-s * cp, -c * cp, sp]];
}

/**
 * @param {Axes} axes
 * @param {number} width
 * @param {number} height
 * @returns {Project}
 */
function projection(axes, width, height) {
  const scale = Math.min(width / 3.05, height / 2.75);
  return (point) => {
    const [x, y, depth] = axes.map((axis) => inner(axis, point));
    const near = (scale * EYE_DISTANCE) / (EYE_DISTANCE - depth);
    return [width / 2 + near * x, height / 2 - near * y, depth];
  };
}

/**
 * Which cells are visible: the surface faces the eye and no other part of the torus is in between.
 * @param {Axes} axes
 */
function seenCells(axes) {
  const eye = eyeOf(axes);
  const seen = new Uint8Array(GRID_CELLS[0] * GRID_CELLS[1]);
  for (let i = 0; i < GRID_CELLS[0]; i++) {
    for (let j = 0; j < GRID_CELLS[1]; j++) {
      const [phi, psi] = [((i + 0.5) * TURN) / GRID_CELLS[0], ((j + 0.5) * TURN) / GRID_CELLS[1]];
      const point = onTorus(phi, psi);
      /** @type {Vector} */
      const ray = [eye[0] - point[0], eye[1] - point[1], eye[2] - point[2]];
      seen[i * GRID_CELLS[1] + j] = Number(inner(normal(phi, psi), ray) > 0 && !blocked(point, ray));
    }
  }
  return seen;
}

/**
 * Step from the point towards the eye until inside the torus, or above or below all of it.
 * @param {Vector} point
 * @param {Vector} ray
 */
function blocked(point, ray) {
  const step = 0.12 / Math.hypot(...ray);
  for (let t = 0.6 * step; t < 24 * step; t += step) {
    const x = point[0] + t * ray[0];
    const y = point[1] + t * ray[1];
    const z = point[2] + t * ray[2];
    if (z * ray[2] > 0 && Math.abs(z) > TUBE_RADIUS) return false;
    const ring = Math.sqrt(x * x + y * y) - 1;
    if (ring * ring + z * z < TUBE_RADIUS * TUBE_RADIUS * 0.995) return true;
  }
  return false;
}

/** @type {(view: Pick<TorusView, "seen">, phi: number, psi: number) => boolean} */
const isSeen = (view, phi, psi) => {
  const i = Math.floor(fraction(phi / TURN) * GRID_CELLS[0]) % GRID_CELLS[0];
  const j = Math.floor(fraction(psi / TURN) * GRID_CELLS[1]) % GRID_CELLS[1];
  return view.seen[i * GRID_CELLS[1] + j] === 1;
};

/** @type {(axes: Axes) => Vector} */
const eyeOf = ([, , [x, y, z]]) => [EYE_DISTANCE * x, EYE_DISTANCE * y, EYE_DISTANCE * z];

/**
 * What changes only with the view, the size or the theme; rougher while the pointer turns the torus.
 * @param {Orbits} self
 * @param {number} width
 * @param {number} height
 */
function torusView(self, width, height) {
  const { yaw, pitch } = self.view;
  const key = [yaw, pitch, width, height, self.style.color, self.style.paper, self.turning].join();
  if (self.torus?.key === key) return self.torus;
  const axes = camera(self.view);
  const seen = seenCells(axes);
  const project = projection(axes, width, height);
  self.torus = { key, seen, project, body: drawBody(self, { seen, project }, axes, width, height) };
  return self.torus;
}

/**
 * @param {Orbits} self
 * @param {Pick<TorusView, "seen" | "project">} view
 * @param {Axes} axes
 * @param {number} width
 * @param {number} height
 */
function drawBody(self, view, axes, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = new OffscreenCanvas(Math.max(1, width * ratio), Math.max(1, height * ratio));
  const pen = penOf(canvas);
  pen.scale(ratio, ratio);
  const shades = greys(pen, self.style);
  const [x, y, z] = [0, 1, 2].map((i) => -0.45 * axes[0][i] + 0.65 * axes[1][i] + 0.61 * axes[2][i]);
  /** @type {Vector} */
  const light = [x, y, z];
  const [n, m] = self.turning ? [40, 18] : [64, 28];
  const eye = eyeOf(axes);
  const patches = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const [phi, psi] = [((i + 0.5) * TURN) / n, ((j + 0.5) * TURN) / m];
      const [middle, out] = [onTorus(phi, psi), normal(phi, psi)];
      if (inner(out, eye) - inner(out, middle) < -0.5) continue;
      patches.push({ i, j, depth: inner(axes[2], middle), shade: Math.round(31.5 * (1 + inner(out, light))) });
    }
  }
  patches.sort((a, b) => a.depth - b.depth);
  for (const { i, j, shade } of patches) {
    pen.beginPath();
    for (const [di, dj] of CORNERS) {
      const [x, y] = view.project(onTorus(((i + di) * TURN) / n, ((j + dj) * TURN) / m));
      pen.lineTo(x, y);
    }
    pen.fillStyle = shades[shade];
    pen.fill();
  }
  pen.strokeStyle = self.style.color;
  pen.globalAlpha = 0.13;
  pen.lineWidth = 1;
  const mesh = new Path2D();
  for (let i = 0; i < 12; i++) addCircle(mesh, view, (t) => [(i * TURN) / 12, t]);
  for (let j = 0; j < 6; j++) addCircle(mesh, view, (t) => [t, (j * TURN) / 6]);
  pen.stroke(mesh);
  return canvas;
}

/**
 * 64 greys between the colours of the paper and the text, from shade to light.
 * @param {OffscreenCanvasRenderingContext2D} pen
 * @param {Orbits["style"]} style
 */
function greys(pen, style) {
  const rgb = (/** @type {string} */ colour) => {
    pen.fillStyle = colour;
    const hex = `${pen.fillStyle}`; // "#rrggbb"
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  };
  const [paper, text] = [rgb(style.paper), rgb(style.color)];
  const dark = paper[1] < 128;
  return Array.from({ length: 64 }, (_, i) => {
    const ink = dark ? 0.05 + (0.2 * i) / 63 : 0.2 - (0.19 * i) / 63;
    return `rgb(${paper.map((c, k) => Math.round(c + ink * (text[k] - c)))})`;
  });
}

/**
 * Add the visible part of a closed curve to a path.
 * @param {Path2D} path
 * @param {Pick<TorusView, "seen" | "project">} view
 * @param {Phases} phases
 */
function addCircle(path, view, phases) {
  let drawing = false;
  for (let k = 0; k <= 96; k++) {
    const [phi, psi] = phases((k * TURN) / 96);
    const seen = isSeen(view, phi, psi);
    const [x, y] = view.project(onTorus(phi, psi));
    if (seen) path[drawing ? "lineTo" : "moveTo"](x, y);
    drawing = seen;
  }
}

/**
 * @param {Orbits} self
 * @param {HTMLCanvasElement} canvas
 */
export function drawTorus(self, canvas) {
  const [pen, width, height] = context(canvas);
  const view = torusView(self, width, height);
  const thick = lineWidth(self, 0.8 * Math.min(width, height));
  const lay = (/** @type {"back" | "front"} */ side) =>
    layPath(self, pen, side, [width, height], [view.key, thick], (pen, from, to) => {
      pen.lineWidth = thick;
      pen.lineCap = self.facts.windings ? "round" : "butt"; // round is finer, and slow for a long path
      strokeBins(pen, piecesOn(self, view, side === "front", from, to));
    });
  lay("back");
  const [phi, psi] = self.weights.map((weight) => weight * self.s);
  const seen = isSeen(view, phi, psi);
  const [x, y] = view.project(onTorus(phi, psi));
  if (!seen) dot(self, pen, [x, y], self.s, 8);
  pen.globalAlpha = 0.74;
  pen.drawImage(view.body, 0, 0, width, height);
  pen.globalAlpha = 1;
  lay("front");
  drawCross(self, pen, view);
  if (seen) dot(self, pen, [x, y], self.s, 9);
}

/**
 * Chords of the path on the visible side, or on the other, by colour.
 * @param {Orbits} self
 * @param {TorusView} view
 * @param {boolean} front
 * @param {number} from
 * @param {number} to
 */
function piecesOn(self, view, front, from, to) {
  const [w1, w2] = self.weights;
  const longest = ((self.facts.windings ? 5 : 9) * TURN) / 360;
  const parts = Math.max(1, Math.ceil((Math.max(w1, w2) * BIN_RADIANS) / longest));
  /** @type {Path2D[]} */
  const bins = [];
  alongPath(from, to, (a, b, k) => {
    const path = (bins[k] ??= new Path2D());
    const at = (/** @type {number} */ i) => a + ((b - a) * i) / parts;
    let drawing = false;
    for (let i = 0; i < parts; i++) {
      const here = isSeen(view, w1 * at(i + 0.5), w2 * at(i + 0.5)) === front;
      for (const end of here ? (drawing ? [i + 1] : [i, i + 1]) : []) {
        const [x, y] = view.project(onTorus(w1 * at(end), w2 * at(end)));
        path[end === i ? "moveTo" : "lineTo"](x, y);
      }
      drawing = here;
    }
  });
  return bins;
}

/**
 * The two circles through the point on which only one phase changes: the dashed lines of the square.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {TorusView} view
 */
function drawCross(self, pen, view) {
  const [phi, psi] = self.weights.map((weight) => weight * self.s);
  const cross = new Path2D();
  addCircle(cross, view, (t) => [phi, t]);
  addCircle(cross, view, (t) => [t, psi]);
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.1;
  pen.globalAlpha = 0.55;
  pen.setLineDash([3, 4]);
  pen.stroke(cross);
  pen.setLineDash([]);
  pen.globalAlpha = 1;
  drawName(self, pen, view, "φ₁", (t) => [phi + t, psi]);
  drawName(self, pen, view, "φ₂", (t) => [phi, psi + t]);
}

/**
 * The name of a phase on the circle where only it changes, near the point, where the circle is visible.
 * @param {Orbits} self
 * @param {Pen} pen
 * @param {TorusView} view
 * @param {string} text
 * @param {Phases} phases
 */
function drawName(self, pen, view, text, phases) {
  const ahead = [0.9, 1.2, 1.6, -0.9, -1.2, -1.6, 2.4, 3.2].map((t) => phases(t)).find(([phi, psi]) => isSeen(view, phi, psi));
  if (!ahead) return;
  const [x, y] = view.project(onTorus(...ahead));
  pen.font = `650 15px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 5;
  pen.strokeStyle = self.style.paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = self.style.color;
  pen.fillText(text, x, y);
}
