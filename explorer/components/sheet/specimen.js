// One filter taken apart: its parts, its phase, its orbit, its spectrum, what it says about the patch in the lab.

function introduceSpecimen(self, find) {
  const { weights, lines, purity, shape } = self.blob;
  const j = self.chosen;
  const line = lines[j];
  setText(find("name"), `Subspace ${j + 1} · weight ${label(weights[j])}${line ? " · a single filter" : ""}`);
  setText(find("purity"), `purity ${(100 * purity[j]).toFixed(1)} %`);
  setText(find("cosine-text"), line ? "the filter" : "real part");
  for (const figure of find("pictures").querySelectorAll(".second")) figure.hidden = line;
  picture(self, find("cosine"), (pen, w, h) => tileAt(self, pen, j, 0, 0, 0, w, h));
  if (!line) picture(self, find("sine"), (pen, w, h) => tileAt(self, pen, j, 1, 0, 0, w, h));
  if (!line) drawPhase(self, find("phase"), shape);
  setText(find("turning-text"), speed(weights[j]) === 0 ? "it stays as it is" : line ? "it changes sign" : "turning through its orbit");
  setText(find("verdict"), verdict(self));
  const whose = `of subspace ${j + 1}, weight ${label(weights[j])}`;
  const pictures = { cosine: line ? "The filter" : "Real part", sine: "Imaginary part", phase: "Modulus, and phase as hue," };
  for (const [name, what] of Object.entries(pictures)) find(name).setAttribute("aria-label", `${what} ${whose}.`);
  find("turning").setAttribute("aria-label", `The filter ${whose}: ${find("turning-text").textContent}.`);
  find("spectrum").setAttribute("aria-label", `Weight spectrum. ${verdict(self)}`);
}

function picture(self, canvas, draw) {
  const [pen, width, height] = context(canvas);
  pen.imageSmoothingEnabled = false;
  draw(pen, width, height);
}

function drawSpecimen(self, find) {
  drawSpectrum(self, find("spectrum"));
  drawResponse(self, find);
  drawTurning(self, find);
}

// Hue is the phase, and the deeper the colour the larger the modulus.
function drawPhase(self, canvas, [rows, columns]) {
  const [pen, width, height] = context(canvas);
  const { filters } = self.blob;
  const [w, h] = [width / columns, height / rows];
  const start = 2 * self.chosen * rows * columns;
  for (let i = 0; i < rows * columns; i++) {
    const [re, im] = [filters[start + i] / 127.5 - 1, filters[start + rows * columns + i] / 127.5 - 1];
    pen.fillStyle = hue(Math.atan2(im, re), Math.min(1, Math.hypot(re, im)));
    const at = [Math.floor((i % columns) * w), Math.floor(Math.floor(i / columns) * h)];
    pen.fillRect(...at, Math.ceil(w), Math.ceil(h));
  }
}

