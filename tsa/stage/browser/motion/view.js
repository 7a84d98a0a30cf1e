// Everything that the motion page shows and how a hand changes it. What is shown comes from one answer of Python; what a
// hand does is told to `host`, which has it answered: by the live line in the explorer, from stored answers offline.

import { penStyle } from "../shared/canvas.js";
import { TURN } from "../shared/colour.js";
import { follower } from "../shared/follower.js";
import { finder } from "../shared/mount.js";
import { player } from "../shared/player.js";
import { fill, setText, withWholeNumbers } from "../shared/text.js";
import { planeHand } from "./plane_hand.js";
import { WAVE_NUMBERS } from "./packed.js";
import { sizeSlider } from "./sizes.js";
import { drawPlane, drawSmallMap } from "./plane.js";
import { drawTorus, yawFacing } from "./torus.js";
import { drawWaves, waveAt } from "./waves.js";
import { drawPair, drawWorld } from "./world.js";
import { worldHand } from "./world_hand.js";

/** @import { PenStyle } from "../shared/canvas.js" */
/** @import { Follower } from "../shared/follower.js" */
/** @import { Find } from "../shared/mount.js" */
/** @import { Player } from "../shared/player.js" */
/** @import { Other, Packed } from "./packed.js" */
/** @import { TorusCamera } from "./torus.js" */

/**
 * @typedef {object} Fields of the view that this component shows and changes
 * @property {string} world name of the picture
 * @property {[number, number]} shift
 * @property {number} window
 * @property {[number, number]} window_at
 * @property {[number, number] | null} tried_shift
 * @property {boolean} on_torus whether the posterior is drawn on a torus
 */

/**
 * @typedef {object} MotionView
 * @property {Follower} follower
 * @property {Find} find
 * @property {Fields} fields
 * @property {Packed} packed what is shown
 * @property {Player} player of the picture, there and back
 * @property {Player} turning of the torus
 * @property {TorusCamera} camera
 * @property {number[] | null} sizes of the window that can be chosen; null for every half pixel
 * @property {PenStyle} style
 * @property {(changed: Partial<Fields>, done: boolean) => void} change what a hand has set; `done` when it lets go
 * @property {() => void} drawSoon the newest answer, in the next frame
 * @property {() => void} readStyle
 * @property {() => void} draw
 * @property {() => void} stop
 */

const PLAY_SECONDS = 1.6; // there and back
const TURN_RADIANS_PER_SECOND = 0.5; // of the torus

/**
 * @param {ParentNode} root
 * @param {(view: MotionView, done: boolean) => void} host has the fields of the view answered after a change
 * @returns {MotionView}
 */
