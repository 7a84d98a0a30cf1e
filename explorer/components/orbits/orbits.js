// The path (ω₁ s, ω₂ s) on the torus. Python sends the facts and texts of every pair of weights at once, so the sliders and playing
// need no server; it gets new weights, and the angle s, when a slider is released.

import { paint, penStyle } from "../../../tsa/stage/browser/shared/canvas.js";
import { TURN, hue } from "../../../tsa/stage/browser/shared/colour.js";
import { follow, follower } from "../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../tsa/stage/browser/shared/mount.js";
import { player, prefersReducedMotion } from "../../../tsa/stage/browser/shared/player.js";
import { fill, setText } from "../../../tsa/stage/browser/shared/text.js";
import { drawDials, inDegrees } from "./dials.js";
import { drawFlat, fraction } from "./flat.js";
import { drawTorus } from "./torus.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { CanvasCache } from "../../../tsa/stage/browser/shared/dial.js" */
/** @import { Follower } from "../../../tsa/stage/browser/shared/follower.js" */
/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Player } from "../../../tsa/stage/browser/shared/player.js" */
/** @import { PathLayer } from "./flat.js" */
/** @import { TorusView } from "./torus.js" */

/**
 * @typedef {object} Facts of the path of a pair of weights
 * @property {[number, number] | null} windings of each phase until the path closes; null if it never does
 * @property {number} period turns of s until the path closes
 * @property {number | null} wholeTurns smallest number of whole turns that closes it, if there is one
 * @property {number} kernel number of angles below these turns that act as the identity
 */
/** @typedef {{ name: string, label: string, spoken: string, value: number }} Stop a weight of the sliders */

/**
 * @typedef {object} Packed what `pack_orbits` of orbits/__init__.py sends
 * @property {number} side pixels of the picture
 * @property {Stop[]} stops
 * @property {Facts[][]} orbits
 * @property {number} longest windings of the faster phase that are shown of a path that never closes
 * @property {Uint8Array} picture
 * @property {Uint16Array} words places of the texts of each pair, (stops, stops, 6)
 * @property {string[]} texts
 * @property {[windings: number, text: string][][][]} coverage of each pair, for the windings of the faster phase
 * @property {{ turn: string[], flat: string, torus: string, dials: string }} templates
 */

const TEXTS = ["sentence", "because", "meaning", "closes", "winds", "identity"]; // CSS classes, in Python's order

/**
 * @typedef {object} Orbits
 * @property {Follower} follower
 * @property {number} longest
 * @property {number} s radians
 * @property {number} angle degrees
 * @property {number} span radians after which playing starts again
 * @property {number[]} chosen places of the two weights among the stops
 * @property {number[]} weights
 * @property {string[]} labels of the weights
 * @property {Facts} facts
 * @property {boolean} still whether both weights are 0
 * @property {OffscreenCanvas} picture
 * @property {CanvasCache} cache
 * @property {Record<string, PathLayer>} layers drawn parts of paths that never close
 * @property {{ yaw: number, pitch: number }} view of the torus, in radians
 * @property {boolean} turning whether the pointer turns the torus
 * @property {TorusView} [torus]
 * @property {PenStyle & { soft: string }} style
 * @property {Player} player
 * @property {number} drawn number of drawings so far
 * @property {() => void} readStyle
 * @property {() => void} draw
 */

