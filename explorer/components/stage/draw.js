// How the stage looks: the colours, and one function for each thing that is drawn. Joined with stage.js when mounted.

const TURN = 2 * Math.PI;
const degrees = (radians) => Math.round((radians * 180) / Math.PI) % 360;
const COUNT = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

// Hue is angle: one lightness and chroma all around (OKLCH 0.7, 0.13), as sRGB once, because parsing colours is slow.
const WHEEL = Array.from({ length: 360 }, (_, d) => {
  const [a, b] = [0.13 * Math.cos(((d + 15) * Math.PI) / 180), 0.13 * Math.sin(((d + 15) * Math.PI) / 180)];
  const [l, m, s] = [
    0.7 + 0.3963377774 * a + 0.2158037573 * b,
    0.7 - 0.1055613458 * a - 0.0638541728 * b,
    0.7 - 0.0894841775 * a - 1.291485548 * b,
  ].map((v) => v ** 3);
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((v) => Math.round(255 * Math.min(1, Math.max(0, v > 0.0031308 ? 1.055 * v ** (1 / 2.4) - 0.055 : 12.92 * v))));
});
const hue = (radians, alpha = 1) => {
  const [r, g, b] = WHEEL[((Math.round((radians * 180) / Math.PI) % 360) + 360) % 360];
  return `rgba(${r},${g},${b},${alpha})`;
};
const withStops = (gradient, angleAt, alpha = 1) => {
  for (let i = 0; i <= 36; i++) gradient.addColorStop(i / 36, hue(angleAt(i / 36), alpha));
  return gradient;
};
const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

function paint(canvas, values, side) {
  if (canvas.width !== side || canvas.height !== side) canvas.width = canvas.height = side;
  const image = new ImageData(side, side);
  for (let i = 0; i < side * side; i++) {
    image.data[4 * i] = image.data[4 * i + 1] = image.data[4 * i + 2] = values[i];
    image.data[4 * i + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function context(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.lineCap = "round";
  return [pen, width, height];
}

// While a stroke is being drawn the sweep holds one turn only, the one on show.
const row = (self) => (self.sweep.turns === 1 ? 0 : self.angle);

// Height of the posterior at a whole degree, between 0 and 1: linear, or on a logarithmic scale.
function heights(self) {
  const { density, logRange } = self.sweep;
  const values = density.subarray(360 * row(self), 360 * row(self) + 360);
  return Float32Array.from(values, (q) => (self.log ? q / 65535 : Math.exp((q / 65535 - 1) * logRange)));
}

function modes(self) {
  const { modes: table, modesPerTurn: per } = self.sweep;
  const found = [];
  for (let i = 0; i < per; i++) {
    const at = 2 * (row(self) * per + i);
    if (table[at + 1] >= 0.01) found.push({ angle: table[at], mass: table[at + 1] });
  }
  return found.sort((a, b) => a.angle - b.angle);
}

// A posterior that hardly varies has no modes worth naming.
const isFlat = (self) => self.sweep.peak[row(self)] * TURN < 1.25;

function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const [x, y] = [width / 2, height / 2];
  const outer = Math.min(width, height) / 2;
  const inner = outer * 0.56;
  const rim = inner * 1.09;
  const text = self.style.color;
  const tall = isFlat(self) ? 0.12 : 1;
  const p = heights(self);
  const reach = (i) => rim + 6 + (outer * 0.84 - rim - 6) * p[i % 360] * tall;
  const point = (radius, radians) => [x + radius * Math.cos(radians), y - radius * Math.sin(radians)];

  // A conic gradient runs clockwise, angles counter-clockwise.
  pen.fillStyle = pen.strokeStyle = withStops(pen.createConicGradient(0, x, y), (t) => -t * TURN);
  pen.beginPath();
  for (let d = 0; d < 360; d++) pen.lineTo(...point(reach(d), (d * TURN) / 360));
  pen.closePath();
  pen.arc(x, y, rim + 6, 0, TURN, true);
  pen.fill("evenodd");
  pen.beginPath();
  pen.arc(x, y, rim, 0, TURN);
  pen.lineWidth = 5;
  pen.stroke();

  pen.save();
  pen.beginPath();
  pen.arc(x, y, inner, 0, TURN);
  pen.clip();
  pen.fillStyle = "black";
  pen.fill();
  pen.translate(x, y);
  pen.rotate((-self.angle * TURN) / 360);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(self.picture, -inner, -inner, 2 * inner, 2 * inner);
  pen.restore();

  if (!isFlat(self)) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const mode of modes(self)) {
      const near = Math.max(...[-6, -3, 0, 3, 6].map((d) => reach(degrees(mode.angle) + 360 + d)));
      const [px, py] = point(Math.min(near + 30, outer - 12), mode.angle);
      pen.fillStyle = text;
      pen.font = `650 15px ${self.style.fontFamily}`;
      pen.fillText(`${degrees(mode.angle)}°`, px, py - 8);
      pen.font = `400 12px ${self.style.fontFamily}`;
      pen.globalAlpha = 0.65;
      pen.fillText(`${Math.round(100 * mode.mass)} %`, px, py + 8);
      pen.globalAlpha = 1;
    }
  }
  const s = (self.angle * TURN) / 360;
  const [kx, ky] = point(rim, s);
  pen.beginPath();
  pen.arc(kx, ky, 12, 0, TURN);
  pen.fillStyle = self.style.paper;
  pen.fill();
  pen.lineWidth = 3;
  pen.strokeStyle = text;
  pen.stroke();
  pen.beginPath();
  pen.arc(kx, ky, 5, 0, TURN);
  pen.fillStyle = hue(s);
  pen.fill();
}

