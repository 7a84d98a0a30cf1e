// Up to four scenes as small stages: one dial turns all of them, and their posteriors stand over one axis. Each scene is
// a whole sweep, so that turning needs no server.

import { penStyle } from "../shared/canvas.js";
import { copyAddress } from "../shared/clipboard.js";
import { hue, TURN } from "../shared/colour.js";
import { description } from "../shared/description.js";
import { announce, listen, turnable } from "../shared/dial.js";
import { follow, follower } from "../shared/follower.js";
import { finder } from "../shared/mount.js";
import { fill, setText } from "../shared/text.js";
import { unpack } from "../shared/unpack.js";
import { picturesOf } from "../lab/drawing/pictures.js";
import { dialRadii, drawDial } from "../lab/drawing/posterior.js";
import { posteriorText } from "../lab/texts.js";
import { DASHES, drawStrip } from "./strip.js";

/** @import { Dial } from "../shared/dial.js" */
/** @import { Follower } from "../shared/follower.js" */
/** @import { Find, Mount } from "../shared/mount.js" */
/** @import { Stage } from "../lab/stage.js" */

/**
 * What `pack_comparison` of tsa/stage/comparison sends: packed sweeps `pin0`, `pin1`, …, and for each angle t of the dial
 * the sentences `certainties[certainty[t]]` and `shareds[shared[t]]`.
 * @typedef {Record<string, Uint8Array> & { labels: string[], lines: string[], title: string, certainties: string[],
 *   shareds: string[] }} Packed
 */
/** @typedef {{ stage: Stage, find: Find }} Pin a small stage with its own sweep, at the angle that all share */
/**
 * @typedef {Dial & { follower: Follower, pins: Pin[], packed: any, log: boolean, drawn: number, readStyle: () => void,
 *   describe: () => void, type: number }} Comparison `type` is the size of the smallest type in pixels
 */

const SETTLE_MILLISECONDS = 300; // without a new drawing before texts for assistive technology change

/** A space, and a part of a label in one line: names of models have hyphens, at which it would break. */
const unbroken = (/** @type {string} */ part) => [" ", Object.assign(document.createElement("span"), { textContent: part })];

