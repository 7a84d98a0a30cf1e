// Presenting: dial and answer on the whole screen, in large type.

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/** Least size of the type on the dial, in pixels. */
export const ORDINARY_TYPE = 12.5;
const PRESENTED_TYPE = 24;

/**
 * @param {Stage} self
 * @param {Find} find
 */
export function presentation(self, find) {
  const stage = find("stage");
  const isOn = () => stage.matches(":popover-open");
  const show = () => {
    stage.popover = "manual"; // the browser's top layer covers everything else on the page
    stage.showPopover();
    document.documentElement.requestFullscreen?.().catch(() => {}); // some browsers and frames do not allow it
    find("dial").focus({ preventScroll: true });
    self.leastType = PRESENTED_TYPE;
    self.draw();
  };
  const end = () => {
    stage.hidePopover();
    stage.popover = null;
    self.leastType = ORDINARY_TYPE;
    if (document.fullscreenElement) document.exitFullscreen();
    self.draw();
  };
  const toggle = () => (isOn() ? end() : show());
  find("present").onclick = find("end-present").onclick = toggle;
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && isOn()) end(); // left with Escape
  });
  stage.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && isOn()) end();
  });
  return { toggle };
}
