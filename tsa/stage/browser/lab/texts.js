// Shows the texts that Python has sent with the sweep.

import { fill, listOptions, setText } from "../shared/text.js";
import { namedModes, row, subspace } from "./sweep.js";

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * The sentence, its reason and the numbers at the angle of the dial.
 * @param {Stage} self
 * @param {Find} find
 */
export function showTexts(self, find) {
  const { words, sentence, reason } = self.sweep;
  setText(find("sentence"), words.sentences[sentence[row(self)]]);
  setText(find("because"), words.reasons[reason[row(self)]]);
  [...find("numbers").children].forEach((cell, i) => {
    setText(cell.firstElementChild, words.numbers[i]);
    setText(cell.lastElementChild, words.values[row(self)][i]);
  });
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
  label("fine-y", fill(templates.turnedY, { angle: self.angle }));
  const peaks = namedModes(self).map((mode) => fill(templates.peak, mode));
  const shape = peaks.length ? fill(templates.peaks, { peaks: peaks.join(", ") }) : templates.flat;
  label("strip-canvas", fill(templates.posterior, { shape, angle: self.angle, uncertainty: words.values[row(self)][0] }));
  const options = weights.map((_, j) => subspaceText(self, j));
  listOptions(find("circles-canvas"), options, self.selected);
  const j = self.selected;
  const filter = { number: j + 1, weight: weights[j] };
  for (const name of ["filter-a", "filter-b"]) {
    const { part, whole } = find(name).dataset;
    label(name, fill(templates.filter, { part: lines[j] ? whole : part, ...filter }));
  }
  label("arrows-canvas", options[j]);
  label("sum-canvas", find("sum-text").textContent);
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
  return fill(template, { number: j + 1, weight: weights[j], degrees, percent: Math.round(100 * certainty) });
}
