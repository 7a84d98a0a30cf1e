// A hand on the world: it drags the picture, the rim of the window or its centre; keys do the same in steps.

import { onWorld } from "./world.js";

/** @import { Point } from "../shared/canvas.js" */
/** @import { Fields, MotionView } from "./view.js" */

const MIN_WINDOW = 3; // pixels of the world
const REACH_PIXELS = 16; // of the screen, around the rim and the centre of the window
const TOUCH_REACH_PIXELS = 22;

/**
 * @param {MotionView} self
 * @param {HTMLCanvasElement} world
 */
export function worldHand(self, world) {
  /** @type {{ part: "picture" | "rim" | "centre", x: number, y: number, box: DOMRect, fields: Fields } | null} */
  let grip = null;
  const place = (/** @type {PointerEvent} */ event, /** @type {DOMRect} */ box) =>
    /** @type {Point} */ ([event.clientX - box.left, event.clientY - box.top]);
  const partAt = (/** @type {PointerEvent} */ event, /** @type {DOMRect} */ box) => {
    const { fields, packed } = self;
    const [x, y] = place(event, box);
    const [cx, cy] = onWorld(fields.window_at, packed.side, box.width);
    const distance = Math.hypot(x - cx, y - cy);
    const reach = event.pointerType === "touch" ? TOUCH_REACH_PIXELS : REACH_PIXELS;
    const radius = (fields.window / 2 / packed.side) * box.width;
    if (Math.abs(distance - radius) < reach / 2 && radius > reach) return "rim";
    return distance < reach ? "centre" : "picture";
  };
  world.onpointerdown = (event) => {
    if (event.button !== 0 || !self.packed) return;
    self.player.stop();
    world.setPointerCapture(event.pointerId);
    const box = world.getBoundingClientRect();
    const [x, y] = place(event, box);
    grip = { part: partAt(event, box), x, y, box, fields: self.fields };
    event.preventDefault();
    world.focus({ preventScroll: true });
  };
  world.onpointermove = (event) => {
    if (!self.packed) return;
    if (!grip) {
      world.style.cursor = { picture: "grab", rim: "nwse-resize", centre: "move" }[partAt(event, world.getBoundingClientRect())];
      return;
    }
    const { side } = self.packed;
    const perPixel = grip.box.width / side;
    const [x, y] = place(event, grip.box);
    const [right, up] = [(x - grip.x) / perPixel, (grip.y - y) / perPixel];
    const { shift, window_at } = grip.fields;
    if (grip.part === "picture") self.change({ shift: wrapped([shift[0] + right, shift[1] + up], side), tried_shift: null }, false);
    else if (grip.part === "centre") self.change({ window_at: wrapped([window_at[0] + right, window_at[1] + up], side) }, false);
    else {
      const [cx, cy] = onWorld(window_at, side, grip.box.width);
      self.change({ window: sized((2 * Math.hypot(x - cx, y - cy)) / perPixel, side) }, false);
    }
  };
  world.onpointerup = world.onpointercancel = () => {
    if (grip && self.fields !== grip.fields) self.change({}, true);
    grip = null;
  };
  world.onkeydown = (event) => {
    const move = keySteps(event);
    const growth = { "+": 1, "=": 1, "-": -1 }[event.key];
    const { fields, packed } = self;
    if (move) {
      self.change({ shift: wrapped([fields.shift[0] + move[0], fields.shift[1] + move[1]], packed.side), tried_shift: null }, true);
    } else if (growth) self.change({ window: sized(fields.window + growth, packed.side) }, true);
    else if (event.key === " ") self.find("play").click();
    else return;
    event.preventDefault();
  };
}

/**
 * The place that is whole worlds away and nearest to the middle, in tenths of a pixel.
 * @param {number[]} place
 * @param {number} side
 */
export const wrapped = (place, side) =>
  /** @type {[number, number]} */ (place.map((value) => Math.round(10 * ((((value + side / 2) % side) + side) % side) - 5 * side) / 10));

/**
 * @param {number} diameter
 * @param {number} side
 */
const sized = (diameter, side) => Math.min(side, Math.max(MIN_WINDOW, Math.round(2 * diameter) / 2));

/**
 * How far an arrow key moves, [right, up] in pixels.
 * @param {KeyboardEvent} event
 */
export function keySteps({ key, shiftKey }) {
  /** @type {Record<string, [number, number]>} */
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  return moves[key]?.map((one) => one * (shiftKey ? 4 : 0.5));
}
