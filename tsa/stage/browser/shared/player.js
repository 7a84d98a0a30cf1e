// Play and pause.

const MAX_STEP_SECONDS = 0.1; // a tab that was hidden does not leap ahead

export const prefersReducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @typedef {ReturnType<typeof player>} Player */

/**
 * Calls `advance` with the time that has passed, once for each frame while playing; `advance` may call `stop`. The
 * button has its two labels in `data-play` and `data-pause`; what a click does is up to the component.
 * @param {HTMLElement} button
 * @param {(seconds: number) => void} advance
 */
export function player(button, advance) {
  let [frame, last] = [0, 0];
  const show = () => {
    button.textContent = frame ? "❚❚" : "▶";
    button.setAttribute("aria-label", (frame ? button.dataset.pause : button.dataset.play) ?? "");
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    show();
  };
  const step = (/** @type {number} */ now) => {
    const seconds = Math.min(MAX_STEP_SECONDS, Math.max(0, (now - last) / 1000));
    last = now;
    frame = requestAnimationFrame(step);
    advance(seconds);
  };
  const play = () => {
    if (frame) return;
    last = performance.now();
    frame = requestAnimationFrame(step);
    show();
  };
  return {
    play,
    stop,
    get playing() {
      return frame !== 0;
    },
  };
}
