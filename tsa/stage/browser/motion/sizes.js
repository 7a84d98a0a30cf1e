// The slider of the window's size, and under it what the answer would be at each size.

import { fill, setText } from "../shared/text.js";

/** @import { MotionView } from "./view.js" */

const LEAST_SIZE = 1; // pixels of the world
const LABEL_GAP = 5; // pixels between labels, at least

/**
 * Lets the slider size the window, and returns what draws it as it is.
 * @param {MotionView} self
 */
export function sizeSlider(self) {
  const { find } = self;
  /** @type {HTMLInputElement} */
  const slider = find("size");
  /** @type {number[]} */
  let sizes = [];
  /** @type {unknown} */
  let listed;
  let placed = -1; // segment for which the labels are placed
  slider.oninput = () => self.change({ window: sizes[Number(slider.value)] }, false);
  slider.onchange = () => self.change({}, true);

  /** Segments as long as the sizes at which an answer stays the same. */
  const list = () => {
    const { steps } = self.packed;
    const [least, most] = [sizes[0], sizes[sizes.length - 1]];
    const share = (/** @type {number} */ size) => Math.min(1, Math.max(0, (size - least) / (most - least)));
    const segments = steps.map(([from, label], i) => {
      const segment = document.createElement("span");
      segment.append(Object.assign(document.createElement("b"), { textContent: label }));
      const [start, end] = [i ? share(from) : 0, i + 1 < steps.length ? share(steps[i + 1][0]) : 1];
      segment.style.width = `${100 * (end - start)}%`;
      return segment;
    });
    find("steps").replaceChildren(...segments);
  };
  /** A label may be wider than its segment. One that would lie over another is not shown; that of the size chosen is. */
  const placeLabels = () => {
    const box = find("steps").getBoundingClientRect();
    const isNow = (/** @type {Element} */ segment) => Number(segment.classList.contains("now"));
    const segments = [...find("steps").children].sort((a, b) => isNow(b) - isNow(a) || b.clientWidth - a.clientWidth);
    /** @type {[number, number][]} */
    const taken = [];
    for (const segment of segments) {
      const label = /** @type {HTMLElement} */ (segment.firstElementChild);
      label.style.translate = "";
      const { left, right } = label.getBoundingClientRect();
      const inward = Math.max(box.left - left, Math.min(0, box.right - right));
      const isFree = taken.every(([start, end]) => right + inward < start - LABEL_GAP || left + inward > end + LABEL_GAP);
      label.style.translate = `${inward}px`;
      label.style.visibility = isFree ? "" : "hidden";
      if (isFree) taken.push([left + inward, right + inward]);
    }
  };
  new ResizeObserver(placeLabels).observe(find("steps"));

  return () => {
    const { packed, fields } = self;
    sizes = self.sizes ?? Array.from({ length: 2 * (packed.side - LEAST_SIZE) + 1 }, (_, i) => LEAST_SIZE + i / 2);
    const at = sizes.reduce((best, one, i) => (Math.abs(one - fields.window) < Math.abs(sizes[best] - fields.window) ? i : best), 0);
    [slider.max, slider.value] = [`${sizes.length - 1}`, `${at}`];
    if (listed !== packed.steps) list();
    const now = Math.max(0, packed.steps.filter(([from]) => from <= sizes[at]).length - 1);
    [...find("steps").children].forEach((segment, i) => segment.classList.toggle("now", i === now));
    if (listed !== packed.steps || placed !== now) placeLabels();
    [listed, placed] = [packed.steps, now];
    const text = fill(packed.words.templates.size, { size: sizes[at] });
    setText(find("size-text"), text);
    slider.setAttribute("aria-valuetext", `${text}: ${packed.steps[now][1]}`);
  };
}
