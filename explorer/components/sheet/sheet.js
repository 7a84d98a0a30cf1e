// All filters of a model at once, and one of them taken apart. Everything is here from the start: choosing, sorting,
// zooming and turning need no server.

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  self.commit = (chosen) => setStateValue("chosen", chosen);
  self.readStyle(); // this function runs again when the theme changes
  const blob = data && decode(data);
  if (blob && (blob.digest !== self.blob?.digest || blob.chosen !== self.blob.chosen)) self.open(blob);
  else self.draw();
  return () => self.pause();
}

function create(root) {
  const find = (name) => root.querySelector("." + name);
  const self = { chosen: 0, turn: 0, playing: 0, commit: () => {} };

  self.readStyle = () => {
    self.style = penStyle(find("card"));
    self.accent = getComputedStyle(find("sheet")).getPropertyValue("--st-primary-color") || self.style.color;
    self.edge = getComputedStyle(find("turning")).outlineColor;
  };
  self.open = (blob) => {
    self.blob = blob;
    self.chosen = Math.min(blob.chosen, blob.weights.length - 1);
    self.atlas = tiles(blob);
    const largest = Math.max(...blob.weights.map(size));
    for (const name of ["low", "high"]) find(name).max = largest;
    [find("low").value, find("high").value, find("pure").value] = [0, largest, 0];
    self.arrange();
    self.introduce();
    if (!self.playing && !still()) self.play();
  };

  // Which filters are shown, and where.
  self.arrange = () => {
    const { name, planes, singles, weights, purity } = self.blob;
    const ends = [Number(find("low").value), Number(find("high").value || find("high").max)];
    const [low, high] = [Math.min(...ends), Math.max(...ends)]; // from 9 to 4 is from 4 to 9
    const pure = Number(find("pure").value);
    setText(find("pure-text"), `${pure} %`);
    self.byPurity = find("order").value === "purity";
    self.shown = weights.map((_, j) => j).filter((j) => size(weights[j]) >= low && size(weights[j]) <= high && 100 * purity[j] >= pure);
    if (self.byPurity) self.shown.sort((a, b) => purity[b] - purity[a]);
    setText(find("title"), `${name}: ${planes} filter pairs${singles ? ` and ${singles} single filters` : ""}, sorted by ${self.byPurity ? "purity" : "|ω|"}`);
    setText(find("count"), `${self.shown.length} of ${weights.length} shown`);
    find("nothing").hidden = self.shown.length > 0;
    self.draw();
  };
  self.draw = () => {
    if (!self.blob || !find("scroll").clientWidth) return; // nothing to show, or leaving the page
    drawHistogram(self, find("histogram"));
    drawGrid(self, find("grid"), find("scroll"), Number(find("zoom").value) / 100);
    drawSpecimen(self, find);
    self.mark();
  };
  // A frame around the chosen one, above the canvas: choosing need not draw the grid again.
  self.mark = () => {
    const [x, y, w, h] = self.cells[self.shown.indexOf(self.chosen)] ?? [0, 0, 0, 0];
    const { weights, lines, purity } = self.blob;
    const mark = find("mark");
    mark.hidden = !w;
    Object.assign(mark.style, { left: `${x}px`, top: `${y + 13}px`, width: `${lines[self.chosen] ? self.tile + 8 : w - 2}px`, height: `${h - 14}px` });
    const told = self.shown.map((j) => `Subspace ${j + 1}, weight ${label(weights[j])}, purity ${Math.round(100 * purity[j])} %.`);
    listOptions(find("grid"), told, self.shown.indexOf(self.chosen));
  };
  self.introduce = () => {
    const { weights, rotation, angle } = self.blob;
    self.turn = rotation ? remainder(weights[self.chosen] * angle, 360) : 0; // where the lab has turned this plane
    introduceSpecimen(self, find);
    drawSpecimen(self, find);
    self.mark();
    root.querySelector(".sheet").dataset.chosen = self.chosen;
  };
  self.choose = (j, commit = true) => {
    if (j === undefined || j === self.chosen) return;
    self.chosen = j;
    drawHistogram(self, find("histogram"));
    self.introduce();
    if (commit) self.commit(j);
  };

  const grid = find("grid");
  grid.onclick = (event) => {
    const box = grid.getBoundingClientRect();
    const at = self.cells.findIndex(
      ([x, y, w, h]) => event.clientX - box.left >= x && event.clientX - box.left < x + w && event.clientY - box.top >= y && event.clientY - box.top < y + h,
    );
    if (at >= 0) self.choose(self.shown[at]);
  };
  grid.onkeydown = (event) => {
    const next = stepped(event.key, self.shown.indexOf(self.chosen), self.columns, self.shown.length);
    if (next === undefined) return;
    event.preventDefault();
    self.choose(self.shown[next]);
    const [, y, , h] = self.cells[next] ?? [0, 0, 0, 0];
    const frame = find("scroll");
    if (y < frame.scrollTop) frame.scrollTop = y;
    if (y + h > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + h - frame.clientHeight;
  };
  find("histogram").onclick = (event) => {
    const box = find("histogram").getBoundingClientRect();
    const bar = self.bars.find(([x, w]) => event.clientX - box.left >= x && event.clientX - box.left < x + w);
    if (!bar) return;
    find("low").value = find("high").value = bar[2];
    self.arrange();
  };
  for (const name of ["low", "high", "pure", "order"]) find(name).oninput = self.arrange;
  find("zoom").oninput = self.draw;
  find("all").onclick = () => {
    [find("low").value, find("high").value, find("pure").value, find("zoom").value] = [0, find("high").max, 0, 0];
    self.arrange();
  };

  // The orbit of the chosen pair.
  self.pause = () => {
    cancelAnimationFrame(self.playing);
    self.playing = 0;
    find("play").textContent = "▶";
    find("play").setAttribute("aria-label", "Play its orbit");
  };
  self.play = () => {
    find("play").textContent = "❚❚";
    find("play").setAttribute("aria-label", "Pause its orbit");
    let last = performance.now();
    const step = (now) => {
      self.turn = (self.turn + ((now - last) / 1000) * 60) % 360;
      last = now;
      drawTurning(self, find);
      self.playing = requestAnimationFrame(step);
    };
    self.playing = requestAnimationFrame(step);
  };
  find("play").onclick = () => (self.playing ? self.pause() : self.play());
  find("turn").oninput = () => {
    self.pause();
    self.turn = Number(find("turn").value);
    drawTurning(self, find);
  };
  new ResizeObserver(() => self.draw()).observe(find("scroll"));
  return self;
}

// Every filter once, at its own size, as [real, imaginary] canvases.
function tiles(blob) {
  const [height, width] = blob.shape;
  return blob.weights.map((_, j) =>
    [0, 1].map((part) => {
      const start = (2 * j + part) * height * width;
      const canvas = new OffscreenCanvas(width, height);
      greyscale(canvas, blob.filters.subarray(start, start + height * width));
      return canvas;
    }),
  );
}

function drawHistogram(self, canvas) {
  const [pen, width, height] = context(canvas);
  const counts = new Map();
  for (const weight of self.blob.weights) counts.set(size(weight), (counts.get(size(weight)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const last = Math.max(...counts.keys());
  const step = width / (last + 1);
  const chosen = size(self.blob.weights[self.chosen]);
  self.bars = [];
  pen.textAlign = "center";
  pen.font = `400 11px ${self.style.fontFamily}`;
  for (const [weight, count] of counts) {
    const h = ((height - 28) * count) / most;
    pen.fillStyle = weight === chosen ? self.accent : self.style.color;
    pen.globalAlpha = weight === chosen ? 1 : 0.35;
    pen.fillRect(weight * step + 2, height - 14 - h, Math.max(1, step - 4), h);
    pen.globalAlpha = 0.8;
    pen.fillStyle = self.style.color;
    if (step > 14 || weight % 5 === 0) pen.fillText(weight, (weight + 0.5) * step, height - 2);
    if (step > 14) pen.fillText(count, (weight + 0.5) * step, height - 17 - h);
    self.bars.push([weight * step, step, weight]);
  }
  pen.globalAlpha = 1;
  const words = [...counts].map(([weight, count]) => `${count} of weight ${weight}`).join(", ");
  canvas.setAttribute("aria-label", `Histogram of weights: ${words}`);
}

function drawGrid(self, canvas, frame, zoom) {
  const { shape, lines } = self.blob;
  const width = Math.max(120, frame.clientWidth - 4);
  const tall = Math.min(1, Math.max(shape[0] / shape[1], 0.4));
  const cell = (tile) => [2 * tile + 10, tile * tall + 20];
  const columns = (tile) => Math.max(1, Math.floor(width / cell(tile)[0]));
  const fits = (tile) => Math.ceil(self.shown.length / columns(tile)) * cell(tile)[1] <= frame.clientHeight;
  let fit = 16;
  while (fit < 110 && fits(fit + 1)) fit += 1;
  const tile = Math.round(fit + zoom * (128 - fit));
  const [w, h] = cell(tile);
  [self.columns, self.tile] = [columns(tile), tile];
  const rows = Math.ceil(self.shown.length / self.columns);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${Math.max(rows * h + 4, 40)}px`;
  const [pen] = context(canvas);
  pen.imageSmoothingEnabled = false;
  pen.textBaseline = "top";
  const labels = gridLabels(self, tile > 40);
  self.cells = self.shown.map((j, i) => {
    const [x, y] = [(i % self.columns) * w, Math.floor(i / self.columns) * h];
    const [group, own] = labels[i];
    pen.fillStyle = self.style.color;
    pen.font = `650 11px ${self.style.fontFamily}`;
    pen.fillText(group, x + 4, y + 2, w - 6);
    const after = group ? pen.measureText(group).width + 8 : 0;
    pen.font = `400 11px ${self.style.fontFamily}`;
    pen.globalAlpha = 0.7;
    pen.fillText(own, x + 4 + after, y + 2, w - 6);
    pen.globalAlpha = 1;
    pen.strokeStyle = self.edge; // a white filter is seen on white
    for (const part of lines[j] ? [0] : [0, 1]) {
      const left = x + 4 + part * (tile + 2);
      tileAt(self, pen, j, part, left, y + 16, tile, tile * tall);
      if (shape[0] > 1) pen.strokeRect(left - 0.5, y + 15.5, tile + 1, tile * tall + 1); // a signal has its own
    }
    return [x, y, w, h];
  });
}

// What stands above each tile: in bold the group ±ω above the first of it, as in the paper, and where there is room its
// own weight above each; how pure it is if that is the order.
function gridLabels({ shown, blob: { weights, purity }, byPurity }, roomy) {
  if (byPurity) return shown.map((j) => ["", `${roomy ? `${label(weights[j])} · ` : ""}${(100 * purity[j]).toFixed(1)} %`]);
  const both = new Set(shown.filter((j) => label(weights[j]) !== label(positive(weights[j]))).map((j) => label(positive(weights[j]))));
  let before = null;
  return shown.map((j) => {
    const [own, group] = [label(weights[j]), label(positive(weights[j]))];
    const first = group !== before;
    before = group;
    const name = first ? (both.has(own) ? `±${own}` : own) : "";
    return [name, roomy && name !== own ? own : ""];
  });
}

// A filter as a picture, or as a curve if it is a signal.
function tileAt(self, pen, j, part, x, y, width, height) {
  const { shape, filters } = self.blob;
  if (shape[0] > 1) return pen.drawImage(self.atlas[j][part], x, y, width, height);
  const start = (2 * j + part) * shape[1];
  signal(pen, filters.subarray(start, start + shape[1]), x, y, width, height, self.style);
}
