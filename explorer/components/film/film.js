// Pairs to learn from, or how filters are learned, with the evidence curve. Every frame is sent once and stays here, so
// that going back and forth needs no server.

const PLAYED = 3; // seconds from the first frame to the last
const VISITOR = "tsa-visitor";
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  self.style = penStyle(self.find("film")); // this function runs again when the theme changes
  if (data) {
    const blob = decode(data);
    recall(self, blob, (before) => setStateValue("before", before));
    if (!self.take(blob)) setStateValue("lost", Date.now());
  }
  self.draw();
  return self.stop;
}

// The storage of this tab outlives a reload, Python's name for its visitor does not: it hears of the one before.
function recall(self, { ticket, before }, report) {
  try {
    const old = self.visitor ?? sessionStorage.getItem(VISITOR) ?? "";
    if (/^[0-9a-f]{32}$/.test(old) && old !== ticket && old !== before) {
      if (self.reported !== old + ticket) report(old);
      self.reported = old + ticket;
      return;
    }
    self.visitor = ticket;
    sessionStorage.setItem(VISITOR, ticket);
  } catch {} // storage may be forbidden
}

function create(root) {
  const find = (name) => root.querySelector("." + name);
  const self = { find, frames: [], at: 0, follows: true, playing: 0 };

  // Whether all frames are there now.
  self.take = (blob) => {
    const same = blob.film === self.blob?.film;
    const frames = same ? self.frames.slice(0, blob.known) : [];
    if (frames.length < blob.known || frames.some(({ pairs }, i) => pairs !== blob.pairs[i])) return false;
    let start = 0;
    for (let i = blob.known; i < blob.pairs.length; i++) {
      const end = start + 2 * blob.counts[i] * blob.shape[0] * blob.shape[1];
      frames.push({ pairs: blob.pairs[i], count: blob.counts[i], filters: blob.filters.subarray(start, end) });
      start = end;
    }
    const ended = blob.resting && self.blob && !(same && self.blob.resting);
    if (!same) self.stop();
    Object.assign(self, { blob, frames, at: Math.min(self.at, frames.length - 1), follows: self.follows || !same || ended });
    if (!same || !blob.resting) self.due = false;
    if (ended && frames.length > 1 && !still()) self.due = true;
    if (self.follows && !self.playing) self.at = frames.length - 1;
    self.playIfDue();
    return true;
  };
  self.playIfDue = () => {
    if (self.due && self.inView) self.play(0);
  };

  self.stop = () => {
    cancelAnimationFrame(self.playing);
    self.playing = 0;
    setText(find("play"), "▶");
    find("play").setAttribute("aria-label", "Play");
  };
  self.play = (from) => {
    setText(find("play"), "❚❚");
    find("play").setAttribute("aria-label", "Pause");
    [self.at, self.due] = [from, false];
    let last = performance.now();
    const step = (now) => {
      const end = self.frames.length - 1;
      self.at = Math.min(end, self.at + (Math.max(0, now - last) / 1000 / PLAYED) * end);
      last = now;
      self.playing = requestAnimationFrame(step);
      if (self.at === end) self.stop();
      self.draw();
    };
    self.playing = requestAnimationFrame(step);
  };
  self.goTo = (at) => {
    self.stop();
    [self.at, self.due] = [at, false];
    self.follows = at === self.frames.length - 1;
    self.draw();
  };
  find("play").onclick = () => {
    if (self.playing) self.goTo(Math.round(self.at));
    else self.play(self.at < self.frames.length - 1 ? self.at : 0);
  };
  find("seek").oninput = (event) => self.goTo(Number(event.target.value));

  self.draw = () => {
    if (!self.blob || !find("film").clientWidth) return; // nothing to show, or leaving the page
    const { title, caption, total } = self.blob;
    const last = self.frames.length - 1;
    const near = Math.round(self.at);
    const past = near < last;
    setText(find("film").querySelector("h2"), past ? "The filters as they were" : title);
    setText(find("learned"), caption);
    find("player").hidden = last < 1;
    const seen = last < 0 ? "" : `${self.frames[near].pairs.toLocaleString("en")} pairs${!past && self.blob.refined ? ", refined" : ""}`;
    [find("seek").max, find("seek").value] = [Math.max(0, last), near];
    find("seek").setAttribute("aria-valuetext", seen);
    setText(find("seen"), seen);
    drawFrame(self, find("frame"));
    find("frame").setAttribute("aria-label", `${find("film").querySelector("h2").textContent}: ${self.frames[near]?.count ?? 0} pairs. ${total ? seen : caption}`);
    find("curve").hidden = !total;
    if (total) drawChart(self, find("chart"));
    Object.assign(find("film").dataset, { frames: last + 1, at: near, playing: Boolean(self.playing) });
  };
  new IntersectionObserver(([frame]) => {
    self.inView = frame.isIntersecting; // on a phone it may still be further down
    self.playIfDue();
  }, { threshold: 0.5 }).observe(find("frame"));
  new ResizeObserver(() => self.draw()).observe(find("film"));
  return self;
}

