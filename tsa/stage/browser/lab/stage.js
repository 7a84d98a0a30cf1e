// The stage of the lab: question and answer, dial, waves, posterior and the selected subspace. Python does the
// mathematics: a sweep arrives as bytes and holds every whole degree of the dial, so turning, playing and hovering need
// no server.

import { penStyle, stepped } from "../shared/canvas.js";
import { copyAddress } from "../shared/clipboard.js";
import { description } from "../shared/description.js";
import { announce, listen, turnable } from "../shared/dial.js";
import { follow, follower } from "../shared/follower.js";
import { finder } from "../shared/mount.js";
import { fill, setText } from "../shared/text.js";
import { unpack } from "../shared/unpack.js";
import { buildUp } from "./build_up.js";
import { drawSeen, drawTry, picturesOf } from "./drawing/pictures.js";
import { dialRadii, drawDial } from "./drawing/posterior.js";
import { ORDINARY_TYPE, presentation } from "./present.js";
import { drawCircles, drawDetail } from "./drawing/subspaces.js";
import { posteriorParameters, waveSum } from "./sweep.js";
import { placeSwitches } from "./switches.js";
import { explainTerms, listTerms } from "./terms.js";
import { describeDrawings, showTexts } from "./texts.js";
import { trying } from "./trying.js";
import { drawWaves } from "./drawing/waves.js";

/** @import { Dial } from "../shared/dial.js" */
/** @import { Answer, Follower } from "../shared/follower.js" */
/** @import { Find, Mount } from "../shared/mount.js" */
/** @import { Noise } from "./drawing/pictures.js" */
/** @import { Box } from "./drawing/posterior.js" */
/** @import { Sweep } from "./sweep.js" */
/** @import { WaveLayout } from "./drawing/waves.js" */

/**
 * @typedef {object} StageState
 * @property {Sweep} sweep what is shown
 * @property {Follower} follower
 * @property {boolean} log whether the strip of the posterior has a logarithmic scale
 * @property {number} selected subspace
 * @property {boolean} chosen whether the visitor chose it
 * @property {boolean} opened whether its panel is open: it was chosen, or the pointer is over it
 * @property {number | null} tried turn in degrees, or null for the first answer
 * @property {number[]} without weights that are switched off
 * @property {boolean} predict whether answers are hidden until they are asked for
 * @property {boolean} hidden whether the answer is hidden now
 * @property {boolean} pending whether the sweep has no answer at this angle yet
 * @property {{ first: OffscreenCanvas, picture: OffscreenCanvas, noise: Noise | null, edges: OffscreenCanvas }} pictures
 * @property {{ first: OffscreenCanvas, width: number }} [drawnFirst] what the pictures of x show
 * @property {{ edges: OffscreenCanvas, degrees: number, tinted: OffscreenCanvas }} [outline] of x on the dial
 * @property {Record<string, OffscreenCanvas>} discs y, in sizes in which it is subtracted from x
 * @property {number} drawnFilter subspace whose filters are drawn, or -1
 * @property {[x: number, y: number, radius: number][]} cells places of the circles
 * @property {{ box: Box, degrees: number }[]} labels of the dial
 * @property {Float32Array} loudness largest amplitude of each weight over all turns
 * @property {{ low: number, high: number }} sumRange nats
 * @property {WaveLayout} [layout] of the waves
 * @property {Sweep} [layoutOf] sweep that the layout was made for
 * @property {Record<string, string>} labelTexts of the waves
 * @property {Record<string, string>} glossary
 * @property {string[]} meanings of the numbers
 * @property {string[]} odds
 * @property {number} oddsStep nats
 * @property {number} nearlyBest nats below the best turn up to which a turn is nearly as probable
 * @property {number} minPrintedKappa loudness below which 0 is printed
 * @property {number | null} building how many weights the build-up has added, or null
 * @property {(weight: number) => number} gain share of a weight's wave that is shown, 1 unless the build-up plays
 * @property {number} leastType size of type on the dial, in pixels
 * @property {Map<string, boolean>} longAnswers whether a kind of answer needs small type
 * @property {number} drawn number of drawings so far
 * @property {() => void} placeSwitches
 * @property {() => void} readStyle
 * @property {() => void} describe
 * @property {() => void} report sends scale, subspace, tried turn and switches to Python
 */
