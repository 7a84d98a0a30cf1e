// The stage of the lab: dial, posterior, circles and the selected subspace. Python does the mathematics: a sweep
// arrives as bytes and holds every whole degree of the dial, so turning, playing and hovering need no server.

import { paint, penStyle, stepped } from "../shared/canvas.js";
import { listen, turnable } from "../shared/dial.js";
import { follow, follower } from "../shared/follower.js";
import { finder } from "../shared/mount.js";
import { fill, setText } from "../shared/text.js";
import { unpack } from "../shared/unpack.js";
import { drawDial, drawSeen, drawStrip } from "./posterior.js";
import { drawCircles, drawDetail } from "./subspaces.js";
import { mostConcentrated } from "./sweep.js";
import { describeDrawings, showTexts } from "./texts.js";

/** @import { Dial } from "../shared/dial.js" */
/** @import { Answer, Follower } from "../shared/follower.js" */
/** @import { Mount } from "../shared/mount.js" */
/** @import { Sweep } from "./sweep.js" */

/**
 * @typedef {object} StageState
 * @property {Sweep} sweep what is shown
 * @property {Follower} follower
 * @property {boolean} log whether the scale is logarithmic
 * @property {number} selected subspace
 * @property {boolean} chosen whether the visitor chose it
 * @property {boolean} pending whether the sweep has no answer at this angle yet
 * @property {OffscreenCanvas} first picture of x; `picture` is that of y
 * @property {{ first: OffscreenCanvas, width: number }} [drawnFirst] what the pictures of x show
 * @property {number} drawnFilter subspace whose filters are drawn, or -1
 * @property {[x: number, y: number, radius: number][]} cells places of the circles
 * @property {number} columns of the circles
 * @property {number} drawn number of drawings so far
 * @property {() => void} readStyle
 * @property {() => void} describe
 * @property {() => void} report sends scale and subspace to Python
 */
/** @typedef {Dial & StageState} Stage */

const REPORT_MILLISECONDS = 400; // that the pointer rests on a circle before the choice is sent
const SETTLE_MILLISECONDS = 300; // without a new drawing before texts for assistive technology change

/** @param {Mount} mount */
export default function (mount) {
  return listen(follow(mount, create));
}

/**
 * Copy to the clipboard, which only secure pages have; elsewhere by selecting the text in a field.
 * @param {string} text
 */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => copyFromField(text));
  copyFromField(text);
}

