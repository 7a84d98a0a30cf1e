// Messages to Python while the pointer moves: one in flight at a time. A message that is due in the meantime waits, and
// the newest replaces it. The last one, sent when the pointer is released, does not wait.

import { nextSequence } from "../../../tsa/stage/browser/shared/follower.js";

const MAX_WAIT_MILLISECONDS = 1500; // after which an answer counts as lost

/** @typedef {{ session: string, obeyed: number, sequence: number, done: boolean } & Record<string, unknown>} Message */
/** @typedef {ReturnType<typeof mailbox>} Mailbox */

/**
 * Messages go to the live line; those that end a gesture, or that the live line does not take or does not answer, go
 * through Streamlit, by `post`.
 * @param {HTMLElement} element gets how long the last answer took, in milliseconds, as `data-answered`
 * @param {() => Record<string, unknown>} compose the content of a message, called when it is sent
 * @param {boolean} [atOnce] whether the next message may leave as soon as an answer is here; without it, one frame later,
 *   so that every answer is painted
 */
export function mailbox(element, compose, atOnce = false) {
  let [session, obeyed] = ["", 0];
  let [inFlight, sent, waiting] = [0, 0, false]; // `inFlight` is the sequence number of the last message, or 0
  /** @type {Message} */
  let message;
  /** @type {(message: Message) => void} */
  let post = () => {};
  let patch = "";

  const report = (/** @type {boolean} */ done) => {
    if (inFlight && !done && performance.now() - sent < MAX_WAIT_MILLISECONDS) {
      waiting = true;
      return;
    }
    waiting = false;
    inFlight = nextSequence();
    sent = performance.now();
    message = { session, obeyed, sequence: inFlight, done, ...compose() };
    const ask = new CustomEvent("tsa-ask", { detail: { patch, message }, cancelable: true });
    if (done || window.dispatchEvent(ask)) post(message); // not cancelled: the live line is closed
  };
  const acknowledge = (/** @type {number} */ last) => {
    if (inFlight > last) return;
    if (inFlight) element.dataset.answered = `${performance.now() - sent}`; // for `tsa-explorer bench`
    inFlight = 0;
    if (waiting) report(false);
  };
  // An answer goes to the component that shows it; then the next message may leave. Without such a component, or without
  // an answer, the message goes through Streamlit.
  const answered = (/** @type {any} */ { detail }) => {
    if (detail.patch !== patch || detail.sequence !== inFlight) return;
    const show = new CustomEvent("tsa-show", { detail, cancelable: true });
    if (!detail.bytes.length || window.dispatchEvent(show)) post(message);
    else if (atOnce) acknowledge(detail.sequence);
    else requestAnimationFrame(() => acknowledge(detail.sequence));
  };
  const lost = () => {
    if (inFlight && !message.done) post(message);
  };
  return {
    report,
    /**
     * Process the data that Python sends with each run. Returns whether another writer has changed the drawing or the
     * circle, which must then be shown.
     * @param {{ patch: string, session: string, obey: number, acknowledged: number }} data
     * @param {(message: Message) => void} send
     */
    receive(data, send) {
      const adopts = data.session !== session || data.obey > obeyed;
      [patch, session, obeyed, post] = [data.patch, data.session, data.obey, send];
      if (adopts) [inFlight, waiting] = [0, false];
      window.addEventListener("tsa-answer", answered); // added twice, called once
      window.addEventListener("tsa-lost", lost);
      acknowledge(data.acknowledged);
      return adopts;
    },
    close() {
      window.removeEventListener("tsa-answer", answered);
      window.removeEventListener("tsa-lost", lost);
    },
  };
}
