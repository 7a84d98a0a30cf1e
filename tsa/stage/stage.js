// The stage draws; Python has done the mathematics. A sweep arrives as bytes and holds every whole degree of the dial,
// so turning, playing and hovering run at display rate without a server.

export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  // With the number of the command last obeyed: what was said before a newer command is out of date.
  self.commit = (angle) => setStateValue("angle", { number: self.number, angle });
  self.report = () =>
    setStateValue("view", { number: self.number, log: self.log, circle: self.chosen ? self.selected : null });
  if (data) {
    const [number, angle, log, circle] = new Int32Array(data.slice(0, 16).buffer);
    if (number !== self.number) self.obey(number, angle, log === 1, circle);
    const [moment] = new Float64Array(data.slice(16, 24).buffer);
    const digest = Array.from(data.subarray(24, 32), (byte) => byte.toString(16).padStart(2, "0")).join("");
    // What was sent lately is not sent again; if it never arrived, we say so.
    const sweep = self.sweeps.get(digest) ?? (data.length > 32 ? decode(data.subarray(32)) : null);
    if (sweep) self.keep(digest, sweep, moment);
    else setStateValue("angle", { number: self.number, angle: self.angle, missing: digest });
  }
  self.readStyle(); // this function runs again when the theme changes
  self.draw();
  return heard(self);
}

// The clipboard is only there on secure pages; the old way works everywhere.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => copyByHand(text));
  copyByHand(text);
}

function copyByHand(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

function create(root) {
  const find = (name) => root.querySelector("." + name);
  const self = { angle: 30, step: 1, selected: -1, log: false, moment: 0, playing: 0, drawn: 0, kept: {} };
  const dial = find("dial");

  turning(self, dial, find);
  self.obey = (number, angle, log, circle) => {
    [self.number, self.angle, self.log, self.chosen] = [number, angle, log, circle >= 0];
    if (self.chosen) self.selected = circle;
    find("scale").setAttribute("aria-pressed", log);
    find("stage").dataset.command = number;
  };
  find("scale").onclick = () => {
    self.log = !self.log;
    find("scale").setAttribute("aria-pressed", self.log);
    self.draw();
    self.report();
  };
  // The address is always that of what is shown, as soon as the server has heard of the last turn.
  const link = find("link");
  link.hidden = !window.location.protocol.startsWith("http");
  link.onclick = async () => {
    if (self.playing) self.stop();
    self.commit(self.angle);
    for (let tries = 0; tries < 20; tries++) {
      if (Number(new URLSearchParams(window.location.search).get("angle") ?? 30) === self.angle) break;
      await new Promise((done) => setTimeout(done, 100));
    }
    await copy(window.location.href);
    link.textContent = "Copied";
    setText(find("spoken"), "Link copied.");
    setTimeout(() => (link.textContent = "Copy link"), 1500);
  };
  const circles = find("circles-canvas");
  self.choose = (circle) => {
    if (circle === self.selected) return;
    [self.selected, self.chosen] = [circle, true];
    self.draw();
    clearTimeout(self.reporting);
    self.reporting = setTimeout(self.report, 400); // once the pointer rests
  };
  circles.onpointermove = circles.onpointerdown = (event) => {
    const box = circles.getBoundingClientRect();
    const hit = self.cells?.findIndex(
      ([x, y, r]) => Math.abs(event.clientX - box.left - x) < r * 1.6 && Math.abs(event.clientY - box.top - y) < r * 1.9,
    );
    if (hit >= 0) self.choose(hit);
  };
  circles.onkeydown = (event) => {
    const next = stepped(event.key, self.selected, self.columns, self.cells.length);
    if (next === undefined) return;
    event.preventDefault();
    self.choose(next);
    self.describe();
  };
  new ResizeObserver(() => self.draw()).observe(dial);
  self.readStyle = () => (self.style = penStyle(find("card")));

  self.sweeps = new Map(); // the last few that were sent, by digest
  self.keep = (digest, sweep, moment) => {
    self.sweeps.delete(digest);
    self.sweeps.set(digest, sweep);
    if (self.sweeps.size > 8) self.sweeps.delete(self.sweeps.keys().next().value);
    if (moment < self.moment) return; // overtaken by an early answer about something newer
    self.moment = moment;
    self.show(sweep);
  };
  self.show = (sweep) => {
    if (sweep === self.sweep) return;
    self.sweep = sweep;
    self.images();
  };
  // Early answers, at one turn: while a hand moves elsewhere on the page, or until the whole sweep is here.
  const early = (bytes) => {
    const sweep = decode(bytes);
    if (sweep.only !== self.angle) return false; // the dial is elsewhere
    self.show(sweep);
    self.draw();
    return true;
  };
  self.ears = {
    "tsa-show": (event) => early(event.detail) && event.preventDefault(), // taken
    "tsa-stage": ({ detail: { moment, bytes } }) => {
      if (moment > self.moment && early(bytes)) self.moment = moment;
    },
  };
  self.images = () => {
    const { sides, copy, picture, first } = self.sweep;
    [self.first, self.picture] = sides.map((side, i) => {
      const canvas = new OffscreenCanvas(side, side);
      paint(canvas, i === 0 && !copy ? first : picture, side);
      return canvas;
    });
    self.shownFilter = -1;
    // Until somebody points at one, show the subspace that says most.
    if (!self.chosen || self.selected >= self.sweep.weights.length) self.selected = loudest(self);
    find("circles-title").textContent = `${self.sweep.weights.length} subspaces, slowest first`;
  };
  self.draw = () => {
    if (!self.sweep || !dial.clientWidth) return; // nothing to show, or leaving the page
    // An early answer is about one turn. Turned on from there, the picture goes along, and all else waits for its answer.
    self.pending = self.sweep.only !== null && self.sweep.only !== self.angle;
    find("stage").classList.toggle("pending", self.pending);
    drawDial(self, find("dial-canvas"));
    drawSeen(self, find);
    drawCircles(self, circles);
    drawStrip(self, find("strip-canvas"));
    drawDetail(self, find);
    say(self, find);
    tabulate(self, find);
    if (!self.drawn) self.describe();
    clearTimeout(self.settling);
    self.settling = setTimeout(self.describe, 300);
    self.drawn += 1;
    Object.assign(find("stage").dataset, { drawn: self.drawn, angle: self.angle });
  };
  // What is spoken changes when the picture has come to rest: sixty times a second nobody could listen.
  self.describe = () => {
    clearTimeout(self.settling);
    if (!self.sweep || !dial.clientWidth) return;
    dial.setAttribute("aria-valuenow", self.angle);
    dial.setAttribute("aria-valuetext", `${self.angle} degrees. ${find("sentence").textContent}`);
    describe(self, find);
    // A dial in use says this itself.
    if (!dial.matches(":focus")) setText(find("spoken"), find("sentence").textContent);
  };
  return self;
}
