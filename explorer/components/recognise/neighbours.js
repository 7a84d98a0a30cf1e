// One row for each distance: its neighbours, turned as it turns them, and how many vote for each digit.

// Of the angles that were looked at, the one nearest to the dial; while a pen is down there is only the one on show.
const nearestTurn = ({ votes, angle }) => Math.round((angle * votes.steps) / 360) % votes.steps;
const lookedAt = (self) => self.votes.only ?? (nearestTurn(self) * 360) / self.votes.steps;
const rowOf = (self, distance) => distance * self.votes.steps + nearestTurn(self);
const winnerOf = (self, distance) => self.votes.winners[rowOf(self, distance)];
const votesFor = (self, distance, digit) => self.votes.counts[10 * rowOf(self, distance) + digit];

function* neighboursOf(self, distance) {
  const { k, neighbours, turns, distances, labels, degrees } = self.votes;
  for (let i = 0; i < k; i++) {
    const place = rowOf(self, distance) * k + i;
    const which = neighbours[place];
    yield { which, label: labels[which], lies: degrees[which], turn: turns[place], far: distances[place] };
  }
}

// Built once; afterwards only what they hold changes.
function buildRows(self, rows) {
  self.rows = self.votes.names.map((name) => {
    const [title, meaning] = DISTANCE[name];
    const row = rows.appendChild(document.createElement("div"));
    row.className = "row";
    row.dataset.distance = name;
    row.innerHTML = `<div class="name" tabindex="0"><span>${title}</span></div>
      <canvas class="near" role="img"></canvas><canvas class="bars" role="img"></canvas>
      <div class="verdict"><span class="winner"></span><span class="share"><span class="mark"></span><span class="of"></span></span></div>`;
    const part = (which) => row.querySelector("." + which);
    part("name").dataset.meaning = meaning;
    part("name").setAttribute("aria-description", meaning);
    return { row, near: part("near"), bars: part("bars"), winner: part("winner"), mark: part("mark"), of: part("of") };
  });
}

function drawRows(self) {
  const { names, k, known, digit } = self.votes;
  self.rows.forEach((parts, distance) => {
    const winner = winnerOf(self, distance);
    const right = winner === digit;
    drawNear(self, parts.near, distance);
    drawBars(self, parts.bars, distance);
    parts.row.classList.toggle("other", !right);
    setText(parts.winner, `${winner}`);
    setText(parts.mark, known ? (right ? "✓ right" : "✗ wrong") : "");
    setText(parts.of, `${votesFor(self, distance, winner)} of ${k}`);
    describeRow(self, parts, DISTANCE[names[distance]][0], distance);
  });
}

function drawNear(self, canvas, distance) {
  const [pen, width, height] = context(canvas);
  const { k, names } = self.votes;
  const turns = names[distance] !== "ED";
  // Neighbours that are held at the picture follow it from the angle that was looked at.
  const follow = turns && names[distance] !== "TD" ? self.angle - lookedAt(self) : 0;
  const radius = Math.min(width / k / 2 - 4, (height - 22) / 2);
  const pitch = Math.min(width / k, 3 * radius);
  const top = Math.max(2, (height - 2 * radius - 17) / 2);
  const winner = winnerOf(self, distance);
  let i = 0;
  for (const { which, label, lies, turn: found } of neighboursOf(self, distance)) {
    const turn = found + follow;
    const [x, y] = [(i++ + 0.5) * pitch, top + radius];
    const voice = label === winner ? 1 : 0.5; // who voted otherwise is dimmed
    pen.save();
    pen.translate(x, y);
    pen.beginPath();
    pen.arc(0, 0, radius, 0, TURN);
    pen.fillStyle = "black";
    pen.fill();
    pen.globalAlpha = voice;
    pen.rotate((-(lies + turn) * TURN) / 360);
    pen.drawImage(portrait(self, which, radius), -radius, -radius, 2 * radius, 2 * radius);
    pen.restore();
    pen.globalAlpha = voice;
    pen.lineWidth = 2.5;
    pen.strokeStyle = turns ? hue((turn * TURN) / 360) : self.style.line;
    pen.beginPath();
    pen.arc(x, y, radius, 0, TURN);
    pen.stroke();
    caption(self, pen, x, y + radius + 15, label, turns ? `${Math.round(turn)}°`.replace("-", "−") : "");
    pen.globalAlpha = 1;
  }
}

// The digit it votes for, and the turn that brought it here.
function caption(self, pen, x, y, label, angle) {
  const fonts = [`700 12.5px ${self.style.fontFamily}`, `400 11.5px ${self.style.fontFamily}`];
  const gap = angle ? 5 : 0;
  pen.fillStyle = self.style.color;
  pen.textAlign = "left";
  pen.font = fonts[1];
  const wide = pen.measureText(angle).width;
  pen.font = fonts[0];
  const left = x - (pen.measureText(label).width + gap + wide) / 2;
  pen.fillText(label, left, y);
  pen.fillStyle = self.style.quiet;
  const after = left + pen.measureText(label).width + gap;
  pen.font = fonts[1];
  pen.fillText(angle, after, y);
}

// A neighbour as it was written, upright and cut round.
function portrait(self, which, radius) {
  const { images, imageSide } = self.votes;
  return kept(self, `digit ${which}`, radius, images, (pen, size) => {
    const small = new OffscreenCanvas(imageSide, imageSide);
    greyscale(small, images.subarray(which * imageSide ** 2, (which + 1) * imageSide ** 2));
    pen.imageSmoothingQuality = "high";
    pen.drawImage(small, 0, 0, size, size);
    pen.globalCompositeOperation = "destination-in";
    pen.arc(size / 2, size / 2, size / 2 - 1, 0, TURN);
    pen.fill();
  });
}

function drawBars(self, canvas, distance) {
  const [pen, width, height] = context(canvas);
  const { k, digit } = self.votes;
  const [pitch, base, tall] = [width / 10, height - 19, height - 28];
  const winner = winnerOf(self, distance);
  pen.textAlign = "center";
  for (let d = 0; d < 10; d++) {
    const share = votesFor(self, distance, d) / k;
    const middle = (d + 0.5) * pitch;
    pen.fillStyle = d !== winner ? self.style.quiet : d === digit ? self.style.color : self.style.wrong;
    pen.globalAlpha = share ? 1 : 0.3;
    pen.fillRect(middle - pitch * 0.34, base - Math.max(1.5, tall * share), pitch * 0.68, Math.max(1.5, tall * share));
    pen.globalAlpha = share ? 1 : 0.55;
    pen.font = `${d === winner ? 700 : 400} 12px ${self.style.fontFamily}`;
    pen.fillText(d, middle, height - 5);
  }
  pen.globalAlpha = 1;
}
