// A digit in a dial, its nearest neighbours and their votes. Python has searched at every angle of the dial: turning
// shows the results without a server.

import { context, paint, penStyle } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN } from "../../../tsa/stage/browser/shared/colour.js";
import { announce, drawKnob, drawTurned, hueWheel, listen, turnable } from "../../../tsa/stage/browser/shared/dial.js";
import { follow, follower } from "../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../tsa/stage/browser/shared/mount.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { unpack } from "../../../tsa/stage/browser/shared/unpack.js";
import { buildRows, drawRows } from "./neighbours.js";
import { lookedAt, nearestTurn } from "./votes.js";
import { drawVotesByAngle, hatching, stripBox } from "./votes_by_angle.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Dial } from "../../../tsa/stage/browser/shared/dial.js" */
/** @import { Follower } from "../../../tsa/stage/browser/shared/follower.js" */
/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Row } from "./neighbours.js" */
/** @import { Votes } from "./votes.js" */

/**
 * @typedef {object} RecogniseState
 * @property {Votes} votes
 * @property {Follower} follower
 * @property {Row[]} [rows] one for each distance
 * @property {PenStyle & { quiet: string, wrong: string }} style
 * @property {(pen: CanvasRenderingContext2D) => CanvasPattern} hatch fill of wrong answers
 * @property {number} drawn number of drawings so far
 * @property {() => void} readStyle
 */
/** @typedef {Dial & RecogniseState} Recognise */

const WHEEL_PIXELS = 40; // of the wheel for one step
const SETTLE_MILLISECONDS = 250; // without the wheel, until the angle is reported

/** @param {Mount} mount */
export default function (mount) {
  return listen(follow(mount, create));
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Recognise} */ (/** @type {Partial<Recognise>} */ ({ angle: 30, drawn: 0, cache: {} }));
  /** @type {HTMLElement} */
  const dial = find("dial");
  /** @type {HTMLCanvasElement} */
  const strip = find("round-canvas");
  let sliding = false;

  self.listeners = {
    // The votes at one angle, while the digit is being drawn.
    "tsa-show": (event) => {
      const { revision, sequence, bytes } = event.detail;
      if (!self.follower.offer(revision, sequence, unpack(bytes))) return;
      event.preventDefault(); // says that it is shown
      self.draw();
    },
  };
  turnable(self, dial, find);
  self.grip(dial);
  inSteps(self, dial);
  const show = (/** @type {Votes} */ votes) => {
    self.votes = votes;
    self.picture = new OffscreenCanvas(votes.side, votes.side);
    paint(self.picture, votes.picture, votes.side);
    self.cache = { wheel: self.cache.wheel };
    self.rows ??= buildRows(votes, find("rows"));
  };
  const adopt = (/** @type {any} */ { angle }) => {
    self.angle = angle;
  };
  self.follower = follower({ adopt, show });
  self.commit = (angle) => self.follower.send({ angle });

  strip.onpointerdown = strip.onpointermove = (event) => {
    if (event.type === "pointerdown") {
      self.player.stop();
      strip.setPointerCapture(event.pointerId);
      sliding = true;
    }
    if (!sliding) return;
    const box = strip.getBoundingClientRect();
    const { left, scale } = stripBox(box.width);
    self.turnTo(Math.min(359, Math.max(0, (event.clientX - box.left - left) / scale)), false);
  };
  strip.onpointerup = strip.onpointercancel = () => {
    if (sliding) self.commit(self.angle);
    sliding = false;
  };
  new ResizeObserver(() => self.draw()).observe(find("recognise"));

  self.readStyle = () => {
    const [quiet, wrong] = ["hint", "wrong"].map((name) => getComputedStyle(find(name)).color);
    self.style = { ...penStyle(find("card")), quiet, wrong };
    self.hatch = hatching(wrong);
  };
  const showTexts = () => {
    const { words, sentence: places } = self.votes;
    const sentence = words.sentences[places[nearestTurn(self)]];
    setText(find("sentence"), sentence);
    setText(find("because"), words.reason);
    setText(find("legend-right"), words.legend);
    setText(find("angle"), `${self.angle}°`);
    strip.setAttribute("aria-label", words.strip);
    dial.setAttribute("aria-valuetext", fill(words.templates.dial, { angle: self.angle, sentence }));
  };
  self.draw = () => {
    if (!self.votes || !dial.clientWidth) return; // nothing to show, or leaving the page
    const wanted = self.angle;
    self.angle = lookedAt(self); // the dial, the strip and the sentence name the angle that was searched
    drawDial(self, find("dial-canvas"));
    drawRows(self);
    drawVotesByAngle(self, strip);
    showTexts();
    dial.setAttribute("aria-valuenow", `${self.angle}`);
    Object.assign(find("recognise").dataset, { drawn: (self.drawn += 1), angle: self.angle, steps: self.votes.steps });
    self.angle = wanted;
    announce(self);
  };
  return self;
}

/**
 * Let the dial stop only at angles that were searched; one arrow key or notch of the wheel is one of them.
 * @param {Recognise} self
 * @param {HTMLElement} dial
 */
function inSteps(self, dial) {
  const [turnTo, onKey] = [self.turnTo, dial.onkeydown];
  const step = () => (self.votes?.steps > 1 ? 360 / self.votes.steps : 1);
  self.turnTo = (degrees, done) => turnTo(Math.round(degrees / step()) * step(), done);
  dial.onkeydown = (event) => {
    /** @type {Record<string, number>} */
    const moves = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 };
    if (!(event.key in moves) || event.shiftKey) return onKey?.call(dial, event);
    event.preventDefault();
    self.turnTo(self.angle + step() * moves[event.key], true);
  };
  let [scrolled, settling] = [0, 0]; // pixels since the last step; timer
  dial.onwheel = (event) => {
    event.preventDefault();
    scrolled += event.deltaY;
    const steps = Math.trunc(scrolled / WHEEL_PIXELS);
    if (!steps) return;
    scrolled -= steps * WHEEL_PIXELS;
    self.turnTo(self.angle - steps * step(), false);
    clearTimeout(settling);
    settling = setTimeout(() => self.commit(self.angle), SETTLE_MILLISECONDS);
  };
}

/**
 * @param {Recognise} self
 * @param {HTMLCanvasElement} canvas
 */
function drawDial(self, canvas) {
  const [pen, width, height] = context(canvas);
  const [x, y] = [width / 2, height / 2];
  const rim = Math.min(width, height) / 2 - 16;
  pen.save();
  pen.beginPath();
  pen.arc(x, y, rim + 3, 0, TURN);
  pen.arc(x, y, rim - 3, 0, TURN, true);
  pen.clip();
  pen.drawImage(hueWheel(self.cache, rim + 3), x - rim - 3, y - rim - 3, 2 * rim + 6, 2 * rim + 6);
  pen.restore();
  drawTurned(self, pen, [x, y], rim * 0.91);
  const s = (self.angle * TURN) / 360;
  drawKnob(self, pen, [x + rim * Math.cos(s), y - rim * Math.sin(s)]);
}
