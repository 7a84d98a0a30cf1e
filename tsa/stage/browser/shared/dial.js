// A picture that turns inside a circle of hues, by pointer, wheel, keys and play.

import { TURN, hue, withStops } from "./colour.js";
import { penOf } from "./canvas.js";
import { player } from "./player.js";

/** @import { Pen, PenStyle, Point } from "./canvas.js" */
/** @import { Find } from "./mount.js" */
/** @import { Player } from "./player.js" */

const PIXELS_PER_DEGREE = 20; // of the wheel: a notch of an ordinary mouse, 100 or 120 pixels, is five or six degrees
const REST_MILLISECONDS = 1000; // that a dial which follows another rests, before the angle is committed
const WHEEL_UNITS = [1, 16, 400]; // pixels in a unit of `deltaY`: pixels, lines, pages

/** @typedef {Record<string, { size: number, source: unknown, canvas: OffscreenCanvas }>} CanvasCache */

/**
 * @typedef {object} TurnedPicture
 * @property {number} angle degrees, counter-clockwise
 * @property {OffscreenCanvas} picture
 * @property {CanvasCache} cache
 */

/**
 * What a component with a dial provides, and, from `player` on, what `turnable` adds to it.
 * @typedef {TurnedPicture & {
 *   style: PenStyle,
 *   draw: () => void,
 *   describe?: () => void,
 *   commit: (angle: number) => void,
 *   listeners: Record<string, (event: any) => void>,
 *   player: Player,
 *   grip: (element: HTMLElement) => void,
 *   turnTo: (degrees: number, done: boolean) => void,
 * }} Dial `grip` lets a pointer and a wheel on an element turn the dial around its centre; `draw` shows the angle, `describe` puts it in words, `commit` sends it to Python; `listeners` are for events of
 *   the window
 */

/**
 * A square canvas that is drawn once for each size and source, because drawing it takes long.
 * @param {CanvasCache} cache
 * @param {string} name
 * @param {number} radius half the side, in CSS pixels
 * @param {unknown} source compared by identity
 * @param {(pen: OffscreenCanvasRenderingContext2D, size: number) => void} draw
 */
export function cached(cache, name, radius, source, draw) {
  const size = Math.max(2, Math.ceil(2 * radius * (window.devicePixelRatio || 1)));
  const old = cache[name];
  if (old?.size === size && old.source === source) return old.canvas;
  const canvas = new OffscreenCanvas(size, size);
  draw(penOf(canvas), size);
  cache[name] = { size, source, canvas };
  return canvas;
}

/**
 * All hues around the centre of a square.
 * @param {CanvasCache} cache
 * @param {number} radius
 */
export const hueWheel = (cache, radius) =>
  cached(cache, "wheel", radius, null, (pen, size) => {
    // A conic gradient runs clockwise, angles counter-clockwise.
    pen.fillStyle = withStops(pen.createConicGradient(0, size / 2, size / 2), (t) => -t * TURN);
    pen.fillRect(0, 0, size, size);
  });

/**
 * A picture, clipped to a disc.
 * @param {OffscreenCanvasRenderingContext2D} pen
 * @param {number} size
 * @param {OffscreenCanvas} picture
 * @param {number} margin pixels between the disc and the edge of its square
 */
export function drawDisc(pen, size, picture, margin) {
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, 0, 0, size, size);
  pen.globalCompositeOperation = "destination-in"; // has a smooth edge, which clip() has not
  pen.arc(size / 2, size / 2, size / 2 - margin, 0, TURN);
  pen.fill();
}

/**
 * @param {TurnedPicture} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} radius
 */
export function drawTurned(self, pen, [x, y], radius) {
  const disc = cached(self.cache, "disc", radius, self.picture, (pen, size) => drawDisc(pen, size, self.picture, 2));
  pen.save();
  pen.translate(x, y);
  pen.rotate((-self.angle * TURN) / 360);
  pen.drawImage(disc, -radius, -radius, 2 * radius, 2 * radius);
  pen.restore();
}

/**
 * @param {Dial} self
 * @param {Pen} pen
 * @param {Point} centre
 * @param {number} [unit] size, 1 for a radius of 12 pixels
 */
export function drawKnob(self, pen, [x, y], unit = 1) {
  pen.beginPath();
  pen.arc(x, y, 12 * unit, 0, TURN);
  pen.fillStyle = self.style.paper;
  pen.fill();
  pen.lineWidth = 3 * unit;
  pen.strokeStyle = self.style.color;
  pen.stroke();
  pen.beginPath();
  pen.arc(x, y, 5 * unit, 0, TURN);
  pen.fillStyle = hue((self.angle * TURN) / 360);
  pen.fill();
}

