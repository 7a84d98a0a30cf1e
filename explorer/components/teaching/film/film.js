// A film: the frame with the posterior around it, or below it for a picture that slides, and the posterior over time.
// Python sends all frames at once, so that playing and scrubbing need no server.

import { context, paint, penOf, penStyle } from "../../../../tsa/stage/browser/shared/canvas.js";
import { TURN, WHEEL, hue } from "../../../../tsa/stage/browser/shared/colour.js";
import { follow, follower } from "../../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../../tsa/stage/browser/shared/mount.js";
import { player, prefersReducedMotion } from "../../../../tsa/stage/browser/shared/player.js";
import { setText } from "../../../../tsa/stage/browser/shared/text.js";

/** @import { PenStyle } from "../../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Mount } from "../../../../tsa/stage/browser/shared/mount.js" */

/**
 * What `pack_film` of film/__init__.py sends.
 * @typedef {object} Packed
 * @property {number} frames
 * @property {number} side
 * @property {boolean} slides to the side, 360° of it being the width; else it turns
 * @property {number} angles
 * @property {number | null} lost
 * @property {string} headline
 * @property {string} explanation
 * @property {string[]} texts of each frame
 * @property {Uint8Array} pictures
 * @property {Uint8Array} template
 * @property {Uint8Array} filtered
 * @property {Uint8Array} smoothed
 * @property {Float32Array} guesses
 * @property {Float32Array} truth
 * @property {Uint8Array} missing
 */

const FRAMES_PER_SECOND = 20; // of the film; the drawing runs at the rate of the display
const LABELS_PIXELS = 40; // left of a waterfall

