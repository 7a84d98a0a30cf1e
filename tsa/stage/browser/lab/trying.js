// Trying a turn: x is laid over y at the place of the axis, the petal, the label or the answer that is clicked.

import { triedTurn } from "./sweep.js";

/** @import { Find } from "../shared/mount.js" */
/** @import { Stage } from "./stage.js" */

/**
 * @param {Stage} self
 * @param {Find} find
 * @param {() => void} changed called after the tried turn has changed
 */
export function trying(self, find, changed) {
  const tryTurn = (/** @type {number} */ degrees) => {
    self.tried = ((Math.round(degrees) % 360) + 360) % 360;
    self.draw();
    changed();
  };
  find("answers").onclick = find("answer").onclick = (/** @type {MouseEvent} */ event) => {
    const degrees = /** @type {HTMLElement} */ (event.target).dataset.degrees;
    if (degrees !== undefined) tryTurn(Number(degrees));
  };
  find("dial-canvas").onclick = (/** @type {MouseEvent} */ event) => {
    const frame = find("dial-box").getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const label = self.labels.find(({ box: [l, t, r, b] }) => l <= x && x <= r && t <= y && y <= b);
    const [dx, dy] = [x - frame.width / 2, frame.height / 2 - y];
    // Outside the rim, a click on a petal.
    if (label) tryTurn(label.degrees);
    else if (Math.hypot(dx, dy) < Math.min(frame.width, frame.height) / 2) tryTurn((Math.atan2(dy, dx) * 180) / Math.PI);
  };
  /** @type {HTMLCanvasElement} */
  const waves = find("waves-canvas");
  const degreesAt = (/** @type {PointerEvent} */ event) => {
    const at = self.layout;
    const x = event.clientX - waves.getBoundingClientRect().left;
    if (!at || x < at.west - 12 || x > at.east + 12) return undefined;
    return Math.min(359, Math.max(0, ((x - at.west) / (at.east - at.west)) * 360));
  };
  waves.onpointerdown = (event) => {
    const degrees = degreesAt(event);
    if (degrees === undefined) return;
    waves.setPointerCapture(event.pointerId);
    tryTurn(degrees);
  };
  waves.onpointermove = (event) => {
    const degrees = degreesAt(event);
    waves.style.cursor = degrees === undefined ? "default" : "col-resize";
    if (degrees !== undefined && waves.hasPointerCapture(event.pointerId)) tryTurn(degrees);
  };

  // The same by keyboard, on the flag of the tried turn.
  const flag = find("flag");
  flag.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const step = event.shiftKey ? 10 : 1;
    /** @type {Record<string, number>} */
    const moves = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step, PageDown: -10, PageUp: 10 };
    if (event.key in moves) tryTurn(triedTurn(self) + moves[event.key]);
    else if (event.key === "Home") tryTurn(0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
