// The subspaces: a circle for each, and one of them taken apart.

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
  const { line } = self.style;
  const quiet = new Path2D(); // circles that say nothing, drawn in one go
  pen.textAlign = "center";
  pen.font = `400 12px ${self.style.fontFamily}`;
  self.columns = columns;
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
    if (sure < 0.03) {
      quiet.moveTo(x + radius, y);
      quiet.arc(x, y, radius, 0, TURN);
      mark(self, pen, x, y, radius, cellHeight, weight, sure);
      return [x, y, radius];
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
    mark(self, pen, x, y, radius, cellHeight, weight, sure);
    return [x, y, radius];
  });
  pen.strokeStyle = line;
  pen.lineWidth = 1.4;
  pen.stroke(quiet);
}

// The tick where the true turn would put the mean, and the weight.
function mark(self, pen, x, y, radius, cellHeight, weight, sure) {
  const truth = (weight * self.angle * TURN) / 360;
  pen.beginPath();
  pen.moveTo(x + 0.82 * radius * Math.cos(truth), y - 0.82 * radius * Math.sin(truth));
  pen.lineTo(x + 1.12 * radius * Math.cos(truth), y - 1.12 * radius * Math.sin(truth));
  pen.strokeStyle = pen.fillStyle = self.style.color;
  pen.globalAlpha = 0.25 + 0.6 * sure;
  pen.lineWidth = 1.6;
  pen.stroke();
  pen.globalAlpha = 0.7 + 0.3 * sure; // still dark enough to be read
  pen.fillText(weight, x, y + cellHeight * 0.52);
  pen.globalAlpha = 1;
}

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

function drawDetail(self, find) {
  const j = self.selected;
  setText(find("detail-kappa"), `κ̂ = ${subspace(self, j).kappa.toPrecision(2)}`);
  if (self.shownFilter !== j) {
    self.shownFilter = j;
    introduce(self, find, j);
  }
  drawPlane(self, find("arrows-canvas"), j);
  drawSum(self, find, j);
}

function introduce(self, find, j) {
  const { size, weights, lines, filters } = self.sweep;
  const weight = weights[j];
  setText(find("detail-title"), `Subspace ${j + 1} · weight ${weight}`);
  const speed = Math.abs(weight) === 1 ? "as fast" : `${Math.abs(weight)} times as fast`;
  const moving = `Its plane turns ${speed} as the picture. η̂ says where, and by its length how surely.`;
  const still = `A ${lines[j] ? "line" : "plane"} that no turn changes, so it tells nothing about the turn.`;
  setText(find("detail-text"), weight === 0 ? still : moving);
  for (const [part, name] of ["filter-a", "filter-b"].entries()) {
    const start = (2 * j + part) * size * size;
    find(name).hidden = lines[j] && part === 1;
    paint(find(name), filters.subarray(start, start + size * size), size);
  }
}

// z(x), z(y) and η̂ = conj z(x) z(y) / σ², on one circle.
function drawPlane(self, canvas, j) {
  const [pen, width, height] = context(canvas);
  const { weights, z, noise } = self.sweep;
  const centre = [width / 2, height / 2];
  const radius = Math.min(width, height) / 2 - 14;
  const text = self.style.color;
  pen.strokeStyle = self.style.line;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.arc(...centre, radius, 0, TURN);
  pen.stroke();
  const at = (turn) => [z[2 * (turn * weights.length + j)], z[2 * (turn * weights.length + j) + 1]];
  const [zx, zy] = [at(0), at(1 + row(self))];
  const largest = Math.max(Math.hypot(...zx), Math.hypot(...zy), 1e-9);
  const { mu } = subspace(self, j);
  const length = 0.85 * radius * Math.min(1, (largest / noise) ** 2 / 4);
  arrow(self, pen, centre, [length * Math.cos(mu), length * Math.sin(mu)], { colour: hue(mu), thick: 5 });
  const scaled = (v) => v.map((c) => (0.85 * radius * c) / largest);
  pen.globalAlpha = 0.6;
  arrow(self, pen, centre, scaled(zx), { colour: text, name: "x" });
  pen.globalAlpha = 1;
  arrow(self, pen, centre, scaled(zy), { colour: text, name: "y" });
}

// Prior + evidence = posterior, head to tail, for the harmonic that this subspace speaks about.
function drawSum(self, find, j) {
  const [pen, width, height] = context(find("sum-canvas"));
  const { weights, prior, pooled, harmonics } = self.sweep;
  const k = Math.abs(weights[j]);
  if (k === 0) return setText(find("sum-text"), "no part in the sum");
  const { kappa, mu } = subspace(self, j);
  const own = [kappa * Math.cos(mu), Math.sign(weights[j]) * kappa * Math.sin(mu)];
  const at = 2 * (row(self) * harmonics + k - 1);
  const total = [pooled[at], pooled[at + 1]];
  const first = prior[k - 1] ?? [0, 0];
  const rest = [0, 1].map((c) => total[c] - first[c] - own[c]);
  const steps = [
    [first, { colour: self.style.color, dash: [3, 3] }],
    [own, { colour: hue(mu * Math.sign(weights[j])), thick: 4 }],
    [rest, { colour: hue(Math.atan2(rest[1], rest[0]), 0.55) }],
  ].filter(([step]) => Math.hypot(...step) > 1e-6 * Math.hypot(...total));
  // Centre and scale the walk so that all of it is seen.
  let [x, y] = [0, 0];
  const xs = [0];
  const ys = [0];
  for (const [step] of steps) {
    xs.push((x += step[0]));
    ys.push((y += step[1]));
  }
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 36) / Math.max(right - left, 1e-9), (height - 36) / Math.max(high - low, 1e-9), 40);
  const origin = [width / 2 - (scale * (left + right)) / 2, height / 2 + (scale * (low + high)) / 2];
  let tip = origin;
  const posterior = { colour: hue(Math.atan2(total[1], total[0]), 0.3), thick: 9 };
  arrow(self, pen, origin, total.map((c) => c * scale), posterior);
  for (const [step, look] of steps) tip = arrow(self, pen, tip, step.map((c) => c * scale), look);
  const others = weights.filter((w) => Math.abs(w) === k).length - 1;
  const known = Math.hypot(...first) > 0 ? "prior (dashed) + " : "";
  setText(find("sum-text"), `${known}this + ${others} more of weight ${k} = posterior (broad)`);
}
