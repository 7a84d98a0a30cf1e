// The torus in space: what is behind is drawn first, then the body over it like frosted glass, then what is in front.

const TUBE = 0.43; // radius of the tube; that of the ring is 1
const EYE = 7; // distance of the eye
const GRID = [144, 72]; // cells in φ₁ and φ₂ for which it is known whether they are seen

const CORNERS = [[-0.1, -0.1], [1.1, -0.1], [1.1, 1.1], [-0.1, 1.1]]; // patches overlap, so that no seams show

const onTorus = (phi, psi) => {
  const ring = 1 + TUBE * Math.cos(psi);
  return [ring * Math.cos(phi), ring * Math.sin(phi), TUBE * Math.sin(psi)];
};
const normal = (phi, psi) => [Math.cos(psi) * Math.cos(phi), Math.cos(psi) * Math.sin(phi), Math.sin(psi)];
const inner = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// The camera: three axes (right, up, towards the eye) in the coordinates of the torus.
function camera({ yaw, pitch }) {
  const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[c, -s, 0], [s * sp, c * sp, cp], [-s * cp, -c * cp, sp]];
}

function projection(axes, width, height) {
  const scale = Math.min(width / 3.05, height / 2.75);
  return (point) => {
    const [x, y, depth] = axes.map((axis) => inner(axis, point));
    const near = (scale * EYE) / (EYE - depth);
    return [width / 2 + near * x, height / 2 - near * y, depth];
  };
}

// A point is seen if the surface faces the eye there and no other part of the torus stands in between.
function seenCells(axes) {
  const eye = axes[2].map((c) => EYE * c);
  const seen = new Uint8Array(GRID[0] * GRID[1]);
  for (let i = 0; i < GRID[0]; i++) {
    for (let j = 0; j < GRID[1]; j++) {
      const [phi, psi] = [((i + 0.5) * TURN) / GRID[0], ((j + 0.5) * TURN) / GRID[1]];
      const point = onTorus(phi, psi);
      const ray = [eye[0] - point[0], eye[1] - point[1], eye[2] - point[2]];
      seen[i * GRID[1] + j] = inner(normal(phi, psi), ray) > 0 && !blocked(point, ray);
    }
  }
  return seen;
}

// Steps from the point towards the eye until it is inside the torus, or above or below all of it.
function blocked(point, ray) {
  const step = 0.12 / Math.hypot(...ray);
  for (let t = 0.6 * step; t < 24 * step; t += step) {
    const x = point[0] + t * ray[0];
    const y = point[1] + t * ray[1];
    const z = point[2] + t * ray[2];
    if (z * ray[2] > 0 && Math.abs(z) > TUBE) return false;
    const ring = Math.sqrt(x * x + y * y) - 1;
    if (ring * ring + z * z < TUBE * TUBE * 0.995) return true;
  }
  return false;
}

const isSeen = (scene, phi, psi) => {
  const i = Math.floor(fraction(phi / TURN) * GRID[0]) % GRID[0];
  const j = Math.floor(fraction(psi / TURN) * GRID[1]) % GRID[1];
  return scene.seen[i * GRID[1] + j];
};

// What only turning the torus, its size or the theme can change.
function scene(self, width, height) {
  const { yaw, pitch } = self.view;
  const rough = Boolean(self.grip); // while a hand turns it
  const key = [yaw, pitch, width, height, self.style.color, self.style.paper, rough].join();
  if (self.scene?.key === key) return self.scene;
  const axes = camera(self.view);
  self.scene = { key, seen: seenCells(axes), project: projection(axes, width, height) };
  self.scene.body = body(self, self.scene, axes, width, height);
  return self.scene;
}

function body(self, scene, axes, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = new OffscreenCanvas(Math.max(1, width * ratio), Math.max(1, height * ratio));
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const shades = greys(pen, self.style);
  const light = [0, 1, 2].map((i) => -0.45 * axes[0][i] + 0.65 * axes[1][i] + 0.61 * axes[2][i]);
  const [n, m] = self.grip ? [40, 18] : [64, 28];
  const eye = axes[2].map((c) => EYE * c);
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
      const [x, y] = scene.project(onTorus(((i + di) * TURN) / n, ((j + dj) * TURN) / m));
      pen.lineTo(x, y);
    }
    pen.fillStyle = shades[shade];
    pen.fill();
  }
  pen.strokeStyle = self.style.color;
  pen.globalAlpha = 0.13;
  pen.lineWidth = 1;
  const mesh = new Path2D();
  for (let i = 0; i < 12; i++) addCircle(mesh, scene, (t) => [(i * TURN) / 12, t]);
  for (let j = 0; j < 6; j++) addCircle(mesh, scene, (t) => [t, (j * TURN) / 6]);
  pen.stroke(mesh);
  return canvas;
}

