// Weights, play and turning need no server: Python has sent what is true of every pair of weights.
// It hears of new weights, and of a turn, when a slider is let go.

export default function ({ data, parentElement, setStateValue }) {
  const blob = decode(data);
  const self = instance(parentElement, (root) => create(root, blob));
  self.commit = () => setStateValue("weights", self.names());
  self.commitTurn = () => setStateValue("angle", { number: self.number, angle: inDegrees(self.s) });
  self.readStyle(); // this function runs again when the theme changes
  self.show(blob);
  self.startWith(blob);
  return () => self.stop();
}

function create(root, { stops, orbits, longest }) {
  const find = (name) => root.querySelector("." + name);
  const self = { longest, s: 0, view: { yaw: 0.5, pitch: 0.85 }, playing: 0, drawn: 0, chosen: [], sheets: {}, kept: {} };
  Object.defineProperty(self, "angle", { get: () => (360 * self.s) / TURN }); // what a dial goes by
  const sliders = [find("first"), find("second")];
  const canvas = find("torus-canvas");

  sliders.forEach((slider) => (slider.max = stops.length - 1));
  for (const ticks of root.querySelectorAll(".ticks")) {
    stops.forEach(({ label, value }, i) => {
      const tick = ticks.appendChild(document.createElement("span"));
      tick.textContent = label;
      tick.style.left = `${(100 * i) / (stops.length - 1)}%`;
      tick.classList.toggle("between", !Number.isInteger(value));
    });
  }

  self.names = () => ({ first: stops[self.chosen[0]].name, second: stops[self.chosen[1]].name });
  self.show = ({ picture, side }) => {
    self.picture = new OffscreenCanvas(side, side);
    paint(self.picture, picture, side);
  };
  self.startWith = ({ number, start, angle }) => {
    if (self.number === number) return self.draw();
    self.number = number;
    self.choose(...start.map((name) => stops.findIndex((stop) => stop.name === name)));
    self.moveTo((Math.floor(self.s / TURN + 1e-9) + angle / 360) * TURN); // after as many turns as it shows
  };
  self.choose = (...chosen) => {
    const wasEndless = self.facts && !self.facts.windings;
    self.chosen = chosen;
    self.facts = orbits[chosen[0]][chosen[1]];
    self.weights = chosen.map((i) => stops[i].value);
    self.labels = chosen.map((i) => stops[i].label);
    self.still = Math.max(...self.weights) === 0;
    self.span = TURN * span(self);
    // A path without end is first shown at some length, else there would be nothing to see.
    if (!self.facts.windings && !wasEndless) self.s = Math.round(0.2 * span(self)) * TURN + fraction(self.s / TURN) * TURN;
    self.s = Math.min(self.s, self.span);
    if (self.facts.windings) self.s %= self.span;
    chosen.forEach((index, i) => {
      const { label, spoken } = stops[index];
      sliders[i].value = index;
      sliders[i].setAttribute("aria-valuetext", spoken || label);
      setText(find(["first-value", "second-value"][i]), label);
    });
    find("turn").max = Math.round((360 * self.span) / TURN);
    const pair = Object.values(self.names()).join(" ");
    for (const button of find("presets").children) button.setAttribute("aria-pressed", button.dataset.pair === pair);
    say(self, find);
    self.draw();
  };

  self.moveTo = (s) => {
    self.s = ((s % self.span) + self.span) % self.span;
    self.draw();
  };
  self.stop = () => {
    cancelAnimationFrame(self.playing);
    self.playing = 0;
    find("play").textContent = "▶";
    find("play").setAttribute("aria-label", "Play");
  };
  self.play = () => {
    find("play").textContent = "❚❚";
    find("play").setAttribute("aria-label", "Pause");
    let last = performance.now();
    const step = (now) => {
      const passed = Math.min(100, Math.max(0, now - last)) / 1000; // a tab that was hidden does not leap
      last = now;
      self.moveTo(self.s + (passed * Number(find("speed").value) * TURN) / 360);
      self.playing = requestAnimationFrame(step);
    };
    self.playing = requestAnimationFrame(step);
  };
  find("play").onclick = () => {
    if (!self.playing) return self.play();
    self.stop();
    self.moveTo((Math.round((360 * self.s) / TURN) * TURN) / 360); // so that the numbers shown are exact
    self.commitTurn();
  };
  find("turn").oninput = (event) => {
    self.stop();
    self.s = (Math.round(Number(event.target.value)) * TURN) / 360;
    self.draw();
  };
  find("turn").onchange = () => self.commitTurn();
  for (const slider of sliders) {
    slider.oninput = () => self.choose(...sliders.map((one) => Number(one.value)));
    slider.onchange = () => self.commit();
  }
  find("presets").onclick = ({ target }) => {
    if (!target.dataset.pair) return;
    self.choose(...target.dataset.pair.split(" ").map((name) => stops.findIndex((stop) => stop.name === name)));
    self.commit();
  };

  self.turnView = (right, up) => {
    self.view.yaw -= right;
    self.view.pitch = Math.max(-TURN / 4, Math.min(TURN / 4, self.view.pitch + up));
    if (!self.playing) drawTorus(self, canvas);
    Object.assign(find("orbit").dataset, self.view);
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    self.grip = [event.clientX, event.clientY];
  };
  canvas.onpointermove = (event) => {
    if (!self.grip) return;
    self.turnView((event.clientX - self.grip[0]) / 150, (event.clientY - self.grip[1]) / 150);
    self.grip = [event.clientX, event.clientY];
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    self.grip = null;
    self.turnView(0, 0); // once more, no longer in haste
  };
  canvas.onkeydown = (event) => {
    const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (!(event.key in moves)) return;
    self.turnView(...moves[event.key]);
    event.preventDefault();
  };
  new ResizeObserver(() => self.draw()).observe(find("orbit"));

  self.readStyle = () => (self.style = { ...penStyle(find("card")), soft: getComputedStyle(find("play")).backgroundColor });
  self.draw = () => {
    if (!find("orbit").clientWidth) return; // on its way off the page
    drawFlat(self, find("flat-canvas"));
    drawTorus(self, canvas);
    drawDials(self, find("dials-canvas"));
    sayGap(self, find);
    const [turns, degrees] = [Math.floor(self.s / TURN + 1e-9), inDegrees(self.s)];
    const said = turns ? `${turns} turn${turns > 1 ? "s" : ""} + ${degrees}°` : `${degrees}°`;
    const turn = find("turn");
    turn.value = Math.round((360 * self.s) / TURN);
    turn.style.setProperty("--thumb", hue(self.s));
    turn.setAttribute("aria-valuetext", said);
    setText(find("turn-value"), said);
    Object.assign(find("orbit").dataset, { drawn: (self.drawn += 1), turn: turn.value });
  };
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) self.play();
  return self;
}

// Turns of s after which playing starts anew: where everything is back, or after as much as the eye can follow.
function span({ facts, still, weights, longest }) {
  if (still) return 1;
  if (!facts.windings) return Math.floor(longest / Math.max(...weights));
  return facts.wholeTurns ?? facts.period * Math.ceil(2 / facts.period);
}