function drawSeen(self, left, right) {
  const { size, x, y } = self.sweep;
  paint(left, x, size);
  paint(right, y.subarray(size * size * row(self), size * size * (row(self) + 1)), size);
}

function subspace(self, j) {
  const { eta, certainty, weights } = self.sweep;
  const at = row(self) * weights.length + j;
  const [re, im] = [eta[2 * at], eta[2 * at + 1]];
  return { kappa: Math.hypot(re, im), mu: Math.atan2(im, re), sure: certainty[at] / 255 };
}

function loudest(self) {
  let best = 0;
  self.sweep.weights.forEach((weight, j) => {
    if (weight !== 0 && subspace(self, j).kappa > (best ? subspace(self, best).kappa : 0)) best = j;
  });
  return best;
}

function drawCircles(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { weights } = self.sweep;
  const columns = Math.max(4, Math.round(Math.sqrt((weights.length * width) / height / 0.82)));
  const rows = Math.ceil(weights.length / columns);
  const [cellWidth, cellHeight] = [width / columns, height / rows];
  const radius = Math.min(cellWidth / 3.3, cellHeight / 4.1);
  const text = self.style.color;
  const { line } = self.style;
  self.cells = weights.map((weight, j) => {
    const x = ((j % columns) + 0.5) * cellWidth;
    const y = Math.floor(j / columns) * cellHeight + cellHeight * 0.4;
    const { kappa, mu, sure } = subspace(self, j);
    const strong = 0.12 + 0.88 * sure;
    if (j === self.selected) {
      pen.fillStyle = hue(mu, 0.14);
      pen.strokeStyle = hue(mu, 0.9);
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.roundRect(x - cellWidth / 2 + 2, y - cellHeight * 0.4 + 1, cellWidth - 4, cellHeight - 2, 8);
      pen.fill();
      pen.stroke();
    }
    // The von Mises density as a band around the circle, thickest at its mean.
    pen.beginPath();
    for (let i = 0; i <= 60; i++) {
      const phi = (i * TURN) / 60;
      const r = radius * (1 + 0.5 * sure * Math.exp(kappa * (Math.cos(phi - mu) - 1)));
      pen.lineTo(x + r * Math.cos(phi), y - r * Math.sin(phi));
    }
    pen.arc(x, y, radius, 0, TURN, true);
    pen.fillStyle = hue(mu, strong);
    pen.fill("evenodd");
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.strokeStyle = sure > 0.15 ? hue(mu, strong) : line;
    pen.lineWidth = 1.4;
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + radius * sure * Math.cos(mu), y - radius * sure * Math.sin(mu));
    pen.strokeStyle = hue(mu, strong);
    pen.lineWidth = 3;
    pen.stroke();
    const truth = (weight * self.angle * TURN) / 360;
    pen.beginPath();
    pen.moveTo(x + 0.82 * radius * Math.cos(truth), y - 0.82 * radius * Math.sin(truth));
    pen.lineTo(x + 1.12 * radius * Math.cos(truth), y - 1.12 * radius * Math.sin(truth));
    pen.strokeStyle = text;
    pen.globalAlpha = 0.25 + 0.6 * sure;
    pen.lineWidth = 1.6;
    pen.stroke();
    pen.globalAlpha = 0.45 + 0.55 * sure;
    pen.fillStyle = text;
    pen.textAlign = "center";
    pen.font = `400 12px ${self.style.fontFamily}`;
    pen.fillText(weight, x, y + cellHeight * 0.52);
    pen.globalAlpha = 1;
    return [x, y, radius];
  });
}

