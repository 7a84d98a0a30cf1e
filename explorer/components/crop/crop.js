// A photo and a circle on it. Positions are fractions of width and height, the radius of half the shorter side: what
// Python gets, and independent of how large the photo is shown.

export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  self.box.post = (message) => setStateValue("circle", message);
  if (data?.photo && data.name !== self.name) self.open(data.name, data.photo, data.circle);
  else if (data && data.ack > self.box.number()) self.place(data.circle); // a link has moved it
  if (data) self.box.open(data.hand);
  self.box.acknowledge(data?.ack ?? 0);
  return self.box.close;
}

function create(root) {
  const canvas = root.querySelector(".photo");
  const pen = canvas.getContext("2d");
  const self = { circle: [0.5, 0.5, 1], name: "", grip: null };
  self.box = mailbox(canvas, () => ({ name: self.name, circle: self.circle }));
  const photo = new Image();
  photo.onload = () => {
    canvas.width = photo.naturalWidth;
    canvas.height = photo.naturalHeight;
    self.draw();
    canvas.dataset.name = self.name;
  };
  self.open = (name, address, circle) => {
    [self.name, self.circle] = [name, circle];
    photo.src = address;
  };
  self.place = (circle) => {
    self.circle = circle;
    self.draw();
  };
  const half = () => Math.min(canvas.width, canvas.height) / 2;
  const move = (x, y, radius, done) => {
    const r = Math.min(1, Math.max(0.08, radius));
    const [mx, my] = [(r * half()) / canvas.width, (r * half()) / canvas.height];
    self.circle = [Math.min(1 - mx, Math.max(mx, x)), Math.min(1 - my, Math.max(my, y)), r];
    self.draw();
    self.box.tell(done);
  };
  self.draw = () => {
    const [x, y, r] = [self.circle[0] * canvas.width, self.circle[1] * canvas.height, self.circle[2] * half()];
    const unit = canvas.width / canvas.clientWidth || 1;
    pen.drawImage(photo, 0, 0);
    pen.fillStyle = "rgba(0, 0, 0, 0.55)";
    pen.beginPath();
    pen.rect(0, 0, canvas.width, canvas.height);
    pen.arc(x, y, r, 0, 2 * Math.PI, true);
    pen.fill();
    for (const [width, colour] of [[4, "black"], [2, "white"]]) {
      pen.lineWidth = width * unit;
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.arc(x, y, r - 2 * unit, 0, 2 * Math.PI);
      pen.stroke();
    }
    const [hx, hy] = handle();
    pen.beginPath();
    pen.arc(hx, hy, 8 * unit, 0, 2 * Math.PI);
    pen.fillStyle = "white";
    pen.fill();
    pen.lineWidth = 2 * unit;
    pen.strokeStyle = "black";
    pen.stroke();
  };
  const handle = () => {
    const r = self.circle[2] * half() * Math.SQRT1_2;
    return [self.circle[0] * canvas.width + r, self.circle[1] * canvas.height + r];
  };
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * canvas.width, ((event.clientY - box.top) / box.height) * canvas.height];
  };
  canvas.onpointerdown = (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const [px, py] = where(event);
    const [hx, hy] = handle();
    const reach = (24 * canvas.width) / canvas.clientWidth; // a fingertip
    const resize = Math.hypot(px - hx, py - hy) < reach;
    self.grip = { resize, dx: px / canvas.width - self.circle[0], dy: py / canvas.height - self.circle[1] };
  };
  canvas.onpointermove = (event) => {
    if (!self.grip) return;
    const [px, py] = where(event);
    const [x, y, r] = self.circle;
    if (self.grip.resize) move(x, y, Math.hypot(px - x * canvas.width, py - y * canvas.height) / half(), false);
    else move(px / canvas.width - self.grip.dx, py / canvas.height - self.grip.dy, r, false);
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    if (self.grip) self.box.tell(true);
    self.grip = null;
  };
  canvas.onwheel = (event) => {
    event.preventDefault();
    const [x, y, r] = self.circle;
    move(x, y, r * (event.deltaY > 0 ? 1.06 : 1 / 1.06), true);
  };
  canvas.onkeydown = (event) => {
    const [x, y, r] = self.circle;
    const step = event.shiftKey ? 0.1 : 0.02;
    const moves = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, -1, 0], ArrowDown: [0, 1, 0] };
    const [dx, dy, dr] = moves[event.key] ?? { "+": [0, 0, 1], "=": [0, 0, 1], "-": [0, 0, -1] }[event.key] ?? [];
    if (dx === undefined) return;
    event.preventDefault();
    move(x + step * dx, y + step * dy, r * (1 + 0.06 * dr), true);
    const [across, down, size] = self.circle.map((c) => Math.round(100 * c));
    root.querySelector(".spoken").textContent = `${across} % across, ${down} % down, size ${size} %.`;
  };
  return self;
}
