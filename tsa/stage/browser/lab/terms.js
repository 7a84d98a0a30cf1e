// The glossary, and what is explained where the pointer rests.

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * Explain the labels of the waves: by hovering, and by a click or a tap that opens the glossary at that term.
 * @param {Stage} self
 * @param {Find} find
 */
export function explainTerms(self, find) {
  for (const name of ["waves-canvas", "circles-canvas"]) { // the second lies over the left part of the first
    /** @type {HTMLCanvasElement} */
    const canvas = find(name);
    canvas.addEventListener("pointermove", (event) => {
      const term = termAt(self, event.offsetX, event.offsetY);
      canvas.title = self.glossary[term] ?? "";
      if (term) canvas.style.cursor = "help";
      else if (name === "circles-canvas") canvas.style.cursor = "";
    });
    canvas.addEventListener("click", (event) => {
      const term = termAt(self, event.offsetX, event.offsetY);
      if (!term) return;
      find("terms").showPopover();
      find("terms").querySelector(`[data-term="${term}"]`)?.scrollIntoView({ block: "center" });
    });
  }
}

/**
 * The term of the glossary that is written at a place of the drawing of waves, or "".
 * @param {Stage} self
 * @param {number} x
 * @param {number} y
 */
function termAt({ layout: at, sweep }, x, y) {
  if (!at || (x > at.west - 12 && x < at.east + 12)) return "";
  const left = x < at.west;
  if (y < at.top) return !left ? "loudness" : x < at.circles ? "weight" : "subspace";
  if (y < at.top + at.plan.used) return "";
  if (y < at.rule) return sweep.prior.length ? "prior" : "";
  if (!left) return "";
  return y < at.sumTop + at.sumHeight ? "likelihood" : y < at.base ? "posterior" : "left over";
}

/**
 * The glossary, each term with its meaning.
 * @param {HTMLElement} list
 * @param {Record<string, string>} glossary
 */
export function listTerms(list, glossary) {
  if (list.children.length) return;
  for (const [name, meaning] of Object.entries(glossary)) {
    const [term, text] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, text.textContent, term.dataset.term] = [name, meaning, name];
    list.append(term, text);
  }
}
