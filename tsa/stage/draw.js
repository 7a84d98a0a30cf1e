// How the stage looks: the dial and the strip. Joined with its sisters when mounted.

// While a hand moves the sweep holds one turn only, the one on show.
const row = (self) => (self.sweep.only === null ? self.angle : 0);

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
  return found.sort((a, b) => degrees(a.angle) - degrees(b.angle)); // a mode just below 360° reads 0°
}

// A posterior that hardly varies has no modes worth naming.
const isFlat = (self) => self.sweep.peak[row(self)] * TURN < 1.25;

function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const [x, y] = [width / 2, height / 2];
  const outer = Math.min(width, height) / 2;
  // A small dial has smaller petals, so that its labels, which are as large as ever, stand clear of them.
  const small = outer < 180;
  const inner = outer * (small ? 0.48 : 0.56);
  const rim = inner * 1.09;
  const tip = small ? outer - 40 : outer * 0.84;
  const text = self.style.color;
  const tall = self.pending ? 0 : isFlat(self) ? 0.12 : 1;
  const p = heights(self);
  const reach = (i) => rim + 6 + (tip - rim - 6) * p[i % 360] * tall;
  const point = (radius, radians) => [x + radius * Math.cos(radians), y - radius * Math.sin(radians)];

  pen.save();
  pen.beginPath();
  for (let d = 0; d < 360; d++) pen.lineTo(...point(reach(d), (d * TURN) / 360));
  pen.closePath();
  pen.arc(x, y, rim + 6, 0, TURN, true);
  pen.closePath();
  pen.moveTo(x + rim + 2.5, y);
  pen.arc(x, y, rim + 2.5, 0, TURN);
  pen.closePath();
  pen.moveTo(x + rim - 2.5, y);
  pen.arc(x, y, rim - 2.5, 0, TURN, true);
  pen.clip("evenodd");
  pen.drawImage(wheel(self, outer), x - outer, y - outer, 2 * outer, 2 * outer);
  pen.restore();

  drawTurned(self, pen, [x, y], inner);

  if (!isFlat(self) && !self.pending) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const mode of modes(self)) {
      const near = Math.max(...[-6, -3, 0, 3, 6].map((d) => reach(degrees(mode.angle) + 360 + d)));
      const [px, py] = point(Math.min(near + 30, outer - 12), mode.angle);
      pen.fillStyle = text;
      pen.font = `650 15px ${self.style.fontFamily}`;
      pen.fillText(`${degrees(mode.angle)}°`, px, py - 8);
      pen.font = `400 12px ${self.style.fontFamily}`;
      pen.globalAlpha = 0.72;
      pen.fillText(`${Math.round(100 * mode.mass)} %`, px, py + 8);
      pen.globalAlpha = 1;
    }
  }
  drawKnob(self, pen, point(rim, (self.angle * TURN) / 360));
}

// x and y, fine and as the model sees them.
function drawSeen(self, find) {
  const { size, x, y } = self.sweep;
  const fine = (canvas, picture, turn) => {
    const [pen, width] = context(canvas);
    pen.translate(width / 2, width / 2);
    pen.rotate((-turn * TURN) / 360);
    pen.drawImage(picture, -width / 2, -width / 2, width, width);
  };
  paint(find("seen-y"), y.subarray(size * size * row(self), size * size * (row(self) + 1)), size);
  fine(find("fine-y"), self.picture, self.angle);
  const [still, width] = [self.first, find("fine-x").getBoundingClientRect().width * window.devicePixelRatio];
  if (self.shown?.still === still && self.shown.width === width) return; // x does not turn
  self.shown = { still, width };
  paint(find("seen-x"), x, size);
  fine(find("fine-x"), self.first, 0);
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
    let inside = false;
    for (let d = 0; d <= 360; d++) {
      const [x, h] = [left + d * scale, p[d % 360]];
      if (h >= least && !inside) pen.moveTo(x, base);
      if (h >= least) pen.lineTo(x, base - Math.max(1, tall * h * flat));
      if (inside && (h < least || d === 360)) pen.lineTo(left + (h < least ? d - 1 : d) * scale, base);
      inside = h >= least;
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
