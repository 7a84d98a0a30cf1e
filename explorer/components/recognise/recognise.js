// Python has asked the neighbours at every angle of the dial; turning shows what they said, without a server.

export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  self.commit = (angle) => setStateValue("angle", { number: self.number, angle });
  self.readStyle(); // this function runs again when the theme changes
  if (data) {
    self.show(decode(data.subarray(8)));
    const [number, angle] = new Uint32Array(data.slice(0, 8).buffer);
    if (number !== self.number) [self.number, self.angle] = [number, angle];
  }
  self.draw();
  return heard(self);
}

function create(root) {
  const find = (name) => root.querySelector("." + name);
  const self = { angle: 30, step: 1, playing: 0, drawn: 0, kept: {} };
  const [dial, round] = [find("dial"), find("round-canvas")];

  turning(self, dial, find);
  self.show = (votes) => {
    self.votes = votes;
    self.picture = new OffscreenCanvas(votes.side, votes.side);
    paint(self.picture, votes.picture, votes.side);
    self.kept = { wheel: self.kept.wheel };
    if (!self.rows) buildRows(self, find("rows"));
  };

  // While a hand moves elsewhere on the page: the votes at one turn.
  self.ears = {
    "tsa-show": (event) => {
      event.preventDefault(); // taken
      self.show(decode(event.detail));
      self.draw();
    },
  };

  round.onpointerdown = round.onpointermove = (event) => {
    if (event.type === "pointerdown") {
      self.stop();
      round.setPointerCapture(event.pointerId);
      self.sliding = true;
    }
    if (!self.sliding) return;
    const box = round.getBoundingClientRect();
    const { left, scale } = stripBox(box.width);
    self.turnTo(Math.min(359, Math.max(0, (event.clientX - box.left - left) / scale)), false);
  };
  round.onpointerup = round.onpointercancel = () => {
    if (self.sliding) self.commit(self.angle);
    self.sliding = false;
  };
  new ResizeObserver(() => self.draw()).observe(find("recognise"));

  self.readStyle = () => {
    const [quiet, wrong] = ["hint", "wrong"].map((name) => getComputedStyle(find(name)).color);
    self.style = { ...penStyle(find("card")), quiet, wrong };
    self.hatch = hatching(wrong);
  };
  self.draw = () => {
    if (!self.votes || !dial.clientWidth) return; // nothing to show, or leaving the page
    const wanted = self.angle;
    self.angle = self.votes.only ?? wanted; // while a pen is down there is an answer at one turn only
    drawDial(self, find("dial-canvas"));
    drawRows(self);
    drawRound(self, round);
    describeRound(self, round);
    say(self, find);
    dial.setAttribute("aria-valuenow", self.angle);
    dial.setAttribute("aria-valuetext", `${self.angle} degrees. ${find("sentence").textContent}`);
    Object.assign(find("recognise").dataset, { drawn: (self.drawn += 1), angle: self.angle, steps: self.votes.steps });
    self.angle = wanted;
  };
  return self;
}

function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const [x, y] = [width / 2, height / 2];
  const rim = Math.min(width, height) / 2 - 16;
  pen.save();
  pen.beginPath();
  pen.arc(x, y, rim + 3, 0, TURN);
  pen.arc(x, y, rim - 3, 0, TURN, true);
  pen.clip();
  pen.drawImage(wheel(self, rim + 3), x - rim - 3, y - rim - 3, 2 * rim + 6, 2 * rim + 6);
  pen.restore();
  drawTurned(self, pen, [x, y], rim * 0.91);
  const s = (self.angle * TURN) / 360;
  drawKnob(self, pen, [x + rim * Math.cos(s), y - rim * Math.sin(s)]);
}
