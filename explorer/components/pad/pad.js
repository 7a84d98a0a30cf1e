// The pad keeps its own picture; Python gets copies of it, at most one on its way at a time, the newest first.

const SIDE = 48;
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  if (data?.start && data.ack > self.box.number()) self.show(data.start);
  self.box.post = (message) => setStateValue("drawing", message);
  if (data) self.box.open(data.hand);
  self.box.acknowledge(data?.ack ?? 0);
  return self.box.close;
}

function create(root) {
  const paper = root.querySelector(".paper");
  const pen = paper.getContext("2d", { willReadFrequently: true });
  const self = { fold: 1, erase: false, past: [], at: [0.5, 0.5], last: null };
  pen.fillRect(0, 0, 256, 256);
  // A drawing that comes from elsewhere: from a link, or from before the page was left.
  self.show = (start) => {
    const small = new OffscreenCanvas(SIDE, SIDE);
    greyscale(small, Uint8Array.from(atob(start), (c) => c.charCodeAt(0)));
    pen.imageSmoothingQuality = "high";
    pen.drawImage(small, 0, 0, 256, 256);
  };
  const box = mailbox(paper, () => ({ pixels: pixels() }));
  const tell = box.tell;
  self.box = box;
  const pixels = () => {
    const small = new OffscreenCanvas(SIDE, SIDE);
    const tiny = small.getContext("2d");
    tiny.imageSmoothingQuality = "high";
    tiny.drawImage(paper, 0, 0, SIDE, SIDE);
    const { data } = tiny.getImageData(0, 0, SIDE, SIDE);
    let text = "";
    for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i]);
    return btoa(text);
  };
  const remember = () => {
    self.past.push(pen.getImageData(0, 0, 256, 256));
    if (self.past.length > 30) self.past.shift();
  };
  const stroke = (from, to) => {
    pen.strokeStyle = self.erase ? "black" : "white";
    pen.lineWidth = 26;
    pen.lineCap = "round";
    for (let i = 0; i < self.fold; i++) {
      pen.save();
      pen.translate(128, 128);
      pen.rotate((2 * Math.PI * i) / self.fold);
      pen.beginPath();
      pen.moveTo(256 * (from[0] - 0.5), 256 * (from[1] - 0.5));
      pen.lineTo(256 * (to[0] - 0.5) + 0.01, 256 * (to[1] - 0.5));
      pen.stroke();
      pen.restore();
    }
  };
  const where = (event) => {
    const box = paper.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  paper.onpointerdown = (event) => {
    if (event.button !== 0) return;
    paper.setPointerCapture(event.pointerId);
    remember();
    self.last = where(event);
    stroke(self.last, self.last);
    tell(false);
  };
  paper.onpointermove = (event) => {
    if (!self.last) return;
    for (const part of event.getCoalescedEvents?.() ?? [event]) {
      const next = where(part);
      stroke(self.last, next);
      self.last = next;
    }
    tell(false);
  };
  paper.onpointerup = paper.onpointercancel = () => {
    if (!self.last) return;
    self.last = null;
    tell(true);
  };
  const say = (text) => setText(root.querySelector(".spoken"), text);
  const undo = () => {
    const before = self.past.pop();
    say(before ? "Undone." : "Nothing to undo.");
    if (!before) return;
    pen.putImageData(before, 0, 0);
    tell(true);
  };
  const clear = () => {
    remember();
    pen.fillStyle = "black";
    pen.fillRect(0, 0, 256, 256);
    say("Cleared.");
    tell(true);
  };
  const cursor = root.querySelector(".cursor");
  const point = () => {
    [cursor.style.left, cursor.style.top] = self.at.map((c) => `${100 * c}%`);
    cursor.classList.toggle("down", Boolean(self.drawing));
  };
  point();
  paper.onkeydown = (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = 0.04;
    if (event.key in moves) {
      const next = self.at.map((c, i) => Math.min(0.98, Math.max(0.02, c + step * moves[event.key][i])));
      if (self.drawing) {
        stroke(self.at, next);
        tell(false);
      }
      self.at = next;
    } else if (event.key === " ") {
      self.drawing = !self.drawing;
      if (self.drawing) {
        remember();
        stroke(self.at, self.at);
      }
      say(`Pen ${self.drawing ? "down" : "up"}, ${self.at.map((c) => Math.round(100 * c)).join(" % across, ")} % down.`);
      tell(!self.drawing);
    } else if (event.key.toLowerCase() === "u") undo();
    else if (event.key.toLowerCase() === "c") clear();
    else return;
    point();
    event.preventDefault();
  };
  // A pen left down would keep everybody waiting.
  paper.onblur = () => {
    if (!self.drawing) return;
    self.drawing = false;
    point();
    tell(true);
  };
  const choose = (erase) => {
    self.erase = erase;
    root.querySelector(".brush").setAttribute("aria-pressed", !erase);
    root.querySelector(".eraser").setAttribute("aria-pressed", erase);
  };
  root.querySelector(".brush").onclick = () => choose(false);
  root.querySelector(".eraser").onclick = () => choose(true);
  root.querySelector(".undo").onclick = undo;
  root.querySelector(".clear").onclick = clear;
  root.querySelector(".invert").onclick = () => {
    remember();
    const image = pen.getImageData(0, 0, 256, 256);
    for (let i = 0; i < image.data.length; i++) if (i % 4 !== 3) image.data[i] = 255 - image.data[i];
    pen.putImageData(image, 0, 0);
    tell(true);
  };
  root.querySelector("select").onchange = (event) => (self.fold = Number(event.target.value));
  return self;
}