/** @param {Mount} mount */
export default function (mount) {
  return listen(follow(mount, create));
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const [whole, dial] = [find("compare"), find("dial")];
  const self = /** @type {Comparison} */ (/** @type {Partial<Comparison>} */ ({ angle: 30, cache: {}, log: false, pins: [], drawn: 0, listeners: {} }));
  let settling = 0;

  turnable(self, dial, find);
  self.listeners.keydown = (event) => {
    const target = event.composedPath()[0];
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target === document.body || target === document.documentElement) dial.onkeydown?.(event);
  };
  const send = (action = "") => self.follower.send({ angle: self.angle, log: self.log }, action);
  self.commit = () => send();
  find("scale").onclick = () => {
    self.log = !self.log;
    showScale();
    self.draw();
    send();
  };
  const showScale = () => find("scale").setAttribute("aria-pressed", `${self.log}`);
  const served = window.location.protocol.startsWith("http");
  find("leave").hidden = find("link").hidden = !served;
  find("leave").onclick = () => send("stage");
  copyAddress(find, () => {
    self.player.stop();
    send();
    return self.angle;
  });
  const described = description(find, whole);
  find("describe").onclick = () => {
    described.toggle();
    self.draw();
  };

  const fit = () => {
    const above = whole.getBoundingClientRect().top + window.scrollY;
    if (above > 0) whole.style.setProperty("--above", `${Math.round(above)}px`);
    self.type = Number.parseFloat(getComputedStyle(whole).getPropertyValue("--type"));
    for (const { stage, find } of self.pins) {
      stage.leastType = self.type;
      const box = find("dial-box");
      const { base } = dialRadii(Math.min(box.clientWidth, box.clientHeight) / 2, stage.sweep.look);
      find("hold").style.width = find("hold").style.height = `${2 * (base + 10)}px`;
    }
  };
  new ResizeObserver(() => {
    fit();
    self.draw();
  }).observe(find("cards"));

  const makePin = (/** @type {number} */ i) => {
    const element = find("pin-template").content.firstElementChild.cloneNode(true);
    return fillPin(element, finder(element), i);
  };
  const fillPin = (/** @type {HTMLElement} */ element, /** @type {Find} */ find, /** @type {number} */ i) => {
    const sweep = unpack(self.packed[`pin${i}`]);
    const own = { sweep, pictures: picturesOf(sweep), cache: {}, labels: [], discs: {}, tried: null, pending: false, hidden: false };
    const stage = Object.assign(Object.create(self), own, { labelTexts: sweep.words.labels });
    const number = i + 1;
    setText(find("number"), `${number}`);
    find("label").replaceChildren(...self.packed.labels[i].split(/(?<=,) /).flatMap(unbroken).slice(1));
    element.setAttribute("aria-label", `${number}. ${self.packed.labels[i]}`);
    find("sample").firstElementChild.setAttribute("stroke-dasharray", DASHES[i].join(" "));
    for (const verb of ["open", "remove"]) {
      const button = find(verb);
      button.setAttribute("aria-label", fill(button.dataset.text, { number }));
      button.hidden = !served;
      button.onclick = () => send(`${verb} ${self.follower.header.names[i]}`);
    }
    self.grip(find("hold"));
    root.querySelector(".pins")?.append(element);
    return { stage, find };
  };
  const show = (/** @type {any} */ packed) => {
    if (packed === self.packed) return;
    self.packed = packed;
    const hadFocus = find("pins").querySelector(":focus") !== null;
    find("pins").replaceChildren();
    if (hadFocus) dial.focus({ preventScroll: true });
    self.pins = packed.labels.map((/** @type {string} */ _, /** @type {number} */ i) => makePin(i));
    setText(find("title"), packed.title);
    fit();
  };
  self.follower = follower({
    adopt: ({ angle, log }) => {
      Object.assign(self, { angle, log });
      showScale();
    },
    show,
  });
  self.readStyle = () => (self.style = penStyle(find("card")));
  self.draw = () => {
    if (!self.packed || !whole.clientWidth) return;
    const { hide = [], describe, below = 0 } = self.follower.header;
    whole.style.setProperty("--below", `${below}px`);
    for (const part of ["tools", "player"]) find(part).hidden = hide.includes(part);
    if (describe && !self.drawn) described.show(true);
    const { packed, angle } = self;
    setText(find("question"), self.pins[0].stage.sweep.words.question);
    setText(find("certainty"), packed.certainties[packed.certainty[angle]]);
    setText(find("shared"), packed.shareds[packed.shared[angle]]);
    setText(find("turn"), `${angle}°`);
    dial.style.setProperty("--hue", hue((angle * TURN) / 360));
    for (const { stage, find } of self.pins) {
      const { words, answer } = stage.sweep;
      drawDial(stage, find("dial-canvas"));
      setText(find("pin-answer"), words.answers[answer[angle]]);
      setText(find("pin-number"), `${words.numbers[0]}: ${words.values[angle][0]}`);
    }
    drawStrip(self, find("strip"));
    if (!self.drawn) fit();
    if (!self.drawn) self.describe();
    clearTimeout(settling);
    settling = setTimeout(self.describe, SETTLE_MILLISECONDS);
    self.drawn += 1;
    announce(self);
    Object.assign(whole.dataset, { drawn: self.drawn, angle, revision: self.follower.revision, pins: self.pins.length });
  };
  // Texts for assistive technology change when the dial has come to rest.
  self.describe = () => {
    clearTimeout(settling);
    if (!self.packed || !whole.clientWidth) return;
    const sentence = `${find("certainty").textContent} ${find("shared").textContent}`;
    dial.setAttribute("aria-valuenow", `${self.angle}`);
    dial.setAttribute("aria-valuetext", fill(dial.dataset.value ?? "", { angle: self.angle, sentence }));
    for (const { stage, find } of self.pins) find("dial-canvas").setAttribute("aria-label", posteriorText(stage));
    const lines = self.packed.lines.map((/** @type {string} */ line, /** @type {number} */ i) => `${i + 1}: ${line}`);
    find("strip").setAttribute("aria-label", `${self.packed.title}. ${lines.join(", ")}.`);
    if (!dial.matches(":focus")) setText(find("spoken"), sentence);
    described.refresh();
  };
  return self;
}
