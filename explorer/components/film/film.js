// Pairs to learn from, or filters while they are being learned and the evidence curve. Redrawn whenever a new frame arrives.

export default function ({ data, parentElement }) {
  const self = instance(parentElement, create);
  if (data) self.blob = decode(data);
  draw(self);
}

function create(root) {
  const self = { find: (name) => root.querySelector("." + name) };
  new ResizeObserver(() => draw(self)).observe(root.querySelector(".film"));
  return self;
}

function draw(self) {
  if (!self.blob) return;
  self.style = penStyle(self.find("film"));
  setText(self.find("film").querySelector("h2"), self.blob.title);
  setText(self.find("learned"), self.blob.caption);
  drawFrame(self, self.find("frame"));
  self.find("curve").hidden = !self.blob.total;
  if (self.blob.total) drawChart(self, self.find("chart"));
}

function drawFrame(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { shape, count, filters } = self.blob;
  const [rows, columns] = shape;
  const tall = Math.min(1, Math.max(rows / columns, 0.4));
  // The largest tiles with which all pairs fit.
  let tile = 8;
  const across = (t) => Math.max(1, Math.floor(width / (2 * t + 10)));
  while (tile < 96 && Math.ceil(count / across(tile + 1)) * ((tile + 1) * tall + 8) <= height) tile += 1;
  const per = across(tile);
  pen.imageSmoothingEnabled = false;
  const picture = new OffscreenCanvas(columns, rows);
  for (let i = 0; i < 2 * count; i++) {
    const values = filters.subarray(i * rows * columns, (i + 1) * rows * columns);
    const j = i >> 1;
    const [x, y] = [(j % per) * (2 * tile + 10) + (i % 2) * (tile + 2), Math.floor(j / per) * (tile * tall + 8)];
    if (rows > 1) {
      greyscale(picture, values);
      pen.drawImage(picture, x, y, tile, tile * tall);
    } else signal(pen, values, x, y, tile, tile * tall, self.style);
  }
  canvas.setAttribute("aria-label", `${self.blob.title}: ${count} pairs. ${self.blob.caption}`);
}

function drawChart(self, canvas) {
  const [pen, width, height] = context(canvas);
  const { curve, total } = self.blob;
  const n = curve.length / 2;
  const values = Array.from({ length: n }, (_, i) => curve[2 * i + 1]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [left, base] = [56, height - 20];
  const at = (i) => [left + ((width - left - 8) * curve[2 * i]) / total, base - ((base - 10) * (values[i] - low)) / Math.max(high - low, 1e-9)];
  pen.font = `400 11.5px ${self.style.fontFamily}`;
  pen.fillStyle = pen.strokeStyle = self.style.color;
  pen.textAlign = "right";
  if (n) {
    pen.fillText(high.toFixed(1), left - 6, 14);
    pen.fillText(low.toFixed(1), left - 6, base);
  }
  pen.textAlign = "center";
  for (let i = 0; i <= 4; i++) {
    const x = left + ((width - left - 8) * i) / 4;
    pen.textAlign = i === 4 ? "right" : "center";
    pen.fillText(Math.round((total * i) / 4).toLocaleString("en"), i === 4 ? width - 4 : x, height - 4);
  }
  pen.globalAlpha = 0.25;
  pen.strokeRect(left, 6, width - left - 8, base - 6);
  pen.globalAlpha = 1;
  pen.lineWidth = 1.6;
  pen.beginPath();
  for (let i = 0; i < n; i++) pen.lineTo(...at(i));
  pen.stroke();
  canvas.setAttribute("aria-label", n ? `Mean log evidence, now ${values[n - 1].toFixed(1)}` : "No evidence yet");
}
