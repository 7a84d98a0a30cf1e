// A hand on the posterior: a click tries a shift, flat or on the torus; a drag turns the torus.

import { prefersReducedMotion } from "../shared/player.js";
import { planeBox } from "./plane.js";
import { shiftOnTorus } from "./torus.js";
import { keySteps, wrapped } from "./world_hand.js";

/** @import { MotionView } from "./view.js" */

const RADIANS_PER_PIXEL = 0.008;
const [MIN_PITCH, MAX_PITCH] = [0.2, 1.45];
const CLICK_PIXELS = 4; // that a pointer may move between press and release of a click

/**
 * @param {MotionView} self
 * @param {HTMLCanvasElement} plane
 */
export function planeHand(self, plane) {
  let [startX, startY, moved] = [0, 0, 0]; // of a drag on the torus; `moved` is 0 for a click
  /** @type {{ x: number, y: number, yaw: number, pitch: number } | null} */
  let grip = null;
  const flatShift = (/** @type {number} */ x, /** @type {number} */ y) => {
    const { left, top, size } = planeBox(plane.clientWidth, plane.clientHeight);
    const { side } = self.packed;
    const [right, up] = [((x - left) / size - 0.5) * side, (0.5 - (y - top) / size) * side];
    return Math.max(Math.abs(right), Math.abs(up)) <= side / 2 ? [right, up] : null;
  };
  plane.onpointerdown = (event) => {
    [startX, startY, moved] = [event.clientX, event.clientY, 0];
    if (!self.fields?.on_torus || event.button !== 0) return;
    plane.setPointerCapture(event.pointerId);
    self.turning.stop();
    grip = { x: event.clientX, y: event.clientY, yaw: self.camera.yaw, pitch: self.camera.pitch };
  };
  plane.onpointermove = (event) => {
    moved = Math.max(moved, Math.hypot(event.clientX - startX, event.clientY - startY));
    if (!grip || moved < CLICK_PIXELS) return;
    self.camera.yaw = grip.yaw - RADIANS_PER_PIXEL * (event.clientX - grip.x);
    self.camera.pitch = Math.min(MAX_PITCH, Math.max(MIN_PITCH, grip.pitch + RADIANS_PER_PIXEL * (event.clientY - grip.y)));
    self.camera.rough = true;
    self.drawSoon();
  };
  plane.onpointerup = plane.onpointercancel = () => {
    if (!grip) return;
    grip = null;
    self.camera.rough = false;
    self.drawSoon();
  };
  plane.onclick = (event) => {
    if (!self.packed || (self.fields.on_torus && moved >= CLICK_PIXELS)) return;
    const box = plane.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const tried = self.fields.on_torus ? shiftOnTorus(x, y, self.packed.side, self.camera) : flatShift(x, y);
    if (tried) self.change({ tried_shift: wrapped(tried, self.packed.side) }, true);
  };
  plane.onkeydown = (event) => {
    const move = keySteps(event);
    const { shown, side } = self.packed;
    if (move) self.change({ tried_shift: wrapped([shown[0] + move[0], shown[1] + move[1]], side) }, true);
    else if (event.key === "Home" || event.key === "Escape") self.change({ tried_shift: null }, true);
    else if (event.key === " " && self.fields.on_torus) self.find("turn").click();
    else return;
    event.preventDefault();
  };
  const choose = (/** @type {boolean} */ onTorus) => {
    if (!self.packed || self.fields.on_torus === onTorus) return;
    self.change({ on_torus: onTorus }, true);
    self.draw();
    if (onTorus && !prefersReducedMotion()) self.turning.play();
  };
  self.find("flat").onclick = () => choose(false);
  self.find("torus").onclick = () => choose(true);
}
