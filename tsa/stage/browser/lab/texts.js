// Shows the texts that Python has sent with the sweep.

import { hue, TURN } from "../shared/colour.js";
import { fill, listOptions, setText, signedText } from "../shared/text.js";
import { namedModes, posteriorParameters, row, subspace, triedTurn, waveSum } from "./sweep.js";

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * Question, answer, reason, fit and numbers at the angle of the dial.
 * @param {Stage} self
 * @param {Find} find
 */
export function showTexts(self, find) {
  const { words, answer, equation, why, fit, title } = self.sweep;
  const t = row(self);
  setText(find("question"), (self.hidden && self.follower.header.question) || words.question);
  showAnswer(self, find, words.answers[answer[t]]);
  const equationText = words.equations[equation[t]];
  setText(find("equation"), equationText && `${words.templates.why} ${equationText}`);
  setText(find("because"), words.whys[why[t]]);
  const parameters = new URLSearchParams(window.location.search);
  parameters.set("orbit", self.sweep.loudest.join("-"));
  find("orbits").setAttribute("href", `orbits?${parameters}`);
  setText(find("fit"), words.fits[fit[t]]);
  setText(find("waves-title"), words.titles[title[t]]);
  showNumbers(self, find);
  showTried(self, find);
}

/**
 * The answer with the named turns underlined in their hues; small type if it would need too many lines.
 * @param {Stage} self
 * @param {Find} find
 * @param {string} text
 */
function showAnswer(self, find, text) {
  const element = find("answer");
  const size = `${window.innerWidth}, ${find("stage").matches(":popover-open")}`;
  if (element.textContent === text && element.dataset.size === size) return;
  element.dataset.size = size;
  const parts = text.split(/(\d+°)/).map((part) => {
    if (!/^\d+°$/.test(part)) return document.createTextNode(part);
    const mark = document.createElement("span");
    mark.className = "turn";
    mark.dataset.degrees = part.slice(0, -1);
    mark.textContent = part;
    mark.style.borderColor = hue((parseInt(part) * TURN) / 360);
    return mark;
  });
  element.replaceChildren(...parts);
  // Measured once for all answers that differ in their digits only: measuring makes the browser lay out the page.
  const kind = `${size}: ${text.replace(/\d/g, "0")}`;
  if (!self.longAnswers.has(kind)) {
    element.classList.remove("long");
    self.longAnswers.set(kind, element.scrollHeight > 1.5 * element.clientHeight);
  }
  element.classList.toggle("long", self.longAnswers.get(kind));
}

/**
 * @param {Stage} self
 * @param {Find} find
 */
function showNumbers(self, find) {
  const { numbers, values } = self.sweep.words;
  setText(find("numbers-button"), `${numbers[0]}: ${values[row(self)][0]}`);
  const list = find("numbers");
  if (list.children.length !== 2 * numbers.length) {
    list.replaceChildren(...numbers.flatMap((name) => {
      const [term, text] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = name;
      return [term, text];
    }));
  }
  self.meanings.forEach((meaning, i) => setText(list.children[2 * i + 1], `${values[row(self)][i]}. ${meaning}`));
}

/**
 * The answers to try, and how probable the tried turn is compared with the best.
 * @param {Stage} self
 * @param {Find} find
 */
function showTried(self, find) {
  const modes = namedModes(self).map(({ degrees }) => degrees);
  const box = find("answers");
  const tried = triedTurn(self);
  const names = modes.join();
  if (box.dataset.turns !== names) {
    box.dataset.turns = names;
    box.toggleAttribute("data-many", modes.length > 5);
    box.replaceChildren(...modes.map((degrees) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "pill";
      button.textContent = `${degrees}°`;
      button.dataset.degrees = `${degrees}`;
      button.style.setProperty("--hue", hue((degrees * TURN) / 360));
      return button;
    }));
  }
  for (const button of box.children) button.setAttribute("aria-pressed", `${button.dataset.degrees === `${tried}`}`);
  if (!self.odds.length) return;
  if (self.layout) {
    const { west, east, top, unit } = self.layout;
    Object.assign(find("flag").style, { left: `${west + ((east - west) * tried) / 360}px`, top: `${top - 4 * unit}px` });
  }
  setText(find("turned-text"), fill(self.labelTexts.turned, { angle: tried }));
  const energy = waveSum(posteriorParameters(self, () => 1));
  const nats = Math.max(0, Math.max(...energy) - energy[tried]);
  const place = Math.min(self.odds.length - 1, Math.round(nats / self.oddsStep));
  const { best, nearly, less } = self.labelTexts;
  setText(find("odds"), nats < self.oddsStep / 2 ? best : nats < self.nearlyBest ? nearly : fill(less, { ratio: self.odds[place] }));
}

/**
 * Alternative texts of the drawings. Not for every drawing: see `describe` of the stage.
 * @param {Stage} self
 * @param {Find} find
 */
export function describeDrawings(self, find) {
  const { words, weights, lines } = self.sweep;
  const { templates } = words;
  const label = (/** @type {string} */ name, /** @type {string} */ text) => find(name).setAttribute("aria-label", text);
  find("flag").setAttribute("aria-valuenow", `${triedTurn(self)}`);
  find("flag").setAttribute("aria-valuetext", `${triedTurn(self)}°. ${find("odds").textContent}`);
  label("fine-y", fill(templates.turnedY, { angle: self.angle }));
  label("waves-canvas", self.hidden ? templates.hidden : posteriorText(self));
  const options = weights.map((_, j) => subspaceText(self, j));
  const circles = find("circles-canvas");
  listOptions(circles, options, self.selected);
  circles.dataset.cells = JSON.stringify(self.cells.map(([x, y]) => [Math.round(x), Math.round(y)])); // for tests
  const j = self.selected;
  const filter = { number: j + 1, weight: signedText(weights[j]) };
  for (const name of ["filter-a", "filter-b"]) {
    const { part, whole } = find(name).dataset;
    label(name, fill(templates.filter, { part: lines[j] ? whole : part, ...filter }));
  }
  label("arrows-canvas", options[j]);
  if (self.opened) label("sum-canvas", find("sum-text").textContent);
}

/**
 * The alternative text of the posterior.
 * @param {Stage} self
 */
export function posteriorText(self) {
  const { templates, values } = self.sweep.words;
  const peaks = namedModes(self).map((mode) => fill(templates.peak, mode));
  const shape = peaks.length ? fill(templates.peaks, { peaks: peaks.join(", ") }) : templates.flat;
  return fill(templates.posterior, { shape, angle: self.angle, uncertainty: values[row(self)][0] });
}

/**
 * @param {Stage} self
 * @param {number} j
 */
function subspaceText(self, j) {
  const { words, weights, look } = self.sweep;
  const { mu, certainty } = subspace(self, j);
  const degrees = (Math.round((mu * 180) / Math.PI) + 360) % 360;
  const template = certainty < look.minCertainty ? words.templates.noEvidence : words.templates.subspace;
  return fill(template, { number: j + 1, weight: signedText(weights[j]), degrees, percent: Math.round(100 * certainty) });
}