export function motionView(root, host) {
  const find = finder(root);
  const self = /** @type {MotionView} */ ({ find, camera: { yaw: 0, pitch: 0.6, rough: false }, sizes: null });
  /** @type {HTMLCanvasElement[]} */
  const [world, plane, waves] = [find("world"), find("plane"), find("waves")];
  let [drawn, wave, played, frame, onlyWindow] = [0, 0, 0, 0, false];

  self.follower = follower({
    adopt: (given) => (self.fields = { ...given }),
    // While a hand moves only what follows it is sent; the rest stays as it was.
    show: (result) => (self.packed = { ...self.packed, waveLabels: [], ...result }),
  });
  self.change = (changed, done) => {
    self.fields = { ...self.fields, ...changed };
    host(self, done);
  };
  worldHand(self, world);
  planeHand(self, plane);
  const drawSizes = sizeSlider(self);
  find("back").onclick = () => self.change({ tried_shift: null }, true);
  find("only").onclick = () => {
    onlyWindow = !onlyWindow;
    find("only").setAttribute("aria-pressed", `${onlyWindow}`);
    self.draw();
  };

  // -- the waves, the sums and the other pictures ---------------------------------------------------------

  const chooseWave = (/** @type {number} */ chosen) => {
    wave = Math.max(0, Math.min(chosen, self.packed.waves.length / WAVE_NUMBERS - 1));
    setText(find("wave-text"), withWholeNumbers(self.packed.waveLabels[wave] ?? ""));
    drawWaves(waves, self.packed, self.style, wave);
  };
  waves.onpointermove = waves.onclick = (event) => {
    if (!self.packed) return;
    const box = waves.getBoundingClientRect();
    chooseWave(waveAt(self.packed, [event.clientX - box.left, event.clientY - box.top], box.width, box.height));
  };
  waves.onkeydown = (event) => {
    const move = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!move) return;
    chooseWave(wave + move);
    event.preventDefault();
  };
  /** @type {unknown} */
  let listed;
  const list = () => {
    if (listed === self.packed.others) return;
    listed = self.packed.others;
    const figures = self.packed.sums.map(({ label }) => {
      const figure = document.createElement("figure");
      figure.append(document.createElement("canvas"), Object.assign(document.createElement("figcaption"), { textContent: label }));
      return figure;
    });
    find("sums").replaceChildren(...figures);
    const buttons = self.packed.others.map((/** @type {Other} */ other) => {
      const button = Object.assign(document.createElement("button"), { type: "button" });
      const [name, answer] = [document.createElement("b"), document.createElement("small")];
      [name.textContent, answer.textContent] = [other.name, other.answer];
      button.append(document.createElement("canvas"), name, answer);
      button.onclick = () => self.change({ .../** @type {Partial<Fields>} */ (other.fields), tried_shift: null }, true);
      return button;
    });
    find("others").replaceChildren(...buttons);
  };
  const drawSmall = (/** @type {Element} */ parent, /** @type {Uint8Array} */ maps, /** @type {{ edge: number }[]} */ listed, withTruth = false) => {
    const canvases = parent.querySelectorAll("canvas");
    const length = maps.length / canvases.length;
    canvases.forEach((canvas, i) =>
      drawSmallMap(canvas, maps.subarray(i * length, (i + 1) * length), listed[i].edge, self.packed, self.style, withTruth),
    );
  };

  // -- playing and drawing --------------------------------------------------------------------------------

  self.player = player(find("play"), (seconds) => {
    played += seconds / PLAY_SECONDS;
    drawWorld(world, self.packed, onlyWindow, (1 - Math.cos(played * TURN)) / 2);
  });
  find("play").onclick = () => {
    if (self.player.playing) {
      self.player.stop();
      return self.draw();
    }
    played = 0;
    self.player.play();
  };
  self.turning = player(find("turn"), (seconds) => {
    self.camera.yaw += TURN_RADIANS_PER_SECOND * seconds;
    drawPosterior();
  });
  find("turn").onclick = () => (self.turning.playing ? self.turning.stop() : self.turning.play());
  self.stop = () => {
    self.player.stop();
    self.turning.stop();
    cancelAnimationFrame(frame);
    frame = 0;
  };
  new ResizeObserver(() => self.draw()).observe(find("motion"));
  self.readStyle = () => (self.style = penStyle(find("world-card")));
  self.drawSoon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (self.packed?.others) drawAnswer();
    });
  };
  self.draw = () => {
    if (!self.packed?.others || !find("motion").clientWidth) return; // nothing to show, or leaving the page
    list();
    drawAnswer();
    drawSmall(find("sums"), self.packed.sumMaps, self.packed.sums);
    drawSmall(find("others"), self.packed.otherMaps, self.packed.others, true);
  };
  let faced = false; // whether the torus was turned so that the answer is in front
  const drawPosterior = () => {
    const { on_torus: onTorus } = self.fields;
    if (onTorus && !faced) self.camera.yaw = yawFacing(self.packed.mode[0], self.packed.side);
    faced = onTorus;
    if (onTorus) drawTorus(plane, self.packed, self.style, self.camera);
    else drawPlane(plane, self.packed, self.style);
    if (!onTorus && self.turning.playing) self.turning.stop();
  };
  /** Draw all that one answer of the live line has; sums and other pictures follow when the hand lets go. */
  const drawAnswer = () => {
    const { words } = self.packed;
    // Pictures first: they read the sizes of their canvases, and a text that was set before would have to be laid out.
    if (!self.player.playing) drawWorld(world, self.packed, onlyWindow, null);
    drawPair(find, self.packed);
    drawPosterior();
    chooseWave(wave);
    setText(find("question"), words.question);
    setText(find("headline"), withWholeNumbers(words.headline));
    setText(find("second"), withWholeNumbers(words.second));
    setText(find("tried-text"), withWholeNumbers(words.tried));
    find("back").hidden = !self.packed.isTried;
    drawSizes();
    setText(find("waves-text"), withWholeNumbers(words.waves));
    showNumbers(find("numbers"), words.numbers);
    world.setAttribute("aria-label", fill(words.templates.world, words));
    plane.setAttribute("aria-label", fill(words.templates.plane, words));
    waves.setAttribute("aria-label", fill(words.templates.waves, words));
    const { shift, window, on_torus: onTorus } = self.fields;
    find("flat").setAttribute("aria-pressed", `${!onTorus}`);
    find("torus").setAttribute("aria-pressed", `${onTorus}`);
    find("turn").hidden = !onTorus;
    const { motion, window: seen, windowAt, shown } = self.packed;
    Object.assign(find("motion").dataset, {
      drawn: (drawn += 1), shift: shift.join(), window, kind: words.kind, answered: motion.join(), tried: shown.join(),
      seen: [seen, ...windowAt].join(),
    });
  };
  return self;
}

/**
 * @param {Element} list
 * @param {[string, string][]} numbers
 */
function showNumbers(list, numbers) {
  numbers.forEach(([name, value], i) => {
    const row = list.children[i] ?? list.appendChild(document.createElement("div"));
    if (!row.children.length) row.append(document.createElement("dt"), document.createElement("dd"));
    setText(row.children[0], name);
    setText(row.children[1], value);
  });
}