/** @param {string} text */
function copyFromField(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Stage} */ (
    /** @type {Partial<Stage>} */ ({
      angle: 30, selected: -1, log: false, drawn: 0, cells: [], columns: 1, cache: {},
    })
  );
  /** @type {HTMLElement} */
  const dial = find("dial");
  let [reporting, settling] = [0, 0]; // timers

  // An early answer is about one angle, while a drawing changes or until the whole sweep is here.
  const showEarly = (/** @type {Answer} */ { revision, sequence, bytes }) => {
    const sweep = unpack(bytes);
    // The dial may be elsewhere, or something newer may be shown.
    if (sweep.only !== self.angle || !self.follower.offer(revision, sequence, sweep)) return false;
    self.draw();
    return true;
  };
  self.listeners = {
    "tsa-show": (event) => {
      if (showEarly(event.detail)) event.preventDefault(); // says that it is shown
    },
    "tsa-stage": (event) => showEarly(event.detail),
  };
  turnable(self, dial, find);
  const adopt = (/** @type {any} */ { angle, log, circle }) => {
    [self.angle, self.log, self.chosen] = [angle, log, circle !== null];
    if (self.chosen) self.selected = circle;
    find("scale").setAttribute("aria-pressed", `${log}`);
  };
  self.commit = (angle) => self.follower.send({ angle });
  self.report = () => self.follower.send({ log: self.log, circle: self.chosen ? self.selected : null });
  find("scale").onclick = () => {
    self.log = !self.log;
    find("scale").setAttribute("aria-pressed", `${self.log}`);
    self.draw();
    self.report();
  };
  // The address follows the angle as soon as Python has the last one.
  const link = find("link");
  link.hidden = !window.location.protocol.startsWith("http");
  link.onclick = async () => {
    self.player.stop();
    self.commit(self.angle);
    for (let tries = 0; tries < 20; tries++) {
      if (Number(new URLSearchParams(window.location.search).get("angle") ?? 30) === self.angle) break;
      await new Promise((done) => setTimeout(done, 100));
    }
    await copy(window.location.href);
    link.textContent = link.dataset.copied;
    setText(find("spoken"), link.dataset.spoken);
    setTimeout(() => (link.textContent = link.dataset.label), 1500);
  };
  /** @type {HTMLCanvasElement} */
  const circles = find("circles-canvas");
  const choose = (/** @type {number} */ circle) => {
    if (circle === self.selected) return;
    [self.selected, self.chosen] = [circle, true];
    self.draw();
    clearTimeout(reporting);
    reporting = setTimeout(self.report, REPORT_MILLISECONDS);
  };
  circles.onpointermove = circles.onpointerdown = (event) => {
    const box = circles.getBoundingClientRect();
    const hit = self.cells.findIndex(
      ([x, y, r]) => Math.abs(event.clientX - box.left - x) < r * 1.6 && Math.abs(event.clientY - box.top - y) < r * 1.9,
    );
    if (hit >= 0) choose(hit);
  };
  circles.onkeydown = (event) => {
    const next = stepped(event.key, self.selected, self.columns, self.cells.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    self.describe();
  };
  new ResizeObserver(() => self.draw()).observe(dial);
  self.readStyle = () => (self.style = penStyle(find("card")));

  const show = (/** @type {Sweep} */ sweep) => {
    if (sweep === self.sweep) return;
    self.sweep = sweep;
    const { sides, copy, picture, first, weights, words } = sweep;
    [self.first, self.picture] = sides.map((side, i) => {
      const canvas = new OffscreenCanvas(side, side);
      paint(canvas, i === 0 && !copy ? first : picture, side);
      return canvas;
    });
    self.drawnFilter = -1;
    if (!self.chosen || self.selected >= weights.length) self.selected = mostConcentrated(self);
    setText(find("circles-title"), fill(words.templates.circles, { count: weights.length }));
  };
  self.follower = follower({ adopt, show });
  self.draw = () => {
    find("stage").dataset.revision = self.follower.revision;
    if (!self.sweep || !dial.clientWidth) return; // nothing to show, or leaving the page
    // Turned away from the angle of an early answer, the picture turns, and all else waits for the whole sweep.
    self.pending = self.sweep.only !== null && self.sweep.only !== self.angle;
    find("stage").classList.toggle("pending", self.pending);
    drawDial(self, find("dial-canvas"));
    drawSeen(self, find);
    drawCircles(self, circles);
    drawStrip(self, find("strip-canvas"));
    drawDetail(self, find);
    showTexts(self, find);
    if (!self.drawn) self.describe();
    clearTimeout(settling);
    settling = setTimeout(self.describe, SETTLE_MILLISECONDS);
    self.drawn += 1;
    Object.assign(find("stage").dataset, { drawn: self.drawn, angle: self.angle });
  };
  // Texts for assistive technology change when the dial has come to rest: sixty a second could not be read out.
  self.describe = () => {
    clearTimeout(settling);
    if (!self.sweep || !dial.clientWidth) return;
    dial.setAttribute("aria-valuenow", `${self.angle}`);
    const sentence = find("sentence").textContent;
    dial.setAttribute("aria-valuetext", fill(dial.dataset.value ?? "", { angle: self.angle, sentence }));
    describeDrawings(self, find);
    // A dial with the focus announces its value itself.
    if (!dial.matches(":focus")) setText(find("spoken"), sentence);
  };
  return self;
}
