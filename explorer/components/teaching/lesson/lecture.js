// A lecture: the whole screen, large type, and arrow keys or a clicker that go from step to step.

/** @typedef {ReturnType<typeof lecturing>} Lecture */

const FORWARD = new Set(["ArrowRight", "PageDown"]);
const BACKWARD = new Set(["ArrowLeft", "PageUp"]);

/**
 * @param {HTMLElement} button begins and ends the lecture
 * @param {(by: number) => void} walk goes to the next (1) or the last step (−1)
 */
export function lecturing(button, walk) {
  const page = document.documentElement;
  const on = () => page.dataset.lecture === "on";
  const set = (/** @type {boolean} */ lectures) => {
    if (lectures) page.dataset.lecture = "on";
    else delete page.dataset.lecture;
    button.setAttribute("aria-pressed", `${lectures}`);
    window.dispatchEvent(new Event("resize")); // the pieces beside the text have another size
  };
  button.onclick = async () => {
    const lectures = !on();
    set(lectures);
    try {
      if (lectures) await page.requestFullscreen();
      else if (document.fullscreenElement) await document.exitFullscreen();
    } catch {} // some browsers have no full screen: the page is then as large as the window
  };
  const left = () => {
    if (!document.fullscreenElement && on()) set(false);
  };
  // Before the dial, whose arrow keys turn the picture: in a lecture they go on, unless a slider has the focus.
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (!on() || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape" && !document.fullscreenElement) return set(false);
    const by = FORWARD.has(event.key) ? 1 : BACKWARD.has(event.key) ? -1 : 0;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (!by || (event.key.startsWith("Arrow") && target.matches?.("input, select, textarea, [role=slider], [role=listbox], [role=radio]"))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    walk(by);
  };
  return {
    listen() {
      window.addEventListener("keydown", key, true);
      document.addEventListener("fullscreenchange", left);
    },
    forget() {
      window.removeEventListener("keydown", key, true);
      document.removeEventListener("fullscreenchange", left);
    },
    end() {
      if (on()) button.click();
    },
  };
}
