// Buttons beside the drawing of waves: a switch for each row (off: the posterior does without its weights), the numbers
// and the scale of the posterior.

import { fill } from "../shared/text.js";
import { rowName } from "./drawing/rows.js";

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * Returns the function that puts a switch beside each row of the layout.
 * @param {Stage} self
 * @param {Find} find
 * @param {(weights: number[], off: boolean) => void} change
 */
export function placeSwitches(self, find, change) {
  const box = find("switches");
  box.onclick = (/** @type {MouseEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button) return;
    const on = button.getAttribute("aria-checked") === "true";
    button.setAttribute("aria-checked", `${!on}`);
    change(JSON.parse(button.dataset.weights ?? "[]"), on);
  };
  return () => {
    const { layout, labelTexts } = self;
    if (!layout) return;
    find("numbers-button").style.top = `${layout.base - 26}px`;
    find("scale").style.top = `${layout.base - 34}px`;
    const rows = layout.plan.rows.filter(({ kind }) => kind !== "fixed");
    box.hidden = !window.location.protocol.startsWith("http"); // without Python, no other posterior can be had
    while (box.children.length > rows.length) box.lastElementChild?.remove();
    rows.forEach(({ weights, top, height, kind }, i) => {
      /** @type {HTMLElement} */
      const button = box.children[i] ?? box.appendChild(document.createElement("button"));
      button.className = `switch ${kind}`;
      button.setAttribute("type", "button");
      button.setAttribute("role", "switch");
      button.dataset.weights = JSON.stringify(weights);
      const text = weights.length > 1 ? labelTexts.switches : labelTexts.switch;
      button.setAttribute("aria-label", fill(text, { weights: rowName(weights) }));
      button.setAttribute("aria-checked", `${!weights.every((k) => self.sweep.without.includes(k))}`);
      button.style.top = `${layout.top + top + height / 2}px`;
      button.style.height = `${Math.min(height, 40)}px`;
    });
  };
}
