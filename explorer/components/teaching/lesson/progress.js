// How far a visitor has come in each lesson, in the storage of the browser.

const KEY = "tsa-lessons";

/** @typedef {{ step: number, picked?: number, solved?: boolean }} Progress step: the furthest one that was open; 0 for none */

export const progress = {
  /**
   * @param {string} lesson
   * @returns {Progress}
   */
  of(lesson) {
    const found = read()[lesson];
    return typeof found === "object" && found !== null && Number.isInteger(found.step) ? found : { step: 0 };
  },
  /**
   * Change what is known of a lesson, and return it.
   * @param {string} lesson
   * @param {Partial<Progress>} changed
   */
  note(lesson, changed) {
    const all = read();
    all[lesson] = { ...this.of(lesson), ...changed };
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {} // storage may be forbidden, or full
    return /** @type {Progress} */ (all[lesson]);
  },
};

/** @returns {Record<string, Progress>} */
function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}
