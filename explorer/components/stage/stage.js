// The stage draws; Python has done the mathematics. A sweep arrives as bytes and holds every whole degree of the dial,
// so turning, playing and hovering run at display rate without a server.

const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  let self = instances.get(parentElement);
  if (!self) {
    self = create(parentElement);
    instances.set(parentElement, self);
  }
  self.commit = (angle) => setStateValue("angle", angle);
  if (data) {
    self.sweep = decode(data);
    self.images();
  }
  self.readStyle(); // this function runs again when the theme changes
  self.draw();
  return () => self.stop();
}

function decode(bytes) {
  const copy = bytes.slice(); // arrives unaligned
  const length = new DataView(copy.buffer).getUint32(0, true);
  const sweep = JSON.parse(new TextDecoder().decode(copy.subarray(4, 4 + length)));
  const kinds = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };
  let at = 4 + length;
  for (const [name, kind, size] of sweep.arrays) {
    sweep[name] = new kinds[kind](copy.buffer, at, size);
    at += Math.ceil(sweep[name].byteLength / 8) * 8;
  }
  return sweep;
}

function create(root) {
  const find = (name) => root.querySelector("." + name);
  const self = { angle: 30, selected: -1, log: false, playing: 0, drawn: 0 };
  const dial = find("dial");

  self.stop = () => {
    cancelAnimationFrame(self.playing);
    self.playing = 0;
    find("play").textContent = "▶";
  };
  self.turnTo = (angle, done) => {
    self.angle = ((Math.round(angle) % 360) + 360) % 360;
    self.draw();
    if (done) self.commit(self.angle);
  };
  self.play = () => {
    if (self.playing) {
      self.stop();
      return self.commit(self.angle);
    }
    find("play").textContent = "❚❚";
    let last = performance.now();
    let exact = self.angle;
    const step = (now) => {
      exact += ((now - last) / 1000) * 45; // degrees per second
      last = now;
      self.turnTo(exact, false);
      self.playing = requestAnimationFrame(step);
    };
    self.playing = requestAnimationFrame(step);
  };

  const pointer = (event) => {
    const box = dial.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = box.top + box.height / 2 - event.clientY;
    return (Math.atan2(y, x) * 180) / Math.PI;
  };
  dial.onpointerdown = (event) => {
    self.stop();
    dial.setPointerCapture(event.pointerId);
    self.grip = pointer(event) - self.angle;
    event.preventDefault();
    dial.focus({ preventScroll: true });
  };
  dial.onpointermove = (event) => {
    if (self.grip !== undefined) self.turnTo(pointer(event) - self.grip, false);
  };
  dial.onpointerup = dial.onpointercancel = () => {
    if (self.grip === undefined) return;
    self.grip = undefined;
    self.commit(self.angle);
  };
  dial.onwheel = (event) => {
    event.preventDefault();
    self.turnTo(self.angle - Math.sign(event.deltaY), false);
    clearTimeout(self.settle);
    self.settle = setTimeout(() => self.commit(self.angle), 250);
  };
  dial.onkeydown = (event) => {
    const step = event.shiftKey ? 10 : 1;
    const moves = { ArrowLeft: step, ArrowUp: step, ArrowRight: -step, ArrowDown: -step, PageUp: 10, PageDown: -10 };
    if (event.key in moves) self.turnTo(self.angle + moves[event.key], true);
    else if (event.key === "Home") self.turnTo(0, true);
    else if (event.key === " ") self.play();
    else return;
    event.preventDefault();
  };
  find("play").onclick = self.play;
  find("scale").onclick = () => {
    self.log = !self.log;
    find("scale").setAttribute("aria-pressed", self.log);
    self.draw();
  };
  const circles = find("circles-canvas");
  circles.onpointermove = circles.onpointerdown = (event) => {
    const box = circles.getBoundingClientRect();
    const hit = self.cells?.findIndex(
      ([x, y, r]) => Math.abs(event.clientX - box.left - x) < r * 1.6 && Math.abs(event.clientY - box.top - y) < r * 1.9,
    );
    if (hit >= 0 && hit !== self.selected) {
      self.selected = hit;
      self.chosen = true;
      self.draw();
    }
  };
  new ResizeObserver(() => self.draw()).observe(dial);
  self.readStyle = () => {
    const style = getComputedStyle(find("stage"));
    const paper = style.getPropertyValue("--st-background-color") || "white";
    // Canvas does not resolve color-mix(); a border that uses it does.
    const line = getComputedStyle(find("card")).borderTopColor;
    self.style = { color: style.color, fontFamily: style.fontFamily, paper, line };
  };

  self.images = () => {
    const { side, picture } = self.sweep;
    self.picture = new OffscreenCanvas(side, side);
    paint(self.picture, picture, side);
    self.shownFilter = -1;
    // Until somebody points at one, show the subspace that says most.
    if (!self.chosen || self.selected >= self.sweep.weights.length) self.selected = loudest(self);
    find("circles-title").textContent = `${self.sweep.weights.length} subspaces, slowest first`;
  };
  self.draw = () => {
    if (!self.sweep) return;
    drawDial(self, find("dial-canvas"));
    drawSeen(self, find("seen-x"), find("seen-y"));
    drawCircles(self, circles);
    drawStrip(self, find("strip-canvas"));
    drawDetail(self, find);
    say(self, find);
    dial.setAttribute("aria-valuenow", self.angle);
    dial.setAttribute("aria-valuetext", `${self.angle} degrees. ${find("sentence").textContent}`);
    self.drawn += 1;
    root.querySelector(".stage").dataset.drawn = self.drawn;
    root.querySelector(".stage").dataset.angle = self.angle;
  };
  return self;
}