/** @param {Mount} mount */
export default function (mount) {
  return follow(mount, create).player.stop;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Orbits} */ (
    /** @type {Partial<Orbits>} */ ({
      longest: 0, s: 0, view: { yaw: 0.5, pitch: 0.85 }, turning: false, drawn: 0, chosen: [], layers: {}, cache: {},
    })
  );
  Object.defineProperty(self, "angle", { get: () => (360 * self.s) / TURN }); // for `drawTurned`
  /** @type {HTMLInputElement[]} */
  const sliders = [find("first"), find("second")];
  /** @type {HTMLCanvasElement} */
  const canvas = find("torus-canvas");
  let [pointerX, pointerY] = [0, 0];

  /** @type {Stop[]} */
  let stops = [];
  /** @type {Facts[][]} */
  let orbits = [];
  /** @type {Packed} */
  let packedWords; // texts and templates
  /** @type {any} */
  let wanted = null; // angle and weights that another writer has chosen, until they are shown

  const begin = (/** @type {Packed} */ packed) => {
    ({ stops, orbits, longest: self.longest } = packed);
    packedWords = packed;
    sliders.forEach((slider) => (slider.max = `${stops.length - 1}`));
    for (const ticks of root.querySelectorAll(".ticks")) {
      stops.forEach(({ label, value }, i) => {
        const tick = ticks.appendChild(document.createElement("span"));
        tick.textContent = label;
        tick.style.left = `${(100 * i) / (stops.length - 1)}%`;
        tick.classList.toggle("between", !Number.isInteger(value));
      });
    }
  };
  const names = () => self.chosen.map((index) => stops[index].name);
  const stopOf = (/** @type {string} */ name) => stops.findIndex((stop) => stop.name === name);
  const show = (/** @type {Packed} */ packed) => {
    const first = !stops.length;
    if (first) begin(packed);
    self.picture = new OffscreenCanvas(packed.side, packed.side);
    paint(self.picture, packed.picture, packed.side);
    if (wanted) {
      choose(wanted.orbit.map(stopOf));
      moveTo((Math.floor(self.s / TURN + 1e-9) + wanted.angle / 360) * TURN); // keeps the number of whole turns
      wanted = null;
    }
    if (first && !prefersReducedMotion()) self.player.play();
  };
  const adopt = (/** @type {any} */ fields) => {
    wanted = fields;
  };
  self.follower = follower({ adopt, show });
  const commit = () => self.follower.send({ orbit: names() });
  const commitTurn = () => self.follower.send({ angle: inDegrees(self.s) });
  const choose = (/** @type {number[]} */ chosen) => {
    const wasEndless = self.facts && !self.facts.windings;
    self.chosen = chosen;
    self.facts = orbits[chosen[0]][chosen[1]];
    self.weights = chosen.map((i) => stops[i].value);
    self.labels = chosen.map((i) => stops[i].label);
    self.still = Math.max(...self.weights) === 0;
    self.span = TURN * span(self);
    // Of a path that never closes, a fifth of what can be shown is drawn at first.
    if (!self.facts.windings && !wasEndless) self.s = Math.round(0.2 * span(self)) * TURN + fraction(self.s / TURN) * TURN;
    self.s = Math.min(self.s, self.span);
    if (self.facts.windings) self.s %= self.span;
    chosen.forEach((index, i) => {
      const { label, spoken } = stops[index];
      sliders[i].value = `${index}`;
      sliders[i].setAttribute("aria-valuetext", spoken || label);
      setText(find(["first-value", "second-value"][i]), label);
    });
    find("turn").max = Math.round((360 * self.span) / TURN);
    const pair = names().join(" ");
    for (const button of find("presets").children) button.setAttribute("aria-pressed", button.dataset.pair === pair);
    showTexts();
    self.draw();
  };

  const showTexts = () => {
    const { texts, words, templates } = packedWords;
    const start = TEXTS.length * (self.chosen[0] * stops.length + self.chosen[1]);
    TEXTS.forEach((name, i) => setText(find(name), texts[words[start + i]]));
    const [first, second] = self.labels;
    const values = { first, second, sentence: texts[words[start]] };
    find("flat-canvas").setAttribute("aria-label", fill(templates.flat, values));
    canvas.setAttribute("aria-label", fill(templates.torus, values));
    find("dials-canvas").setAttribute("aria-label", fill(templates.dials, values));
  };

  const moveTo = (/** @type {number} */ s) => {
    self.s = ((s % self.span) + self.span) % self.span;
    self.draw();
  };
  self.player = player(find("play"), (seconds) => {
    moveTo(self.s + (seconds * Number(find("speed").value) * TURN) / 360); // the speed is in degrees per second
  });
  find("play").onclick = () => {
    if (!self.player.playing) return self.player.play();
    self.player.stop();
    moveTo((Math.round((360 * self.s) / TURN) * TURN) / 360); // a whole degree, so that the numbers shown are exact
    commitTurn();
  };
  find("turn").oninput = () => {
    self.player.stop();
    self.s = (Math.round(Number(find("turn").value)) * TURN) / 360;
    self.draw();
  };
  find("turn").onchange = () => commitTurn();
  for (const slider of sliders) {
    slider.oninput = () => choose(sliders.map((one) => Number(one.value)));
    slider.onchange = () => commit();
  }
  find("presets").onclick = (/** @type {any} */ { target }) => {
    if (!target.dataset.pair) return;
    choose(target.dataset.pair.split(" ").map(stopOf));
    commit();
  };

  const turnView = (/** @type {number} */ right, /** @type {number} */ up) => {
    self.view.yaw -= right;
    self.view.pitch = Math.max(-TURN / 4, Math.min(TURN / 4, self.view.pitch + up));
    if (!self.player.playing) drawTorus(self, canvas);
    Object.assign(find("orbit").dataset, self.view);
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    self.turning = true;
    [pointerX, pointerY] = [event.clientX, event.clientY];
  };
  canvas.onpointermove = (event) => {
    if (!self.turning) return;
    turnView((event.clientX - pointerX) / 150, (event.clientY - pointerY) / 150);
    [pointerX, pointerY] = [event.clientX, event.clientY];
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    self.turning = false;
    turnView(0, 0); // draws it again, in full detail
  };
  canvas.onkeydown = (event) => {
    /** @type {Record<string, [right: number, up: number]>} */
    const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (!(event.key in moves)) return;
    turnView(...moves[event.key]);
    event.preventDefault();
  };
  new ResizeObserver(() => self.draw()).observe(find("orbit"));

  self.readStyle = () => (self.style = { ...penStyle(find("card")), soft: getComputedStyle(find("play")).backgroundColor });
  self.draw = () => {
    if (!self.facts || !find("orbit").clientWidth) return; // nothing to show, or leaving the page
    drawFlat(self, find("flat-canvas"));
    drawTorus(self, canvas);
    drawDials(self, find("dials-canvas"));
    const [turns, degrees] = [Math.floor(self.s / TURN + 1e-9), inDegrees(self.s)];
    const text = fill(packedWords.templates.turn[Math.min(turns, 2)], { turns, degrees });
    const windings = self.facts.windings ? Infinity : Math.floor((self.s / TURN) * Math.max(...self.weights) + 1e-9);
    const reached = packedWords.coverage[self.chosen[0]][self.chosen[1]].filter(([least]) => least <= windings);
    setText(find("within"), reached[reached.length - 1][1]);
    const turn = find("turn");
    turn.value = Math.round((360 * self.s) / TURN);
    turn.style.setProperty("--thumb", hue(self.s));
    turn.setAttribute("aria-valuetext", text);
    setText(find("turn-value"), text);
    Object.assign(find("orbit").dataset, { drawn: (self.drawn += 1), turn: turn.value });
  };
  return self;
}

/**
 * Turns of s after which playing starts again: when the path closes at a whole turn, or at the end of what is shown.
 * @param {Orbits} self
 */
function span({ facts, still, weights, longest }) {
  if (still) return 1;
  if (!facts.windings) return Math.floor(longest / Math.max(...weights));
  return facts.wholeTurns ?? facts.period * Math.ceil(2 / facts.period);
}