// From full light to full shade between the colours of the paper and of the text.
function greys(pen, style) {
  const rgb = (colour) => {
    pen.fillStyle = colour;
    return [1, 3, 5].map((at) => parseInt(pen.fillStyle.slice(at, at + 2), 16));
  };
  const [paper, text] = [rgb(style.paper), rgb(style.color)];
  const dark = paper[1] < 128;
  return Array.from({ length: 64 }, (_, i) => {
    const ink = dark ? 0.05 + (0.2 * i) / 63 : 0.2 - (0.19 * i) / 63;
    return `rgb(${paper.map((c, k) => Math.round(c + ink * (text[k] - c)))})`;
  });
}

// The seen part of a closed curve of phases.
function addCircle(path, scene, phases) {
  let drawing = false;
  for (let k = 0; k <= 96; k++) {
    const [phi, psi] = phases((k * TURN) / 96);
    const seen = isSeen(scene, phi, psi);
    if (seen) path[drawing ? "lineTo" : "moveTo"](...scene.project(onTorus(phi, psi)).slice(0, 2));
    drawing = seen;
  }
}

function drawTorus(self, canvas) {
  const [pen, width, height] = context(canvas);
  const now = scene(self, width, height);
  const thick = lineWidth(self, 0.8 * Math.min(width, height));
  const lay = (side) =>
    layPath(self, pen, side, [width, height], [now.key, thick], (pen, from, to) => {
      pen.lineWidth = thick;
      pen.lineCap = self.facts.windings ? "round" : "butt"; // round is finer, and slow for a long path
      strokeBins(pen, piecesOn(self, now, side === "front", from, to));
    });
  lay("back");
  const phases = self.weights.map((weight) => weight * self.s);
  const seen = isSeen(now, ...phases);
  const [x, y] = now.project(onTorus(...phases));
  if (!seen) dot(self, pen, [x, y], self.s, 8);
  pen.globalAlpha = 0.74;
  pen.drawImage(now.body, 0, 0, width, height);
  pen.globalAlpha = 1;
  lay("front");
  drawCross(self, pen, now);
  if (seen) dot(self, pen, [x, y], self.s, 9);
}

// Chords of the path on the side that is seen, or on the other, by colour.
function piecesOn(self, now, front, from, to) {
  const [w1, w2] = self.weights;
  const longest = ((self.facts.windings ? 5 : 9) * TURN) / 360;
  const parts = Math.max(1, Math.ceil((Math.max(w1, w2) * BIN) / longest));
  const bins = [];
  alongPath(from, to, (a, b, k) => {
    const path = (bins[k] ??= new Path2D());
    const at = (i) => a + ((b - a) * i) / parts;
    let drawing = false;
    for (let i = 0; i < parts; i++) {
      const here = Boolean(isSeen(now, w1 * at(i + 0.5), w2 * at(i + 0.5))) === front;
      for (const end of here ? (drawing ? [i + 1] : [i, i + 1]) : []) {
        const [x, y] = now.project(onTorus(w1 * at(end), w2 * at(end)));
        path[end === i ? "moveTo" : "lineTo"](x, y);
      }
      drawing = here;
    }
  });
  return bins;
}

// The two circles through the point, on which only one phase changes: the dashed lines of the square.
function drawCross(self, pen, now) {
  const [phi, psi] = self.weights.map((weight) => weight * self.s);
  const cross = new Path2D();
  addCircle(cross, now, (t) => [phi, t]);
  addCircle(cross, now, (t) => [t, psi]);
  pen.strokeStyle = self.style.color;
  pen.lineWidth = 1.1;
  pen.globalAlpha = 0.55;
  pen.setLineDash([3, 4]);
  pen.stroke(cross);
  pen.setLineDash([]);
  pen.globalAlpha = 1;
  name(self, pen, now, "φ₁", (t) => [phi + t, psi]);
  name(self, pen, now, "φ₂", (t) => [phi, psi + t]);
}

// Beside the circle on which it changes, where that is seen, a little ahead of the point.
function name(self, pen, now, text, phases) {
  const ahead = [0.9, 1.2, 1.6, -0.9, -1.2, -1.6, 2.4, 3.2].map(phases).find((place) => isSeen(now, ...place));
  if (!ahead) return;
  const [x, y] = now.project(onTorus(...ahead));
  pen.font = `650 15px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 5;
  pen.strokeStyle = self.style.paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = self.style.color;
  pen.fillText(text, x, y);
}