/** @typedef {Dial & StageState} Stage */

const REPORT_MILLISECONDS = 400; // that a tried turn rests before it is sent
const SETTLE_MILLISECONDS = 300; // without a new drawing before texts for assistive technology change

/** @param {Mount} mount */
export default function (mount) {
  return listen(follow(mount, create));
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Stage} */ (
    /** @type {Partial<Stage>} */ ({
      angle: 30, selected: 0, log: false, drawn: 0, cells: [], labels: [], cache: {}, tried: null, without: [],
      chosen: false, opened: false, predict: false, hidden: false, labelTexts: {}, glossary: {}, meanings: [], odds: [], oddsStep: 1, nearlyBest: 0, minPrintedKappa: 0, building: null,
      gain: () => 1, leastType: ORDINARY_TYPE, discs: {}, longAnswers: new Map(),
    })
  );
  /** @type {HTMLElement[]} */
  const [box, dial] = [find("dial-box"), find("dial")];
  let [reporting, settling] = [0, 0]; // timers
  let revealed = ""; // what was revealed while answers are hidden

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
  self.grip(dial);
  const present = presentation(self, find);
  // The keys of the dial work on load, without a click: when no other control has the focus.
  self.listeners.keydown = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (isEditable(target)) return;
    if (event.key === "f" || event.key === "F") return present.toggle();
    if (event.key === "Escape" && self.opened) return close();
    if (target === document.body || target === document.documentElement || target === find("stage")) dial.onkeydown?.(event);
  };

  const send = (/** @type {object} */ fields) => self.follower.send(fields);
  const adopt = (/** @type {any} */ { angle, log, circle, tried, without, predict, describe }) => {
    described.show(describe ?? false);
    Object.assign(self, { angle, log, tried, without: without ?? [], predict: predict ?? false });
    self.chosen = self.opened = circle !== null;
    if (self.chosen) self.selected = circle;
    find("scale").setAttribute("aria-pressed", `${log}`);
    find("predict-box").checked = self.predict;
  };
  self.commit = (angle) => send({ angle });
  self.report = () => send({ log: self.log, circle: self.chosen ? self.selected : null, tried: self.tried, without: self.without, predict: self.predict, describe: described.shown });
  find("scale").onclick = () => {
    self.log = !self.log;
    find("scale").setAttribute("aria-pressed", `${self.log}`);
    self.draw();
    self.report();
  };
  find("predict-box").onchange = () => {
    self.predict = find("predict-box").checked;
    self.draw();
    self.report();
  };
  const described = description(find, find("stage"));
  find("describe").onclick = () => {
    described.toggle();
    self.draw();
    self.report();
  };
  for (const action of ["pin", "compare"]) {
    find(action).onclick = () => {
      self.player.stop();
      if (find(action).ariaDisabled !== "true") self.follower.send({ angle: self.angle }, action);
    };
  }
  find("reveal").onclick = () => {
    revealed = subject();
    self.draw();
  };
  const subject = () => self.follower.header.digest;

  const starts = find("starts");
  starts.hidden = !starts.children.length;
  starts.onclick = (/** @type {MouseEvent} */ event) => {
    const start = /** @type {HTMLElement} */ (event.target).closest("a");
    if (!start || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens the link in another tab
    event.preventDefault();
    self.player.stop();
    self.follower.send({}, `start ${start.dataset.scenario}`);
  };

  // The address follows the angle as soon as Python has the last one.
  const served = window.location.protocol.startsWith("http");
  find("link").hidden = find("predict").hidden = find("dock").hidden = !served;
  find("orbits").hidden = !served;
  copyAddress(find, () => {
    self.player.stop();
    self.commit(self.angle);
    return self.angle;
  });

  trying(self, find, () => {
    clearTimeout(reporting);
    reporting = setTimeout(self.report, REPORT_MILLISECONDS);
  });

  // Circles: a click or a tap opens one, hovering shows it for as long as the pointer is there.
  /** @type {HTMLCanvasElement} */
  const circles = find("circles-canvas");
  const choose = (/** @type {number} */ circle) => {
    [self.selected, self.chosen, self.opened] = [circle, true, true];
    self.draw();
    self.report();
  };
  const close = () => {
    [self.chosen, self.opened] = [false, false];
    self.draw();
    self.report();
  };
  const hit = (/** @type {PointerEvent} */ event) => {
    const box = circles.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [nearest, least] = [-1, Infinity];
    self.cells.forEach(([cx, cy, r], j) => {
      const distance = Math.hypot(x - cx, y - cy);
      if (distance < Math.max(10, r + 3) && distance < least) [nearest, least] = [j, distance];
    });
    return nearest;
  };
  circles.onpointerdown = (event) => {
    const j = hit(event);
    if (j >= 0) self.chosen && j === self.selected ? close() : choose(j);
  };
  circles.onpointermove = (event) => {
    if (event.pointerType !== "mouse" || self.chosen) return;
    const j = hit(event);
    if (j >= 0 ? self.opened && j === self.selected : !self.opened) return;
    self.opened = j >= 0;
    if (j >= 0) self.selected = j;
    self.draw();
  };
  circles.onpointerleave = () => {
    if (self.chosen || !self.opened) return;
    self.opened = false;
    self.draw();
  };
  find("detail-close").onclick = close;
  circles.onkeydown = (event) => {
    const next = stepped(event.key, self.chosen ? self.selected : -1, 1, self.sweep.weights.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    self.describe();
  };

  self.placeSwitches = placeSwitches(self, find, (weights, off) => {
    self.without = [...self.without.filter((k) => !weights.includes(k)), ...(off ? weights : [])].sort((a, b) => a - b);
    self.report();
  });
  buildUp(self, find("build"));
  explainTerms(self, find);
  for (const button of find("dock").children) {
    button.onclick = () => {
      const { sheet } = button.dataset;
      if (sheet === "waves") return find("waves-card").scrollIntoView({ behavior: "smooth" });
      const { dataset } = document.documentElement;
      dataset.sheet = dataset.sheet === sheet ? "" : sheet;
    };
  }
  // Sizes are read when they change, not for every drawing: reading them makes the browser lay out the page.
  const fit = () => {
    const above = find("stage").getBoundingClientRect().top + window.scrollY;
    if (above > 0) find("stage").style.setProperty("--above", `${Math.round(above)}px`);
    if (!self.sweep) return;
    const { base } = dialRadii(Math.min(box.clientWidth, box.clientHeight) / 2, self.sweep.look);
    dial.style.width = dial.style.height = `${2 * (base + 10)}px`;
  };
  new ResizeObserver(() => {
    fit();
    self.draw();
  }).observe(box);
  self.readStyle = () => (self.style = penStyle(find("card")));

  const show = (/** @type {Sweep} */ sweep) => {
    if (sweep === self.sweep) return;
    self.sweep = sweep;
    self.pictures = picturesOf(sweep);
    self.drawnFilter = -1;
    if (self.selected >= sweep.weights.length) [self.selected, self.chosen, self.opened] = [0, false, false];
    const { labels, odds, oddsStep, nearlyBest, minPrintedKappa, glossary, meanings } = /** @type {any} */ (sweep.words);
    if (labels) Object.assign(self, { labelTexts: labels, odds, oddsStep, nearlyBest, minPrintedKappa, glossary, meanings });
    measure(self);
    if (labels) listTerms(find("terms"), self.glossary);
    const loud = self.loudness.length ? self.loudness.indexOf(Math.max(...self.loudness)) + 1 : 0;
    if (!self.chosen) self.selected = Math.max(0, sweep.weights.findIndex((weight) => Math.abs(weight) === loud));
  };
  self.follower = follower({ adopt, show });
  self.draw = () => {
    find("stage").dataset.revision = self.follower.revision;
    if (!self.sweep || !box.clientWidth) return; // nothing to show, or leaving the page
    // Turned away from the angle of an early answer, the picture turns, and all else waits for the whole sweep.
    self.pending = self.sweep.only !== null && self.sweep.only !== self.angle;
    self.hidden = self.predict && revealed !== subject();
    find("stage").classList.toggle("pending", self.pending);
    find("stage").classList.toggle("unanswered", self.hidden);
    find("reveal").hidden = !self.hidden;
    const { scenario, lesson, alone, hide = [], pins } = self.follower.header;
    for (const part of ["scenes", "tools", "pins", "player", "try", "waves"]) find("stage").classList.toggle(`without-${part}`, hide.includes(part));
    showPins(find, pins);
    find("stage").classList.toggle("in-lesson", lesson === true);
    find("stage").classList.toggle("dial-alone", alone === true);
    for (const start of starts.children) start.toggleAttribute("aria-current", start.dataset.scenario === scenario);
    drawDial(self, find("dial-canvas"));
    drawSeen(self, find);
    drawWaves(self, find("waves-canvas"));
    drawCircles(self, circles);
    drawTry(self, find);
    drawDetail(self, find);
    showTexts(self, find);
    if (!self.drawn) fit();
    if (!self.drawn) self.describe();
    clearTimeout(settling);
    settling = setTimeout(self.describe, SETTLE_MILLISECONDS);
    self.drawn += 1;
    announce(self);
    if (self.drawn === 1 && self.follower.header.present) present.toggle();
    Object.assign(find("stage").dataset, { drawn: self.drawn, angle: self.angle });
  };
  // Texts for assistive technology change when the dial has come to rest: sixty a second could not be read out.
  self.describe = () => {
    clearTimeout(settling);
    if (!self.sweep || !box.clientWidth) return;
    dial.setAttribute("aria-valuenow", `${self.angle}`);
    const sentence = self.hidden ? find("question").textContent : find("answer").textContent;
    dial.setAttribute("aria-valuetext", fill(dial.dataset.value ?? "", { angle: self.angle, sentence }));
    describeDrawings(self, find);
    // A dial with the focus announces its value itself.
    if (!dial.matches(":focus")) setText(find("spoken"), sentence);
    described.refresh();
  };
  return self;
}

/**
 * Whether the scene can be pinned, and how many pins there are to compare.
 * @param {Find} find
 * @param {{ count: number, most: number, number: number } | undefined} pins `number` is that of the scene that is shown, or 0
 */
function showPins(find, pins) {
  const { pin, pinned } = find("pin").dataset;
  find("pin").hidden = !pins;
  find("compare").hidden = !pins?.count;
  find("stage").classList.toggle("with-pins", Boolean(pins?.count));
  if (!pins) return;
  // Not `disabled`, which would take the focus from a button that has just been pressed.
  find("pin").setAttribute("aria-disabled", `${pins.number > 0 || pins.count === pins.most}`);
  setText(find("pin"), pins.number ? fill(pinned, pins) : pin);
  setText(find("compare"), fill(find("compare").dataset.text, pins));
}

/** @param {EventTarget} target */
function isEditable(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/**
 * What keeps the rows in place while the dial turns: the loudest each weight gets, and the range of the sum.
 * @param {Stage} self
 */
function measure(self) {
  const { sweep } = self;
  const turns = sweep.only === null ? 360 : 1;
  self.loudness = new Float32Array(sweep.harmonics);
  for (let i = 0; i < turns * sweep.harmonics; i++) {
    const k = i % sweep.harmonics;
    self.loudness[k] = Math.max(self.loudness[k], Math.hypot(sweep.waves[2 * i], sweep.waves[2 * i + 1]));
  }
  const first = Object.assign(Object.create(self), { angle: 0 });
  const energy = waveSum(posteriorParameters(first, () => 1));
  const high = self.loudness.reduce((sum, kappa, k) => (sweep.without.includes(k + 1) ? sum : sum + kappa), 0);
  const prior = Math.max(0, ...waveSum(sweep.prior));
  self.sumRange = { low: 1.1 * Math.min(...energy, 0), high: Math.max(high + prior, 0.01) };
}
