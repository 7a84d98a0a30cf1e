// A picture that turns inside a rim of hues: what the pages with a dial share.

// What costs most to paint is painted once: the colour wheel, and the picture cut round at its final size.
function kept(self, name, radius, source, draw) {
  const size = Math.max(2, Math.ceil(2 * radius * (window.devicePixelRatio || 1)));
  const old = self.kept[name];
  if (old?.size === size && old.source === source) return old.canvas;
  const canvas = new OffscreenCanvas(size, size);
  draw(canvas.getContext("2d"), size);
  self.kept[name] = { size, source, canvas };
  return canvas;
}

const wheel = (self, radius) =>
  kept(self, "wheel", radius, null, (pen, size) => {
    // A conic gradient runs clockwise, angles counter-clockwise.
    pen.fillStyle = withStops(pen.createConicGradient(0, size / 2, size / 2), (t) => -t * TURN);
    pen.fillRect(0, 0, size, size);
  });

const disc = (self, radius) =>
  kept(self, "disc", radius, self.picture, (pen, size) => {
    pen.imageSmoothingQuality = "high";
    pen.drawImage(self.picture, 0, 0, size, size);
    pen.globalCompositeOperation = "destination-in"; // cuts with a smooth edge, which clip() does not
    pen.arc(size / 2, size / 2, size / 2 - 2, 0, TURN);
    pen.fill();
  });

function drawTurned(self, pen, [x, y], radius) {
  pen.save();
  pen.translate(x, y);
  pen.rotate((-self.angle * TURN) / 360);
  pen.drawImage(disc(self, radius), -radius, -radius, 2 * radius, 2 * radius);
  pen.restore();
}

function drawKnob(self, pen, [x, y]) {
  pen.beginPath();
  pen.arc(x, y, 12, 0, TURN);
  pen.fillStyle = self.style.paper;
  pen.fill();
  pen.lineWidth = 3;
  pen.strokeStyle = self.style.color;
  pen.stroke();
  pen.beginPath();
  pen.arc(x, y, 5, 0, TURN);
  pen.fillStyle = hue((self.angle * TURN) / 360);
  pen.fill();
}

// Turning by drag, wheel, keys and play, `self.step` degrees at a time; `self.draw` shows, `self.commit` tells Python.
function turning(self, dial, find) {
  self.stop = () => {
    cancelAnimationFrame(self.playing);
    self.playing = 0;
    find("play").textContent = "▶";
    find("play").setAttribute("aria-label", "Play the rotation");
  };
  self.turnTo = (angle, done) => {
    self.angle = (((Math.round(angle / self.step) * self.step) % 360) + 360) % 360;
    self.draw();
    if (!done) return;
    self.describe?.(); // in words, once it has come to rest
    self.commit(self.angle);
  };
  self.play = () => {
    if (self.playing) {
      self.stop();
      return self.commit(self.angle);
    }
    find("play").textContent = "❚❚";
    find("play").setAttribute("aria-label", "Pause the rotation");
    let last = performance.now();
    let exact = self.angle;
    const step = (now) => {
      exact += ((now - last) / 1000) * Number(find("speed").value); // degrees per second
      last = now;
      self.turnTo(exact, false);
      self.playing = requestAnimationFrame(step);
    };
    self.playing = requestAnimationFrame(step);
  };

  // Whoever reaches for something else means what is on show now.
  self.rest = (event) => {
    if (!self.playing || event.composedPath().includes(dial.getRootNode())) return;
    self.stop();
    self.commit(self.angle);
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
    self.turnTo(self.angle - self.step * Math.sign(event.deltaY), false);
    clearTimeout(self.settle);
    self.settle = setTimeout(() => self.commit(self.angle), 250);
  };
  dial.onkeydown = (event) => {
    const [step, leap] = [(event.shiftKey ? 10 : 1) * self.step, 10 * self.step];
    const moves = { ArrowLeft: step, ArrowUp: step, ArrowRight: -step, ArrowDown: -step, PageUp: leap, PageDown: -leap };
    if (event.key in moves) self.turnTo(self.angle + moves[event.key], true);
    else if (event.key === "Home") self.turnTo(0, true);
    else if (event.key === " ") self.play();
    else return;
    event.preventDefault();
  };
  find("play").onclick = self.play;
}

// What happens elsewhere on the page: early answers, and pointers. Returns what ends it; adding twice is once.
function heard(self) {
  const ears = { ...self.ears, pointerdown: self.rest };
  for (const [name, ear] of Object.entries(ears)) window.addEventListener(name, ear, true);
  return () => {
    self.stop();
    for (const [name, ear] of Object.entries(ears)) window.removeEventListener(name, ear, true);
  };
}
