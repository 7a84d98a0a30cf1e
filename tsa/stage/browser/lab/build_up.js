// The build-up: the waves are added one after another, and the sum and the posterior grow with them.

import { player } from "../shared/player.js";

/** @import { Stage } from "./stage.js" */

const LOUD_SECONDS = 1.2; // that a loud weight takes to appear
const OTHER_SECONDS = 0.15;

/**
 * @param {Stage} self
 * @param {HTMLElement} button
 */
export function buildUp(self, button) {
  let elapsed = 0;
  const label = button.textContent ?? "";
  const steps = () =>
    self.sweep.rows.flatMap(({ weights, kind }) =>
      kind === "fixed" ? [] : weights.map((weight) => ({ weight, seconds: kind === "loud" ? LOUD_SECONDS : OTHER_SECONDS })),
    );
  const end = () => {
    play.stop();
    [self.building, self.gain] = [null, () => 1];
    button.textContent = label;
    self.draw();
  };
  const play = player(button, (seconds) => {
    elapsed += seconds;
    /** @type {Map<number, number>} */
    const shares = new Map();
    let start = 0;
    for (const { weight, seconds: length } of steps()) {
      shares.set(weight, Math.min(1, Math.max(0, (elapsed - start) / length)));
      start += length;
    }
    if (elapsed > start + LOUD_SECONDS) return end();
    self.building = elapsed;
    self.gain = (weight) => shares.get(weight) ?? 1;
    self.draw();
  });
  button.onclick = () => {
    if (play.playing) return end();
    elapsed = 0;
    play.play();
    button.textContent = button.dataset.stop ?? "";
  };
}