/**
 * Let pointer, wheel, keys and the play button turn the dial. The angle is committed when the turning ends.
 * @param {Dial} self
 * @param {HTMLElement} dial has the focus and the keys; `grip` says where the pointer can hold it
 * @param {Find} find finds the play button and the menu of speeds (degrees per second)
 */
export function turnable(self, dial, find) {
  let exact = 0; // degrees, while playing
  /** @type {number | undefined} */
  let grip; // degrees from the angle to the pointer that holds the dial
  let settling = 0;
  let rolled = 0; // degrees that the wheel has turned beyond the last whole one

  self.turnTo = (degrees, done) => {
    self.angle = ((Math.round(degrees) % 360) + 360) % 360;
    self.draw();
    if (!done) return;
    self.describe?.();
    self.commit(self.angle);
  };
  self.player = player(find("play"), (seconds) => {
    exact += seconds * Number(find("speed").value);
    self.turnTo(exact, false);
  });
  const pause = () => {
    self.player.stop();
    self.commit(self.angle);
  };
  const toggle = () => {
    if (self.player.playing) return pause();
    exact = self.angle;
    self.player.play();
  };
  find("play").onclick = toggle;
  // A pointer press outside the component pauses, so that the control pressed acts on the angle on screen.
  self.listeners.pointerdown = (event) => {
    if (self.player.playing && !event.composedPath().includes(dial.getRootNode())) pause();
  };

  // A class: a teacher's dial is turned elsewhere, and the angle comes as an event of the window. It is committed when the
  // teacher rests, at a time drawn by lot: thirty pages must not run at once.
  self.listeners["tsa-turn"] = (event) => {
    event.preventDefault(); // says that there is a dial
    if (event.detail === self.angle) return;
    self.player.stop();
    self.angle = event.detail;
    self.draw();
    clearTimeout(settling);
    settling = setTimeout(() => self.commit(self.angle), REST_MILLISECONDS * (1 + 2 * Math.random()));
  };

  const pointerDegrees = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = box.top + box.height / 2 - event.clientY;
    return (Math.atan2(y, x) * 180) / Math.PI;
  };
  self.grip = (element) => {
    element.onpointerdown = (event) => {
      self.player.stop();
      element.setPointerCapture(event.pointerId);
      grip = pointerDegrees(event) - self.angle;
      event.preventDefault();
      dial.focus({ preventScroll: true });
    };
    element.onpointermove = (event) => {
      if (grip !== undefined) self.turnTo(pointerDegrees(event) - grip, false);
    };
    element.onpointerup = element.onpointercancel = () => {
      if (grip === undefined) return;
      grip = undefined;
      self.commit(self.angle);
    };
    element.onwheel = (event) => {
      event.preventDefault();
      rolled += (event.deltaY * WHEEL_UNITS[event.deltaMode]) / PIXELS_PER_DEGREE;
      const whole = Math.trunc(rolled);
      rolled -= whole;
      self.turnTo(self.angle - whole, false);
      clearTimeout(settling);
      settling = setTimeout(() => self.commit(self.angle), 250);
    };
  };
  dial.onkeydown = (event) => {
    const step = event.shiftKey ? 10 : 1;
    /** @type {Record<string, number>} */
    const moves = { ArrowLeft: step, ArrowUp: step, ArrowRight: -step, ArrowDown: -step, PageUp: 10, PageDown: -10 };
    if (event.key in moves) self.turnTo(self.angle + moves[event.key], true);
    else if (event.key === "Home") self.turnTo(0, true);
    else if (event.key === " ") toggle();
    else return;
    event.preventDefault();
  };
}

/**
 * Tell the window which angle is on screen; a class follows the teacher's. Called with every drawing.
 * @param {TurnedPicture & { announced?: number }} self
 */
export function announce(self) {
  if (self.announced === self.angle) return;
  self.announced = self.angle;
  window.dispatchEvent(new CustomEvent("tsa-turned", { detail: self.angle }));
}

/**
 * Listen to the window; returns the function that ends it. Called at every mount: a listener added twice is called once.
 * @param {Dial} self
 */
export function listen(self) {
  for (const [name, listener] of Object.entries(self.listeners)) window.addEventListener(name, listener, true);
  return () => {
    self.player.stop();
    for (const [name, listener] of Object.entries(self.listeners)) window.removeEventListener(name, listener, true);
  };
}