// The pictures at this moment of the film: between two frames, a blend of both.
function pictures({ frames, at }) {
  const [one, other] = [frames[Math.floor(at)], frames[Math.ceil(at)]];
  const part = at % 1;
  if (!part || one.count !== other.count) return frames[Math.round(at)];
  return { ...one, filters: one.filters.map((value, i) => value + part * (other.filters[i] - value)) };
}

const weightLabel = (weight) => (Array.isArray(weight) ? `(${weight.join(", ")})` : `${weight}`).replaceAll("-", "−");

function drawFrame(self, canvas) {
  const [pen, width, height] = context(canvas);
  if (!self.frames.length) return;
  const { shape, total, refined, order, weights } = self.blob;
  const { count, filters } = pictures(self);
  const known = weights && (!refined || Math.round(self.at) === self.frames.length - 1);
  const [rows, columns] = shape;
  const tall = Math.min(1, Math.max(rows / columns, 0.4));
  // The largest tiles with which all pairs fit, each with room for its weight below.
  let tile = 8;
  const across = (t) => Math.max(1, Math.floor(width / (2 * t + 10)));
  const below = (t) => (total && t > 17 ? 19 : 8);
  const fits = (t) => Math.ceil(count / across(t)) * (t * tall + below(t)) <= height;
  while (tile < 96 && fits(tile + 1)) tile += 1;
  const per = across(tile);
  pen.imageSmoothingEnabled = false;
  pen.font = `400 11.5px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  pen.fillStyle = self.style.color;
  const picture = new OffscreenCanvas(columns, rows);
  for (let place = 0; place < count; place++) {
    const j = known ? order[place] : place;
    const [x, y] = [(place % per) * (2 * tile + 10), Math.floor(place / per) * (tile * tall + below(tile))];
    for (const part of [0, 1]) {
      const values = filters.subarray((2 * j + part) * rows * columns, (2 * j + part + 1) * rows * columns);
      const left = x + part * (tile + 2);
      if (rows > 1) {
        greyscale(picture, values);
        pen.drawImage(picture, left, y, tile, tile * tall);
      } else signal(pen, values, left, y, tile, tile * tall, self.style);
    }
    if (known && below(tile) > 8) pen.fillText(weightLabel(weights[j]), x + tile + 1, y + tile * tall + 12);
  }
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
    pen.fillText(high.toFixed(1).replace("-", "−"), left - 6, 14);
    pen.fillText(low.toFixed(1).replace("-", "−"), left - 6, base);
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
  const now = self.frames[Math.round(self.at)];
  if (now) {
    const x = left + ((width - left - 8) * now.pairs) / total;
    pen.lineWidth = 1;
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.moveTo(x, 6);
    pen.lineTo(x, base);
    pen.stroke();
  }
  canvas.setAttribute("aria-label", n ? `Mean log evidence, now ${values[n - 1].toFixed(1)}` : "No evidence yet");
}