// Re(e^{iφ} conj f) with φ = ωs: what the group makes of the real part.
function drawTurning(self, find) {
  const { shape, filters, weights, lines } = self.blob;
  const [rows, columns] = shape;
  const j = self.chosen;
  const moves = speed(weights[j]) > 0;
  const phi = moves ? (self.turn * Math.PI) / 180 : 0;
  const [c, s] = [Math.cos(phi), lines[j] ? 0 : Math.sin(phi)];
  const start = 2 * j * rows * columns;
  const size = rows * columns;
  if (rows === 1) {
    return picture(self, find("turning"), (pen, w, h) => {
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
  self.film ??= new OffscreenCanvas(columns, rows);
  [self.film.width, self.film.height] = [columns, rows];
  const values = new Uint8ClampedArray(size);
  for (let i = 0; i < size; i++) values[i] = 127.5 + c * (filters[start + i] - 127.5) + s * (filters[start + size + i] - 127.5);
  greyscale(self.film, values);
  picture(self, find("turning"), (pen, w, h) => pen.drawImage(self.film, 0, 0, w, h));
}

function drawSpectrum(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { spectrum, frequencies, weights } = self.blob;
  const two = Array.isArray(frequencies[0]);
  if (two) return drawSpectrum2(self, pen, width, height);
  const n = frequencies.length;
  const values = spectrum.subarray(self.chosen * n, self.chosen * n + n);
  const step = width / n;
  pen.font = `400 11px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  for (let i = 0; i < n; i++) {
    const h = Math.max(1, (height - 34) * Math.max(0, values[i]));
    const mine = frequencies[i] === weights[self.chosen];
    pen.fillStyle = mine ? self.accent : self.style.color;
    pen.globalAlpha = mine ? 1 : 0.4;
    pen.fillRect(i * step + 0.5, height - 18 - h, Math.max(1, step - 1), h);
    pen.globalAlpha = 1;
    pen.fillStyle = self.style.color;
    if (mine) pen.fillText(`${(100 * values[i]).toFixed(0)} %`, Math.min(width - 18, Math.max(18, (i + 0.5) * step)), height - 22 - h);
    if (frequencies[i] % 5 === 0) pen.fillText(frequencies[i], (i + 0.5) * step, height - 4);
  }
}

function drawSpectrum2(self, pen, width, height) {
  const { spectrum, frequencies } = self.blob;
  const n = frequencies.length;
  const values = spectrum.subarray(self.chosen * n, self.chosen * n + n);
  const [ys, xs] = [0, 1].map((axis) => frequencies.map((f) => f[axis]));
  const [top, left] = [Math.min(...ys), Math.min(...xs)];
  const [rows, columns] = [Math.max(...ys) - top + 1, Math.max(...xs) - left + 1];
  const side = Math.min((width - 10) / columns, height / rows);
  for (let i = 0; i < n; i++) {
    pen.fillStyle = self.style.color;
    pen.globalAlpha = 0.06 + 0.94 * Math.sqrt(Math.max(0, values[i]));
    pen.fillRect((width - side * columns) / 2 + (xs[i] - left) * side, (ys[i] - top) * side, side - 0.6, side - 0.6);
  }
  pen.globalAlpha = 1;
}

function verdict(self) {
  const { spectrum, frequencies, weights, lines, purity } = self.blob;
  const n = frequencies.length;
  const weight = weights[self.chosen];
  const values = [...spectrum.subarray(self.chosen * n, self.chosen * n + n)].map((v, i) => [v, frequencies[i]]);
  const own = new Set([label(weight)]);
  if (lines[self.chosen]) own.add(label(Array.isArray(weight) ? weight.map((w) => -w) : -weight)); // a real filter has both
  const other = values.filter(([, f]) => !own.has(label(f))).sort((a, b) => b[0] - a[0])[0];
  const sure = purity[self.chosen];
  const how = sure > 0.9 ? "Clearly" : sure > 0.6 ? "Mostly" : "Perhaps";
  const rest = other && other[0] > 0.005 ? ` The next, weight ${label(other[1])}, has ${(100 * other[0]).toFixed(1)} %.` : " Nothing else comes near.";
  const both = lines[self.chosen] && speed(weight) > 0 ? " (a real filter shows ± its weight, half each)" : "";
  return `${how} weight ${label(weight)}: ${(100 * sure).toFixed(1)} % of it${both}.${rest}`;
}

function drawResponse(self, find) {
  const { response, noise } = self.blob;
  find("answer").hidden = !response.length;
  if (!response.length) return;
  const [pen, width, height] = context(find("response"));
  const [re, im] = response.subarray(2 * self.chosen, 2 * self.chosen + 2);
  const lengths = self.blob.weights.map((_, j) => Math.hypot(response[2 * j], response[2 * j + 1]));
  const length = lengths[self.chosen];
  const radius = width / 2 - 6;
  const scale = radius / Math.max(...lengths, 1e-9);
  pen.strokeStyle = self.style.line;
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
  const rank = lengths.filter((other) => other > length).length + 1;
  const words = `The patch x of the lab has |z| = ${length.toFixed(2)} here, number ${rank} of ${lengths.length}; its invariant is κ̂ = |z|²/σ² = ${((length / noise) ** 2).toFixed(1)}.`;
  setText(find("response-text"), words);
  find("response").setAttribute("aria-label", words);
}
