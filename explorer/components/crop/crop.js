// A photo and the circle to which it is cropped. Python gets the circle while it moves, independent of how large the photo
// is shown: the centre in shares of width and height, the radius as a share of half the shorter side.

import { penOf } from "../../../tsa/stage/browser/shared/canvas.js";
import { finder, instance } from "../../../tsa/stage/browser/shared/mount.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { mailbox } from "../shared/mailbox.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @typedef {[x: number, y: number, radius: number]} Circle */

const MIN_RADIUS = 0.08;
const MIN_CANVAS_PIXELS = 480; // along the longer side
const HANDLE_REACH_PIXELS = 24; // about a fingertip
const RESIZE_FACTOR = 1.06; // of one step of the wheel or a key

/** @param {Mount} mount */
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  const adopts = data && self.box.receive(data, (message) => setStateValue("message", message));
  if (data?.photo && data.name !== self.name()) self.open(data.name, data.photo, data.circle);
  else if (adopts) self.place(data.circle);
  return self.box.close;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  /** @type {HTMLCanvasElement} */
  const canvas = find("photo");
  const pen = penOf(canvas);
  /** @type {Circle} */
  let circle = [0.5, 0.5, 1];
  let name = "";
  /** @type {{ resize: boolean, dx: number, dy: number } | null} */
  let grip = null;
  const { report, ...box } = mailbox(canvas, () => ({ name, circle }));
  const photo = new Image();

  photo.onload = () => {
    // A small photo, as from a link, is enlarged: the circle is drawn with the pixels of the canvas.
    const scale = Math.max(1, MIN_CANVAS_PIXELS / Math.max(photo.naturalWidth, photo.naturalHeight));
    canvas.width = Math.round(scale * photo.naturalWidth);
    canvas.height = Math.round(scale * photo.naturalHeight);
    draw();
    canvas.dataset.name = name;
  };
  const open = (/** @type {string} */ newName, /** @type {string} */ address, /** @type {Circle} */ start) => {
    [name, circle] = [newName, start];
    photo.src = address;
  };
  const place = (/** @type {Circle} */ given) => {
    circle = given;
    draw();
  };
  const halfSide = () => Math.min(canvas.width, canvas.height) / 2;
  /** @type {(x: number, y: number, radius: number, done: boolean) => void} */
  const move = (x, y, radius, done) => {
    const r = Math.min(1, Math.max(MIN_RADIUS, radius));
    const [mx, my] = [(r * halfSide()) / canvas.width, (r * halfSide()) / canvas.height];
    circle = [Math.min(1 - mx, Math.max(mx, x)), Math.min(1 - my, Math.max(my, y)), r];
    draw();
    report(done);
  };
  const draw = () => {
    const [x, y, r] = [circle[0] * canvas.width, circle[1] * canvas.height, circle[2] * halfSide()];
    const unit = canvas.width / canvas.clientWidth || 1; // a CSS pixel in pixels of the canvas
    pen.drawImage(photo, 0, 0, canvas.width, canvas.height);
    pen.fillStyle = "rgba(0, 0, 0, 0.55)";
    pen.beginPath();
    pen.rect(0, 0, canvas.width, canvas.height);
    pen.arc(x, y, r, 0, 2 * Math.PI, true);
    pen.fill();
    pen.beginPath();
    pen.arc(x, y, r - 2 * unit, 0, 2 * Math.PI);
    pen.lineWidth = 4 * unit;
    pen.strokeStyle = "black";
    pen.stroke();
    pen.lineWidth = 2 * unit;
    pen.strokeStyle = "white";
    pen.stroke();
    const [hx, hy] = handle();
    pen.beginPath();
    pen.arc(hx, hy, 8 * unit, 0, 2 * Math.PI);
    pen.fillStyle = "white";
    pen.fill();
    pen.strokeStyle = "black";
    pen.stroke();
  };
  const handle = () => {
    const r = circle[2] * halfSide() * Math.SQRT1_2;
    return [circle[0] * canvas.width + r, circle[1] * canvas.height + r];
  };
  const placeOf = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * canvas.width, ((event.clientY - box.top) / box.height) * canvas.height];
  };
  canvas.onpointerdown = (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const [px, py] = placeOf(event);
    const [hx, hy] = handle();
    const reach = (HANDLE_REACH_PIXELS * canvas.width) / canvas.clientWidth;
    const resize = Math.hypot(px - hx, py - hy) < reach;
    grip = { resize, dx: px / canvas.width - circle[0], dy: py / canvas.height - circle[1] };
  };
  canvas.onpointermove = (event) => {
    if (!grip) return;
    const [px, py] = placeOf(event);
    const [x, y, r] = circle;
    if (grip.resize) move(x, y, Math.hypot(px - x * canvas.width, py - y * canvas.height) / halfSide(), false);
    else move(px / canvas.width - grip.dx, py / canvas.height - grip.dy, r, false);
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    if (grip) report(true);
    grip = null;
  };
  canvas.onwheel = (event) => {
    event.preventDefault();
    const [x, y, r] = circle;
    move(x, y, r * (event.deltaY > 0 ? RESIZE_FACTOR : 1 / RESIZE_FACTOR), true);
  };
  canvas.onkeydown = (event) => {
    /** @type {Record<string, [x: number, y: number, size: number]>} */
    const moves = {
      ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, -1, 0], ArrowDown: [0, 1, 0],
      "+": [0, 0, 1], "=": [0, 0, 1], "-": [0, 0, -1],
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [dx, dy, size] = moves[event.key];
    const step = event.shiftKey ? 0.1 : 0.02;
    move(circle[0] + step * dx, circle[1] + step * dy, circle[2] * (1 + (RESIZE_FACTOR - 1) * size), true);
    const [across, down, radius] = circle.map((c) => Math.round(100 * c));
    setText(find("spoken"), fill(find("spoken").dataset.circle, { across, down, radius }));
  };
  return { box, open, place, name: () => name };
}
