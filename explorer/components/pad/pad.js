// The drawing pad keeps its own picture; Python gets copies of it while it is being drawn.

import { greyscale, penOf } from "../../../tsa/stage/browser/shared/canvas.js";
import { finder, instance } from "../../../tsa/stage/browser/shared/mount.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { mailbox } from "../shared/mailbox.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @typedef {[number, number]} Place shares of width and height */

const PAPER_PIXELS = 256; // side of the canvas
const SENT_PIXELS = 48; // side of the picture that Python gets
const BRUSH_PIXELS = 26;
const MAX_UNDO_STEPS = 30;
const KEY_STEP = 0.04; // share of the side that an arrow key moves the pen

/** @param {Mount} mount */
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  const adopts = data && self.box.receive(data, (message) => setStateValue("message", message));
  if (adopts && data.start) self.show(data.start);
  return self.box.close;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  /** @type {HTMLCanvasElement} */
  const paper = find("paper");
  const pen = penOf(paper, { willReadFrequently: true });
  let [copies, erasing] = [1, false];
  /** @type {ImageData[]} */
  const past = [];
  /** @type {Place | null} */
  let last = null; // where the pointer was, while it is down
  /** @type {Place} */
  let cursor = [0.5, 0.5]; // of the pen that the keys move
  let penDown = false; // of that pen

  const { report, ...box } = mailbox(paper, () => ({ pixels: pixels() }));
  const whole = /** @type {const} */ ([0, 0, PAPER_PIXELS, PAPER_PIXELS]);
  pen.fillRect(...whole);

  // A drawing from a link, or from before the visitor left the page: one byte for each pixel, in base 64.
  const show = (/** @type {string} */ start) => {
    const small = new OffscreenCanvas(SENT_PIXELS, SENT_PIXELS);
    greyscale(small, Uint8Array.from(atob(start), (c) => c.charCodeAt(0)));
    pen.imageSmoothingQuality = "high";
    pen.drawImage(small, ...whole);
  };
  const pixels = () => {
    const small = penOf(new OffscreenCanvas(SENT_PIXELS, SENT_PIXELS));
    small.imageSmoothingQuality = "high";
    small.drawImage(paper, 0, 0, SENT_PIXELS, SENT_PIXELS);
    const { data } = small.getImageData(0, 0, SENT_PIXELS, SENT_PIXELS);
    let text = "";
    for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i]);
    return btoa(text);
  };
  const remember = () => {
    past.push(pen.getImageData(...whole));
    if (past.length > MAX_UNDO_STEPS) past.shift();
  };
  const stroke = (/** @type {Place} */ from, /** @type {Place} */ to) => {
    pen.strokeStyle = erasing ? "black" : "white";
    pen.lineWidth = BRUSH_PIXELS;
    pen.lineCap = "round";
    for (let i = 0; i < copies; i++) {
      pen.save();
      pen.translate(PAPER_PIXELS / 2, PAPER_PIXELS / 2);
      pen.rotate((2 * Math.PI * i) / copies);
      pen.beginPath();
      pen.moveTo(PAPER_PIXELS * (from[0] - 0.5), PAPER_PIXELS * (from[1] - 0.5));
      pen.lineTo(PAPER_PIXELS * (to[0] - 0.5) + 0.01, PAPER_PIXELS * (to[1] - 0.5)); // a line of length 0 is not drawn
      pen.stroke();
      pen.restore();
    }
  };

  /** @type {(event: PointerEvent) => Place} */
  const placeOf = (event) => {
    const box = paper.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  paper.onpointerdown = (event) => {
    if (event.button !== 0) return;
    paper.setPointerCapture(event.pointerId);
    remember();
    last = placeOf(event);
    stroke(last, last);
    report(false);
  };
  paper.onpointermove = (event) => {
    if (!last) return;
    for (const part of event.getCoalescedEvents?.() ?? [event]) {
      const next = placeOf(part);
      stroke(last, next);
      last = next;
    }
    report(false);
  };
  paper.onpointerup = paper.onpointercancel = () => {
    if (!last) return;
    last = null;
    report(true);
  };

  /** @type {HTMLElement} */
  const status = find("spoken"); // has its texts in data attributes
  const say = (/** @type {string} */ name, values = {}) => setText(status, fill(status.dataset[name] ?? "", values));
  const undo = () => {
    const before = past.pop();
    say(before ? "undone" : "nothing");
    if (!before) return;
    pen.putImageData(before, 0, 0);
    report(true);
  };
  const clear = () => {
    remember();
    pen.fillStyle = "black";
    pen.fillRect(...whole);
    say("cleared");
    report(true);
  };
  const showCursor = () => {
    [find("cursor").style.left, find("cursor").style.top] = cursor.map((c) => `${100 * c}%`);
    find("cursor").classList.toggle("down", penDown);
  };
  showCursor();
  paper.onkeydown = (event) => {
    /** @type {Record<string, Place>} */
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in moves) {
      const [x, y] = cursor.map((c, i) => Math.min(0.98, Math.max(0.02, c + KEY_STEP * moves[key][i])));
      if (penDown) {
        stroke(cursor, [x, y]);
        report(false);
      }
      cursor = [x, y];
    } else if (key === " ") {
      penDown = !penDown;
      if (penDown) {
        remember();
        stroke(cursor, cursor);
      }
      const [across, down] = cursor.map((c) => Math.round(100 * c));
      say(penDown ? "penDown" : "penUp", { across, down });
      report(!penDown);
    } else if (key === "u") undo();
    else if (key === "c") clear();
    else return;
    showCursor();
    event.preventDefault();
  };
  // A drawing is finished when its last message says so: lift the pen when the focus leaves.
  paper.onblur = () => {
    if (!penDown) return;
    penDown = false;
    showCursor();
    report(true);
  };
  const chooseTool = (/** @type {boolean} */ erase) => {
    erasing = erase;
    find("brush").setAttribute("aria-pressed", `${!erase}`);
    find("eraser").setAttribute("aria-pressed", `${erase}`);
  };
  find("brush").onclick = () => chooseTool(false);
  find("eraser").onclick = () => chooseTool(true);
  find("undo").onclick = undo;
  find("clear").onclick = clear;
  find("invert").onclick = () => {
    remember();
    const image = pen.getImageData(...whole);
    for (let i = 0; i < image.data.length; i++) if (i % 4 !== 3) image.data[i] = 255 - image.data[i];
    pen.putImageData(image, 0, 0);
    report(true);
  };
  const symmetry = find("symmetry");
  symmetry.onchange = () => (copies = Number(symmetry.value));
  return { box, show };
}
