// One filter taken apart: its parts, its phase, its orbit, its spectrum, what it says about the patch in the lab.

function introduceSpecimen(self, find) {
  const { weights, lines, purity } = self.blob;
  const j = self.chosen;
  const [line, moves] = [lines[j], speed(weights[j]) > 0];
  setText(find("name"), `Subspace ${j + 1} · weight ${label(weights[j])}${line ? " · a single filter" : ""}`);
  setText(find("purity"), `purity ${(100 * purity[j]).toFixed(1)} %`);
  // A single filter is the whole of its space: one picture, as large as the four of a pair.
  find("pictures").classList.toggle("one", line);
  for (const figure of find("pictures").querySelectorAll(".part")) figure.hidden = line;
  const orbit = moves ? (line ? "it changes sign" : "the real part at phase φ") : "it stays as it is";
  setText(find("turning-text"), line ? `the filter: ${orbit}` : orbit);
  find("turn").disabled = !moves;
  setText(find("verdict"), verdict(self.blob, j));
  const whose = `of subspace ${j + 1}, weight ${label(weights[j])}`;
  const pictures = { cosine: "Real part", sine: "Imaginary part", phase: "Modulus, and phase as hue," };
  for (const [name, what] of Object.entries(pictures)) find(name).setAttribute("aria-label", `${what} ${whose}.`);
  find("turning").setAttribute("aria-label", `The filter ${whose}: ${orbit}.`);
  find("spectrum").setAttribute("aria-label", `Weight spectrum. ${verdict(self.blob, j)}`);
}

function picture(self, canvas, draw) {
  const [pen, width, height] = context(canvas);
  pen.imageSmoothingEnabled = false;
  draw(pen, width, height);
}

function drawSpecimen(self, find) {
  const j = self.chosen;
  if (!self.blob.lines[j]) {
    picture(self, find("cosine"), (pen, w, h) => tileAt(self, pen, j, 0, 0, 0, w, h));
    picture(self, find("sine"), (pen, w, h) => tileAt(self, pen, j, 1, 0, 0, w, h));
    drawPhase(self, find("phase"), self.blob.shape);
  }
  drawSpectrum(self, find("spectrum"));
  drawResponse(self, find);
  drawTurning(self, find);
}

// Hue is the phase, and the deeper the colour the larger the modulus.
function drawPhase(self, canvas, [rows, columns]) {
  const { filters } = self.blob;
  const start = 2 * self.chosen * rows * columns;
  const small = new OffscreenCanvas(columns, rows);
  const dots = small.getContext("2d");
  for (let i = 0; i < rows * columns; i++) {
    const [re, im] = [filters[start + i] / 127.5 - 1, filters[start + rows * columns + i] / 127.5 - 1];
    dots.fillStyle = hue(Math.atan2(im, re), Math.min(1, Math.hypot(re, im)));
    dots.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  }
  picture(self, canvas, (pen, w, h) => pen.drawImage(small, 0, 0, w, h));
}

// Re(e^{iφ} conj f) with φ = ωs: what the group makes of the real part.
function drawTurning(self, find) {
  const { shape, filters, weights, lines } = self.blob;
  const [rows, columns] = shape;
  const j = self.chosen;
  const moves = speed(weights[j]) > 0;
  const degrees = moves ? Math.round(self.turn) % 360 : 0;
  const phi = (degrees * Math.PI) / 180;
  setText(find("phi"), `φ = ${degrees}°`);
  setText(find("moved"), movement(self.blob, weights[j], degrees));
  find("turn").value = degrees;
  find("turn").setAttribute("aria-valuetext", `${degrees}°. ${find("moved").textContent}`);
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

function drawResponse(self, find) {
  const { response, noise, lab } = self.blob;
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
  const sigma = `${lab ? "the lab’s" : "the model’s own"} σ\u00a0=\u00a0${number(noise, 2)}`;
  const kappa = ((length / noise) ** 2).toFixed(1);
  const place = `The patch x of the lab has |z| = ${length.toFixed(2)} here, number ${rank} of ${lengths.length}`;
  const words = `${place}; its invariant is κ̂ = |z|\u2060²/σ² = ${kappa} at ${sigma}.`;
  setText(find("response-text"), words);
  find("response").setAttribute("aria-label", words);
}