function drawStrip(self, canvas) {
  const [pen, width, height] = context(canvas);
  const p = heights(self);
  const [left, base, tall] = [14, height - 20, height - 34];
  const scale = (width - 2 * left) / 360;
  const flat = isFlat(self) ? 0.35 : 1;
  const level = self.sweep.level[row(self)];
  const shown = self.log ? 1 + Math.log(level) / self.sweep.logRange : level;
  // All of the density pale, then the 95 % that is most probable in full colour.
  for (const [alpha, least] of [[0.35, -1], [1, shown * 0.999]]) {
    pen.fillStyle = withStops(pen.createLinearGradient(left, 0, width - left, 0), (t) => t * TURN, alpha);
    pen.beginPath();
    for (let d = 0; d < 360; d++) {
      if (p[d] < least) continue;
      const h = Math.max(1, tall * p[d] * flat);
      pen.rect(left + d * scale, base - h, scale + 0.6, h);
    }
    pen.fill();
  }
  const text = self.style.color;
  pen.fillStyle = text;
  pen.font = `400 12px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  for (let d = 0; d <= 360; d += 45) pen.fillText(`${d}°`, left + d * scale, height - 5);
  const s = left + self.angle * scale;
  pen.strokeStyle = text;
  pen.setLineDash([4, 3]);
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.moveTo(s, 14);
  pen.lineTo(s, base);
  pen.stroke();
  pen.setLineDash([]);
  pen.font = `650 11.5px ${self.style.fontFamily}`;
  pen.textAlign = s > width - 60 ? "right" : s < 60 ? "left" : "center";
  pen.fillText(self.sweep.copy ? "true turn" : "turn of y", s, 10);
}

function drawDetail(self, find) {
  const { size, weights, lines, filters, z, noise } = self.sweep;
  const j = self.selected;
  const weight = weights[j];
  const { kappa, mu } = subspace(self, j);
  setText(find("detail-kappa"), `κ̂ = ${kappa.toPrecision(2)}`);
  if (self.shownFilter !== j) {
    self.shownFilter = j;
    setText(find("detail-title"), `Subspace ${j + 1} · weight ${weight}`);
    const speed = weight === 1 ? "as fast" : `${weight} times as fast`;
    const moving = `It turns ${speed} as the picture. The coloured arrow is η̂, the angle from x to y: how sure, and where.`;
    const still = "A line: rotation does not change it, so it tells nothing about the turn.";
    setText(find("detail-text"), weight === 0 ? still : moving);
    for (const [part, name] of ["filter-a", "filter-b"].entries()) {
      const start = (2 * j + part) * size * size;
      find(name).hidden = lines[j] && part === 1;
      paint(find(name), filters.subarray(start, start + size * size), size);
    }
  }
  const [pen, width, height] = context(find("arrows-canvas"));
  const [x, y] = [width / 2, height / 2];
  const radius = Math.min(width, height) / 2 - 16;
  pen.strokeStyle = self.style.line;
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.stroke();
  const at = (turn) => [z[2 * (turn * weights.length + j)], z[2 * (turn * weights.length + j) + 1]];
  const [zx, zy] = [at(0), at(1 + row(self))];
  const largest = Math.max(Math.hypot(...zx), Math.hypot(...zy), 1e-9);
  const arrow = ([re, im], colour, name, scale, thick) => {
    const [ex, ey] = [x + re * scale, y - im * scale];
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = thick;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(ex, ey);
    pen.stroke();
    pen.beginPath();
    pen.arc(ex, ey, thick + 1, 0, TURN);
    pen.fill();
    pen.font = `600 12px ${self.style.fontFamily}`;
    pen.textAlign = re < 0 ? "right" : "left";
    pen.fillText(name, ex + (re < 0 ? -9 : 9), ey + 4);
  };
  const text = self.style.color;
  const length = (0.8 * radius * Math.min(1, largest * largest / noise ** 2 / 4)) / Math.max(kappa, 1e-9);
  arrow([kappa * Math.cos(mu), kappa * Math.sin(mu)], hue(mu), "", length, 5);
  pen.globalAlpha = 0.6;
  arrow(zx, text, "x", (0.85 * radius) / largest, 2.2);
  pen.globalAlpha = 1;
  arrow(zy, text, "y", (0.85 * radius) / largest, 2.2);
}

// One sentence, always true of what is shown.
function say(self, find) {
  const found = modes(self);
  const sentence = find("sentence");
  const bits = (self.sweep.entropy[row(self)] - Math.log(TURN / 360)) / Math.LN2;
  const list = found.map((mode) => `${degrees(mode.angle)}°`).join(", ");
  const even = found.length > 1 && Math.min(...found.map((m) => m.mass)) > 0.8 / found.length;
  let rest = "";
  if (isFlat(self)) {
    setText(sentence, "Every turn explains this pair about equally well.");
    rest = "The patch looks the same, or is empty, however it is turned.";
  } else if (found.length === 1) {
    setText(sentence, `One turn explains this pair: ${list}.`);
  } else {
    const how = even ? "equally well" : "to some degree";
    setText(sentence, `${COUNT[found.length] ?? found.length} turns explain this pair ${how}: ${list}.`);
    const hidden = COUNT[found.length - 1]?.toLowerCase() ?? found.length - 1;
    rest = `A single best answer would have hidden ${hidden} of them.`;
  }
  const evidence = self.sweep.evidence[row(self)];
  const numbers = `Uncertainty ${bits.toFixed(1)} bits of 8.5 (whole degrees). Log evidence ${evidence.toFixed(1)}. ${rest}`;
  setText(find("numbers"), numbers);
}