/** @param {Mount} mount */
export default function (mount) {
  return follow(mount, create).stop;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  /** @type {Packed | null} */
  let packed = null;
  let [at, drawn] = [0, 0]; // `at` is a fraction while the film plays
  /** @type {PenStyle} */
  let style;
  /** @type {Record<string, OffscreenCanvas>} */
  let waterfalls = {};
  const frame = () => Math.min((packed?.frames ?? 1) - 1, Math.floor(at));

  const draw = () => {
    if (!packed || !find("film").clientWidth) return;
    const now = frame();
    (packed.slides ? drawSlide : drawDial)(find("dial-canvas"), packed, now, style);
    for (const name of /** @type {const} */ (["filtered", "smoothed"])) {
      waterfalls[name] ??= waterfall(packed, packed[name]);
      drawWaterfall(find(name), packed, waterfalls[name], now, style, name === "filtered");
    }
    setText(find("headline"), packed.headline);
    setText(find("explanation"), packed.explanation);
    setText(find("text"), packed.texts[now]);
    setText(find("number"), `${now + 1} of ${packed.frames}`);
    find("at").max = packed.frames - 1;
    find("at").value = now;
    find("to-lost").hidden = packed.lost === null;
    find("dial-canvas").setAttribute("aria-label", packed.texts[now]);
    drawn += 1;
    Object.assign(find("film").dataset, { drawn, frame: now });
  };
  const plays = player(find("play"), (seconds) => {
    if (!packed) return;
    at += seconds * FRAMES_PER_SECOND;
    if (at >= packed.frames) {
      at = packed.frames - 1;
      plays.stop();
      commit();
    }
    draw();
  });
  const self = {
    follower: follower({
      adopt: (fields) => {
        at = fields.frame;
      },
      show: (/** @type {Packed} */ result) => {
        const first = packed === null;
        [packed, waterfalls] = [result, {}];
        at = Math.min(at, result.frames - 1);
        if (first && at === 0 && !prefersReducedMotion()) plays.play();
      },
    }),
    readStyle: () => {
      style = penStyle(find("now"));
    },
    draw,
    stop: plays.stop,
  };
  const commit = () => self.follower.send({ frame: frame() });
  const goTo = (/** @type {number} */ place) => {
    plays.stop();
    at = Math.min((packed?.frames ?? 1) - 1, Math.max(0, place));
    draw();
  };
  find("play").onclick = () => {
    if (plays.playing) {
      plays.stop();
      return commit();
    }
    if (packed && frame() === packed.frames - 1) at = 0;
    plays.play();
  };
  const stepBy = (/** @type {number} */ by) => {
    goTo(frame() + by);
    commit();
  };
  find("step-back").onclick = () => stepBy(-1);
  find("step-on").onclick = () => stepBy(1);
  find("to-lost").onclick = () => {
    goTo(packed?.lost ?? 0);
    commit();
  };
  find("at").oninput = () => goTo(Number(find("at").value));
  find("at").onchange = commit;
  for (const name of ["filtered", "smoothed"]) {
    /** @type {HTMLCanvasElement} */
    const canvas = find(name);
    const scrub = (/** @type {PointerEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      goTo(Math.floor(((event.clientX - box.left - LABELS_PIXELS) / (box.width - LABELS_PIXELS)) * (packed?.frames ?? 1)));
    };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      scrub(event);
    };
    canvas.onpointermove = (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) scrub(event);
    };
    canvas.onpointerup = commit;
  }
  new ResizeObserver(() => draw()).observe(find("film"));
  return self;
}

/**
 * The posterior over time as a picture: a column for each frame, hue is the angle, opacity the density.
 * @param {Packed} packed
 * @param {Uint8Array} columns
 */
function waterfall({ frames, angles }, columns) {
  const canvas = new OffscreenCanvas(frames, angles);
  const image = new ImageData(frames, angles);
  for (let t = 0; t < frames; t++) {
    for (let a = 0; a < angles; a++) {
      const [r, g, b] = WHEEL[Math.round((360 * a) / angles)];
      image.data.set([r, g, b, columns[t * angles + a]], 4 * ((angles - 1 - a) * frames + t));
    }
  }
  penOf(canvas).putImageData(image, 0, 0);
  return canvas;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {OffscreenCanvas} picture
 * @param {number} now
 * @param {PenStyle} style
 * @param {boolean} withGuess
 */
function drawWaterfall(canvas, { frames, side, slides, missing, guesses, truth }, picture, now, style, withGuess) {
  const [pen, width, height] = context(canvas);
  const [left, room, floor] = [LABELS_PIXELS, width - LABELS_PIXELS, height - 8];
  const x = (/** @type {number} */ t) => left + ((t + 0.5) * room) / frames;
  const y = (/** @type {number} */ degrees) => 8 + (floor - 8) * (1 - degrees / 360);
  pen.fillStyle = style.soft;
  pen.fillRect(left, 8, room, floor - 8);
  pen.fillStyle = style.border;
  missing.forEach((is, t) => is && pen.fillRect(x(t - 0.5), 8, room / frames + 0.5, floor - 8));
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture, left, 8, room, floor - 8);
  pen.font = `12px ${style.fontFamily}`;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = style.color;
  for (const degrees of [0, 90, 180, 270, 360]) {
    const label = slides ? `${(degrees / 360) * side}${degrees === 360 ? " px" : ""}` : `${degrees}°`;
    pen.fillText(label, left - 6, y(degrees) + (degrees ? (degrees === 360 ? 3 : 0) : -2));
  }
  if (withGuess) trace(pen, guesses, x, y, style.color, 2.2, []);
  if (truth.length) trace(pen, truth, x, y, style.color, 1.2, [1.5, 4]);
  pen.strokeStyle = style.color;
  pen.setLineDash([]);
  pen.lineWidth = 1.5;
  pen.strokeRect(x(now) - 2.5, 8, 5, floor - 8);
}

/**
 * A line through angles, broken where it passes 0°.
 * @param {CanvasRenderingContext2D} pen
 * @param {Float32Array} angles
 * @param {(t: number) => number} x
 * @param {(degrees: number) => number} y
 * @param {string} colour
 * @param {number} width
 * @param {number[]} dash
 */
function trace(pen, angles, x, y, colour, width, dash) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  angles.forEach((value, t) => {
    if (t && Math.abs(value - angles[t - 1]) < 180) pen.lineTo(x(t), y(value));
    else pen.moveTo(x(t), y(value));
  });
  pen.stroke();
}

/** @type {OffscreenCanvas | undefined} */
let small;

/**
 * The frame, and above it the posterior of the filter over the shift, as wide as the frame.
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {number} now
 * @param {PenStyle} style
 */
function drawSlide(canvas, packed, now, style) {
  const { side, angles, filtered, guesses, truth, missing } = packed;
  const [pen, width, height] = context(canvas);
  const size = Math.min(width, height);
  const [strip, frame] = [0.2 * size, 0.72 * size];
  pen.translate((width - frame) / 2, (height - size) / 2);
  for (let a = 0; a < angles; a++) {
    const share = (filtered[now * angles + a] / 255) ** 2;
    pen.fillStyle = hue((a * TURN) / angles);
    pen.fillRect((a * frame) / angles, strip - share * (strip - 4) - 3, (1.15 * frame) / angles, share * (strip - 4) + 3);
  }
  const top = strip + 0.04 * size;
  drawFrame(pen, packed, now, style, 0, top, frame);
  if (missing[now]) sayNoFrame(pen, style, 0.05 * size, frame / 2, top + frame / 2);
  const place = (/** @type {number} */ degrees) => [(degrees * frame) / 360, strip];
  if (truth.length) ring(pen, place(truth[now]), style);
  cross(pen, place(guesses[now]), style);
  pen.fillStyle = style.color;
  pen.font = `12px ${style.fontFamily}`;
  for (const pixels of [0, side / 2, side]) {
    pen.textAlign = pixels === 0 ? "left" : pixels === side ? "right" : "center";
    pen.fillText(`${pixels} px`, (pixels * frame) / side, size - 2);
  }
}

/**
 * The frame inside a ring, the posterior of the filter as petals outside it, a cross at the best guess.
 * @param {HTMLCanvasElement} canvas
 * @param {Packed} packed
 * @param {number} now
 * @param {PenStyle} style
 */
function drawDial(canvas, packed, now, style) {
  const { angles, filtered, guesses, truth, missing } = packed;
  const [pen, width, height] = context(canvas);
  const radius = Math.min(width, height) / 2;
  const [rim, edge] = [0.66 * radius, 0.97 * radius];
  pen.translate(width / 2, height / 2);
  /** @param {number} a */
  const outer = (a) => rim + 5 + (filtered[now * angles + (a % angles)] / 255) ** 2 * (edge - rim - 5);
  for (let a = 0; a < angles; a++) {
    // A little wider than its share, so that no seam shows between two of them.
    const [from, to] = [(a * TURN) / angles, ((a + 1.15) * TURN) / angles];
    pen.fillStyle = hue(from);
    pen.beginPath();
    pen.moveTo(rim * Math.cos(from), -rim * Math.sin(from));
    pen.lineTo(outer(a) * Math.cos(from), -outer(a) * Math.sin(from));
    pen.lineTo(outer(a + 1) * Math.cos(to), -outer(a + 1) * Math.sin(to));
    pen.lineTo(rim * Math.cos(to), -rim * Math.sin(to));
    pen.fill();
  }
  pen.save();
  pen.beginPath();
  pen.arc(0, 0, rim - 4, 0, TURN);
  pen.clip();
  drawFrame(pen, packed, now, style, -rim, -rim, 2 * rim);
  pen.restore();
  if (missing[now]) sayNoFrame(pen, style, 0.1 * radius, 0, 0);
  const place = (/** @type {number} */ degrees) => {
    const s = (degrees * TURN) / 360;
    return [(rim - 1) * Math.cos(s), -(rim - 1) * Math.sin(s)];
  };
  if (truth.length) ring(pen, place(truth[now]), style);
  cross(pen, place(guesses[now]), style);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Packed} packed
 * @param {number} now
 * @param {PenStyle} style
 * @param {number} left
 * @param {number} top
 * @param {number} size
 */
function drawFrame(pen, { side, pictures, missing }, now, style, left, top, size) {
  pen.fillStyle = missing[now] ? style.border : "black";
  pen.fillRect(left, top, size, size);
  if (missing[now]) return;
  small ??= new OffscreenCanvas(side, side);
  paint(small, pictures.subarray(now * side * side, (now + 1) * side * side), side);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, left, top, size, size);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {PenStyle} style
 * @param {number} pixels
 * @param {number} x
 * @param {number} y
 */
function sayNoFrame(pen, style, pixels, x, y) {
  pen.fillStyle = style.color;
  pen.font = `600 ${Math.round(pixels)}px ${style.fontFamily}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText("no frame", x, y);
  pen.textBaseline = "alphabetic";
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} place
 * @param {PenStyle} style
 */
function ring(pen, place, style) {
  mark(pen, place, style, () => pen.arc(0, 0, 8, 0, TURN));
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} place
 * @param {PenStyle} style
 */
function cross(pen, place, style) {
  mark(pen, place, style, () => {
    pen.moveTo(-6, -6);
    pen.lineTo(6, 6);
    pen.moveTo(-6, 6);
    pen.lineTo(6, -6);
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} place
 * @param {PenStyle} style
 * @param {() => void} path
 */
function mark(pen, [x, y], style, path) {
  pen.save();
  pen.translate(x, y);
  for (const [colour, width] of /** @type {[string, number][]} */ ([[style.paper, 7], [style.color, 3]])) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    path();
    pen.stroke();
  }
  pen.restore();
}
